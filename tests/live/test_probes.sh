#!/bin/sh
# Probes in user space: a function and its returns are counted exactly, live and recorded, perf reads the recording,
# nothing is left of a killed cyctop, and a wrong name is told the nearest.
#   test_probes.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "sets probes"
needs cc jq
[ -d /sys/bus/event_source/devices/uprobe ] || skip "no PMU uprobe"
# ./l TURNS [FILE]: when the file is there, four threads call hit(), each TURNS times, every eighth time nested 50 deep.
# Its status is 1 if hit() begins with a breakpoint of x86.
cat >l.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) int hit(int n) { __asm__ volatile(""); return n ? hit(n - 1) + 1 : 0; }
static int turns;
static void *run(void *p)
{
	for (int i = 0; i < turns; i++)
		hit(i % 8 ? 0 : 49);
	return p;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	unsigned char first[1];
	turns = atoi(argv[1]);
	while (argc > 2 && access(argv[2], F_OK) != 0)
		usleep(20000);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	memcpy(first, (void *)hit, 1);
	return *first == 0xcc;
}
END
cc -O0 -pthread -o l l.c || skip "no compiler"
hits() { # TURNS
	echo $((4 * 57 * $1 / 8))
}
all=$(hits 40) # few, so that no sample is lost
events="uprobe:$tmp/l:hit,uprobe:$tmp/l:hit%return"
"$cyctop" record -e "$events" -o a.data -- ./l 40 2>err || grep -q written err || fail "record: $(cat err)"
for name in "hit" "hit%return"; do
	own=$("$cyctop" -b -i a.data --sort pid --format json 2>/dev/null |
		jq "[.rows[].events[\"uprobe:$tmp/l:$name\"].weight] | add")
	[ "$own" = "$all" ] || fail "$name: $own of $all hits"
done
"$cyctop" -b -i a.data 2>/dev/null >out
grep -q "^no PMU: uprobe" out || fail "software as a PMU: $(grep PMU out)"
if command -v perf >/dev/null; then
	perf report -i a.data --stdio >out 2>&1
	grep -q "Event count (approx.): $all\$" out || fail "perf report: $(head -12 out)"
fi

# Live, the counts are of counters, and do not depend on samples.
all=$(hits 4000)
# shellcheck disable=SC2317 # eventually() calls them
has_lines() { # N: has cyctop written as many tables?
	[ "$(wc -l <live.json)" -ge "$1" ]
}
counted() { # NAME: as often as it was counted, in all tables
	jq -s "[.[].events[] | select(.name == \"uprobe:$tmp/l:$1\").count] | add" live.json
}
for target in system process; do
	rm -f go live.json
	start ./l 4000 "$tmp/go"
	program=$pid
	set -- "$cyctop"
	[ $target = system ] || set -- "$cyctop" -p "$program"
	start "$@" -b -d 0.5 -e "$events" --format json >live.json 2>err
	monitor=$pid
	eventually has_lines 1 || fail "$target: nothing is measured: $(cat err)"
	: >go
	wait "$program"
	[ $target = process ] || eventually has_lines $(($(wc -l <live.json) + 2)) || fail "$target: no table"
	[ $target = system ] || eventually is_gone "$monitor"
	kill -INT "$monitor" 2>/dev/null
	wait "$monitor"
	for name in "hit" "hit%return"; do
		[ "$(counted "$name")" = "$all" ] || fail "$target: $name: $(counted "$name") of $all"
	done
done
# Killed, it leaves no probe in the program.
rm -f live.json
start "$cyctop" -b -d 0.2 -e "uprobe:$tmp/l:hit" --format json >live.json 2>err
eventually has_lines 1 || fail "nothing is measured: $(cat err)"
./l 8
[ $? = 1 ] || [ "$(uname -m)" != x86_64 ] || fail "no probe was set"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
eventually ./l 8 || fail "a probe is left after SIGKILL"
# What cannot be probed
"$cyctop" -b -n 1 -d 0.1 -e "uprobe:$tmp/l:hti" 2>err && fail "hti is taken"
grep -q "'hit' is one" err || fail "hti: $(cat err)"
"$cyctop" -b -n 1 -d 0.1 -e "uprobe:$tmp/l:0x99999999" >/dev/null 2>err && fail "beyond the end"
grep -q 'no code can be probed there' err || fail "beyond the end: $(cat err)"
finish
