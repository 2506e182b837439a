#!/bin/sh
# cyctop record -i copies every recording that can be read.
#   test_copied.sh CYCTOP [sanitized|perf]
# "The same dump" means: the same events with the same ids, the same features, and the same records in
# the same order with the same fields.  These may differ, because they depend on the form:
#   offsets, and with them the AUXTRACE feature's file_offset;
#   the line of the header;
#   COMPRESSED records (their contents are compared), and the features COMPRESSED and DIR_FORMAT;
#   the message about the place where a recording is cut off or damaged.
# A stream has attrs and features as records, and its attrs have at least 128 bytes.  A file that is
# made of it must not differ from the file that is made without the stream.
# sanitized: only runs every way to write once, for the sanitizers; the other build makes the
# comparisons.  perf: only checks that the installed perf reads the copies, and tells of them what it tells of the
# recordings.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
cyctop=$(realpath "$1") only=${2:-}
[ "$only" != perf ] || needs perf

# dumped FILE: its dump without the parts that may differ, up to the first damage; what it is dumped from stays in
# $tmp/dump
dumped() {
	"$cyctop" dump --json "$1" >"$tmp/dump" 2>"$tmp/err"
	sed -E '
		/^\{"kind":"(header|damage)"/d
		/^\{"kind":"record","offset":"0x[0-9a-f]*","type":"COMPRESSED2?"/d
		/^\{"kind":"feature","offset":"0x[0-9a-f]*","feature":(24|27),/d
		s/"offset":"0x[0-9a-f]*"/"offset":0/g
		s/"file_offset":"0x[0-9a-f]*"/"file_offset":0/g' "$tmp/dump"
}
# Converts a dump to that of a file that was a stream: an attr has 128 bytes, the last of which are
# zero; an empty feature does not exist, unless it is always empty; data that perf aligns is aligned
streamed() {
	sed -E '
		/^\{"kind":"attr"/s/"size":(64|72|80|96|104|112|120|136|144),/"size":128,/
		/^\{"kind":"feature"/{
			/"size":0,/{
				/"name":"(BRANCH_STACK|STAT|CACHE)"/!d
			}
			/"name":"TRACING_DATA"/{
				s/"size":[0-9]*/"size":0/
				s/(00)+"/"/
			}
			/"name":"AUXTRACE"/s/"size":[0-9]*,/"size":0,/
		}'
}
# copy FROM TO [OPTION]
copy() {
	"$cyctop" record ${3:+"$3"} -i "$1" -o "$2" 2>"$tmp/err" </dev/null
}
# Checks that the copy of a copy has the same bytes
again() {
	if ! copy "$1" "$tmp/again" || ! cmp -s "$1" "$tmp/again"; then
		fail "$name: a copy of $2 is not $2"
	fi
}
# perf's description of a file, without positions in it
perf_tells() {
	[ "$2" = stream ] || perf report --header-only -i "$1" 2>&1 </dev/null |
		grep -Ev '^# (captured on|data offset|data size|feat offset|compressed|missing features)'
	perf report --stdio --symfs "$tmp/symfs" --no-itrace --no-children -t '|' -i "$1" 2>&1 </dev/null |
		grep -Ev '^# \(Tip|auxtrace index|CS ETM|best effort|Warning:|CONFIG_PROC_KCORE|^ *$' |
		sed "s|$1|FILE|g"
}

# ways FILE: tries every way to write; all lead to the same bytes in the end.  Every third recording that is not
# large is compressed, too.
ways() {
	copy "$1" "$tmp/c" &&
		"$cyctop" record -i "$1" -o - >"$tmp/p" 2>>"$tmp/err" </dev/null &&
		"$cyctop" record -i - -o "$tmp/d" <"$tmp/p" 2>>"$tmp/err" || return 1
	[ $((n % 3)) = 0 ] && [ "$(wc -c <"$1")" -lt 260000 ] || return 0
	if copy "$1" "$tmp/z" -z; then
		copy "$tmp/z" "$tmp/y" && cmp "$tmp/c" "$tmp/y" 2>>"$tmp/err"
	else
		grep -q 'built without libzstd' "$tmp/err"
	fi
}

# kind FILE: stream or file
kind() {
	case $("$cyctop" dump "$1" 2>/dev/null | head -n 1) in
	*mode=pipe*) echo stream ;;
	*) echo file ;;
	esac
}

differ() { # WHAT...: $tmp/a and $tmp/b
	fail "$name: $*"
	diff "$tmp/a" "$tmp/b" | cut -c 1-200 | head -n 6
}

# compare FILE: makes copies in all ways, and compares them with the file and with each other
compare() {
	if ! copy "$1" "$tmp/c"; then
		grep -q 'built without' "$tmp/err" || fail "$name: $(cat "$tmp/err")"
		return 1
	fi
	again "$tmp/c" "the copy"
	dumped "$tmp/c" >"$tmp/b"
	dumped "$1" >"$tmp/a"
	read -r first <"$tmp/dump"
	case $first in
	*'"mode":"pipe"'*) ;; # compared below
	*) cmp -s "$tmp/a" "$tmp/b" || differ "the dump of the copy differs" ;;
	esac

	# through a stream
	"$cyctop" record -i "$1" -o - >"$tmp/p" 2>"$tmp/err" </dev/null || fail "$name: $(cat "$tmp/err")"
	lost=$(sed -n 's/feature [0-9]* (\([A-Z_]*\)) of [0-9]* bytes is left out/\n\1\n/gp' "$tmp/err" |
		sed '/^[A-Z_]*$/!d')
	"$cyctop" record -i - -o - <"$tmp/p" 2>/dev/null >"$tmp/q"
	cmp -s "$tmp/p" "$tmp/q" || fail "$name: a stream of the stream is another"
	"$cyctop" record -i - -o "$tmp/d" <"$tmp/p" 2>"$tmp/err" || fail "$name: stream to file: $(cat "$tmp/err")"
	again "$tmp/d" "the file of the stream"
	"$cyctop" record -i "$tmp/d" -o - >"$tmp/q" 2>/dev/null </dev/null
	"$cyctop" record -i - -o "$tmp/e" <"$tmp/q" 2>/dev/null
	"$cyctop" record -i "$tmp/e" -o - >"$tmp/r" 2>/dev/null </dev/null
	cmp -s "$tmp/q" "$tmp/r" || fail "$name: stream, file and stream again differ"
	streamed <"$tmp/b" >"$tmp/a"
	dumped "$tmp/d" | streamed >"$tmp/b"
	for feature in $lost; do
		sed -i "/\"name\":\"$feature\"/d" "$tmp/a"
	done
	cmp -s "$tmp/a" "$tmp/b" || differ "the dump of what went through a stream differs"

	# compressed
	if copy "$1" "$tmp/z" -z; then
		copy "$tmp/z" "$tmp/y"
		cmp -s "$tmp/c" "$tmp/y" || fail "$name: what was compressed and decompressed is not the copy"
		"$cyctop" record -z -i "$tmp/z" -o "$tmp/y" 2>/dev/null </dev/null
		cmp -s "$tmp/z" "$tmp/y" || fail "$name: compressing again gives something else"
	elif ! grep -q 'built without libzstd' "$tmp/err"; then
		fail "$name: -z: $(cat "$tmp/err")"
	fi
}

# ask_perf FILE: it reads the copies, and prints the same; false: not of this file
ask_perf() {
	[ "$(wc -c <"$1")" -lt 260000 ] || return 1
	form=$(kind "$1")
	perf_tells "$1" "$form" >"$tmp/a"
	! grep -qE 'incompatible|not a perf.data|properly terminated|failed' "$tmp/a" || return 1
	if ! copy "$1" "$tmp/c" || ! "$cyctop" record -i "$1" -o - 2>"$tmp/err" </dev/null >"$tmp/p" ||
	    ! "$cyctop" record -i - -o "$tmp/d" <"$tmp/p" 2>"$tmp/err"; then
		grep -q 'built without' "$tmp/err" || fail "$name: $(cat "$tmp/err")"
		return 1
	fi
	perf_tells "$tmp/c" "$form" >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b" || differ "perf tells something else of its copy"
	[ "$form" = stream ] || perf_tells "$1" stream >"$tmp/a"
	perf_tells "$tmp/d" stream >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b" || differ "perf tells something else of its copy through a stream"
}

n=0
mkdir "$tmp/symfs"
while IFS= read -r packed <&3; do
	file=$(unpacked "$packed")
	name=${file##*/}
	rm -f "$tmp"/[a-z] "$tmp"/*.old
	case $only in
	sanitized) ways "$file" || fail "$name: $(tail -n 1 "$tmp/err")" ;;
	perf) ask_perf "$file" || continue ;;
	*) compare "$file" || continue ;;
	esac
	n=$((n + 1))
done 3<"$tmp/recordings"
case $only in
perf) echo "$n recordings whose copies perf reads; $failed wrong" ;;
*) echo "$n recordings copied; $failed wrong" ;;
esac
[ "$n" -gt 0 ] || fail "nothing was copied"
finish
