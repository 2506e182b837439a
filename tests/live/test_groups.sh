#!/bin/sh
# Groups of events that the kernel itself counts, each kind by a PMU of its own: every member counts from the start,
# whichever leads, on the whole machine, on a process and from the exec of a command on.
#   test_groups.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq
needs_sampling "$cyctop"
check() { # OPTIONS...: the counts of page faults and switches are there
	"$cyctop" -b -n 1 -d 0.5 "$@" --format json >a.json 2>err || fail "$*: $(cat err)"
	jq -e '.events | length == 3 and all(.running == 1 and .count > 0)' a.json >/dev/null ||
		fail "$*: $(jq -c '[.events[] | [.name, .count, .running]]' a.json)"
}
start sh -c 'while :; do /bin/true; done'
load=$pid
for events in cpu-clock,page-faults,cs page-faults,cpu-clock,cs cs,page-faults,task-clock; do
	for target in '' "-p $load" "-C 0-$(($(nproc) - 1))"; do
		# shellcheck disable=SC2086 # words
		check -e "{$events}" $target
	done
done
check -e page-faults,cs --metric 'x=1e6*page-faults/cpu-clock'
end "$load"
"$cyctop" -b -e '{cpu-clock,page-faults}' --format json -- sh -c 'ls -lR /etc >/dev/null; true' >a.json 2>err ||
	fail "command: $(cat err)"
jq -e '.events | all(.running == 1 and .count > 0)' a.json >/dev/null || fail "command: $(jq -c .events a.json)"
finish
