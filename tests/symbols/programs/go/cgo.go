// Spends its time in Go and in C.
package main

// static unsigned long spin(unsigned long n) { unsigned long x = 1; for (unsigned long i = 0; i < n; i++) x = x * 31 + i; return x; }
import "C"

//go:noinline
func inGo(n int) uint64 {
	x := uint64(1)
	for i := 0; i < n; i++ {
		x = x*31 + uint64(i)
	}
	return x
}
func main() {
	var t uint64
	for i := 0; i < 100; i++ {
		t += uint64(C.spin(3000000)) + inGo(3000000)
	}
	println(t)
}
