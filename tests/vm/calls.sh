#!/bin/sh
# Calls counted on a machine with a PMU: the events of each are those of read(2) if they are read through the page, exactly,
# and within 5 % if groups take turns.  One CPU and exact counting.  And probes of the kernel, which this kernel has.
. "$(dirname "$0")/lib.sh"

rounds=500
# known EVENTS WAY FILE: counts the calls of the program
known="./bin/cyctop calls --format json -e"

# calls WHAT FILE: what holds however it is read
calls() {
	check "$1: calls" "$2" '[.functions[] | select(.symbol != "main") | "\(.symbol) \(.calls)"] | sort ==
		["both \($n)", "few \(2 * $n)", "many \(2 * $n)"]' --argjson n $rounds
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
guest --icount 2 <<GUEST
echo 0 >/proc/sys/kernel/randomize_va_space
$known cycles:u,instructions:u -- ./calls_known $rounds >/out/read
echo 1 >/proc/sys/kernel/perf_user_access
$known cycles:u,instructions:u -- ./calls_known $rounds >/out/page
$known cycles:u,instructions:u,cycles:u,instructions:u -- ./calls_known $rounds >/out/twice
./bin/cyctop -b -d 1 -n 100 -e cycles,r1,r2,r3,r4,r5,r10,r12 >/dev/null 2>&1 &
other=\$!
sleep 2
$known cycles:u,instructions:u -- ./calls_known 20000 >/out/turns
kill \$other
wait \$other
$known cycles:u,instructions:u --format text -- ./calls_known $rounds >/out/text
ls /sys/bus/event_source/devices >/out/pmus
./bin/cyctop probe --format json --max-overhead 0 kernel:__arm64_sys_getppid few both -e instructions:u -- ./calls_known $rounds \
	>/out/probes 2>/out/probes.err
./bin/cyctop probe --max-overhead 0 kernel:__arm64_sys_getppid -a >/dev/null 2>/out/killed &
probing=\$!
until grep -q 'the probes are set' /out/killed; do sleep 1; done
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
done
finish
