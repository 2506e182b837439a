#!/bin/sh
# More events than the machine has counters: each runs a part of the time and is scaled; the scaled
# totals are those of a counter that ran all the time.  The emulator does not know the raw events, so
# they occupy a counter and stay at zero.
# One CPU and exact counting, so that the host does not influence the result.
. "$(dirname "$0")/lib.sh"
vm_build arm64
events=cycles,CPU_CYCLES,L1I_CACHE_REFILL,L1I_TLB_REFILL,L1D_CACHE_REFILL,L1D_TLB_REFILL
events=$events,BRANCH_MISPRED,BRANCH_PRED,EXCEPTION_TAKEN
guest --icount 2 <<GUEST
./probe spin 1000 &
pid=\$!
sleep 1
perf stat -a -x, -e cycles:D -o /out/stat -- sleep 5 &
./cyctop -b -d 3 -n 2 -F 499 -e $events --metric "x=2*r11/(cycles + r11)" --format json >/out/json
wait \$!
kill \$pid
GUEST
rate=$(awk -F, '$3 ~ /cycles/ { print $1 / $4 }' "$out/stat")
show 'events' json '.events'
for e in cycles CPU_CYCLES; do
	check "$e ran part of the time" json 'event($e) | .running > 0.2 and .running < 0.98' --arg e $e
	check "$e, scaled, is what a pinned counter says" json \
		'(event($e).count / (.end_ns - .start_ns) / (.cpus | length)) | near($rate; 0.05)' \
		--arg e $e --argjson rate "$rate"
	check "$e, sampled and scaled, is what it counted" json \
		'event($e) | .count as $count | .weight | near($count; 0.05)' --arg e $e
done
check 'the program has the same of both' json \
	'comm("probe").events | .cycles.weight as $cycles | .CPU_CYCLES.weight | near($cycles; 0.05)'
check 'a formula over events that take turns is what it is without turns' json \
	'comm("probe").metrics.x | (.value | near(1; 0.05)) and .error > 0 and .error < 0.05'
check 'an event that never happened is zero, since it ran' json 'event("BRANCH_PRED") | .count == 0 and .running > 0'
check 'the trust section says how much ran' json '.trust.running < 0.98'
finish
