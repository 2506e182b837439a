#!/bin/sh
# Tracepoints: cyctop counts what perf stat counts of the same commands, exactly; perf reads cyctop's recordings of them
# with all fields, from a file and from a pipe; and a file system for them that is not mounted is said.
#   test_tracepoints.sh CYCTOP
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs_root "reads tracepoints"
needs perf unshare
if [ "${2:-}" != inside ]; then
	exec unshare -m sh "$0" "$1" inside
fi
cyctop=$(realpath "$1")
cd "$tmp" || exit 1
umount /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null
if [ ! -d /sys/kernel/tracing/events ] && [ ! -d /sys/kernel/debug/tracing/events ]; then
	"$cyctop" -b -n 1 -d 0.1 -e sched:sched_switch >out 2>&1
	grep -q 'mount -t tracefs tracefs /sys/kernel/tracing' out || fail "unmounted: $(cat out)"
	"$cyctop" -b -n 1 -d 0.1 --preset sched >out 2>&1 && fail "a preset without tracefs"
	grep -q 'mount -t tracefs tracefs /sys/kernel/tracing' out || fail "unmounted, preset: $(cat out)"
fi
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || [ -d /sys/kernel/tracing/events ] ||
	skip "tracefs cannot be mounted"
[ -d /sys/kernel/tracing/events/sched ] || skip "no tracepoints"

cat >load <<'END'
i=0
while [ $i -lt 40 ]; do
	i=$((i + 1))
	/bin/true
done
END
list='sched:sched_process_exec,sched:sched_process_fork'
perf stat -x, -o stat -e "$list" sh load || fail "perf stat"
"$cyctop" record -e "$list" -o c.data -- sh load 2>err || fail "record: $(cat err)"
for event in exec fork; do
	want=$(awk -F, -v e="sched:sched_process_$event" '$3 == e { print $1 }' stat)
	got=$(perf script -i c.data 2>err | grep -c "sched:sched_process_$event: .*=")
	[ "$want" -ge 40 ] || fail "perf stat counts $want of $event"
	[ "$got" = "$want" ] ||
		fail "$event: perf stat counts $want, perf script lists $got of cyctop's: $(head -3 err)"
	own=$("$cyctop" -b -i c.data --sort pid --format json 2>/dev/null |
		jq "[.rows[].events[\"sched:sched_process_$event\"].weight] | add")
	[ "$own" = "$want" ] || fail "$event: cyctop counts $own, perf stat $want"
done
"$cyctop" record -e "$list" -o - -- sh load 2>err | perf script -i - >piped 2>/dev/null
[ "$(grep -c 'sched_process_exec: filename=/bin/true' piped)" = 40 ] || fail "piped: $(head -3 piped)"
# Live, by a pattern, with the heading that tells its events apart.
"$cyctop" -b -n 1 -d 0.3 -e 'sched:sched_process_ex*' >out 2>&1
grep -q 'sched:sched_process_exec .*/s.*sched:sched_process_exit .*/s\|sched_process_exit.*sched_process_exec' out ||
	fail "live: $(head -4 out)"
# All system calls at once, by the pattern that peers have for them, live: as many as perf counts of the same commands.
perf stat -x, -o stat -e raw_syscalls:sys_enter sh load || fail "perf stat of system calls"
want=$(awk -F, '/sys_enter/ { print $1 }' stat)
"$cyctop" record -e 'syscalls:sys_enter_*' -o s.data -- sh load 2>err || fail "system calls: $(cat err)"
got=$("$cyctop" -b -i s.data --sort id,comm --format json 2>/dev/null |
	jq '[.rows[].events["raw_syscalls:sys_enter"].weight] | add')
[ "$got" = "$want" ] || fail "system calls: perf stat counts $want, cyctop $got"
"$cyctop" -b -n 1 -d 0.3 -e 'syscalls:sys_enter_*' --sort id,comm >out 2>&1 || fail "a table of calls: $(cat out)"
grep -q '^ID\|  ID  ' out || fail "no table of calls: $(head -6 out)"
# Filters: as many as perf stat counts, recorded and live; one that the kernel refuses ends it.
event=raw_syscalls:sys_enter
perf stat -x, -o stat -e "$event" --filter 'id == 257 || id == 56' sh load || fail "perf stat --filter"
want=$(awk -F, -v e="$event" '$3 == e { print $1 }' stat)
"$cyctop" record -e "$event" --event-filter 'id == 257 || id == 56' -o f.data -- sh load 2>err ||
	fail "filter: $(cat err)"
got=$(perf script -i f.data 2>err | grep -c "$event: NR \(257\|56\) ")
[ "$want" -ge 80 ] || fail "perf stat counts $want of $event"
[ "$got" = "$want" ] || fail "filter: perf stat counts $want, perf script lists $got of cyctop's"
own=$("$cyctop" -b -i f.data --sort pid --format json 2>/dev/null | jq "[.rows[].events[\"$event\"].weight] | add")
[ "$own" = "$want" ] || fail "filter: cyctop counts $own, perf stat $want"
# Live, until interrupted; the second filter is of a system call that nobody makes.
"$cyctop" -b -n 1 -d 100 -e sched:sched_process_exec --event-filter 'filename ~ "*/true"' -e "$event" \
	--event-filter 'id == 100000' --sort comm --format json >live 2>err &
sleep 1
sh load
kill -INT $!
wait $!
got=$(jq '[.rows[].events["sched:sched_process_exec"].weight // 0] | add' live)
[ "$got" = 40 ] || fail "live: $got of 40 were counted: $(cat err)"
got=$(jq "[.rows[].events[\"$event\"].weight // 0] | add" live)
[ "$got" = 0 ] || fail "live: $got where the filter lets none through"
refused() { # WORDS OPTIONS...: cyctop fails, and says WORDS
	words=$1
	shift
	"$cyctop" -b -n 1 -d 0.1 "$@" >out 2>&1 && fail "not refused: $*"
	grep -q -- "$words" out || fail "$*: $(cat out)"
}
refused "filter 'idd == 1' of the event $event:k .*events/raw_syscalls/sys_enter/format" \
	-e page-faults -e "$event:k" --event-filter 'idd == 1'
refused 'without an -e before it' --event-filter 'id == 1' -e "$event"
refused "'page-faults' is no tracepoint" -e "$event,page-faults" --event-filter 'id == 1'
refused 'given twice' -e "$event" --event-filter 'id == 1' --event-filter 'id == 2'
refused 'takes a condition' -e "$event" --event-filter ' '
# Presets: a session has the events of all that were given, and those of -e, in this order.
"$cyctop" record --preset faults --preset sched -e cpu-clock -o p.data -- sh load 2>err || fail "presets: $(cat err)"
got=$(perf evlist -i p.data 2>/dev/null | grep -v 'dummy\|^#' | tr '\n' ' ')
want='page-faults minor-faults major-faults context-switches cpu-migrations sched:sched_wakeup cpu-clock '
[ "$got" = "$want" ] || fail "presets: $got"
"$cyctop" -b -n 1 --preset fault >out 2>&1 && fail "a preset that there is not"
grep -q "takes one of cache, .*not 'fault': did you mean --preset faults" out || fail "no preset: $(cat out)"
finish
