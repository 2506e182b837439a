#!/bin/sh
# cyctop and perf sample the same load at the same time: within the time that both have, each function has the same
# share in both, but for chance.
#   test_beside.sh CYCTOP LOAD
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_sampling "$cyctop"
needs_perf

start "$load" 3600 >/dev/null
perf record -q -a -k CLOCK_MONOTONIC -e cpu-clock -F 997 -o theirs.data sleep 8 2>/dev/null &
theirs=$!
"$cyctop" record -e cpu-clock --duration 7 -o ours.data >/dev/null 2>&1 || fail "record: status $?"
wait "$theirs"
for side in theirs ours; do
	perf script -i "$side.data" -F time,ip,sym 2>/dev/null | awk '{ sub(":", "", $1); print $1, $3 }' >"$side.txt"
	[ -s "$side.txt" ] || fail "$side.data has no samples"
done
# Samples per function in the time that both have, and how far they are apart: z of two proportions.
awk 'FNR == 1 { side++; if ($1 > first) first = $1 } { time[side, FNR] = $1; name[side, FNR] = $2; n[side] = FNR }
	END {
		last = time[1, n[1]] < time[2, n[2]] ? time[1, n[1]] : time[2, n[2]]
		for (s = 1; s <= 2; s++)
			for (i = 1; i <= n[s]; i++)
				if (time[s, i] >= first && time[s, i] <= last) { all[s]++; has[s, name[s, i]]++ }
		split("load_eighty load_sixty load_thirty load_twenty", names, " ")
		for (k = 1; k <= 4; k++) {
			a = has[1, names[k]] / all[1]; b = has[2, names[k]] / all[2]
			se = sqrt(a * (1 - a) / all[1] + b * (1 - b) / all[2])
			bad = !a || !b || (a - b) ^ 2 > (5 * se) ^ 2
			printf "%s%s: perf %.4f, cyctop %.4f, standard error %.4f\n",
				bad ? "apart: " : "", names[k], a, b, se
		}
	}' theirs.txt ours.txt >out
[ "$(grep -c '^load_' out)" = 4 ] || fail "$(cat out)"

finish
