#!/bin/sh
# What first-time users want to know, and the keys that answer it, at most three each.  A text
# that is typed counts as one.
#
#   tasks.sh CYCTOP
set -u

cyctop=$(realpath "$1")
case=tasks
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"

# TASK | SCREEN | KEYS | ANSWER: what is on the screen then, and was not before
# SCREEN: demo; where this machine can be measured also live, and file: a recording of it, longer than ten seconds.
# KEYS: names of tmux; a word that begins with = is typed.
tasks() {
	cat <<-'END'
		the hottest function of one process  | demo | Tab Enter       | Symbols   in process.*rustc.*% of all
		which processes run this function    | demo | Enter           | Tasks\].* in _PyEval_EvalFrameDefault
		which library is hot                 | demo | v d Enter       | ^▶ DSOs
		the functions of one library         | demo | F4 =libLLVM Enter | only libLLVM   [0-9]*% of all
		where is this function               | demo | / =dictFind     | Search for: dictFind
		only user code                       | demo | K               | kernel hidden   [0-9]*% of all
		only kernel code                     | demo | U               | user hidden   [0-9.]*% of all
		each thread                          | demo | H               | \[Threads\]
		which user                           | demo | u               | ^▶ Users
		what one user runs                   | live | u Enter         | in user [^ ]*
		which CPU is busy                    | demo | Tab Tab         | BUSY%
		the least work per cycle             | demo | > r             | by IPC▲
		most cache misses                    | demo | o m Enter       | by MISS%▼
		how sure is that                     | demo | e               | [0-9]±[0-9]
		what does this column mean           | demo | h               | cyctop help
		why has this function no name        | demo | y               | Why this name
		hold the screen                      | demo | Space           | FROZEN
		refresh more slowly                  | demo | d =5 Enter      | every 5 s
		all since the start                  | demo | i i             | since start
		start over                           | demo | z               | Started over
		another pane beside these            | demo | a d Enter       | ^▶ DSOs
		keep what is shown                   | demo | P               | All rows of the panes are in
		the middle of a recording            | file | g =50% Enter    | [45]\.[0-9] s to [56]\.[0-9] s (1 s)
		its last second                      | file | [               | [89]\.[0-9] s to .*PART
		play it                              | file | Space           | last 5 s  at [0-9]
		what changed in the next second      | file | ] b ]           | 1\.[0-9] s to .* against 0\.[0-9] s to
	END
}

begin() { # SCREEN
	open_terminal 40 120
	# shellcheck disable=SC2016 # for the shell in there
	case $1 in
	demo) type_line 'cd "$DIR"; $CYCTOP --demo -d 0.5' ;;
	live) type_line 'cd "$DIR"; $CYCTOP -e cpu-clock -d 0.5' ;;
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

real=1
"$cyctop" record -e cpu-clock -o "$dir/ten.data" --duration 10.5 2>"$dir/err" || real=0
done=0
tasks >"$dir/tasks"
while IFS='|' read -r task where with answer <&3; do
	with=$(echo "$with" | sed 's/^ *//; s/ *$//')
	answer=${answer# }
	where=$(echo "$where" | tr -d ' ')
	[ "$where" = demo ] || [ $real = 1 ] || continue
	# shellcheck disable=SC2086 # keys
	set -- $with
	[ $# -le 3 ] || fail "$task: $# keys"
	begin "$where"
	case=$task
	shows "$answer" && fail "it is on the screen before: $answer"
	for key; do
		press "$key"
	done
	wait_for "$answer"
	echo "$task: $with"
	done=$((done + 1))
done 3<"$dir/tasks"
[ -s "$(find "$dir" -name 'cyctop-*.txt')" ] || fail "the tables were not written"
if [ $real = 1 ]; then
	echo "$done tasks, each with at most three keys"
else
	echo "$done tasks, each with at most three keys; none live: $(tail -n 1 "$dir/err")"
fi
