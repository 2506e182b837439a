#!/bin/sh
# A program of five functions, whose hot one has twice its work after SIGUSR1, and its first work after SIGUSR2.  Starts
# it as process $program, or skips the test where it cannot be sampled.  Scripts source this file after terminal.sh,
# with the full path of the program in $switched.
# shellcheck disable=SC2154 # the caller's

"$cyctop" -b -n 1 -d 0.2 -e cpu-clock >/dev/null 2>"$dir/err" || {
	echo "skipped: $(cat "$dir/err")"
	exit 77
}
"$switched" &
program=$!
trap 'kill $program 2>/dev/null; mux kill-server 2>/dev/null; rm -rf "$dir"' EXIT

# The functions of the program that are marked.
marked() {
	screen | sed -n 's/.*[▲▼] .* \(hot_[a-z]*\|steady_[a-z]*\)$/\1/p' | tr '\n' ' '
}

# One table in a hundred has a false row, which the next ones lack.
only_hot_is_marked() {
	for _ in 1 2 3; do
		[ "$(marked)" != 'hot_parse ' ] || return 0
		sleep 1
	done
	screen
	fail "marked: $(marked)"
}
