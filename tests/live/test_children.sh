#!/bin/sh
# Children that are shorter than a sampling period, and whose parent is measured:
#   test_children.sh CYCTOP CHILDREN
# At least 97 % of the CPU time that the load reports is in the tables: of a process, a user and a
# command, in the monitor and in recordings.  Without privilege the events of tasks miss most of it.
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq
needs_sampling "$cyctop"
needs_root "samples the whole machine for a target"
chmod 755 "$tmp"
cp "$load" load
cp "$cyctop" cyctop
chmod 755 load cyctop
as=
command -v setpriv >/dev/null && as='setpriv --reuid=65534 --regid=65534 --clear-groups'
clock='-e cpu-clock -F 3700' # many samples, for a small error, and not in step with the children
seconds=10 # of CPU time: 18500 samples of the children, an error of 0.7 %

# begin MS [COMMAND...]: starts the load, which waits; $target is its process id
begin() {
	ms=$1
	shift
	rm -f go load.out tables
	mkfifo go
	"$@" ./load "$ms" $seconds <go >load.out &
	job=$!
	children="$children $job"
	exec 4>go
	eventually test -s load.out || fail "the load does not start"
	read -r _ target <load.out
}
# run: lets it go, until it has ended
run() {
	begin_all
	echo >&4
	exec 4>&-
	wait "$job" || fail "the load failed"
}
# whole WHAT WEIGHTS: of the target itself and of its children.  On a virtual machine that shares its CPUs timers
# come late, and later where there are more page faults; on a loaded one there were 12 % more samples than CPU time.
# So what a recording of the whole machine has of the same tasks is the measure as well as their CPU time.
whole() {
	what=$1
	shift
	interrupt "$reference" 'the recording of the whole machine'
	# shellcheck disable=SC2046 # two numbers
	set -- "$@" $("$cyctop" -b -i all.data --sort pid,comm --format json 2>/dev/null |
		jq --argjson pid "$target" ".rows | map(select(.comm == \"load\")) | $both")
	tail -n 1 load.out | awk -v what="$what" -v own="$1" -v theirs="$2" -v all_own="$3" -v all_theirs="$4" '{
		printf "%s: %.1f %% of the CPU time of the process (%.1f %% for the whole machine), ", what,
			100 * own / $3, 100 * all_own / $3
		printf "%.1f %% (%.1f %%) of that of its %d children (%.2f s)\n", 100 * theirs / $2,
			100 * all_theirs / $2, $1, $2 / 1e9
		exit !(own > 0.85 * $3 && theirs > 0.85 * $2 && (theirs > 0.97 * $2 || theirs > 0.97 * all_theirs) &&
			(own < 1.1 * $3 || own < 1.03 * all_own) && (theirs < 1.1 * $2 || theirs < 1.03 * all_theirs))
	}' || fail "$what: not the CPU time of its children"
}
# begin_all: records the whole machine until `whole`
begin_all() {
	rm -f all.data
	# shellcheck disable=SC2086
	start ./cyctop record -a $clock -o all.data 2>all.err
	reference=$pid
	eventually grep -q recording all.err || fail "the whole machine: $(cat all.err)"
}
# shellcheck disable=SC2016 # jq's variable
both='([.[] | select(.pid == $pid)], [.[] | select(.pid != $pid)]) | map(.events["cpu-clock"].weight) | add // 0'
# shown FILTER: the weights in the last table, of the tasks that the filter selects
shown() {
	tail -n 1 tables | jq --argjson pid "$target" ".tasks | map($1) | $both"
}
# recorded FILE: the weights in a recording
recorded() {
	"$cyctop" -b -i "$1" --sort pid --format json 2>/dev/null | jq --argjson pid "$target" ".rows | $both"
}
# shellcheck disable=SC2317 # `eventually` calls it
newer() { # FILE N: has it more than N lines?
	[ "$(wc -l <"$1")" -gt "$2" ]
}

