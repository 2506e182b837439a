#!/bin/sh
# Prints the rows of the table of terminals that cyctop knows without a database: terminals.sh INFOCMP
# A row has the terminal's name, the name in its description, and the description as ncurses takes it from
# the variable TERMINFO.  A terminal that this machine's database does not have, and that behaves like xterm-256color,
# gets that description.  The order is that of preference where a name is like several.
set -eu
infocmp=$1

describe() {
	"$infocmp" -x -q -Q2 "$1" 2>/dev/null | sed '/^#/d' | tr -d ' \n'
}

# row NAME [LIKE]
row() {
	for type; do
		text=$(describe "$type")
		[ -n "$text" ] || continue
		printf '{"%s", "%s", "%s"},\n' "$1" "$type" "$text"
		return
	done
}

row xterm-256color
row xterm
row xterm-kitty xterm-256color
row xterm-ghostty xterm-256color
row tmux-256color
row screen-256color
row screen
row linux
row vt220
row vt100
row rxvt-unicode-256color
row alacritty xterm-256color
row foot xterm-256color
row dumb
