#!/bin/sh
# TLB misses per function on riscv64: two functions take as many instructions; one misses at every step, the
# other never.
# No ratio is asked for: of a counter of its clock (cycles, instructions) the emulator misses up to two overflows of
# three.
. "$(dirname "$0")/lib.sh"
vm_build riscv64
guest <<'GUEST'
perf record -q -F 99 -e cycles -o /tmp/data ./probe spin 1
perf script -i /tmp/data 2>/dev/null | grep -c probe >/out/samples
./probe pages 14 &
sleep 3
./cyctop -b -d 3 -n 2 -F 199 -e cycles,instructions,dTLB-load-misses --format json >/out/json
GUEST
if [ "$(cat "$out/samples")" -lt 10 ]; then
	say "the riscv64 machine of this QEMU counts but does not interrupt: perf record has no samples either"
	exit 77
fi
# share of walk_pages in the sum of both functions
walker='def walker($e): weight($e; "walk_pages") as $w | weight($e; "stay_home") as $s | $w / ($w + $s);'
show 'the walker, of instructions and of misses' json "$walker [walker(\"instructions\"), walker(\"dTLB-load-misses\")]"
check 'the walker has the misses' json "$walker walker(\"dTLB-load-misses\") > 0.9"
check 'but not the instructions' json "$walker walker(\"instructions\") | near(0.5; 0.1)"
check 'of all misses of the program' json \
	'weight("dTLB-load-misses"; "walk_pages") / comm("probe").events["dTLB-load-misses"].weight > 0.9'
finish
