#!/bin/sh
# cyctop against the truth, the scheduler and perf, in one run:
#   test_shares.sh CYCTOP LOAD
# A load with a known profile runs while cyctop and perf record watch the machine for
# the same five seconds.  Each function's share of its thread must be within 3 points
# of what the load itself measured and within 2 of perf report's; each thread's CPU
# within 2 points of /proc/PID/stat.
set -eu
cyctop=$1 load=$2
seconds=5
# Enough samples that chance alone stays well inside the limits: 25,000 a thread are
# 0.3 points of standard error for a share of 60 %.
rate=4999
max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
[ "$max" -ge "$rate" ] || rate=$max
skip() {
	echo "skipped: $*"
	exit 77
}
command -v jq >/dev/null || skip "jq is not installed"
command -v perf >/dev/null || skip "perf is not installed"
perf record -o /dev/null -q -e cpu-clock -a true 2>/dev/null || skip "perf may not sample this machine"
tmp=$(mktemp -d)
pid=
trap 'kill $pid 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C

"$load" $((seconds + 3)) >"$tmp/load" &
pid=$!
sleep 0.7
read -r _ lpid tid_a tid_b <"$tmp/load"

# CPU ticks and the clock they are read at, of both threads.
read_stat() {
	for tid in "$tid_a" "$tid_b"; do
		sed 's/.*) //' "/proc/$lpid/task/$tid/stat" | awk -v tid="$tid" '{ print tid, $12 + $13 }'
	done
	awk '{ print "uptime", $1 }' /proc/uptime
}

perf record -q -o "$tmp/perf.data" -e cpu-clock -F "$rate" -a -- sleep $seconds 2>"$tmp/perf.err" &
perf_pid=$!
read_stat >"$tmp/before"
"$cyctop" -b -n 1 -d $seconds -F "$rate" -H --format json >"$tmp/json" 2>"$tmp/cyctop.err"
read_stat >"$tmp/after"
wait $perf_pid
wait $pid
pid=

jq -r '.events[0].name as $e | .symbols[] | select(.symbol | startswith("load_"))
	| "\(.symbol) \(.events[$e].weight)"' "$tmp/json" >"$tmp/cyctop.functions"
jq -r --argjson pid "$lpid" '.tasks[] | select(.pid == $pid) | "\(.tid) \(.cpu)"' "$tmp/json" >"$tmp/cyctop.tasks"
grep '^load_' "$tmp/load" >"$tmp/truth.functions"
perf report -i "$tmp/perf.data" --stdio -q --sort symbol -g none -n 2>/dev/null |
	awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^load_/) print $i, $2 }' >"$tmp/perf.functions"

# shares FILE: "function share-of-its-thread-in-percent"
shares() {
	awk 'function thread(f) { return f ~ /twenty|eighty/ ? "b" : "a" }
		{ w[$1] += $2; sum[thread($1)] += $2 }
		END { for (f in w) printf "%s %.2f\n", f, 100 * w[f] / sum[thread(f)] }' "$1" | sort
}
shares "$tmp/truth.functions" >"$tmp/truth"
shares "$tmp/cyctop.functions" >"$tmp/ours"
shares "$tmp/perf.functions" >"$tmp/theirs"
join "$tmp/truth" "$tmp/ours" | join - "$tmp/theirs" >"$tmp/all"

echo "function      truth  cyctop   perf"
awk '{ printf "%-12s %6.2f  %6.2f %6.2f\n", $1, $2, $3, $4 }' "$tmp/all"
status=0
awk 'function off(a, b) { return a > b ? a - b : b - a }
	off($2, $3) > 3 { print $1 ": more than 3 points off the truth"; bad = 1 }
	off($3, $4) > 2 { print $1 ": more than 2 points off perf"; bad = 1 }
	END { if (NR != 5) { print "not all five functions were seen by all three"; bad = 1 }; exit bad }' \
	"$tmp/all" || status=1

hz=$(getconf CLK_TCK)
elapsed=$(awk '$1 == "uptime" { print (NR > 3 ? $2 - first : first = $2) }' "$tmp/before" "$tmp/after" | tail -n 1)
for f in before after; do grep -v uptime "$tmp/$f" | sort >"$tmp/$f.ticks"; done
join "$tmp/before.ticks" "$tmp/after.ticks" >"$tmp/ticks"
sort "$tmp/cyctop.tasks" | join "$tmp/ticks" - >"$tmp/cpu"
echo "thread  /proc  cyctop (CPU %)"
awk -v hz="$hz" -v elapsed="$elapsed" '
	{ proc = 100 * ($3 - $2) / hz / elapsed; ours = 100 * $4; printf "%6d %6.2f  %6.2f\n", $1, proc, ours
	  if (proc - ours > 2 || ours - proc > 2) { print $1 ": more than 2 points off /proc"; bad = 1 } }
	END { if (NR != 2) { print "not both threads were seen"; bad = 1 }; exit bad }' "$tmp/cpu" || status=1
exit $status
