#!/bin/sh
# Each damaged file is read, and the damage told, or refused with one line.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
sums=$1

n=0
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
done
echo "$n files, $failed wrong"
[ "$n" -gt 0 ] && [ "$failed" = 0 ]
