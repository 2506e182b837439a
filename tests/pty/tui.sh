#!/bin/sh
# The real program on a real terminal emulator: cyctop --demo in tmux gets keys; the tests check the
# screen, and the terminal after its end.
#
#   tui.sh CYCTOP PTYMETER CASE...
set -u

cyctop=$(realpath "$1")
ptymeter=$(realpath "$2")
recordings=$(realpath "$(dirname "$0")/../recordings")
shift 2

case=start
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"

start() {
	open_terminal 40 120
	type_line "\$CYCTOP --demo -d 0.5"
	wait_for '^[^ ] Symbols.* [1-9][0-9]* rows'
}

# ---- cases --------------------------------------------------------------------------

# The rows of the first table: from its heading line to the blank line after it.
table_rows() {
	screen | awk '/SYMBOL *$/ {on = 1; next} on && /^ *$/ {exit} on'
}

# Is the N-th column sorted, down or up, in at least three rows?  Skips unsupported ratios (~) and
# absent values (-).
sorted() { # N down|up
	table_rows | awk -v n="$1" -v sign="$([ "$2" = up ] && echo -1 || echo 1)" '
		$n ~ /^[~-]/ {next}
		{v = sign * $n}
		rows++ && v > last {exit bad = 1}
		{last = v}
		END {exit bad || rows < 3}'
}

case_sort() {
	start
	wait_for 'last [2-9]' # samples enough for some ratios
	keys Space            # what is frozen can be compared
	wait_for FROZEN
	eventually "not sorted by share" sorted 1 down
	keys '>'
	wait_for 'Symbols.* by IPC'
	eventually "not sorted by IPC" sorted 2 down
	keys r
	eventually "not sorted by IPC, reversed" sorted 2 up
	keys r
	keys '<'
	wait_for 'Symbols.* by CYC%'
	eventually "not sorted by share again" sorted 1 down
	# a click on the heading MPKI: the line and the column of its K
	y=$(screen | grep -n -m 1 'MPKI.*SYMBOL *$' | cut -d: -f1)
	x=$(screen | sed -n "${y}s/PKI.*//p" | tr -d '\n' | wc -m)
	click "$y" "$x"
	wait_for 'Symbols.* by MPKI'
	eventually "not sorted by MPKI" sorted 4 down
	click "$y" "$x"
	eventually "not sorted by MPKI, reversed" sorted 4 up
}

# Sends a mouse press and release as xterm does, at 1-based coordinates.
click() {
	b=$(awk -v y="$1" -v x="$2" 'BEGIN {printf "%c%c", 32 + x, 32 + y}')
	keys -l "$(printf '\033[M %s' "$b")"
	keys -l "$(printf '\033[M#%s' "$b")"
}

case_search() {
	start
	keys Space
	wait_for FROZEN
	keys /
	keys -l 'malloc'
	wait_for 'Search for: malloc'
	keys Enter
	wait_gone 'Search for:'
	keys Enter # zooms into what is selected
	wait_for 'Tasks.*malloc'
	keys Escape
	wait_gone 'Tasks.*malloc'
}

only_rows() {
	n=$(table_rows | grep -c .)
	[ "$n" -gt 0 ] && [ "$n" = "$(table_rows | grep -c "$1")" ]
}

case_filter() {
	start
	keys F4
	keys -l 'tcp_'
	keys Enter
	wait_for 'Symbols.*tcp_'
	eventually "other rows than those with the text" only_rows tcp_
	keys Escape
	wait_gone 'Symbols.*tcp_'
}

# Options that do what keys do: in every pane, from the start.
case_options() {
	open_terminal 40 120
	type_line "\$CYCTOP --demo -d 0.5 --filter tcp_ --comm 'ngi*'"
	wait_for "command 'ngi\*'"
	wait_for 'Symbols.*tcp_'
	eventually "other rows than those with the text" only_rows tcp_
	keys Escape
	wait_for 'ngx_'
	keys q
	wait_gone Symbols
	type_line "\$CYCTOP --demo -d 0.5 --comm no-such-command"
	wait_for "Nothing of command 'no-such-command' was seen"
	keys q
	wait_gone Symbols
	type_line "\$CYCTOP --demo -d 0.5 -s -IPC"
	wait_for 'Symbols.* [1-9][0-9]* rows'
	wait_for 'last [2-9]'
	keys Space
	wait_for FROZEN
	eventually "not sorted by IPC, upwards" sorted 2 up
}

case_zoom() {
	start
	keys Tab
	wait_for '^▶ \[Tasks\]'
	keys Enter
	wait_for '^▶ Symbols.*rustc'
	wait_for 'llvm' # mangled where there is no demangler
	table_rows | grep -q 'ExecInterpExpr' && fail "another task's function is there"
	keys Escape
	wait_gone 'Symbols.*rustc'
	wait_for 'ExecInterpExpr'
}

