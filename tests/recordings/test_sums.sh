#!/bin/sh
# Checks samples and sums of periods of every event in every recording: for stored recordings with the
# results of an independent reader (ref/NAME.summary.json), for the small ones with those of perf
# (NAME.summary.json, and NAME.report: samples by event, comm, dso and symbol), and for those that are
# made here with the samples that perf script lists.
#   test_sums.sh SUMS [CYCTOP]
# CYCTOP is for the reports of the small ones.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
sums=$(realpath "$1") cyctop=${2:+"$(realpath "$2")"}
cd "$tmp" || exit 1

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

# judge NAME: compares $tmp/out with $tmp/expected
judge() {
	awk '$1 == "event" && $2 > 0 { print $2, $3 }' "$tmp/out" >"$tmp/got"
	cmp -s "$tmp/expected" "$tmp/got" ||
		fail "$1: $(paste -s -d, "$tmp/got"), not $(paste -s -d, "$tmp/expected");" \
			"$(grep ^notice "$tmp/out")"
	# Shares refer to the first event with samples and, on a hybrid machine, to the same event on the
	# other PMUs; so they add up to 100 %.
	[ ! -s "$tmp/got" ] || grep -q '^primary .*: shares of 100.0%$' "$tmp/out" ||
		fail "$1: $(grep ^primary "$tmp/out")"
}

# reported FILE: lines EVENT, COMM, DSO without its directory, SYMBOL, SAMPLES of a report by cyctop
reported() {
	# shellcheck disable=SC2086 # words
	"$cyctop" -b $elsewhere --raw-weights -i "$1" --sort comm,dso,symbol --window total --format csv \
		2>"$tmp/err" </dev/null >"$tmp/csv" || return 1
	awk -F , -v OFS='\t' '
		NR == 1 {
			for (i = 1; i <= NF; i++) {
				at[$i] = i
				if (sub(/\.samples$/, "", $i))
					event[i] = $i
			}
			next
		}
		{
			sub(/.*\//, "", $at["dso"])
			for (i in event)
				if ($i > 0)
					print event[i], $at["comm"], $at["dso"], $at["symbol"], $i
		}' "$tmp/csv" | sort
}

n=0 reports=0
if [ -z "$made" ]; then
	needs jq
	for ref in "$here"/*.summary.json ${stored:+"$stored"/ref/*.summary.json}; do
		name=$(basename "$ref" .summary.json)
		file=
		for at in "$here/$name.perf.data" "$stored/$name.perf.data" "$stored/derived/$name.perf.data" \
			"$stored/$name.perf.data.gz" "$stored/derived/$name.perf.data.gz"; do
			[ -n "$file" ] || [ ! -f "$at" ] || file=$(unpacked "$at")
		done
		[ -n "$file" ] || continue
		n=$((n + 1))
		total "$file" || continue
		expected "$ref" >"$tmp/expected"
		judge "$name"
	done
	for ref in ${cyctop:+"$here"/*.report}; do
		name=$(basename "$ref" .report)
		if ! reported "$here/$name.perf.data" >"$tmp/got"; then
			grep -q 'built without libzstd' "$tmp/err" || fail "$name: $(cat "$tmp/err")"
			continue
		fi
		cmp -s "$ref" "$tmp/got" || fail "$name: its report differs (-: reference): $(diff "$ref" "$tmp/got")"
		reports=$((reports + 1))
	done
fi

compared=0
[ -z "$made" ] || needs perf
for file in ${made:+"$made"/*.perf.data}; do
	[ -f "$file" ] || continue
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
echo "$n recordings, of which $compared were made here and compared with perf script; $reports reports; $failed wrong"
[ "$n" -gt 0 ] || fail "no recordings"
finish
