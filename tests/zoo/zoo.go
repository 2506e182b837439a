package main

import "fmt"

//go:noinline
func leaf(n uint64) uint64 {
	for i := uint64(0); i < 4000000; i++ {
		n = n*3 + i
	}
	return n
}

//go:noinline
func middle(n uint64) uint64 {
	return leaf(n) + 1
}

func work(done chan uint64) {
	sum := uint64(0)
	for i := uint64(0); i < 60; i++ {
		sum += middle(i)
	}
	done <- sum
}

func main() {
	done := make(chan uint64)
	go work(done)
	go work(done)
	fmt.Println(<-done + <-done)
}
