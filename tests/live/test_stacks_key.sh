#!/bin/sh
# The key W: what each thread of a process does now, and where it waited; in small windows, and after its end.
#   test_stacks_key.sh CYCTOP LOAD
cyctop=$(realpath "$1")
load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "measures a process"
needs tmux
[ -d /sys/kernel/tracing/events/sched ] || skip "no tracepoints"
export LC_ALL=C.UTF-8
mux() {
	tmux -S "$tmp/tmux" -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null || :; clean_up' EXIT
# shellcheck disable=SC2317 # `eventually` calls it
shows() {
	mux capture-pane -p >screen
	grep -q "$1" screen
}
start "$load" 20
mux new-session -d -x 120 -y 60 "exec $cyctop --off-cpu -g -p $pid"
eventually shows ' offcpu_load' || fail "the process is not on the screen: $(cat screen)"
mux send-keys W
eventually shows 'Select a task' || fail "W on a function does not say what it takes: $(cat screen)"
mux send-keys Tab W
eventually shows "^Process $pid offcpu_load: what its threads do now" || fail "W shows no process: $(cat screen)"
eventually shows "^$pid offcpu_load waits, in the system call futex" || fail "the main thread: $(cat screen)"
eventually shows '^[0-9]* compute runs, or could' || fail "a thread that computes: $(cat screen)"
eventually shows '^  [0-9]*[.][0-9] ms off the CPU.*:' || fail "no time off the CPU: $(cat screen)"
eventually shows 'do_nanosleep;schedule' || fail "no stack of a sleeper: $(cat screen)"
mux resize-window -x 60 -y 15
eventually shows '^Stacks of a process .*PgDn more' || fail "60x15: $(cat screen)"
mux send-keys PageDown
eventually shows 'PgDn more   1[0-9]-' || fail "PgDn: $(cat screen)"
kill "$pid"
mux send-keys Home
eventually shows 'what they do now is not known' || fail "after its end: $(cat screen)"
mux send-keys Escape
eventually shows 'SYMBOL' || fail "Esc does not go back: $(cat screen)"
