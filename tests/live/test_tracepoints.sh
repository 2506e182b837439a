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
finish
