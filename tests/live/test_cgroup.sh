#!/bin/sh
# Measures and records cgroups instead of everything:
#   test_cgroup.sh CYCTOP LOAD
# The same load runs in two cgroups.  cyctop measures what is in one and below, as much as the
# kernel accounts to it and as perf counts, and nothing else.  It waits for an empty cgroup, and ends when the
# cgroup is removed.
set -eu
# mounted: prints the mount point of the hierarchy that perf events follow
mounted() {
	awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { own = $2 } $3 == "cgroup2" && !two { two = $2 }
		END { print own ? own : two }' /proc/self/mounts
}
if [ -z "$(mounted)" ] && [ -z "${own_mounts-}" ]; then
	status=0
	own_mounts=1 unshare -m sh -c 'mount -t cgroup2 none /sys/fs/cgroup; exec sh "$@"' sh "$0" "$@" || status=$?
	exit $status
fi
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq
needs_sampling "$cyctop"
root=$(mounted)
[ -n "$root" ] || skip "no cgroups are mounted, and none can be"
top=cyctop-test-$$
mkdir "$root/$top" 2>/dev/null || skip "no cgroup can be made in $root"
# shellcheck disable=SC2317 # the trap calls it
clean_cgroups() {
	# shellcheck disable=SC2086 # process ids
	[ -z "$children" ] || kill -KILL $children 2>/dev/null || :
	eventually rmdir "$root/$top"/*/*/ "$root/$top"/*/ "$root/$top" 2>/dev/null
	clean_up
}
trap clean_cgroups EXIT
mkdir "$root/$top/one" "$root/$top/one/below" "$root/$top/two" "$root/$top/empty"
"$cyctop" -b -n 1 -d 0.1 -e cpu-clock -G "$top/one" >/dev/null 2>err ||
	case $(cat err) in *CONFIG_CGROUP_PERF*) skip "$(cat err)" ;; esac

# inside CGROUP COMMAND...: starts the command in the cgroup
inside() {
	cgroup=$1
	shift
	# shellcheck disable=SC2016 # that shell's
	start sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$root/$top/$cgroup" "$@"
}
# shellcheck disable=SC2317 # `eventually` calls it
holds() {
	[ -s tables ] && tail -n 1 tables 2>/dev/null | jq -e "$1" >/dev/null 2>&1
}
# table FILTER ARGS...: runs cyctop until the filter is true for its table, which is then in "out"
table() {
	filter=$1
	shift
	start "$cyctop" -b -d 0.5 --window total -e cpu-clock --format json "$@" >tables 2>err
	monitor=$pid
	held=0
	eventually holds "$filter" || held=1
	interrupt "$monitor" "cyctop $*: $(cat err)"
	tail -n 1 tables >out
	return $held
}
wrong() {
	fail "$1"
	jq -c '[.trust, .events[0], (.tasks | map([.pid, .comm, .cpu]))]' out
}
says() {
	{ [ -s out ] && jq -e "$2" out >/dev/null; } || wrong "$1"
}
refused() { # WHAT TEXT ARGS...
	what=$1 text=$2
	shift 2
	"$cyctop" -b -n 1 -e cpu-clock "$@" >out 2>err && fail "$what: it went well"
	grep -q -e "$text" err || fail "$what: $(cat err)"
}

inside one "$load" 3600 >one.out
one=$pid
inside two "$load" 3600 >two.out
two=$pid
# shellcheck disable=SC2016 # that shell's
inside one/below sh -c '"$0" 3600 >below.out & wait' "$load"
shell=$pid
for name in one two below; do
	eventually test -s $name.out || fail "the load $name does not start"
done
read -r _ below _ <below.out
children="$children $below"

echo "-- a cgroup, and one below"
before=$(($(cpu_ns "$one") + $(cpu_ns "$below")))
table "([$one, $below] - (.tasks | map(.pid))) == [] and .events[0].samples > 500" -G "$top/one" || wrong "not both"
after=$(($(cpu_ns "$one") + $(cpu_ns "$below")))
says "others" ".tasks | map(.pid) - [$one, $below, $shell] == []"
says "not all of its threads" '.symbols | map(.symbol) | contains(["load_sixty", "load_eighty"])'
says "it does not say what is measured" ".trust.target == \"cgroup $top/one\" and .trust.scope == \"tasks\""
# The samples add up to the count, and to no more than the CPU time that the scheduler reports.
jq -r '"\([.tasks[].cpu] | add * 1) \(.end_ns - .start_ns) \(.events[0].count)"' out |
	awk -v used=$((after - before)) '
	{
		printf "CPU time in ms: sampled %.0f, counted %.0f; the scheduler, over a longer time: %.0f\n",
			$1 * $2 / 1e6, $3 / 1e6, used / 1e6
		exit $1 * $2 < 0.8 * $3 || $1 * $2 > 1.2 * $3 || $3 > 1.02 * used
	}' || fail "the cgroup has another CPU time than the scheduler says"

echo "-- what is below, alone, by its path"
table '.events[0].samples > 100' -G "$root/$top/one/below" || wrong "no samples"
says "others" ".tasks | map(.pid) - [$below, $shell] == []"

echo "-- several, of which one lies in another"
table "([$below, $two] - (.tasks | map(.pid))) == [] and .events[0].samples > 300" \
	-G "$top/one/below,$top/two,$top/one/below/" || wrong "not both"
says "others" ".tasks | map(.pid) - [$below, $shell, $two] == []"
[ ! -s err ] || ! grep -q 'lies in' err || fail "a name that is given twice: $(cat err)"
table "([$one, $below] - (.tasks | map(.pid))) == [] and .events[0].samples > 300" -G "$top/one/below,$top/one" ||
	wrong "not both"
grep -q "the cgroup $top/one/below lies in $top/one" err || fail "it does not say what is left out: $(cat err)"
jq -r '"\(.events[0].count) \(.events[0].weight)"' out | awk '{ exit $1 > 1.2 * $2 }' || wrong "it counts twice"

echo "-- parallelism"
table '.rows[0].events["cpu-clock"].samples > 100' --sort parallelism -G "$top/two" || fail "no parallelism: $(cat err)"
says "tasks outside run, too" '.rows | map(.parallelism) | max <= 2'

if command -v perf >/dev/null; then
	echo "-- as perf counts"
	mkfifo go ended stop
	# shellcheck disable=SC2016 # that shell's
	inside two sh -c 'echo >there; read -r _ <go; dd if=/dev/zero of=/dev/null bs=8M count=1 2>there; echo >ended'
	faulting=$pid
	eventually test -s there || fail "no shell in the cgroup"
	sleep 0.5 # it waits then, without page faults
	start "$cyctop" -b -d 0.2 --window total -e page-faults,cpu-clock --format json -G "$top/two" >tables 2>err
	monitor=$pid
	start perf stat -x , -o perf.out -a -e page-faults -G "$top/two" sh -c 'echo >ready; read -r _ <stop' 2>perf.err
	perf=$pid
	eventually test -s ready || fail "perf stat: $(cat perf.err)"
	eventually holds '.events[0].name == "page-faults"' || fail "page faults: $(cat err)"
	sleep 0.5
	echo >go
	read -r _ <ended
	eventually is_gone "$faulting"
	sleep 0.5
	eventually holds '.events[0].count > 2000' || fail "no page faults: $(tail -n 1 tables | jq -c .events)"
	interrupt "$monitor" "page faults"
	echo >stop
	wait "$perf" || :
	counted=$(tail -n 1 tables | jq '.events[0].count')
	echo "page faults: $counted; perf: $(cat perf.out)"
	[ "$counted" = "$(awk -F , '/page-faults/ { print $1 }' perf.out)" ] || fail "perf counts other page faults"
fi

echo "-- recorded"
start "$cyctop" record -e cpu-clock -o r.data -G "$top/one" 2>err
recorder=$pid
eventually has_samples r.data 100 || fail "record: $(cat err)"
interrupt "$recorder" "record"
grep -q "recording cgroup $top/one to" err || fail "it does not say what is recorded: $(cat err)"
"$cyctop" -b -i r.data --sort pid,cgroup --format json >out 2>err || fail "the recording: $(cat err)"
says "others are recorded" ".rows | map(.pid) | (. - [$one, $below, $shell] == []) and ([$one, $below] - . == [])"
says "other cgroups" ".rows | map(.cgroup) | unique - [\"/$top/one\", \"/$top/one/below\"] == []"
if command -v perf >/dev/null; then
	perf script -i r.data -F pid 2>/dev/null | sort -u | tr -d ' ' | grep -qvx -e "$one" -e "$below" -e "$shell" &&
		fail "perf finds others in the recording"
fi

echo "-- an empty one, until it is removed"
start "$cyctop" -b -d 0.3 --window total -e cpu-clock --format json -G "$top/empty" >tables 2>err
monitor=$pid
eventually holds '.tasks == []' || fail "an empty cgroup: $(cat err)"
inside empty "$load" 3600 >three.out
three=$pid
eventually holds ".tasks | map(.pid) | unique == [$three]" || fail "what comes later is not measured: $(cat err)"
kill -KILL "$three"
wait "$three" || :
eventually rmdir "$root/$top/empty" || fail "the cgroup is not empty"
eventually is_gone "$monitor" || fail "it goes on without the cgroup"
wait "$monitor" || fail "a cgroup that is removed: $(cat err)"
grep -q "cgroup $top/empty: ended" err || fail "it does not say that it ended: $(cat err)"
tail -n 1 tables >out
says "not the last of it" ".tasks | map(.pid) | unique == [$three]"

echo "-- refused"
refused "a name that is like another" "no cgroup $top/on in $root: did you mean $top/one" -G "$top/on"
refused "one that was removed" "no cgroup $top/empty" -G "$top/two,$top/empty"
refused "what is no cgroup" 'no cgroup /etc' -G /etc
refused "what is above" 'no cgroup ../../../../etc' -G ../../../../etc
refused "everything" 'has all tasks: without -G' -G "$top/../"
refused "with processes" '-G with -p' -G "$top/one" -p "$one"
refused "with a command" '-G with COMMAND' -G "$top/one" -- true
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
	cp "$cyctop" cyctop
	chmod 755 "$tmp" cyctop
	setpriv --reuid=65534 --regid=65534 --clear-groups ./cyctop -b -n 1 -e cpu-clock -G "$top/one" >out 2>err &&
		fail "without privilege: it went well"
	grep -q 'run with sudo' err || fail "without privilege: $(cat err)"
fi
finish
