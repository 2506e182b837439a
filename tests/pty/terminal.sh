#!/bin/sh
# Runs a program on a real terminal emulator (tmux).  The scripts that source this file set $cyctop,
# the full path of the program, and $case, the name of the test.
# shellcheck disable=SC2154 # both are the caller's

command -v tmux >/dev/null || {
	echo "skipped: tmux is not installed"
	exit 77
}

dir=$(mktemp -d) || exit 1
export LC_ALL=C.UTF-8
unset NO_COLOR ESCDELAY TMUX
mux() {
	tmux -S "$dir/tmux$terminals" -f /dev/null "$@"
}
terminals=0 # opened so far: each has a server of its own
trap 'mux kill-server 2>/dev/null; rm -rf "$dir"' EXIT

# ---- the terminal ------------------------------------------------------------------

# open_terminal ROWS COLS: starts a shell with job control; its prompt is "ready>".
open_terminal() {
	mux kill-server 2>/dev/null
	terminals=$((terminals + 1))
	# shellcheck disable=SC2016 # PS1 is for the shell in there
	mux new-session -d -y "$1" -x "$2" \
		env PS1='ready>' ENV= HISTFILE= CYCTOP="$cyctop" DIR="$dir" TERM=tmux-256color sh -i
	wait_for 'ready>'
}

screen() {
	mux capture-pane -p -t 0
}

# Prints the screen and the modes of the terminal while the shell has it.
shell_state() {
	tty=$(mux display-message -p -t 0 '#{pane_tty}')
	stty -a <"$tty"
	mux display-message -p -t 0 'alternate screen #{alternate_on}, cursor #{cursor_flag}, '\
'mouse #{mouse_any_flag}, keypad #{keypad_cursor_flag}'
}

keys() {
	mux send-keys -t 0 "$@"
}

type_line() {
	keys -l "$1"
	keys Enter
}

# eventually WHAT COMMAND...: repeats the command until it succeeds; the test fails after five minutes,
# because machines may be busy, and a screen may be read while it is being drawn.
eventually() {
	what=$1
	shift
	n=0
	until "$@"; do
		n=$((n + 1))
		if [ $n -gt 3000 ]; then
			screen
			fail "$what"
		fi
		sleep 0.1
	done
}

shows() {
	screen | grep -q -e "$1"
}

lacks() {
	! shows "$1"
}

wait_for() {
	eventually "the screen never showed: $1" shows "$1"
}

wait_gone() {
	eventually "the screen still shows: $1" lacks "$1"
}

fail() {
	echo "FAIL in $case: $*"
	exit 1
}

same() { # WHAT WANT GOT
	[ "$2" = "$3" ] && return
	printf -- '--- before\n%s\n--- after\n%s\n' "$2" "$3"
	fail "$1 differs"
}