for ms in 0.5 3; do
	begin $ms
	# shellcheck disable=SC2086 # words
	start ./cyctop -b -d 0.5 --window total $clock --format json -p "$target" >tables 2>err
	top=$pid
	eventually test -s tables || fail "-p: $(cat err)"
	run
	eventually is_gone "$top" || fail "-p: it goes on without its target"
	# shellcheck disable=SC2046 # two numbers
	whole "-p, $ms ms" $(shown .)
	tail -n 1 tables |
		jq -e '.trust.scope == "tasks" and (.symbols | map(.symbol) | index("burn"))' >/dev/null ||
		fail "-p: $(tail -n 1 tables | jq -c .trust)"
done

begin_all
# shellcheck disable=SC2086
./cyctop record $clock -o c.data -- ./load 0.5 $seconds </dev/null >load.out 2>err || fail "record --: $(cat err)"
read -r _ target <load.out
# shellcheck disable=SC2046
whole "record -- COMMAND, 0.5 ms" $(recorded c.data)

begin 0.5
# shellcheck disable=SC2086
start ./cyctop record $clock -o p.data -p "$target" 2>err
recorder=$pid
eventually test -s p.data || fail "record -p: $(cat err)"
eventually grep -q recording err || fail "record -p: $(cat err)"
run
eventually is_gone "$recorder" || fail "record -p: it goes on without its target"
# shellcheck disable=SC2046
whole 'record -p, 0.5 ms' $(recorded p.data)
if command -v perf >/dev/null; then
	perf report --stdio -g none -i p.data >perf.out 2>perf.err </dev/null || fail "perf report"
	[ ! -s perf.err ] || fail "perf report: $(cat perf.err)"
	grep -q burn perf.out || fail "perf report has no function of the children"
	# FORK records of other processes are not in the file.  The target's own comes before its COMM record, so that
	# perf does not know its command there.
	perf script --show-task-events -i p.data -F comm,pid,event 2>/dev/null | awk '{ print $1 }' |
		sed "s/^:$target\$/load/" | sort -u >comms
	[ "$(cat comms)" = load ] || fail "record -p: other commands: $(tr '\n' ' ' <comms)"
fi

if [ -n "$as" ]; then
	# shellcheck disable=SC2086
	begin 0.5 $as
	# shellcheck disable=SC2086
	start ./cyctop -b -d 0.5 --window total $clock --format json -u nobody >tables 2>err
	top=$pid
	eventually test -s tables || fail "-u: $(cat err)"
	run
	eventually newer tables $(($(wc -l <tables) + 1)) || fail "-u: no more tables"
	interrupt "$top" "-u"
	# shellcheck disable=SC2046
	whole '-u, 0.5 ms' $(shown 'select(.uid == 65534)')

	# Without privilege the tables lack most of it, and the counts do not: `explained` says how much.
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
		seconds=3 # the bounds are wide
		# shellcheck disable=SC2086
		begin 0.5 $as
		# shellcheck disable=SC2086
		start $as ./cyctop -b -d 0.5 --window total $clock --format json -p "$target" >tables 2>err
		top=$pid
		eventually test -s tables || fail "without privilege: $(cat err)"
		run
		interrupt "$reference"
		eventually is_gone "$top" || fail "without privilege: it goes on without its target"
		tail -n 1 tables | jq -e '.trust.notice | test("short-lived") and test("run with sudo")' >/dev/null ||
			fail "it does not say that children are missed: $(tail -n 1 tables | jq -c .trust)"
		tail -n 1 tables | jq -c '.events[0]'
		# the time in user space, which is less than the whole
		count=$(tail -n 1 tables | jq '.events[0].count')
		tail -n 1 load.out |
			awk -v n="$count" '{ exit !(n > 0.3 * ($2 + $3) && n < 1.02 * ($2 + $3)) }' ||
			fail "without privilege: counted $count of $(tail -n 1 load.out)"
	fi
fi
finish
