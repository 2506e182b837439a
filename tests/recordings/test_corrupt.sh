#!/bin/sh
# Each damaged file is read, and the damage told, or refused with one line.
#   test_corrupt.sh SUMS CYCTOP PEAK [SANITIZED]
# The program itself needs no more memory for it than four times the file beyond what it
# needs for a recording in which there is nothing, give or take some pages: what that
# varies by from run to run, and 256 KB.  Not measured where sanitizers keep their own books.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
sums=$(realpath "$1") cyctop=$(realpath "$2") peak=$(realpath "$3")

# kb FILE: what a report of it takes; nothing where it does not end in 5 s
kb() {
	timeout 5 "$peak" "$cyctop" -b -i "$1" --sort comm,dso,symbol 3>"$tmp/peak" >/dev/null 2>&1 </dev/null
	cut -d ' ' -f 2 "$tmp/peak"
}
# put BYTES...: as octal numbers
put() {
	for byte in "$@"; do
		# shellcheck disable=SC2059 # the format is the byte
		printf "\\$byte"
	done
}
# A header of 104 bytes, an event (cpu-clock, IP and TID) of 64 with no ids, one FINISHED_ROUND
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
base=0 least=
for _ in 1 2 3 4 5; do
	n=$(kb "$tmp/empty")
	[ "$n" -le "$base" ] || base=$n
	[ -n "$least" ] && [ "$n" -ge "$least" ] || least=$n
done
[ "$(cut -d ' ' -f 1 "$tmp/peak")" = 0 ] || fail "the empty recording is not read"
[ -n "${4:-}" ] || echo "an empty recording takes $least to $base KB"

n=0 most=0
for file in "$data"/corrupt/*; do
	name=$(basename "$file")
	path=$(unpacked "$file")
	n=$((n + 1))
	timeout 5 "$sums" "$path" >"$tmp/out" 2>"$tmp/err"
	status=$?
	lines=$(grep -c '' <"$tmp/err")
	case $status in
	0) [ "$lines" = 0 ] || fail "$name: $(head -n 3 "$tmp/err")" ;;
	1) [ "$lines" = 1 ] || fail "$name: $lines lines on stderr: $(head -n 3 "$tmp/err")" ;;
	*) fail "$name: status $status: $(grep -m 1 -E 'ERROR|error' "$tmp/err")" ;;
	esac
	printf '%s: %s\n' "$name" "$(cat "$tmp/err"; grep ^notice "$tmp/out")"

	took=$(kb "$path")
	bytes=$(wc -c <"$path")
	case $(cut -d ' ' -f 1 "$tmp/peak") in
	0 | 1) ;;
	*) fail "$name: the report ends with $(cat "$tmp/peak")" ;;
	esac
	[ $((took - base)) -le "$most" ] || most=$((took - base))
	[ -n "${4:-}" ] || [ "${took:-999999}" -le $((base + (base - least) + 256 + 4 * bytes / 1024)) ] ||
		fail "$name: $took KB for $bytes bytes"
done
echo "$n files, $failed wrong; at most $most KB more than an empty recording"
[ "$n" -gt 0 ] && [ "$failed" = 0 ]
