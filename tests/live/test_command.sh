#!/bin/sh
# Runs a command and measures it until it ends: test_command.sh CYCTOP
set -eu
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq
needs_sampling "$cyctop"

# status WANT COMMAND...: runs cyctop with the command, and checks its exit status; the output is in "out" and "err"
status() {
	want=$1
	shift
	got=0
	"$cyctop" -b -e cpu-clock --table tasks "$@" >out 2>err </dev/null || got=$?
	[ "$got" = "$want" ] || fail "$*: status $got, not $want: $(cat err)"
}

echo "-- exit statuses"
status 0 -- true
status 3 -- sh -c 'echo printed; exit 3'
[ "$(sed -n 1p out)" = printed ] || fail "what the command prints is not there, or not first"
grep -q '^cyctop on.*(sh)' out || fail "no table, or it does not name the command"
[ "$(grep -c '^cyctop on' out)" = 1 ] || fail "more than one refresh"
# shellcheck disable=SC2016 # the command's
status 143 -- sh -c 'kill -TERM $$'
status 127 -- ./no-such-command
grep -q 'cannot run ./no-such-command' err || fail "an unknown command: $(cat err)"
grep -q '^cyctop on' out && fail "a table of nothing"
: >plain
status 126 -- ./plain
status 2 -p 1 -- true
status 2 no-separator true

echo "-- counts, with those of children"
dd='dd if=/dev/zero of=/dev/null count=1 status=none'
run="true; $dd bs=8M; $dd bs=4M"
"$cyctop" -b -e page-faults --format json -- sh -c "$run" >out 2>err </dev/null || fail "page faults: $(cat err)"
count=$(jq '.events[0].count' out)
[ "$count" -gt 3072 ] || fail "$count page faults: not those of both children"
if command -v perf >/dev/null && perf stat -x, -o stat -e page-faults sh -c "$run" </dev/null; then
	want=$(awk -F, '/page-faults/ { print $1 }' stat)
	echo "page faults: $count; perf stat: $want"
	awk -v a="$count" -v b="$want" 'BEGIN { exit a < 0.99 * b || a > 1.01 * b }' ||
		fail "$count page faults, and perf stat counts $want"
fi

if [ -r /sys/kernel/tracing/events/sched/sched_waking/format ]; then
	echo "-- counts of tracepoints: with a filter, and of events about another task"
	dd='dd if=/dev/zero of=/dev/null count=100 status=none'
	write=syscalls:sys_enter_write
	"$cyctop" -b -e $write --event-filter 'count == 4096' --format json -- sh -c "$dd bs=4k; $dd bs=8k" \
		>out 2>err </dev/null || fail "a filter: $(cat err)"
	jq -ce '.events[0] | [.samples, .count]' out >counts
	grep -qx '\[100,100\]' counts || fail "100 writes of 4096 bytes are samples and count $(cat counts)"
	# cat is woken by each write of the loop, but reads all that is there
	# shellcheck disable=SC2016 # the shell in there
	"$cyctop" -b -e sched:sched_waking --format json -- sh -c \
		'i=0; while [ $i -lt 500 ]; do echo; sleep 0.001; i=$((i + 1)); done | cat' \
		>out 2>err </dev/null || fail "wakeups: $(cat err)"
	# the kernel counts some 20 % more of them than it writes samples, also for perf
	jq -ce '.events[0] | .samples > 400 and .count <= 1.5 * .samples' out >/dev/null ||
		fail "wakeups are counted twice: $(jq -c '.events[0]' out)"
fi

echo "-- counts as text, and of another user"
as=
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && as='setpriv --reuid=65534 --regid=65534 --clear-groups'
cp "$cyctop" here && chmod 755 . here
if command -v perf >/dev/null && $as perf stat -x, -e page-faults:u sh -c "$run" </dev/null 2>theirs; then
	want=$(awk -F, '/page-faults/ { print $1 }' theirs)
	# shellcheck disable=SC2086 # words
	$as ./here -b -e page-faults:u -- sh -c "$run" >out 2>err </dev/null || fail "page faults: $(cat err)"
	count=$(sed -n 's/^page-faults:u \([0-9,]*\) (.*/\1/p' out | tr -d ,)
	echo "page faults of a user: $count; perf stat: $want"
	awk -v a="$count" -v b="$want" 'BEGIN { exit !(a >= 0.995 * b - 5 && a <= 1.005 * b + 5) }' ||
		fail "$count page faults, and perf stat counts $want"
fi

echo "-- interrupted"
start "$cyctop" -b -e cpu-clock -- sh -c 'echo $$ >sleeper; exec sleep 3600' >out 2>err
top=$pid
eventually test -s sleeper || fail "the command does not start: $(cat err)"
kill -INT "$top"
got=0
wait "$top" || got=$?
[ "$got" = 143 ] || fail "status $got after SIGINT"
is_gone "$(cat sleeper)" || fail "the command goes on"
grep -q '^cyctop on' out || fail "nothing is printed after SIGINT"
finish
