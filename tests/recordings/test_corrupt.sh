#!/bin/sh
# Each damaged recording is read and reported as damaged, or refused with one line.
#   test_corrupt.sh SUMS CYCTOP PEAK [SANITIZED]
# For a damaged recording, cyctop may use four times its file size more memory than for the original
# recording or, if there is no original, than for a recording without records.  Added to that are
# the range of three measurements of the latter, and 1 MB for pages of the program itself: the code for damage is
# used only here, and the kernel maps it in blocks of 64 KB or more.  The reports of the recordings that are not made
# here find no files, since what the symbols of an installed program take does not depend on the damage.
# A SANITIZED build does not measure memory.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
sums=$(realpath "$1") cyctop=$(realpath "$2") peak=$(realpath "$3") sanitized=${4:-}
cd "$tmp" || exit 1
[ -z "$made" ] || elsewhere=

constant=1024 # KB
seconds=60 # of CPU time, until a program is taken for one that does not end

# kb FILE: sets $took, the peak memory of a report of it in KB, and $ended, its exit status; 99 and 999999 if it is
# not known
kb() {
	: >"$tmp/peak"
	(
		# shellcheck disable=SC3045 # dash, bash and busybox have it
		ulimit -t $seconds
		# shellcheck disable=SC2086 # words
		exec "$peak" "$cyctop" -b $elsewhere -i "$1" --sort comm,dso,symbol 3>"$tmp/peak" >/dev/null 2>&1 \
			</dev/null
	)
	read -r ended took <"$tmp/peak" || ended=99 took=999999
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
		kb "$1"
		[ "$took" -le "$base" ] || base=$took
		[ "$took" -ge "$least" ] || least=$took
	done
	measured=$1
	[ "$ended" = 0 ] || fail "$1 is not read"
}

damaged_recordings >"$tmp/damaged"
[ -s "$tmp/damaged" ] || fail "there are no damaged files"
set --
while IFS= read -r file; do
	[ "$file" = "${file%.gz}" ] || file=$(unpacked "$file")
	set -- "$@" "$file"
done <"$tmp/damaged"
mkdir "$tmp/sums"
(
	cd "$tmp/sums" || exit 1
	# shellcheck disable=SC3045 # dash, bash and busybox have it
	ulimit -t $seconds # of each process
	exec "$sums" "$@" </dev/null
) || fail "sums does not end well"

n=0 most=0
for path; do
	n=$((n + 1))
	name=${path##*/} out="$tmp/sums/$n.out" err="$tmp/sums/$n.err" status=none
	[ ! -s "$tmp/sums/$n.status" ] || read -r status <"$tmp/sums/$n.status"
	lines=0
	[ ! -s "$err" ] || lines=$(grep -c '' <"$err")
	case $status in
	0) [ "$lines" = 0 ] || fail "$name: $(head -n 3 "$err")" ;;
	1) [ "$lines" = 1 ] || fail "$name: $lines lines on stderr: $(head -n 3 "$err")" ;;
	*) fail "$name: status $status: $(grep -m 1 -E 'ERROR|error' "$err")" ;;
	esac
	printf '%s: ' "$name"
	sed '/^sums: \|^notice/!d' "$err" "$out"

	# a sanitized build was tested by its sums, and takes long for reports
	[ -z "$sanitized" ] || [ $((n % 3)) = 0 ] || continue
	whole=${made:-$here}/${name%%+*}.perf.data
	[ -f "$whole" ] || whole=$tmp/empty
	[ -n "$sanitized" ] || [ "$whole" = "${measured:-}" ] || measure "$whole"
	kb "$path"
	[ "$ended" -le 1 ] || fail "$name: the report ends with $(cat "$tmp/peak")"
	[ -z "$sanitized" ] || continue
	bytes=$(wc -c <"$path")
	limit=$((base + (base - least) + constant + 4 * bytes / 1024))
	lowest=$took
	for _ in 1 2 3; do # what else runs on the machine adds to a measurement
		[ "$lowest" -gt $limit ] || break
		kb "$path"
		[ "$took" -ge "$lowest" ] || lowest=$took
	done
	[ $((lowest - base)) -le "$most" ] || most=$((lowest - base))
	[ "$lowest" -le $limit ] || fail "$name: $lowest KB for $bytes bytes"
done
echo "$n files, $failed wrong"
[ -n "$sanitized" ] || echo "at most $most KB more than without the damage"
finish