# Panes of other dimensions, more panes, and Esc back through two zooms.
case_panes() {
	start
	keys v
	wait_for 'View by'
	keys d Enter
	wait_for '^▶ DSOs'
	wait_for 'libLLVM'
	keys a
	i=0
	while ! mux capture-pane -e -p -t 0 | grep -q '44m *CPUs ' && [ $((i += 1)) -lt 20 ]; do
		keys c # the next entry with that letter
		sleep 0.2
	done
	keys Enter
	wait_for '^▶ CPUs'
	keys X
	wait_gone '^▶ CPUs'
	keys BTab BTab BTab
	wait_for '^▶ DSOs'
	keys /
	keys -l LLVM
	keys Enter Enter
	wait_for 'Symbols   in dso libLLVM'
	keys Enter
	wait_for 'Tasks.*in dso libLLVM[^ ]* › llvm'
	table_rows | grep -q ExecInterpExpr && fail "a function of another DSO is there"
	keys Escape
	wait_for '^▶ Symbols   in dso libLLVM'
	keys Escape
	wait_for '^▶ DSOs'
	wait_gone 'in dso'
}

frozen_part() { # all but the uptime in the title
	screen | sed 1d
}

differs_from() {
	[ "$1" != "$(frozen_part)" ]
}

case_freeze() {
	start
	keys Space
	wait_for FROZEN
	# the rest of the screen may be drawn after that word
	before=
	while [ "$before" != "$(frozen_part)" ]; do
		before=$(frozen_part)
		sleep 0.5
	done
	sleep 2
	same "the frozen screen" "$before" "$(frozen_part)"
	keys Space
	wait_gone FROZEN
	eventually "the screen stays frozen" differs_from "$before"
}

# The tables: below the header, above the keys.
tables() {
	screen | sed -n '/Symbols.* rows/,$p' | sed '$d'
}

tables_differ_from() {
	[ "$1" != "$(tables)" ]
}

title_differs_from() {
	[ "$1" != "$(screen | sed 1q)" ]
}

# A stretch of the past stays as it was while measuring goes on.
case_past() {
	start
	wait_for 'last [45]'
	keys '}' '}' '['
	wait_for ' to .* (.* s).*PAST$'
	keys k # the message gives way to the keys
	before=
	while [ "$before" != "$(tables)" ]; do
		before=$(tables)
		sleep 0.5
	done
	title=$(screen | sed 1q)
	eventually "the heading does not say that time went on" title_differs_from "$title"
	same "the tables of the past" "$before" "$(tables)"
	screen | grep -q '^CPU 0-100%.*\[.*\]' || fail "the strip does not show the stretch"
	keys '['
	keys k
	wait_for PAST
	eventually "the stretch before has the same tables" tables_differ_from "$before"
	resize 15 60
	wait_for ' to .*PAST$'
	keys 0
	wait_gone PAST
	wait_for 'last 1 s' # the window of now that } chose
}

resize() { # ROWS COLS
	mux resize-window -t 0 -y "$1" -x "$2"
}

case_resize() {
	start
	resize 60 200
	wait_for '  \[Tasks\].* rows'
	resize 5 20
	wait_gone '  \[Tasks\]'
	keys j # a notice gives way to the table
	wait_for '[0-9][0-9]*\.[0-9]'
	[ "$(screen | wc -L)" -le 20 ] || fail "a line is too long"
	for size in '1 1' '1 200' '60 1' '2 2' '3 15'; do
		# shellcheck disable=SC2086 # two words
		resize $size
		sleep 0.3
	done
	resize 60 200
	wait_for '  \[Tasks\].* rows'
	resize 40 120
	wait_for 'h Help'
	keys q
	wait_for 'ready>$'
}

case_help() {
	start
	keys h
	wait_for 'cyctop help'
	wait_for 'Keys'
	screen | grep -q 'reverse the order' || fail "a key is missing"
	screen | grep -q 'CYC% *share of all cycles' || fail "the column that the pane is sorted by is missing"
	keys PageDown
	wait_gone '^Keys'
	keys Escape
	wait_gone 'cyctop help'
	wait_for '[^ ] Symbols'
}

