#!/bin/sh
# Measures and records some tasks, users or CPUs instead of everything:
#   test_targets.sh CYCTOP LOAD
# Two loads run.  cyctop measures the target and its children, as much CPU time as the scheduler
# reports, and nothing else.  It ends when they end.  A refusal names its reason.
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq
needs_sampling "$cyctop"
chmod 755 "$tmp"

# holds FILTER: is it true for the last table in "tables"?  jq 1.6 says so of no table at all.
# shellcheck disable=SC2317 # `eventually` calls it
holds() {
	[ -s tables ] && tail -n 1 tables 2>/dev/null | jq -e "$1" >/dev/null 2>&1
}
# table FILTER ARGS...: runs cyctop until the filter is true for its table; false if it never is.
# The last table is in "out".
table() {
	filter=$1
	shift
	# shellcheck disable=SC2086 # words
	start $as_user "$cyctop" -b -d 0.5 --window total -e cpu-clock --format json "$@" >tables 2>err
	top=$pid
	held=0
	eventually holds "$filter" || held=1
	interrupt "$top" "cyctop $*: $(cat err)"
	tail -n 1 tables >out
	return $held
}
as_user=
# wrong WHAT: fails, and prints the table
wrong() {
	fail "$1"
	jq -c '[.trust.scope, .trust.target, (.tasks | map([.pid, .tid, .comm, .uid])), .cpus]' out
}
# says WHAT JQ-FILTER: checks that the filter is true for "out"
says() {
	{ [ -s out ] && jq -e "$2" out >/dev/null; } || wrong "$1"
}
# refused WHAT TEXT COMMAND...: checks that the command fails with TEXT on stderr
refused() {
	what=$1 text=$2
	shift 2
	"$@" >out 2>err && fail "$what: it went well"
	grep -q "$text" err || fail "$what: $(cat err)"
}
# waiter FIFO: starts a process, $pid, that ends when the FIFO is written to
waiter() {
	mkfifo "$1"
	start sh -c "read -r _ <$1"
}

# The second load runs as another user if we may change the user, else as the same one.
cp "$cyctop" cyctop
cp "$load" load
chmod 755 cyctop load
cyctop=$tmp/cyctop
as=
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && as='setpriv --reuid=65534 --regid=65534 --clear-groups'
start ./load 3600 >one.out
one=$pid
# shellcheck disable=SC2086 # words
start $as ./load 3600 >two.out
two=$pid
eventually test -s one.out || fail "the load does not start"
eventually test -s two.out || fail "the second load does not start"
read -r _ _ tid_a tid_b <one.out

echo "-- a process"
before=$(cpu_ns "$one")
both='.symbols | map(.symbol) | contains(["load_sixty", "load_eighty"])'
table "($both) and .events[0].samples > 500" -p "$one" ||
	wrong "not both threads"
after=$(cpu_ns "$one")
says "more, or less, than the process" ".tasks | map(.pid) | unique == [$one]"
says "it does not say who is measured" \
	".trust.target == \"process $one (load)\" and (.trust.scope | startswith(\"tasks\"))"
# The samples add up to the count, and to no more than the CPU time that the scheduler reports.
jq -r '"\(.tasks[0].cpu * (.end_ns - .start_ns)) \(.events[0].count)"' out | awk -v used=$((after - before)) '
	{
		printf "CPU time in ms: sampled %.0f, counted %.0f; the scheduler, over a longer time: %.0f\n",
			$1 / 1e6, $2 / 1e6, used / 1e6
		exit $1 < 0.8 * $2 || $1 > 1.2 * $2 || $2 > 1.02 * used
	}' || fail "the process has another CPU time than the scheduler says"

echo "-- a thread"
table '.tasks | length > 0' -t "$tid_b" -H || wrong "no thread"
says "another thread" ".tasks | map(.tid) == [$tid_b]"

echo "-- both, as one"
table ".tasks | map(.pid) | sort == ([$one, $two] | sort)" -p "$one,$two" || wrong "not both"

echo "-- what is started later"
# When cyctop measures the shell, the shell becomes a program with threads by exec.
mkfifo go
start sh -c "read -r _ <go; exec ./load 3600"
three=$pid
start "$cyctop" -b -d 0.5 --window total -e cpu-clock --format json -p "$three" -H >tables 2>err
top=$pid
eventually test -s tables || fail "what is started later: $(cat err)"
echo >go
eventually holds ".tasks | map(select(.pid == $three and (.tid != $three))) | length == 2" ||
	fail "no threads that came later"
interrupt "$top"
end "$three"

echo "-- CPUs"
# shellcheck disable=SC2016 # jq's variable
table '(.cpus[0].events["cpu-clock"].samples) as $n | $n > 0 and $n == .events[0].samples' -C 0 ||
	wrong "samples elsewhere"
says "another CPU" '.cpus | map(select(.online or .busy != null)) | map(.cpu) == [0]'

