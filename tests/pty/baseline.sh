#!/bin/sh
# A comparison on the live screen: a program whose hot function is switched to twice its work by a signal.
# That function is marked, with its size within its interval, and no other function of the program.
#
#   baseline.sh CYCTOP SWITCHED
set -u

cyctop=$(realpath "$1")
switched=$(realpath "$2")
case=baseline
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"
# shellcheck source=tests/pty/switched.sh
. "$(dirname "$0")/switched.sh"

hot_is_first() {
	screen | sed -n '/SYMBOL *$/{n;p;}' | grep -q ' hot_parse'
}

open_terminal 35 120
type_line "\$CYCTOP -e cpu-clock -p $program -d 0.25"
wait_for 'hot_parse'
wait_for 'running 0:\(0[5-9]\|[1-5]\)' # some 20 intervals
keys b
wait_for 'The baseline is'
kill -USR1 $program
switched_ms=$(date +%s%3N)
sleep 0.3 # what the signal came in is neither before nor after
keys z
wait_for '%▲.* hot_parse'
took_ms=$(($(date +%s%3N) - switched_ms))
echo "the change is marked after $took_ms ms"
[ $took_ms -le 3000 ] || fail 'that is more than 3 s'
wait_for 'busy time/rows alike: last [0-9.]* s against [0-9:]* to [0-9:]*; [1-9][0-9]* of [0-9]* rows changed'
wait_for '^▶ Symbols *by CHANGE▼'
only_hot_is_marked
eventually "what moved most is not the first row" hot_is_first
keys y
wait_for 'before, .* now: +.*real'
screen >"$dir/why"
keys y
mux resize-window -t 0 -x 80 -y 24
wait_for '^\[Symbols\] .*by CHANGE▼'
wait_for '%▲.* hot_parse'
wait_for 'busy time/rows alike: .* changed'
only_hot_is_marked
keys B
wait_gone BEFORE
wait_gone reference
keys q

# "19.6% before, 40.0% now: +104% (+61.7% to +158%), real": +100 % is the truth.  One interval in twenty lacks
# it; one twice as wide does not.
sed -n 's/.* now: +\([0-9.]*\)% (+\([0-9.]*\)% to +\([0-9.]*\)%), real.*/\1 \2 \3/p' "$dir/why" >"$dir/change"
read -r change low high <"$dir/change" || {
	cat "$dir/why"
	fail "no interval"
}
awk -v c="$change" -v low="$low" -v high="$high" 'BEGIN {
	off = log(2 / (1 + c / 100))
	width = log((100 + high) / (100 + low))
	exit !(off < width && -off < width)
}' || {
	cat "$dir/why"
	fail "+$change% (+$low% to +$high%) is not twice as much"
}
