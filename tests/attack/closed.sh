#!/bin/sh
# Standard descriptors may be closed when cyctop starts: no file that it opens gets their numbers.
#   closed.sh CYCTOP
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$1

"$cyctop" -b -n 1 --demo >&- 2>"$tmp/err" && fail 'stdout closed: exit status 0'
grep -q 'cannot write the output: Bad file descriptor' "$tmp/err" || fail "stdout closed: $(cat "$tmp/err")"
"$cyctop" -b -n 1 --demo <&- >"$tmp/out" 2>"$tmp/err" || fail "stdin closed: $(cat "$tmp/err")"
[ -s "$tmp/out" ] || fail 'stdin closed: no output'
"$cyctop" -b -i - <&- >"$tmp/out" 2>"$tmp/err" && fail 'a recording from a closed stdin: exit status 0'
"$cyctop" -b -n 1 --demo 2>&- >"$tmp/again" || fail 'stderr closed'
[ -s "$tmp/again" ] || fail 'stderr closed: no output'
"$cyctop" -b -n 1 --no-such-option 2>&- >"$tmp/out" && fail 'stderr closed: exit status 0'
[ -s "$tmp/out" ] && fail "stderr closed: a message on stdout: $(cat "$tmp/out")"

recording=$(dirname "$0")/../recordings/cyctop-several.perf.data
# A reader that has enough ends a command with 0; what could not be written does not.
"$cyctop" dump --json "$recording" >"$tmp/out" || fail 'dump'
for command in list 'list --json' "dump $recording" "dump --json $recording"; do
	{
		# shellcheck disable=SC2086  # the words of a command
		"$cyctop" $command 2>"$tmp/err"
		echo $? >"$tmp/status"
	} | head -c 1 >"$tmp/out"
	[ "$(cat "$tmp/status")" = 0 ] || fail "$command | head: exit status $(cat "$tmp/status"): $(cat "$tmp/err")"
done
for command in list 'doctor --json' "dump $recording"; do
	# shellcheck disable=SC2086
	"$cyctop" $command >/dev/full 2>"$tmp/err" && fail "$command to a full disk: exit status 0"
	grep -q 'written\|write the output' "$tmp/err" || fail "$command to a full disk: $(cat "$tmp/err")"
	grep -q Success "$tmp/err" && fail "$command to a full disk: $(cat "$tmp/err")"
done
finish
