#!/bin/sh
# cyctop compare with hardware counters: one CPU and exact counting, so that it is known how many instructions one
# command has more than the other.
. "$(dirname "$0")/lib.sh"
vm_build arm64
guest --icount 1 <<'GUEST'
./cyctop compare -r 6 -F 4999 --format json -- ./probe loop 20000000 --- ./probe loop 30000000 >/out/json
./cyctop compare -r 4 --format json -- ./probe loop 20000000 --- ./probe loop 20000000 >/out/same
GUEST
metric='def metric($n): first(.metrics[] | select(.name == $n));'
show 'instructions' json "$metric metric(\"instructions\")"
check 'the ratio of instructions is what the loops make it' json "$metric metric(\"instructions\").ratio |
	.real and (.value | near(1.5; 0.01)) and .low <= 1.501 and .high >= 1.49"
check 'and so is that of cycles' json "$metric metric(\"cycles\").ratio | .real and (.value | near(1.5; 0.05))"
show 'the function' json '.rows[0]'

check 'the function explains it' json '.rows[0] | .symbol == "count_down" and .change.real'
check 'the same command has as many' same "$metric metric(\"instructions\") |
	(.ratio.value | near(1; 0.002)) and .a.value > 40e6 and .a.value < 44e6"
finish