# After each way to quit, the shell has its terminal back.
case_quit() {
	for how in q F10 C-c TERM HUP INT; do
		open_terminal 30 100
		type_line 'echo before; ls -d /'
		wait_for '^/'
		state=$(shell_state)
		shown=$(screen)
		# shellcheck disable=SC2016 # for the shell in there
		type_line 'sh -c '"'"'echo $$ >"$DIR/pid"; exec "$CYCTOP" --demo'"'"'; echo status $?'
		wait_for '[^ ] Symbols'
		case $how in
		TERM | HUP | INT) kill -"$how" "$(cat "$dir/pid")" ;;
		*) keys "$how" ;;
		esac
		wait_for '^status [0-9]'
		screen | grep -q '^status 0' || fail "$how: $(screen | grep '^status')"
		same "$how: the terminal" "$state" "$(shell_state)"
		# the earlier lines are still there, then the command, its status and a prompt
		same "$how: the screen" "$(echo "$shown" | sed '/^$/d;$d')" \
			"$(screen | sed '/^$/d' | awk '/^ready>sh -c/ {exit} {print}' | sed '/^ready>$/d')"
	done
}

case_crash() {
	for sig in SEGV ABRT BUS; do
		open_terminal 30 100
		state=$(shell_state)
		# shellcheck disable=SC2016 # for the shell in there
		type_line 'ulimit -c 0; sh -c '"'"'echo $$ >"$DIR/pid"; exec "$CYCTOP" --demo'"'"'; echo status $?'
		wait_for '[^ ] Symbols'
		kill -$sig "$(cat "$dir/pid")"
		wait_for '^status 1[0-9][0-9]'
		screen | grep -q 'cyctop crashed' || fail "$sig: nobody says so"
		same "$sig: the terminal" "$state" "$(shell_state)"
	done
}

case_suspend() {
	open_terminal 30 100
	state=$(shell_state)
	# shellcheck disable=SC2016 # for the shell in there
	type_line '$CYCTOP --demo -d 0.5'
	wait_for '[^ ] Symbols'
	keys C-z
	wait_for 'Stopped'
	same "stopped: the terminal" "$state" "$(shell_state)"
	type_line 'stty -a >/dev/null; echo alive'
	wait_for '^alive'
	type_line fg
	wait_for '[^ ] Symbols'
	wait_gone alive
	keys h
	wait_for 'cyctop help'
	keys Escape
	wait_gone 'cyctop help'
	keys q
	wait_for 'ready>$'
	same "after it: the terminal" "$state" "$(shell_state)"
}

# SIGSTOP cannot be caught; the program must continue correctly afterwards.
case_stopped() {
	open_terminal 30 100
	state=$(shell_state)
	# shellcheck disable=SC2016 # for the shell in there
	type_line 'sh -c '"'"'echo $$ >"$DIR/pid"; exec "$CYCTOP" --demo -d 0.5'"'"
	wait_for '[^ ] Symbols'
	kill -STOP "$(cat "$dir/pid")"
	wait_for 'Stopped'
	keys -l fg
	keys C-j # the terminal is still raw: Enter would be no newline
	wait_gone 'Stopped'
	wait_for '[^ ] Symbols'
	keys h
	wait_for 'cyctop help'
	keys Escape q
	wait_for 'ready>$'
	same "after it: the terminal" "$state" "$(shell_state)"
}

is_gone() {
	! kill -0 "$1" 2>/dev/null
}

case_hangup() {
	open_terminal 30 100
	# shellcheck disable=SC2016 # for the shell in there
	type_line 'sh -c '"'"'echo $$ >"$DIR/pid"; exec "$CYCTOP" --demo'"'"
	wait_for '[^ ] Symbols'
	mux kill-server
	eventually "it outlives its terminal" is_gone "$(cat "$dir/pid")"
}

case_no_input_redirection() {
	open_terminal 30 100
	# shellcheck disable=SC2016 # for the shell in there
	type_line '$CYCTOP --demo </dev/null; echo status $?'
	wait_for '[^ ] Symbols'
	keys h
	wait_for 'cyctop help'
	keys Escape
	keys q
	wait_for '^status 0'
}

case_terminals() {
	open_terminal 30 100
	# shellcheck disable=SC2016 # for the shell in there
	type_line 'TERM=dumb $CYCTOP --demo; echo status $?'
	wait_for '^status 1'
	screen | grep -q 'TERM=dumb' || fail "dumb is not named"
	# For TERM=linux, ncurses loads and unloads libgpm, which leaks ten bytes.
	# shellcheck disable=SC2016 # for the shell in there
	type_line 'clear; ASAN_OPTIONS=detect_leaks=0 TERM=linux $CYCTOP --demo -n 2 -d 0.2; echo status $?'
	wait_for '^status 0'
	for term in xterm xterm-256color screen vt100 vt220 rxvt; do
		# shellcheck disable=SC2016 # for the shell in there
		type_line 'clear; TERM='$term' $CYCTOP --demo -n 2 -d 0.2; echo status $?'
		wait_for '^status 0'
	done
	for term in linux vt100; do # without an alternate screen
		# shellcheck disable=SC2016 # for the shell in there
		type_line 'clear; ASAN_OPTIONS=detect_leaks=0 TERM='$term' $CYCTOP --demo -d 0.2'
		wait_for '[^ ] Symbols'
		keys q
		wait_for '^ready>$'
		screen | grep -q ' Symbols' || fail "$term: the tables are gone"
	done
}

