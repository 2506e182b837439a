#!/bin/sh
# Calls counted on a machine with a PMU: the events of each are those of read(2) if they are read through the page,
# exactly, and within 5 % if groups take turns.  One CPU and exact counting.  And probes of the kernel, which this has.
. "$(dirname "$0")/lib.sh"

rounds=500
known="./bin/cyctop calls --format json -e"

# calls WHAT FILE: what holds however it is read
calls() {
	check "$1: calls" "$2" '([.functions[] | "\(.symbol) \(.calls)"] | sort) ==
		["both \($n)", "few \(2 * $n)", "main 1", "many \(2 * $n)"]' --argjson n $rounds
	show "$1: calls" "$2" '[.functions[] | [.symbol, .calls, .left]]'
}
per_call='def per($f; $e): first(.functions[] | select(.symbol == $f)) | .events[$e].self / .calls;
def apart($e): per("many"; $e) - per("few"; $e);'

# job for ARCH: puts cyctop, the library and the program where the first finds the second
job() {
	vm_build "$1" src/calls/libcyctop-calls.so tests/vm/calls_known
	mkdir -p "$job/bin" "$job/calls"
	mv "$job/cyctop" "$job/bin"
	cp "$cross/src/calls/libcyctop-calls.so" "$job/calls"
	cp "$cross/tests/vm/calls_known" "$job"
}

# The emulator's instructions are those of its clock here, and the kernel's are among them: user/kernel filters do not
# work.
known="./bin/cyctop calls --format json -e cycles,instructions"
job riscv64
guest --icount 2 --limit 600 <<GUEST
$known -- ./calls_known $rounds >/out/riscv64-page
echo 0 >/proc/sys/kernel/perf_user_access
$known -- ./calls_known $rounds >/out/riscv64-read
GUEST
for way in page read; do
	calls "riscv64, $way" riscv64-$way
	show "riscv64, $way" riscv64-$way "$per_call"'[apart("instructions"), apart("cycles"), per("few"; "instructions")]'
done
check "riscv64: what the page gives is what read(2) gives" riscv64-page \
	"$per_call"'apart("instructions") | near($read; 0.01)' \
	--argjson read "$(jq "$per_call"'apart("instructions")' "$out/riscv64-read")"
finish
