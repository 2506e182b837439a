#!/bin/sh
# Before and after on riscv64: a function has the same time, and misses the TLB far more often in it.  cyctop diff flags
# its misses per instruction and not its share.  (No emulator has an IPC that a program can change: cycles are time.)
. "$(dirname "$0")/lib.sh"
vm_build riscv64
guest <<'GUEST'
./probe changes 1000 &
pid=$!
sleep 2
perf record -q -a -F 99 -e cycles -o /tmp/data sleep 1
perf script -i /tmp/data 2>/dev/null | grep -c . >/out/samples
for state in before after; do
	./cyctop record -e cycles,instructions,dTLB-load-misses -F 199 -p $pid -o /tmp/$state.data sleep 8
	kill -USR1 $pid
	sleep 1
done
./cyctop diff /tmp/before.data /tmp/after.data --format json >/out/json
./cyctop diff /tmp/before.data /tmp/after.data >/out/text
GUEST
if [ "$(cat "$out/samples")" -lt 10 ]; then
	say "the riscv64 machine of this QEMU counts but does not interrupt: perf record has no samples either"
	exit 77
fi
cat "$out/text"
row='def row($s): first(.rows[] | select(.symbol == $s));'
show 'misses per 1000 instructions' json \
	"$row [row(\"change_ways\", \"stay_home\").metrics[\"dtlb-load-mpki\"].change]"
show 'time' json "$row [row(\"change_ways\", \"stay_home\").change]"
check 'the function misses more often' json "$row
	row(\"change_ways\").metrics[\"dtlb-load-mpki\"].change | .real and .value > 0"
check 'and has the same time' json "$row row(\"change_ways\").change.real == false"
check 'the other one is as it was' json "$row row(\"stay_home\") |
	.change.real == false and .metrics[\"dtlb-load-mpki\"].change.real != true"
finish
