#!/bin/sh
# Counters read from user space are those that read(2) gives, exactly: with permission through the page, without it by
# the system call, and where several groups take turns within 5 % of the count.  One CPU and exact counting: of two
# loops that differ by a number of iterations the counts differ by two instructions for each.
. "$(dirname "$0")/lib.sh"

# sound FILE WAY: what holds however it is read
sound() {
	check "$1: values are read by $2" "$1" '.counters == $way and .clock == "hardware"' --arg way "$2"
	check "$1: read(2) between two readings gives what lies between them" "$1" '.wrong == 0 and .time_back == 0'
	check "$1: a handler's readings leave those that they interrupt right" "$1" '.handled_back == 0'
	check "$1: a child of fork() is not ended by its parent's pages" "$1" '.child == 0'
	check "$1: no byte is taken from a pipe in the place of a counter" "$1" '.closed == {counted: false, left: 200}'
	check "$1: another thread is read by read(2)" "$1" \
		'.of_thread == 0 and (.thread_by_page | not) and .thread_left'
	show "$1" "$1" .
}

# exact FILE: instructions, of all rounds the least
exact() {
	check "$1: each iteration is two instructions, in both ways" "$1" \
		'.by_page[1] == 2 * .iterations and .by_read[1] == 2 * .iterations'
	check "$1: cycles are the same in both ways" "$1" '.by_page[0] | near($read; 0.01)' \
		--argjson read "$(jq '.by_read[0]' "$out/$1")"
}

vm_build arm64 tests/vm/selfcount_probe
cp "$cross/tests/vm/selfcount_probe" "$job"
guest --icount 2 <<'GUEST'
./selfcount_probe cycles instructions >/out/forbidden
echo 1 >/proc/sys/kernel/perf_user_access
./selfcount_probe cycles instructions >/out/arm64
./selfcount_probe --others 8 cycles instructions >/out/turns
./selfcount_probe task-clock page-faults >/out/software
GUEST
sound forbidden syscall
exact forbidden
sound arm64 page
exact arm64
check 'all the time' arm64 '.off == 0 and .ran == 1'
sound turns page
check 'groups took turns' turns '.off > 0 and .ran > 0.1 and .ran < 0.9'
check 'instructions, scaled' turns '.scaled[1] | near(2; 0.05)'
sound software syscall

guest <<'GUEST'
echo 1 >/proc/sys/kernel/perf_user_access
./selfcount_probe cycles >/out/moving
./selfcount_probe --others 9 cycles >/out/moving-turns
GUEST
sound moving page
sound moving-turns page
check 'it moves between CPUs, and takes turns' moving-turns '.off > 0'

# The emulator's instructions are those of its clock here, four for each.
vm_build riscv64 tests/vm/selfcount_probe
cp "$cross/tests/vm/selfcount_probe" "$job"
guest --icount 2 <<'GUEST'
./selfcount_probe cycles instructions >/out/riscv64
echo 0 >/proc/sys/kernel/perf_user_access
./selfcount_probe cycles instructions >/out/riscv64-forbidden
GUEST
sound riscv64 page
sound riscv64-forbidden syscall
check 'what the page gives is what read(2) gives' riscv64 '.by_page == .by_read and .by_page[1] == 8 * .iterations'
finish
