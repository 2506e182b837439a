#!/bin/sh
# Leader reads, {a,b}:S: the leader of a group is sampled alone, and the counts of the others are in its samples.  What
# the rows of members have is what was counted, on the machine, CPUs, threads, processes and from a recording, perf's
# and cyctop's, and what perf adds up of it.
#   test_leader.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq perf
needs_sampling "$cyctop"
tables() { # OPTIONS...: measures for a second
	"$cyctop" -b -n 1 -d 1 -F 999 "$@" --format json >a.json 2>err || fail "$*: $(cat err)"
}
# near LEAST EVENT...: the rows have that share of what was counted, from samples of the leader alone
near() {
	least=$1
	shift
	for event; do
		jq -e --arg e "$event" --argjson least "$least" '
			(.events[] | select(.name == $e)) as $all |
			([.tasks[].events[$e].weight // 0] | add) as $rows |
			$all.samples <= .events[0].samples and $all.running > 0.99 and
			$rows <= $all.weight * 1.001 + 1 and
			$all.weight >= $least * $all.count and $all.weight <= 1.1 * $all.count + 200 and
			.trust.malformed == 0' a.json >/dev/null ||
			fail "$event: $(jq -c '.trust.malformed, .events' a.json)"
	done
}
# a load of each CPU, since a clock has no samples where nothing runs; it has many faults, since few make few samples
loads=
for _ in $(seq "$(nproc)"); do
	# shellcheck disable=SC2016 # the load's
	start sh -c 'while :; do i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done; /bin/true; done'
	loads="$loads $pid"
done
load=$pid
for events in cpu-clock,page-faults,cs page-faults,cpu-clock,cs sched:sched_switch,page-faults,cpu-clock; do
	for target in '' '-C 0'; do
		# shellcheck disable=SC2086 # words
		tables -e "{$events}:S" $target
		case $events in
		cpu-clock*) near 0.7 cpu-clock page-faults cs ;;
		*) near 0.5 page-faults cpu-clock ;;
		esac
	done
done
for target in "-t $load" "-p $load"; do
	# shellcheck disable=SC2086 # words
	tables -e '{cpu-clock,cs}:S' $target
	near 0.5 cpu-clock cs
	grep -q 'each sample of a group with :S has the counts of all' err || fail "no word of it: $(cat err)"
done
grep -q 'what a thread counted after its last sample is in no row' err || fail "no word of children: $(cat err)"
# beside events with samples of their own, and with call chains
tables -e '{cpu-clock,page-faults}:S' -e 'cs/period=1/' -g
near 0.7 cpu-clock page-faults
jq -e '.events[2] | .samples > .count * 0.9' a.json >/dev/null || fail "cs: $(jq -c .events a.json)"
# on some CPUs alone
tables -e 'cpu-clock/cpu=0/,cs'
jq -e '.events[0] | .running > 0.99 and .count > 0.8e9 and .count < 1.3e9' a.json >/dev/null ||
	fail "cpu=0: $(jq -c .events a.json)"
jq -e '[.cpus[] | select(.cpu > 0) | .events["cpu-clock/cpu=0/"].samples // 0] | all(. == 0)' a.json >/dev/null ||
	fail "cpu=0: $(jq -c .cpus a.json)"
"$cyctop" -b -n 1 -d 0.1 -e cs/cpu=8191/ >out 2>err && fail 'a CPU that does not exist is measured'
grep -q 'event cs/cpu=8191/: there is no CPU 8191: those of this machine are 0 to' err || fail "$(cat err)"
# one event with S is like one without
tables -e 'cpu-clock:S'
near 0.7 cpu-clock:S
# of recordings
sum_by_perf() { # EVENT: the sum of the periods that perf finds
	perf script -i data -F event,period 2>/dev/null |
		awk -v e="$1:" '$2 == e { n += $1 } END { printf "%.0f\n", n }'
}
"$cyctop" record -o data -F 999 -e '{cpu-clock,page-faults}:S' --duration 1 2>err || fail "record: $(cat err)"
"$cyctop" -b -i data --format json >a.json 2>err || fail "replay: $(cat err)"
near 0.7 cpu-clock page-faults
if perf record -q -a -o data -F 999 -e '{cpu-clock,page-faults}:S' -- sleep 1 >/dev/null 2>&1; then
	"$cyctop" -b -i data --format json >a.json 2>err || fail "replay: $(cat err)"
	for event in cpu-clock page-faults; do
		taken=$(jq --arg e $event '.events[] | select(.name == $e) | .weight' a.json)
		perf=$(sum_by_perf $event)
		awk -v a="$taken" -v b="$perf" 'BEGIN { exit !(b > 0 && a > 0.8 * b && a < 1.01 * b) }' ||
			fail "$event: $taken, and $perf by perf"
	done
fi
# shellcheck disable=SC2086 # process ids
end $loads
finish
