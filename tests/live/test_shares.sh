#!/bin/sh
# Compares cyctop with the measurements of the load itself, of the scheduler and of perf:
#   test_shares.sh CYCTOP LOAD
# A load with a known profile runs while cyctop and perf record sample the machine, until it has used
# ten seconds of CPU time.  Each function's share of its thread must be within 3 points of the load's
# own measurement, and within 2 points of perf report's.  Each thread's CPU usage must be within 2
# points of the scheduler's for exactly the period of cyctop's table.
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq
needs_perf
# Enough samples for the limits: 25,000 per thread have a standard error of 0.3 points for a share
# of 60 %.
rate=4999
max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
[ "$max" -ge "$rate" ] || rate=$max

start "$load" 3600 >load.out
load_pid=$pid
eventually test -s load.out
read -r _ _ tid_a tid_b <load.out

# Writes "UPTIME NS_A NS_B" many times per second: seconds since boot, the clock of cyctop's tables,
# and the CPU time that each thread had used by then.
# shellcheck disable=SC2317 # `start` calls it
log_cpu() {
	while :; do
		read -r before _ </proc/uptime
		read -r a _ <"/proc/$load_pid/task/$tid_a/schedstat"
		read -r b _ <"/proc/$load_pid/task/$tid_b/schedstat"
		read -r after _ </proc/uptime
		# drop the line if something else ran between the two readings
		[ "$before" != "$after" ] || echo "$before $a $b"
		sleep 0.05
	done
}
start log_cpu >cpu.log
logger=$pid
# The rings are large enough for many seconds in which neither program gets a CPU.
start perf record -q -m 8M -o perf.data -e cpu-clock -F "$rate" -a 2>perf.err
perf_pid=$pid
start "$cyctop" -b -d 1 --window total --ring 8192 -F "$rate" -H --format json >tables 2>cyctop.err
top=$pid
eventually test -s tables || fail "cyctop: $(cat cyctop.err)"
uses "$load_pid" 10000
interrupt "$top"
end "$logger"
kill -INT "$perf_pid"
wait "$perf_pid" || :
kill "$load_pid"
wait "$load_pid" || :
tail -n 1 tables >table

# ---- functions ------------------------------------------------------------------------

# shares: converts lines "FUNCTION AMOUNT" to "FUNCTION SHARE-OF-ITS-THREAD", in percent
shares() {
	awk 'function thread(f) { return f ~ /twenty|eighty/ ? "b" : "a" }
		{ w[$1] += $2; sum[thread($1)] += $2 }
		END { for (f in w) printf "%s %.2f\n", f, 100 * w[f] / sum[thread(f)] }' | sort
}
grep '^load_' load.out | shares >measured
jq -r '.events[0].name as $e | .symbols[] | select(.symbol | startswith("load_"))
	| "\(.symbol) \(.events[$e].weight)"' table | shares >ours
perf report -i perf.data --stdio -q --sort symbol -g none -n 2>/dev/null |
	awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^load_/) print $i, $2 }' | shares >theirs
join measured ours | join - theirs >all
echo "function       load  cyctop   perf"
awk '{ printf "%-12s %6.2f  %6.2f %6.2f\n", $1, $2, $3, $4 }' all
awk 'function off(a, b) { return a > b ? a - b : b - a }
	off($2, $3) > 3 { print $1 ": more than 3 points off the load"; bad = 1 }
	off($3, $4) > 2 { print $1 ": more than 2 points off perf"; bad = 1 }
	END { if (NR != 5) { print "not all five functions were seen by all three"; bad = 1 }; exit bad }' \
	all || fail "functions have other shares"

# ---- threads --------------------------------------------------------------------------

# The scheduler's CPU time at the start and end of the table, by linear interpolation
read -r begin end <<END
$(jq -r '"\(.start_ns / 1e9) \(.end_ns / 1e9)"' table)
END
jq -r --argjson pid "$load_pid" '.tasks[] | select(.pid == $pid) | "\(.tid) \(.cpu)"' table >cpu.ours
awk -v begin="$begin" -v end="$end" -v a="$tid_a" -v b="$tid_b" '
	function at(t, column,    i, part) {
		for (i = 2; i < n && time[i] < t; i++)
			;
		part = (t - time[i - 1]) / (time[i] - time[i - 1])
		return ns[i - 1, column] + part * (ns[i, column] - ns[i - 1, column])
	}
	FILENAME == "cpu.log" {
		if (NF == 3 && (!n || $1 > time[n])) {
			time[++n] = $1
			ns[n, a] = $2
			ns[n, b] = $3
		}
		next
	}
	{
		scheduler = 100 * (at(end, $1) - at(begin, $1)) / 1e9 / (end - begin)
		printf "%6d %9.2f  %6.2f\n", $1, scheduler, 100 * $2
		if (scheduler - 100 * $2 > 2 || 100 * $2 - scheduler > 2)
			bad = 1
		seen++
	}
	END { exit bad || seen != 2 }' cpu.log cpu.ours >cpu.all ||
		fail "CPU usage is more than 2 points off the scheduler"
echo "thread  scheduler  cyctop (CPU %)"
cat cpu.all
finish
