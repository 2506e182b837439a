#!/bin/sh
# Some tasks, users or CPUs instead of everything, live and recorded:
#   test_targets.sh CYCTOP LOAD
# Two loads run; what is asked for is measured, as much as the scheduler says, and nothing
# else; what it starts is, too; it ends when they do; and who may not is told why.
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
skip() {
	echo "skipped: $*"
	exit 77
}
command -v jq >/dev/null || skip "jq is not installed"
"$cyctop" -b -n 1 -d 0.1 -e cpu-clock >/dev/null 2>&1 || skip "this machine may not be sampled"
tmp=$(mktemp -d)
chmod 755 "$tmp"
pids=
trap 'kill $pids 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C
cd "$tmp"
status=0
bad() {
	echo "FAILED: $*"
	status=1
}
# json ARGS...: one look, in "out"
json() {
	"$cyctop" -b -n 1 -e cpu-clock --format json "$@" >out 2>err || bad "cyctop $*: $(cat err)"
}
# says WHAT JQ-FILTER: it holds of "out"
says() {
	jq -e "$2" out >/dev/null || {
		bad "$1"
		jq -c '[.trust.scope, .trust.target, (.tasks | map([.pid, .tid, .comm, .uid])), .cpus]' out
	}
}
# refused WHAT TEXT ARGS...: status 1, and one line that says TEXT
refused() {
	what=$1 text=$2
	shift 2
	"$@" >out 2>err && bad "$what: it went well"
	grep -q "$text" err || bad "$what: $(cat err)"
}
ticks() {
	sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

# The same program under another user's name, where we may; where not, a second one of ours.
cp "$cyctop" cyctop
cp "$load" load
chmod 755 cyctop load
as=
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && as='setpriv --reuid=65534 --regid=65534 --clear-groups'
./load 300 >one &
one=$!
$as ./load 300 >two &
two=$!
pids="$one $two"
sleep 0.5
read -r _ _ tid_a tid_b <one

echo "-- a process"
before=$(ticks $one) begun=$(date +%s%N)
json -p $one -d 2
after=$(ticks $one) took=$(($(date +%s%N) - begun))
says "more, or less, than the process" ".tasks | map(.pid) | unique == [$one]"
says "no word on who is measured" ".trust.target == \"process $one (load)\" and (.trust.scope | startswith(\"tasks\"))"
says "not both threads" '(.symbols | map(.symbol) | contains(["load_sixty", "load_eighty"]))'
jq -r '"\(.tasks[0].cpu) \(.events[0].count / (.end_ns - .start_ns))"' out |
	awk -v ticks=$((after - before)) -v ns=$took -v hz="$(getconf CLK_TCK)" '
	{
		truth = ticks / hz / (ns / 1e9)
		printf "CPUs used: sampled %.2f, counted %.2f, the scheduler says %.2f\n", $1, $2, truth
		exit $1 < 0.6 * truth || $1 > 1.5 * truth || $2 < 0.6 * truth || $2 > 1.5 * truth
	}' || bad "the process has another share of the CPUs than the scheduler says"

echo "-- a thread"
json -t "$tid_b" -H -d 0.3
says "another thread" ".tasks | map(.tid) == [$tid_b]"

echo "-- both, as one"
json -p "$one,$two" -d 0.3
says "not both" ".tasks | map(.pid) | sort == ([$one, $two] | sort)"

echo "-- what is started later"
# the shell becomes a program with threads, which were not there when it was found
sh -c "sleep 0.7; exec ./load 20" >three &
three=$!
pids="$pids $three"
json -p $three -H -d 2
says "no threads that came later" ".tasks | map(select(.pid == $three and (.tid != $three))) | length == 2"

echo "-- CPUs"
json -C 0 -d 0.3
says "another CPU" '.cpus | map(select(.online or .busy != null)) | map(.cpu) == [0]'
# shellcheck disable=SC2016 # jq's variable
says "samples elsewhere" '(.cpus[0].events["cpu-clock"].samples) as $n | $n > 0 and $n == .events[0].samples'

echo "-- the end"
sleep 0.7 &
"$cyctop" -b -n 30 -d 0.5 -e cpu-clock -p $! >out 2>err || bad "a process that ends: $(cat err)"
[ "$(grep -c '^cyctop on' out)" -lt 10 ] || bad "it goes on without the process"
sleep 0.1 &
gone=$!
wait $gone
refused "a process that has ended" "there is no process $gone" "$cyctop" -b -n 1 -p $gone
refused "a thread for a process" "is a thread of process $one: -p $one" "$cyctop" -b -n 1 -p "$tid_a"
refused "a CPU that is not there" 'there is no CPU 8191' "$cyctop" -b -n 1 -C 8191
if command -v prlimit >/dev/null; then
	refused "too few files" 'RLIMIT_NOFILE' prlimit --nofile=14 "$cyctop" -b -n 1 -e cpu-clock -p $one
fi

if [ -n "$as" ]; then
	echo "-- a user"
	json -u nobody -d 0.3
	says "another user" '.tasks | map(.uid) | unique == [65534]'
	says "not the load" ".tasks | map(.pid) | contains([$two])"
fi
if [ -n "$as" ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	echo "-- without privilege"
	$as ./cyctop -b -n 1 -d 0.5 -e cpu-clock --format json -p $two >out 2>err || bad "one's own process: $(cat err)"
	says "not one's own process" ".tasks | map(.pid) == [$two]"
	says "not its functions" '.symbols | map(.symbol) | contains(["load_sixty"])'
	# shellcheck disable=SC2086 # a command and its arguments
	refused "another's process" 'another user.*run with sudo' $as ./cyctop -b -n 1 -e cpu-clock -p $one
	mkdir own
	chown 65534 own
	(cd own && $as ../cyctop record -e cpu-clock -o r.data ../load 1 >/dev/null 2>err) ||
		bad "a command of one's own: $(cat own/err)"
	"$cyctop" -b -i own/r.data --sort pid,symbol 2>/dev/null | grep -q load_sixty ||
		bad "a command of one's own is not in its recording"
fi

echo "-- recorded"
"$cyctop" record -p $one -e cpu-clock -o p.data --duration 0.5 2>err || bad "record -p: $(cat err)"
"$cyctop" record -C 0 -e cpu-clock -o C.data --duration 0.5 2>err || bad "record -C: $(cat err)"
"$cyctop" record -e cpu-clock -o c.data -- ./load 1 >load.out 2>err || bad "record COMMAND: $(cat err)"
sleep 0.5 &
"$cyctop" record -e cpu-clock -o e.data --duration 30 -p $! 2>err || bad "record until the end: $(cat err)"
"$cyctop" dump e.data | grep '^damage' && bad "a recording until the end is damaged"
kill -0 $one || bad "the load is gone"
"$cyctop" -b -i c.data --sort pid,comm --format json 2>/dev/null >out
read -r _ cpid _ <load.out
jq -e ".rows | (map(.pid) | unique == [$cpid]) and (map(.comm) | index(\"cyctop\") == null)" out >/dev/null ||
	bad "a command is not alone in its recording: $(jq -c '.rows | map([.pid, .comm])' out)"
if command -v perf >/dev/null; then
	for f in p C c; do
		perf report --stdio -g none -i $f.data >/dev/null 2>err </dev/null || bad "perf report of $f.data"
		[ ! -s err ] || bad "perf report of $f.data: $(cat err)"
	done
	[ "$(perf script -i p.data -F pid 2>/dev/null | sort -u | tr -d ' ')" = $one ] || bad "record -p: other pids"
	[ "$(perf script -i C.data -F cpu 2>/dev/null | sort -u | tr -d ' ')" = '[000]' ] || bad "record -C: other CPUs"
	perf report --stdio -g none -i p.data --sort symbol 2>/dev/null | grep -q load_sixty ||
		bad "record -p: no functions"
	"$cyctop" record -p $one -e cpu-clock -o - --duration 0.5 2>/dev/null |
		perf report --stdio -g none -i - --sort symbol 2>/dev/null | grep -q load_sixty ||
		bad "record -p -o -: no functions"
fi
exit $status
