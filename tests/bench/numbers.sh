#!/bin/sh
# How good the numbers are: simulated loads against what really happened in them, and shares that are sampled
# on this machine against what the load itself measured.
#   numbers.sh BUILD-DIR [SEEDS]
set -eu
build=$1 seeds=${2:-12}
tmp=$(mktemp -d) || exit 1
load=
trap 'kill $load 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

"$build/tests/numbers/numbers" "$seeds"
printf '\nComparisons\n'
"$build/tests/numbers/compare"

seconds=10
"$build/tests/load/load" $((seconds + 30)) >"$tmp/load" &
load=$!
sleep 0.5
if ! "$build/src/app/cyctop" -b -n 1 -d $seconds -H --format json >"$tmp/table" 2>"$tmp/err"; then
	printf '\nno live shares: %s\n' "$(head -n 1 "$tmp/err")"
	exit 0
fi
kill $load
wait $load || :
load=
event=$(jq -r '.events[0].name' "$tmp/table")
printf '\nShares of the functions of a thread on this machine, %s, %s s\n' "$event" $seconds
printf '  %-36s %10s %10s %12s\n' function 'load, %' 'cyctop, %' 'off by, %'
grep '^load_' "$tmp/load" >"$tmp/true" || :
jq -r --arg e "$event" '.symbols[] | select(.symbol | startswith("load_"))
	| "\(.symbol) \(.events[$e].weight)"' "$tmp/table" >"$tmp/seen"
awk 'function thread(f) { return f ~ /twenty|eighty/ ? "b" : "a" }
	NR == FNR { real[$1] += $2; real_sum[thread($1)] += $2; next }
	{ seen[$1] += $2; seen_sum[thread($1)] += $2 }
	END {
		for (f in real) {
			a = 100 * real[f] / real_sum[thread(f)]
			b = seen_sum[thread(f)] ? 100 * seen[f] / seen_sum[thread(f)] : 0
			printf "  %-36s %10.2f %10.2f %+12.2f\n", f, a, b, b - a
		}
	}' "$tmp/true" "$tmp/seen" | sort
