#!/bin/sh
# The events of all tasks are opened CPU by CPU, on the CPU itself: one change of affinity for each, and one back.
#   test_tour.sh CYCTOP
set -eu
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs strace chrt
needs_root 'gets CPUs before all others'
needs_sampling "$cyctop"
cpus=$(getconf _NPROCESSORS_ONLN)
[ "$(nproc)" = "$cpus" ] || skip 'this test may not run on all CPUs'
chrt -f 20 strace -o /dev/null true 2>/dev/null || skip 'no real-time priority, or no ptrace, here'

# traced OPTION...: writes what cyctop opens to the file opened, "move CPU" (-1: to several), "ring CPU", "event CPU"
traced() {
	chrt -f 20 strace -f -s 0 -e trace=sched_setaffinity,perf_event_open,mmap "$@" -o trace \
		"$cyctop" -b -n 1 -d 0.1 -e '{cpu-clock,page-faults},cs' >shown 2>said || fail "status $?: $(cat said)"
	sed -nE 's/.*sched_setaffinity\(0, [0-9]+, \[([0-9]+)( \.\.\.)?\]\).*/move \1/p
		s/.*sched_setaffinity\(0, [0-9]+, \[[0-9]+ [0-9].*/move -1/p
		s/.*mmap\(.*PROT_WRITE, MAP_SHARED, [0-9]+, 0\) = 0x.*/ring/p
		s/.*perf_event_open\(.*\}, -1, ([0-9]+), -?[0-9]+, PERF_FLAG_FD_CLOEXEC\) = [0-9]+$/event \1/p' \
		trace >all
	# before the first move, events are only tried
	sed -n '/^move/,$p' all >opened
}

# One of each CPU: where it goes, the owners of its two rings, the rings, three events.
prompt=no
for try in 1 2 3 4 5; do
	traced
	[ "$(grep -c '^move' opened)" != $((cpus + 1)) ] || prompt=yes
	[ $prompt = no ] || break
done
[ $prompt = yes ] || fail "moves of $cpus CPUs, $try times tried: $(grep '^move' opened)"
awk -v cpus="$cpus" '
	/^move/ { bad += NR > 1 && (events != 5 || rings != 2); cpu = $2; events = rings = 0; moves++ }
	/^ring/ { rings++ }
	/^event/ { events++; bad += $2 != cpu || (events > 2 && rings != 2) }
	END { exit bad || events || rings || moves != cpus + 1 || cpu != -1 }' opened || fail "opened: $(cat opened)"

# On a busy CPU it waits for its turn once, and opens the others' from there.
traced -e inject=sched_setaffinity:delay_exit=5000
[ "$(grep -c '^move' opened)" = 2 ] || fail "moves that take 5 ms: $(cat opened)"
[ "$(grep -c '^event' opened)" = $((cpus * 5)) ] || fail "opened after slow moves: $(cat opened)"
grep '^event' opened | sort -c -k2n || fail "not CPU by CPU: $(cat opened)"

# Where it may not move, it opens all the same, and says nothing of it.
cp said before
traced -e inject=sched_setaffinity:error=EINVAL
[ "$(grep -c '^event' opened)" = $((cpus * 5)) ] || fail "opened without moves: $(cat opened)"
[ "$(wc -l <said)" = "$(wc -l <before)" ] || fail "it says of moves: $(cat said)"
grep -q . shown || fail 'nothing is shown'
finish