# Does a file hold an SGR sequence that sets a colour?
has_color() {
	grep -a -o -e "$(printf '\033')\[[0-9;]*m" "$1" | grep -q '[[;][349][0-9][;m]'
}

case_no_color() {
	TERM=xterm-256color "$ptymeter" -s 300 -o "$dir/color" "$cyctop" --demo -n 2 -d 0.2 >/dev/null
	has_color "$dir/color" || fail "no colours where they were expected"
	NO_COLOR=1 TERM=xterm-256color "$ptymeter" -s 300 -o "$dir/mono" "$cyctop" --demo -n 2 -d 0.2 >/dev/null
	has_color "$dir/mono" && fail "NO_COLOR, and colours"
	TERM=xterm-256color "$ptymeter" -s 300 -o "$dir/never" "$cyctop" --demo -n 2 -d 0.2 --color never >/dev/null
	has_color "$dir/never" && fail "--color never, and colours"
	grep -a -q 'Symbols' "$dir/mono" || fail "nothing was drawn"
}

# Has the second row of the table another background, but neither of its neighbours?
second_is_marked() {
	mux capture-pane -e -p -t 0 | sed -n '/SYMBOL/,$p' | sed -n '2,4p' >"$dir/rows"
	sed -n 2p "$dir/rows" | grep -q "$(printf '\033')"'\[[0-9;]*\(7\|44\)m' &&
		! sed -n '1p;3p' "$dir/rows" | grep -q "$(printf '\033')"'\[[0-9;]*\(7\|44\)m'
}

case_selection() {
	for env in TERM=tmux-256color TERM=linux TERM=vt100 'TERM=xterm NO_COLOR=1'; do
		open_terminal 24 80
		type_line "$env \$CYCTOP --demo -d 0.5"
		wait_for ' Symbols.* [1-9][0-9]* rows\|\[Symbols\].* [1-9][0-9]* rows'
		keys Space j
		eventually "$env: the selection cannot be seen" second_is_marked
	done
}

# A recording is read with its chains from the start, or again for the key g: callers without samples are rows.
case_chains() {
	for option in -g ''; do
		open_terminal 24 80
		# without the names of a kernel that may be the one here
		type_line "\$CYCTOP $option --kallsyms /dev/null -i '$recordings/perf-callgraph.perf.data'"
		wait_for 'SHARE%.* SYMBOL'
		[ -n "$option" ] || keys g
		wait_for '~0.0  *0 k \[kernel\]  *0x'
		keys q
	done
}

# Refreshes with unchanged names take less than 2 kB each on 120x35.
case_traffic() {
	TERM=xterm-256color "$ptymeter" -r 35 -c 120 -s 8 "$cyctop" --demo >"$dir/meter"
	# the median of seconds 3 to 8, so that a single busy second does not matter
	bytes=$(awk '/^second [3-8]/ {print $4}' "$dir/meter" | sort -n | sed -n 3p)
	echo "bytes per refresh at 120x35: $bytes"
	[ "$bytes" -gt 0 ] || fail "nothing was written"
	[ "$bytes" -lt 2000 ] || fail "$(cat "$dir/meter")"
}

case_batch() {
	"$cyctop" --demo >"$dir/out" 2>"$dir/err" </dev/null || fail "status $?"
	grep -q '^Symbols' "$dir/out" || fail "no table"
	grep -a -q "$(printf '\033')" "$dir/out" && fail "an escape sequence in the output"
	"$cyctop" --demo -b 2>/dev/null | head -n 1 >/dev/null # whoever reads may stop
	"$cyctop" --demo -b -n 1 >/dev/full 2>"$dir/err"
	[ $? = 1 ] || fail "a full disk is no success"
	grep -q 'cannot write' "$dir/err" || fail "a full disk is not named"
	"$cyctop" --no-such-option >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] || fail "a wrong option is status 2"
	[ ! -s "$dir/out" ] || fail "an error on standard output"
	"$cyctop" --help >"$dir/out" || fail "--help fails"
	grep -q 'Usage' "$dir/out" || fail "--help says nothing"
}

for case in "$@"; do
	"case_$case"
	echo "ok $case"
done
