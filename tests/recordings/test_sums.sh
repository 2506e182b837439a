#!/bin/sh
# Samples and sums of periods of every event of every recording, against those that an
# independent reader found (ref/NAME.summary.json).
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
sums=$1
command -v jq >/dev/null || { echo "no jq"; exit 77; }

# Events that have samples, in the recording's order: "SAMPLES SUM" each.
# Leader sampling is where two ways of counting differ.  The other reader counts a sample
# once, for the event that it was taken for, with its period.  perf, and with it cyctop,
# counts it for each event of the group that has moved, with what that one's own count grew
# by since the sample before: the sums are then the last counts read, 2034455 and 2048526.
expected() {
	case $1 in
	*/AOSP-simpleperf-perf_with_add_counter.*)
		printf '12 2034455\n12 2048526\n'
		return
		;;
	# Here the other reader stops, where simpleperf has tracing data within a record.
	*/AOSP-simpleperf-perf_with_tracepoint_event.*)
		printf '31 31\n14 5642436\n'
		return
		;;
	esac
	jq -r '.per_event | to_entries | sort_by(.key | split(":")[0] | tonumber) | .[].value |
		select(.[0] > 0) | "\(.[0]) \(.[1])"' "$1"
}

n=0
for ref in "$data"/ref/*.summary.json; do
	name=$(basename "$ref" .summary.json)
	file=
	for at in "$data/$name.perf.data" "$data/derived/$name.perf.data" "$data/$name.perf.data.gz" \
		"$data/derived/$name.perf.data.gz"; do
		[ ! -f "$at" ] || file=$(unpacked "$at")
	done
	[ -n "$file" ] || continue
	n=$((n + 1))
	if ! "$sums" "$file" >"$tmp/out" 2>"$tmp/err"; then
		grep -q 'built without libzstd' "$tmp/err" && continue
		fail "$name: $(head -n 3 "$tmp/err")"
		continue
	fi
	expected "$ref" >"$tmp/expected"
	awk '$1 == "event" && $2 > 0 { print $2, $3 }' "$tmp/out" >"$tmp/got"
	cmp -s "$tmp/expected" "$tmp/got" ||
		fail "$name: $(paste -s -d, "$tmp/got"), not $(paste -s -d, "$tmp/expected");" \
			"$(grep ^notice "$tmp/out")"
	# Shares are of the first event that has samples, and of the same one on the other
	# PMUs of a hybrid machine; so they add up.
	[ ! -s "$tmp/got" ] || grep -q '^primary .*: shares of 100.0%$' "$tmp/out" ||
		fail "$name: $(grep ^primary "$tmp/out")"
done
echo "$n recordings, $failed wrong"
[ "$n" -gt 0 ] && [ "$failed" = 0 ]
