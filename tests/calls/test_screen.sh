#!/bin/sh
# The screen of cyctop calls: a program's calls while it runs, its callers, tree and times, and what it has printed.
#   test_screen.sh CYCTOP SLOW
set -u
cyctop=$(realpath "$1")
slow=$(realpath "$2")
case=calls
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/../pty/terminal.sh"

open_terminal 14 120
# shellcheck disable=SC2016 # for the shell in there
type_line 'cd $DIR && mkfifo go && $CYCTOP calls -- '"$slow"' go; echo "status $?"'
wait_for 'runs as process [0-9]*, .*: 1,[0-9]* calls that have ended'
wait_for '^ *[0-9.]* .* 1,000 .* leaf$'
wait_for ' 0  *-  .* twice$' # it has not ended
keys '>' '>'
keys Home
keys Enter
wait_for '^in all .* leaf$'
wait_for '^called by .* 1,000 .* once$'
keys t
wait_for '^leaf (.*): 1000 calls'
keys Escape
wait_for '1,000 .* leaf$'
keys F5
wait_for 'TOTAL%  CALLER%'
keys Escape
wait_for 'SELF%' # the key would take away what is said at the end
echo go >"$dir/go"
wait_for 'It ended with status 7; its output is in .*\.out; q leaves'
wait_for ' ended with status 7: 2,004 calls'
keys s
wait_for 'cyctop-calls.json has what was counted'
keys q
wait_for 'status 7'
wait_for 'the output of .* is in'
grep -qx 'two thousand' "$dir"/*.out || fail "the program printed $(cat "$dir"/*.out)"

# What was saved, as a screen; and a program that has nothing to count.
# shellcheck disable=SC2016
type_line '$CYCTOP calls -i cyctop-calls.json'
wait_for 'cyctop-calls.json kept: 2,004 calls'
keys q
wait_gone 'kept'
# shellcheck disable=SC2016
type_line '$CYCTOP calls -- /bin/true; echo "status $?"'
wait_for 'true made no call of a function built with -finstrument-functions'
keys q
wait_for 'status 1'
