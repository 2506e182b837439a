#!/bin/sh
# Children of half a millisecond, in the table of their parent and in the recording of a command: in the table
# the cycles of their function are those that it is known to take, and the samples have at least what counters count
# that the children inherit (these stop before a task has quite ended, and while it is switched).
# One CPU and exact counting: an instruction takes two cycles.  The emulator notices overflows of
# instructions only when the kernel is entered, so that their functions are not known.  The rate of the
# samples is not a multiple of that of the children, which all take the same time.
. "$(dirname "$0")/lib.sh"
vm_build arm64
guest --icount 1 <<'GUEST'
perf stat -x, -e cycles,instructions -o /out/process.stat \
	sh -c 'echo $$ >pid; sleep 3; exec ./probe children 4000 125000' &
while [ ! -s pid ]; do sleep 0.1; done
./cyctop -b -d 0.5 --window total -F 2111 -e cycles,instructions --format json -p "$(cat pid)" >/out/process
wait
./cyctop record -F 2111 -e cycles,instructions -o /out/data -- \
	perf stat -x, -e cycles,instructions -o /out/rows.stat ./probe children 4000 125000
./cyctop -b -i /out/data --sort comm,symbol --format json >/out/rows
GUEST
cat "$out/process.stat" "$out/rows.stat"
# two instructions in each of 125000 loops
known=$((4000 * 125000 * 2))
# counted FILE EVENT
counted() {
	awk -F, -v e="$2" '$3 == e { print $1 }' "$out/$1.stat"
}
for e in cycles instructions; do
	show "$e of the process" process "[.tasks[].events[\"$e\"].weight] | add"
	check "$e of the process and its children" process '[.tasks[].events[$e].weight] | add > 0.97 * $n' \
		--arg e $e --argjson n "$(counted process $e)"
	check "$e: what was sampled is what was counted" process \
		'event($e) | .count as $count | .weight | near($count; 0.03)' --arg e $e
	show "$e recorded" rows "[.rows[] | select(.comm == \"probe\") | .events[\"$e\"].weight] | add"
	check "$e in the recording" rows \
		'[.rows[] | select(.comm == "probe") | .events[$e].weight] | add > 0.97 * $n' \
		--arg e $e --argjson n "$(counted rows $e)"
done
show 'cycles of the function of the children' process 'weight("cycles"; "count_down")'
check 'cycles of the function of the children' process 'weight("cycles"; "count_down") | near(2 * $n; 0.05)' \
	--argjson n $known
finish
