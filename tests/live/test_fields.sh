#!/bin/sh
# Fields of tracepoints as keys: as many samples of each value as perf script lists, of perf's recordings from file and
# pipe and of cyctop's; live, each system call of a command is counted under its name.
#   test_fields.sh CYCTOP
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs_root "reads tracepoints"
needs perf unshare jq
if [ "${2:-}" != inside ]; then
	exec unshare -m sh "$0" "$1" inside
fi
cyctop=$(realpath "$1")
cd "$tmp" || exit 1
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || [ -d /sys/kernel/tracing/events ] ||
	skip "tracefs cannot be mounted"
[ -d /sys/kernel/tracing/events/sched ] || skip "no tracepoints"

# same WHAT KEY: the counts of values in "theirs", from perf script, and in "ours.json" are the same
same() {
	jq -r --arg key "$2" --arg event sched:sched_switch \
		'.rows[] | select(.[$key]) | "\(.events[$event].samples) \(.[$key])"' ours.json | sort -k 2 >ours
	sort -k 2 theirs | sed 's/^ *//' >wanted
	[ "$(wc -l <wanted)" -ge 2 ] || fail "$1: perf script has $(wc -l <wanted) values of $2"
	diff wanted ours >difference || fail "$1, $2: $(head -5 difference)"
}

perf record -q -a -e sched:sched_switch -o p.data -- sh -c 'for i in 1 2 3 4 5; do sleep 0.1; ls / >/dev/null; done' ||
	fail "perf record"
perf script -i p.data -F trace 2>/dev/null >traced
for key in prev_state next_pid next_prio; do
	sed -n "s/.* $key=\\([^ ]*\\).*/\\1/p" traced | sort | uniq -c >theirs
	"$cyctop" -b -i p.data --sort $key --format json >ours.json 2>err || fail "$key: $(cat err)"
	same "perf's recording" $key
done
sed -n 's/.* next_pid=\([^ ]*\).*/\1/p' traced | sort | uniq -c >theirs
perf record -q -a -e sched:sched_switch -o - -- sleep 0.5 >pipe.data
perf script -i - -F trace <pipe.data 2>/dev/null | sed -n 's/.* next_pid=\([^ ]*\).*/\1/p' | sort | uniq -c >theirs
"$cyctop" -b -i - --sort next_pid --format json <pipe.data >ours.json 2>err || fail "pipe: $(cat err)"
same "a pipe" next_pid
"$cyctop" record -e sched:sched_switch --duration 0.5 -o c.data 2>err || fail "record: $(cat err)"
perf script -i c.data -F trace 2>/dev/null | sed -n 's/.* next_pid=\([^ ]*\).*/\1/p' | sort | uniq -c >theirs
"$cyctop" -b -i c.data --sort next_pid --format json >ours.json 2>err || fail "own: $(cat err)"
same "cyctop's recording" next_pid

echo "-- live"
cat >calls.sh <<'END'
i=0
while [ $i -lt 50 ]; do
	i=$((i + 1))
	/bin/true
done
END
perf stat -x, -o stat -e syscalls:sys_enter_execve sh calls.sh || fail "perf stat"
want=$(awk -F, '/execve/ { print $1 }' stat)
"$cyctop" -b -e raw_syscalls:sys_enter --sort id --format json -- sh calls.sh >out 2>err || fail "live: $(cat err)"
got=$(jq '[.rows[] | select(.id == "execve") | .events["raw_syscalls:sys_enter"].weight] | add' out)
echo "execve: $got; perf stat: $want"
[ "$want" -ge 50 ] || fail "perf stat counts only $want"
[ "$got" = "$want" ] || fail "execve was counted $got times, by perf stat $want"
"$cyctop" -b -e raw_syscalls:sys_enter --sort idd -n 1 >out 2>err && fail "a field that there is not"
grep -q "'idd' is neither a key nor a field of a tracepoint that is measured; fields are: id, args" err ||
	fail "no such field: $(cat err)"
"$cyctop" -b -e cpu-clock --sort idd -n 1 >out 2>err
grep -q "'idd' is none of symbol" err || fail "no tracepoint: $(cat err)"
finish
