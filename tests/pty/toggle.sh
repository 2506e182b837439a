#!/bin/sh
# Two states that commands switch between in turns: what differs is marked, and nothing else of the program; the user
# ends the turns, and a command that fails does.
#
#   toggle.sh CYCTOP SWITCHED
set -u

cyctop=$(realpath "$1")
switched=$(realpath "$2")
case=toggle
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"
# shellcheck source=tests/pty/switched.sh
. "$(dirname "$0")/switched.sh"

open_terminal 35 120
type_line "\$CYCTOP -e cpu-clock -p $program -d 0.25 --every 1.5s --toggle \\
	'kill -USR2 $program; echo A >>$dir/order' 'kill -USR1 $program; echo B >>$dir/order'"
wait_for 'hot_parse'
wait_for 'Turn [AB] is measured now; [0-9]* pairs\? so far'
wait_for 'busy time/rows alike: B against A, [5-9] pairs; [1-9][0-9]* of [0-9]* rows changed'
wait_for '%▲.* hot_parse'
only_hot_is_marked
keys B
wait_gone 'B against A'
turns=$(wc -l <"$dir/order")
sleep 4
[ "$(wc -l <"$dir/order")" -le $((turns + 1)) ] || fail "the commands go on after the key B"
# each pair has both states
awk 'NR % 2 { first = $1; next } $1 == first { exit 1 }' "$dir/order" || fail "the order is: $(cat "$dir/order")"
keys q
wait_for "ready>\$"

# A command that fails ends the turns; the screen goes on.
type_line "\$CYCTOP -e cpu-clock -p $program -d 0.25 --every 1 --toggle 'exit 3' 'exit 3'"
wait_for 'The command that switches to [AB] failed (exit status 3): run it by itself to see why. There are no more'
wait_for 'hot_parse'
keys q
wait_for 'ready>$'

# One that does not end is said, and ended by the user; nothing was compared yet.
type_line "\$CYCTOP -e cpu-clock -p $program -d 0.25 --toggle 'echo \$\$ >$dir/pid; exec sleep 1000' 'exec sleep 1000'"
wait_for 'The command that switches to [AB] runs. B ends the turns.'
keys B
wait_for 'There are no more turns.'
keys q
[ ! -s "$dir/pid" ] || eventually 'the command runs on' sh -c "! kill -0 $(cat "$dir/pid") 2>/dev/null"
