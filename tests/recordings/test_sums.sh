#!/bin/sh
# Checks samples and sums of periods of every event in every recording: for stored recordings with the
# results of an independent reader (ref/NAME.summary.json), for those made here with the samples that
# perf script lists.
#   test_sums.sh SUMS
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq
sums=$1

# expected SUMMARY: "SAMPLES SUM" for each event with samples, in the order of the recording.
# For leader sampling the independent reader counts a sample once, for the event that triggered it,
# with its period.  perf and cyctop count it for each event of the group whose count has grown since
# the previous sample, with that growth as the period; the sums are then the last counts in the
# recording, 2034455 and 2048526.
expected() {
	case $1 in
	*/AOSP-simpleperf-perf_with_add_counter.*)
		printf '12 2034455\n12 2048526\n'
		return
		;;
	# The independent reader stops here, because it does not know that the tracing data is in the record.
	*/AOSP-simpleperf-perf_with_tracepoint_event.*)
		printf '31 31\n14 5642436\n'
		return
		;;
	esac
	jq -r '.per_event | to_entries | sort_by(.key | split(":")[0] | tonumber) | .[].value |
		select(.[0] > 0) | "\(.[0]) \(.[1])"' "$1"
}

# total FILE: writes the output of SUMS to $tmp/out; false: this build cannot decompress the file
total() {
	"$sums" "$1" >"$tmp/out" 2>"$tmp/err" && return
	grep -q 'built without libzstd' "$tmp/err" || fail "$1: $(head -n 3 "$tmp/err")"
	return 1
}

n=0
for ref in ${stored:+"$stored"/ref/*.summary.json}; do
	name=$(basename "$ref" .summary.json)
	file=
	for at in "$stored/$name.perf.data" "$stored/derived/$name.perf.data" "$stored/$name.perf.data.gz" \
		"$stored/derived/$name.perf.data.gz"; do
		[ ! -f "$at" ] || file=$(unpacked "$at")
	done
	[ -n "$file" ] || continue
	n=$((n + 1))
	total "$file" || continue
	expected "$ref" >"$tmp/expected"
	awk '$1 == "event" && $2 > 0 { print $2, $3 }' "$tmp/out" >"$tmp/got"
	cmp -s "$tmp/expected" "$tmp/got" ||
		fail "$name: $(paste -s -d, "$tmp/got"), not $(paste -s -d, "$tmp/expected");" \
			"$(grep ^notice "$tmp/out")"
	# Shares refer to the first event with samples and, on a hybrid machine, to the same event on the
	# other PMUs; so they add up to 100 %.
	[ ! -s "$tmp/got" ] || grep -q '^primary .*: shares of 100.0%$' "$tmp/out" ||
		fail "$name: $(grep ^primary "$tmp/out")"
done

compared=0
for file in ${made:+"$made"/*.perf.data}; do
	if ! command -v perf >/dev/null || [ ! -f "$file" ]; then
		continue
	fi
	name=$(basename "$file")
	n=$((n + 1))
	total "$file" || continue
	# "EVENT SAMPLES SUM"
	perf script -i "$file" -G --no-itrace -F period,event 2>"$tmp/err" </dev/null | awk '
		NF == 2 && $1 ~ /^[0-9]+$/ && $2 ~ /:$/ { sub(/:$/, "", $2); n[$2]++; sum[$2] += $1 }
		END { for (e in n) printf "%s %d %.0f\n", e, n[e], sum[e] }' | sort >"$tmp/expected"
	[ -s "$tmp/expected" ] || {
		echo "$name: not compared: $(head -n 1 "$tmp/err")"
		continue
	}
	awk '$1 == "event" && $2 > 0 { print $4, $2, $3 }' "$tmp/out" | sort >"$tmp/got"
	cmp -s "$tmp/expected" "$tmp/got" ||
		fail "$name: $(paste -s -d, "$tmp/got"), not $(paste -s -d, "$tmp/expected");" \
			"$(grep ^notice "$tmp/out")"
	compared=$((compared + 1))
done
echo "$n recordings, of which $compared were made here and compared with perf script; $failed wrong"
[ "$n" -gt 0 ] || fail "no recordings"
finish
