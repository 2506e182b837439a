#!/bin/sh
# The key s saves a snapshot, and --baseline compares the screen with it: a program whose hot function is switched to
# twice its work in between.
#
#   saved.sh CYCTOP SWITCHED
set -u

cyctop=$(realpath "$1")
switched=$(realpath "$2")
case=saved
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"
# shellcheck source=tests/pty/switched.sh
. "$(dirname "$0")/switched.sh"

"$cyctop" --demo -n 1 --format snapshot >/dev/null 2>"$dir/err" || {
	echo "skipped: $(cat "$dir/err")"
	exit 77
}
run="\$CYCTOP -e cpu-clock -p $program -d 0.2"

open_terminal 35 120
# shellcheck disable=SC2016 # for the shell in there
type_line 'HOME=$DIR XDG_STATE_HOME= '"$run"
wait_for 'hot_parse'
wait_for 'running 0:\(0[3-9]\|[1-5]\)' # some 15 intervals
keys s
wait_for 'A snapshot of [0-9]* s is in '
keys q
wait_gone 'hot_parse'
set -- "$dir"/.local/state/cyctop/cyctop-*.json
[ "$# $(stat -c %a "$1")" = '1 600' ] || fail "it is not where it should be: $(ls -lR "$dir/.local")"
mv "$1" "$dir/saved.json"

kill -USR1 $program
type_line "$run --baseline \$DIR/saved.json"
wait_for '%▲.* hot_parse'
wait_for 'busy time/rows alike: last [0-9.]* s against saved.json, .*; [1-9][0-9]* of [0-9]* rows changed'
wait_for '\[Tasks\].* not compared'
keys Tab
wait_for 'the file has no processes: v shows commands'
keys B
wait_gone 'saved.json'
keys q
wait_gone 'hot_parse'

# --output says where it goes, a second time in place of the first.
type_line "$run -o \$DIR/chosen.json"
wait_for 'hot_parse'
wait_for 'running 0:0[3-9]'
keys s
wait_for 'A snapshot of [0-9]* s is in .*chosen.json'
[ "$(stat -c %a "$dir/chosen.json")" = 600 ] || fail "others can read it: $(ls -l "$dir/chosen.json")"
inode=$(stat -c %i "$dir/chosen.json")
wait_for 'running 0:\(0[6-9]\|[1-5]\)'
keys s
tries=100
while [ "$(stat -c %i "$dir/chosen.json")" = "$inode" ]; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || fail 'the second snapshot did not take the place of the first'
	sleep 0.1
done
keys q
wait_gone 'hot_parse'
"$cyctop" diff "$dir/saved.json" "$dir/chosen.json" >"$dir/diff" 2>&1
grep -q hot_parse "$dir/diff" || fail "they cannot be compared: $(cat "$dir/diff")"
