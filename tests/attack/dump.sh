#!/bin/sh
# A recording whose events all have a bit in sample_type that nobody knows, so that no record can be read.
#   dump.sh CYCTOP BOUNDED ENDLESS
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$1 bounded=$2 endless=$3
"$endless" 100 >"$tmp/data" &
writer=$!
children=$writer
# shellcheck disable=SC2317 # eventually calls it
is_whole() { [ "$(wc -c <"$tmp/data")" -gt 4000 ]; }
eventually is_whole || fail 'nothing is written'
kill $writer
# Two records HEADER_ATTR follow the 16 bytes of the head: 8 bytes, of which the last two are the size of the record,
# and perf_event_attr, whose sample_type is at 24.
at=16
for _ in 1 2; do
	size=$(od -A n -t u2 -j $((at + 6)) -N 2 "$tmp/data")
	printf '\1' | dd of="$tmp/data" bs=1 seek=$((at + 8 + 24 + 5)) conv=notrunc 2>/dev/null
	at=$((at + size))
done
for how in 'dump' '-b -i' "record -o $tmp/copy -i"; do
	# shellcheck disable=SC2086 # words
	"$bounded" -t 60 "$cyctop" $how "$tmp/data" >"$tmp/out" 2>"$tmp/err" || fail "$how: $(tail -n 1 "$tmp/out")"
	case $(tail -n 1 "$tmp/out") in
	0 | 1) ;;
	*) fail "$how ends with $(tail -n 1 "$tmp/out")" ;;
	esac
	[ "$how" != dump ] || grep -q 'sample_type' "$tmp/out" || fail "$how: no word of it: $(cat "$tmp/out")"
	[ "$how" != '-b -i' ] || grep -q 'sample_type' "$tmp/err" || fail "$how: no word of it: $(cat "$tmp/err")"
done
finish
