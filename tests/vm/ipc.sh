#!/bin/sh
# One CPU and exact counting: an instruction takes 2^N cycles, so IPC is 1/2^N, and the number of
# instructions in a loop is known.
. "$(dirname "$0")/lib.sh"
vm_build arm64 tests/unit/test_periods
cp "$cross/tests/unit/test_periods" "$job"
for n in 1 2; do
	guest --icount $n <<'GUEST'
perf stat -x, -e instructions:u -o /out/stat ./probe loop 10000000
./probe spin 1000 &
pid=$!
./cyctop -b -d 1 -n 2 -e cycles,instructions --format json >/out/json
kill $pid
CYCTOP_PMU_EXACT=1 ./test_periods >/out/periods 2>&1
GUEST
	expect 'samples tell which period they contain' grep -q 'the PMU tells: elapsed' "$out/periods"
	expect 'the loop is 20 million instructions' \
		awk -F, '$3 ~ /instructions/ { ok = $1 > 20e6 && $1 < 20.5e6 } END { exit !ok }' "$out/stat"
	want=$(awk -v n=$n 'BEGIN { print 1 / 2 ^ n }')
	show "ipc of the program, expected $want" json 'comm("probe").metrics.ipc'
	check 'counted IPC is what the emulator makes it' json \
		'(event("instructions").count / event("cycles").count) | near($want; 0.02)' --argjson want "$want"
	check 'sampled IPC of the program, within its error' json \
		'comm("probe").metrics.ipc | within_error($want; 3)' --argjson want "$want"
	check 'sampled IPC of the function, within its error' json \
		'symbol("count_down").metrics.ipc | within_error($want; 3)' --argjson want "$want"
	check 'the error is worth something' json 'comm("probe").metrics.ipc | .error > 0 and .error < 0.1 * .value'
	check 'cycles are the time of one CPU' json '(event("cycles").count / (.end_ns - .start_ns)) | near(1; 0.03)'
done
finish
