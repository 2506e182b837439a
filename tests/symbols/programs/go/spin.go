// Spends its time in a plain function, a method and a generic function, for some minutes.  Imports nothing, since
// packages take long to build.
package main

type worker struct{ sum uint64 }

//go:noinline
func (w *worker) mix(n int) {
	for i := 0; i < n; i++ {
		w.sum = w.sum*6364136223846793005 + uint64(i)
	}
}

type number interface{ ~int | ~uint64 }

//go:noinline
func fold[T number](n int, seed T) T {
	for i := 0; i < n; i++ {
		seed = seed*31 + T(i)
	}
	return seed
}

//go:noinline
func plain(n int) uint64 {
	x := uint64(88172645463325252)
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func main() {
	w := &worker{}
	f := func(k int) uint64 { return plain(k) }
	var total uint64
	for i := 0; i < 30000; i++ {
		w.mix(3000000)
		total += fold(3000000, uint64(i)) + f(3000000)
	}
	println(total + w.sum)
}
