#!/bin/sh
# The key X: the first says what it does, the next sets the probes, and they are gone with the panel, or with cyctop.
#   test_probe_key.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "sets probes"
needs cc tmux
[ -d /sys/bus/event_source/devices/uprobe ] || skip "no PMU uprobe"
[ "$(uname -m)" = x86_64 ] || skip "the breakpoint that is looked for is that of x86"
export LC_ALL=C.UTF-8
servers=0 # each terminal has a server of its own: one that ends may take a while
mux() {
	tmux -S "$tmp/tmux$servers" -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null || :; clean_up' EXIT
# shellcheck disable=SC2317 # `eventually` calls it
shows() {
	mux capture-pane -p >screen 2>&1
	grep -q "$1" screen
}
# ./w runs; ./w set: is there a breakpoint?
cat >w.c <<'END'
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { for (volatile int i = 0; i < 300000; i++) ; }
int main(int argc, char **argv)
{
	unsigned char first;
	memcpy(&first, (void *)work, 1);
	for (; argc < 2; usleep(1000))
		work();
	(void)argv;
	return first != 0xcc;
}
END
cc -O1 -o w w.c || skip "no compiler"
# shellcheck disable=SC2317 # `eventually` calls it
is_clear() {
	! ./w set
}
start ./w
program=$pid
begin() {
	servers=$((servers + 1))
	mux new-session -d -x 120 -y 44 "exec $cyctop -e cpu-clock,page-faults -p $program -K"
	eventually shows ' work ' || fail "work is not on the screen: $(cat screen)"
	mux send-keys x
	eventually shows 'x again measures each of its calls' || fail "nothing is said: $(cat screen)"
	is_clear || fail "it probes unasked"
	mux send-keys x
	eventually shows 'SELF%  SELF ms' || fail "no table: $(cat screen)"
	./w set || fail "no breakpoint"
	shows 'page-faults/CALL' || fail "no events of each call: $(cat screen)"
	eventually shows 'work (w): [0-9]* calls by their time' || fail "no histogram: $(cat screen)"
}
begin
mux send-keys Escape
eventually is_clear || fail "the probes outlive the panel"
mux kill-server
begin
kill -KILL "$(mux display-message -p '#{pane_pid}')"
eventually is_clear || fail "the probes outlive cyctop"
finish
