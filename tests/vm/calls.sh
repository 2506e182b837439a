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

job arm64
guest --icount 2 --limit 600 <<GUEST
echo 0 >/proc/sys/kernel/randomize_va_space
$known cycles:u,instructions:u -- ./calls_known $rounds >/out/read
echo 1 >/proc/sys/kernel/perf_user_access
$known cycles:u,instructions:u -- ./calls_known $rounds >/out/page
perf stat -o /dev/null -e r1,r2,r3,r4,r5,r10,r12,r13 $known cycles:u,instructions:u -- ./calls_known 5000 >/out/turns
mount -t debugfs debugfs /sys/kernel/debug
./bin/cyctop probe --format json --max-overhead 0 kernel:__arm64_sys_getppid few both -e instructions:u \
	-- ./calls_known $rounds >/out/probes 2>/out/probes.err
./bin/cyctop probe --max-overhead 0 kernel:__arm64_sys_getppid -a >/dev/null 2>/out/killed &
probing=\$!
until grep -qs 'the probes are set' /out/killed; do sleep 1; done
grep -c getppid /sys/kernel/debug/kprobes/list >/out/set 2>/dev/null
kill -KILL \$probing
wait \$probing
sleep 2
grep -c getppid /sys/kernel/debug/kprobes/list >/out/left 2>/dev/null
true
GUEST
for way in read page; do
	calls "$way" $way
	show "$way" $way "$per_call"'[apart("instructions:u"), apart("cycles:u"), per("few"; "instructions:u")]'
	check "$way: 20000 iterations are 40000 instructions" $way \
		"$per_call"'apart("instructions:u") | near(40000; 0.0005)'
done
jq -c '[.functions[] | [.symbol, .events["instructions:u"].histogram]] | sort' "$out/page" >"$out/page.spread"
jq -c '[.functions[] | [.symbol, .events["instructions:u"].histogram]] | sort' "$out/read" >"$out/read.spread"
expect "each call has as many instructions in both ways" cmp "$out/page.spread" "$out/read.spread"
# The means of a thousand calls differ by less than an instruction: the first call of each way has more to do.
check "what the page gives is what read(2) gives" page "$per_call"'apart("instructions:u") - $read | fabs < 1' \
	--argjson read "$(jq "$per_call"'apart("instructions:u")' "$out/read")"
check "groups that take turns, scaled" turns "$per_call"'apart("instructions:u") | near(40000; 0.05)'
show turns turns "$per_call"'[apart("instructions:u"), .notes]'
check "a function of the kernel" probes '[.functions[] | "\(.symbol) \(.calls) \(.left)"] ==
	["__arm64_sys_getppid \($n) 0", "few \(2 * $n) 0", "both \($n) 0"]' --argjson n $rounds
say "probes of the kernel: $(cat "$out/set") set, $(cat "$out/left") left after SIGKILL"
expect "it was probed" [ "$(cat "$out/set")" -gt 0 ]
expect "nothing is left of a killed cyctop" [ "$(cat "$out/left")" = 0 ]

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
	show "riscv64, $way" riscv64-$way \
		"$per_call"'[apart("instructions"), apart("cycles"), per("few"; "instructions")]'
done
check "riscv64: what the page gives is what read(2) gives" riscv64-page \
	"$per_call"'apart("instructions") | near($read; 0.01)' \
	--argjson read "$(jq "$per_call"'apart("instructions")' "$out/riscv64-read")"
finish
