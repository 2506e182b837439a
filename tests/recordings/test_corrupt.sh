#!/bin/sh
# Each damaged recording is read and reported as damaged, or refused with one line.
#   test_corrupt.sh SUMS CYCTOP PEAK [SANITIZED]
# For a damaged recording, cyctop may use four times its file size more memory than for the original
# recording or, if there is no original, than for a recording without records.  Added to that are
# 256 KB, and the range of three measurements of the latter.
# A SANITIZED build does not measure memory.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
sums=$(realpath "$1") cyctop=$(realpath "$2") peak=$(realpath "$3")

seconds=60 # of CPU time, until a program is taken for one that does not end

# kb FILE: peak memory of a report of it in KB; empty if the program does not end
kb() {
	(
		# shellcheck disable=SC3045 # dash, bash and busybox have it
		ulimit -t $seconds
		"$peak" "$cyctop" -b -i "$1" --sort comm,dso,symbol 3>"$tmp/peak" >/dev/null 2>&1 </dev/null
	)
	cut -d ' ' -f 2 "$tmp/peak"
}
# put BYTES...: writes bytes, given in octal
put() {
	for byte in "$@"; do
		# shellcheck disable=SC2059 # the format is the byte
		printf "\\$byte"
	done
}
# A recording without records: a header of 104 bytes, an event of 64 bytes (cpu-clock, IP and TID)
# without ids, one FINISHED_ROUND
{
	printf PERFILE2
	put 150 0 0 0 0 0 0 0 120 0 0 0 0 0 0 0
	put 150 0 0 0 0 0 0 0 120 0 0 0 0 0 0 0
	put 270 0 0 0 0 0 0 0 10 0 0 0 0 0 0 0
	head -c 48 /dev/zero
	put 1 0 0 0 100 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 3 0 0 0 0 0 0 0
	head -c 48 /dev/zero
	put 104 0 0 0 0 0 10 0
} >"$tmp/empty"
# measure FILE: measures its peak memory three times; the largest is $base, the smallest $least
measure() {
	base=0 least=999999
	for _ in 1 2 3; do
		took=$(kb "$1")
		[ "$took" -le "$base" ] || base=$took
		[ "$took" -ge "$least" ] || least=$took
	done
	measured=$1
	[ "$(cut -d ' ' -f 1 "$tmp/peak")" = 0 ] || fail "$1 is not read"
}

n=0 most=0
damaged_recordings >"$tmp/damaged"
while IFS= read -r file <&3; do
	name=$(basename "$file")
	path=$(unpacked "$file")
	n=$((n + 1))
	(
		# shellcheck disable=SC3045 # dash, bash and busybox have it
		ulimit -t $seconds
		"$sums" "$path" >"$tmp/out" 2>"$tmp/err"
	)
	status=$?
	lines=$(grep -c '' <"$tmp/err")
	case $status in
	0) [ "$lines" = 0 ] || fail "$name: $(head -n 3 "$tmp/err")" ;;
	1) [ "$lines" = 1 ] || fail "$name: $lines lines on stderr: $(head -n 3 "$tmp/err")" ;;
	*) fail "$name: status $status: $(grep -m 1 -E 'ERROR|error' "$tmp/err")" ;;
	esac
	printf '%s: %s\n' "$name" "$(cat "$tmp/err"; grep ^notice "$tmp/out")"

	# a sanitized build was tested by its sums, and takes long for reports
	[ -z "${4:-}" ] || [ $((n % 3)) = 0 ] || continue
	whole=$made/${name%%+*}.perf.data
	[ -f "$whole" ] || whole=$tmp/empty
	[ -n "${4:-}" ] || [ "$whole" = "${measured:-}" ] || measure "$whole"
	took=$(kb "$path")
	bytes=$(wc -c <"$path")
	case $(cut -d ' ' -f 1 "$tmp/peak") in
	0 | 1) ;;
	*) fail "$name: the report ends with $(cat "$tmp/peak")" ;;
	esac
	[ -z "${4:-}" ] || continue
	[ $((took - base)) -le "$most" ] || most=$((took - base))
	[ "${took:-999999}" -le $((base + (base - least) + 256 + 4 * bytes / 1024)) ] ||
		fail "$name: $took KB for $bytes bytes"
done 3<"$tmp/damaged"
echo "$n files, $failed wrong"
[ -n "${4:-}" ] || echo "at most $most KB more than without the damage"
[ "$n" -gt 0 ] || fail "there are no damaged files"
finish
