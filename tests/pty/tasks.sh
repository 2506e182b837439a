#!/bin/sh
# Presses the keys that answer what people want to know: each row of the table `tasks`.
#   tasks.sh CYCTOP
set -u

cyctop=$(realpath "$1")
case=tasks
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"

begin() { # SCREEN
	open_terminal 40 120
	# shellcheck disable=SC2016 # for the shell in there
	case $1 in
	demo) type_line 'cd "$DIR"; $CYCTOP --demo -d 0.5' ;;
	live | forks) type_line 'cd "$DIR"; $CYCTOP -e cpu-clock -d 0.5' ;;
	file) type_line 'cd "$DIR"; $CYCTOP -i ten.data -d 0.5' ;;
	esac
	wait_for '[^ ] Symbols.* [1-9][0-9]* rows'
	case $1 in
	file) wait_for 'all of it' ;;
	*) wait_for 'last [1-9]' ;;
	esac
}

press() { # KEY
	case $1 in
	=*) keys -l "${1#=}" ;;
	*) keys "$1" ;;
	esac
}

# A shell that starts programs without end, one after the other, until this test is over.
forks() {
	echo 'while [ -e running ]; do /bin/true; done' >"$dir/forker"
	: >"$dir/running"
	(cd "$dir" && exec sh "$dir/forker") &
}

here=$(cd "$(dirname "$0")" && pwd)
real=1
"$cyctop" record -e cpu-clock -o "$dir/ten.data" --duration 10.5 2>"$dir/err" || real=0
done=0
grep -v '^#' "$here/tasks" >"$dir/tasks"
while IFS='|' read -r task where most with answer <&3; do
	with=$(echo "$with" | sed 's/^ *//; s/ *$//')
	answer=${answer# }
	where=$(echo "$where" | tr -d ' ')
	[ "$where" = demo ] || [ $real = 1 ] || continue
	# shellcheck disable=SC2086 # keys
	set -- $with
	[ $# -le "$(echo "$most" | tr -d ' ')" ] || fail "$task: $# keys"
	[ "$where" != forks ] || forks
	begin "$where"
	case=$task
	shows "$answer" && fail "it is on the screen before: $answer"
	for key; do
		press "$key"
	done
	wait_for "$answer"
	rm -f "$dir/running"
	echo "$task: $with"
	done=$((done + 1))
done 3<"$dir/tasks"
[ -s "$(find "$dir" -name 'cyctop-*.txt')" ] || fail "the tables were not written"
if [ $real = 1 ]; then
	echo "$done tasks, each within its number of keys"
else
	echo "$done tasks, each within its number of keys; none live: $(tail -n 1 "$dir/err")"
fi
