#!/bin/sh
# The key E exports what the screen shows to files of other tools: call chains, once there are some, and the rows of a
# pane, within its zooms and filters.
#
#   export.sh CYCTOP SWITCHED
set -u

cyctop=$(realpath "$1")
switched=$(realpath "$2")
case=exports
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"
# shellcheck source=tests/pty/switched.sh
. "$(dirname "$0")/switched.sh"

# Chooses the format whose name has that as its Nth first letter, and waits for its file.
export_as() { # LETTERS NAME
	keys E
	wait_for 'Export as'
	# shellcheck disable=SC2046 # each letter is a key
	keys $(echo "$1" | sed 's/./& /g') Enter
	wait_for "Exported as $2 to .*out/cyctop-.*: ."
	keys Home
	wait_gone 'Exported as'
}

mkdir -m 700 "$dir/out"
open_terminal 35 120
type_line "\$CYCTOP -e cpu-clock -p $program -d 0.2 -o \$DIR/out"
wait_for 'hot_parse'
keys E
wait_for 'folded  *call chains as folded stacks'
keys f Enter
wait_for 'no call chains yet: g begins'
[ -z "$(ls -A "$dir/out")" ] || fail 'a file was written without call chains'
export_as c csv
head -n 1 "$dir"/out/*.csv | grep -q ',symbol,' || fail "this is no table of functions: $(cat "$dir"/out/*.csv)"
grep -q hot_parse "$dir"/out/*.csv || fail "its function is missing: $(cat "$dir"/out/*.csv)"
[ "$(stat -c %a "$dir"/out/*.csv)" = 600 ] || fail "others can read it: $(ls -l "$dir/out")"

# The filter of the pane holds for its rows.
keys -l '\steady'
keys Enter
wait_gone 'hot_parse'
rm "$dir"/out/*
export_as c csv
grep -q hot_parse "$dir"/out/*.csv && fail "rows were exported that the pane lacks: $(cat "$dir"/out/*.csv)"
grep -q steady "$dir"/out/*.csv || fail "rows are missing: $(cat "$dir"/out/*.csv)"
keys Escape
wait_for 'hot_parse'

# Call chains, all of the program, and those within a zoom.
keys g
wait_for 'TOTAL%'
wait_for 'chains whole'
export_as f folded
grep -q '^switched;.*hot_parse [1-9]' "$dir"/out/*.folded ||
	fail "no chain leads to the hot function: $(cat "$dir"/out/*.folded)"
grep -q steady "$dir"/out/*.folded || fail "other functions are missing: $(cat "$dir"/out/*.folded)"
export_as s svg
grep -q '</svg>' "$dir"/out/*.svg || fail 'the picture is not whole'
export_as p pprof
[ -s "$(ls "$dir"/out/*.pb)" ] || fail 'the profile is empty'
rm "$dir"/out/*
keys /
keys -l 'hot_parse'
keys Enter Enter
wait_for 'in hot_parse'
export_as f folded
grep -q hot_parse "$dir"/out/*.folded || fail "the zoom's function is missing: $(cat "$dir"/out/*.folded)"
grep -q 'steady[a-z_]* [0-9]' "$dir"/out/*.folded && fail "chains of others are there: $(cat "$dir"/out/*.folded)"
keys q
wait_gone 'hot_parse'
exit 0