echo "-- the end"
waiter end.fifo
target=$pid
start "$cyctop" -b -d 0.5 -e cpu-clock -p "$target" >out 2>err
top=$pid
eventually grep -q '^cyctop on' out || fail "a process that waits: $(cat err)"
echo >end.fifo
eventually is_gone "$top" || fail "it goes on without the process"
wait "$top" || fail "a process that ends: $(cat err)"
wait "$target" || :
refused "a process that has ended" "there is no process $target" "$cyctop" -b -n 1 -p "$target"
refused "a thread for a process" "is a thread of process $one: -p $one" "$cyctop" -b -n 1 -p "$tid_a"
refused "a CPU that is not there" 'there is no CPU 8191' "$cyctop" -b -n 1 -C 8191
if command -v prlimit >/dev/null; then
	refused "too few files" 'RLIMIT_NOFILE' prlimit --nofile=10 "$cyctop" -b -n 1 -e cpu-clock -p "$one"
	refused "chains without perf events" 'call chains cannot be measured here: .*RLIMIT_NOFILE' \
		prlimit --nofile=10 "$cyctop" -b -n 1 -g
fi

if [ -n "$as" ]; then
	echo "-- a user"
	table ".tasks | map(.pid) | contains([$two])" -u nobody || wrong "not the load"
	says "another user" '.tasks | map(.uid) | unique == [65534]'
fi
if [ -n "$as" ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	echo "-- without privilege"
	as_user=$as
	table '.symbols | map(.symbol) | contains(["load_sixty"])' -p "$two" || wrong "not its functions"
	says "not one's own process" ".tasks | map(.pid) == [$two]"
	as_user=
	# shellcheck disable=SC2086 # a command and its arguments
	refused "another's process" 'another user.*run with sudo' $as ./cyctop -b -n 1 -e cpu-clock -p "$one"
	mkdir own
	chown 65534 own
	(cd own && $as ../cyctop record -e cpu-clock -o r.data ../load cpu 1 >/dev/null 2>err) ||
		fail "a command of one's own: $(cat own/err)"
	"$cyctop" -b -i own/r.data --sort pid,symbol 2>/dev/null | grep -q load_sixty ||
		fail "a command of one's own is not in its recording"
fi

echo "-- recorded"
# record_until FILE ARGS...: records until the file has samples of the load
record_until() {
	file=$1
	shift
	start "$cyctop" record -e cpu-clock -o "$file" "$@" 2>err
	recorder=$pid
	eventually has_samples "$file" 10 || fail "record $*: $(cat err)"
	uses "$one" 300
	interrupt "$recorder" "record $*"
}
record_until p.data -p "$one"
record_until C.data -C 0
"$cyctop" record -e cpu-clock -o c.data -- ./load cpu 1 >load.out 2>err || fail "record COMMAND: $(cat err)"
waiter record.fifo
target=$pid
start "$cyctop" record -e cpu-clock -o e.data -p "$target" 2>err
recorder=$pid
eventually test -s e.data || fail "record until the end: $(cat err)"
echo >record.fifo
eventually is_gone "$recorder" || fail "it goes on recording without the process"
wait "$recorder" || fail "record until the end: $(cat err)"
"$cyctop" dump e.data | grep '^damage' && fail "a recording until the end is damaged"
kill -0 "$one" || fail "the load is gone"
"$cyctop" -b -i c.data --sort pid,comm --format json 2>/dev/null >out
read -r _ cpid _ <load.out
jq -e ".rows | (map(.pid) | unique == [$cpid]) and (map(.comm) | index(\"cyctop\") == null)" out >/dev/null ||
	fail "a command is not alone in its recording: $(jq -c '.rows | map([.pid, .comm])' out)"
if command -v perf >/dev/null; then
	for f in p C c; do
		perf report --stdio -g none -i $f.data >/dev/null 2>err </dev/null || fail "perf report of $f.data"
		[ ! -s err ] || fail "perf report of $f.data: $(cat err)"
	done
	[ "$(perf script -i p.data -F pid 2>/dev/null | sort -u | tr -d ' ')" = "$one" ] || fail "record -p: other pids"
	[ "$(perf script -i C.data -F cpu 2>/dev/null | sort -u | tr -d ' ')" = '[000]' ] ||
		fail "record -C: other CPUs"
	perf report --stdio -g none -i p.data --sort symbol 2>/dev/null | grep -q load_sixty ||
		fail "record -p: no functions"
	start "$cyctop" record -p "$one" -e cpu-clock -o - >p.pipe 2>err
	recorder=$pid
	eventually has_samples p.pipe 100 || fail "record -p -o -: $(cat err)"
	interrupt "$recorder" "record -p -o -"
	perf report --stdio -g none -i - --sort symbol <p.pipe 2>/dev/null | grep -q load_sixty ||
		fail "record -p -o -: no functions"
fi

echo "-- a run that prints tables ends with its process, and not at the end of the interval"
sleep 1 &
lone=$!
timeout 300 "$cyctop" -b -d 3600 -e cpu-clock -p $lone >out 2>err </dev/null ||
	fail "-p of a process that ends: $(cat err)"
grep -q 'ended, and this is the last of it' err || fail "it is not said that the process has ended: $(cat err)"
finish
