#!/bin/sh
# The key A: the instruction behind a division is the hottest, and the shares of all instructions are a whole.  With a
# baseline the change of its share is beside it.  Another link to the file takes nothing away.
#   test_annotate_key.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "measures a process"
needs cc tmux
[ "$(uname -m)" = x86_64 ] || skip "the division that is looked for is that of x86"
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
cat >w.c <<'END'
#include <signal.h>
static volatile unsigned mode;
static void change(int signal)
{
	mode = signal;
}
__attribute__((noipa)) unsigned work(unsigned n)
{
	unsigned s = 0;
	for (unsigned i = 0; i < n; i++)
		if (mode)
			s = (s * 7 ^ i) * 5 ^ s;
		else
			s = s / (i | 3) + 7;
	return s;
}
int main(void)
{
	signal(SIGUSR1, change);
	for (volatile unsigned sink = 0;;)
		sink += work(10000);
}
END
cc -O1 -o w w.c || skip "no compiler"
start ./w
mux new-session -d -x 120 -y 44 "exec $cyctop -e cpu-clock -p $pid -K"
eventually shows ' work ' || fail "work is not on the screen: $(cat screen)"
sleep 0.1
ln w another # as perf record does, in its cache
mux send-keys A
eventually shows 'work in w .*from before A' || fail "work is not annotated: $(cat screen)"
# shellcheck disable=SC2317 # `eventually` calls it
is_right() {
	shows INSTRUCTION && awk '
		/INSTRUCTION/ { begun = 1; next }
		begun && $1 ~ /^~?[0-9]+[.][0-9]$/ {
			share = $1; sub(/^~/, "", share)
			sum += share
			if (after) hot = share
		}
		begun { after = / div/ }
		END { exit !(sum > 97 && sum < 103 && hot > 50) }' screen
}
eventually is_right || fail "the instruction behind the division is not the hottest: $(cat screen)"
mux send-keys b
eventually shows '^cpu-cl% CHANGE .*INSTRUCTION' || fail "nothing is compared: $(cat screen)"
kill -USR1 "$pid"
# shellcheck disable=SC2317 # `eventually` calls it
is_changed() {
	shows ', against ' && awk '
		{ for (i = 1; i <= 2; i++) if ($i ~ /^-[0-9.]+▼$/ && substr($i, 2) + 0 > 50) fallen = 1 }
		{ if ($2 ~ /^\+[0-9.]+▲$/) risen = 1 }
		END { exit !(fallen && risen) }' screen
}
eventually is_changed || fail "the division does not vanish: $(cat screen)"
mux send-keys B
eventually shows '^cpu-cl%  *INSTRUCTION' || fail "the comparison does not end: $(cat screen)"
mux send-keys Escape
eventually shows 'SYMBOL' || fail "Esc does not go back: $(cat screen)"

# of a recording, which is read again
"$cyctop" record -e cpu-clock -p "$pid" -o data --duration 1 2>err || fail "record: $(cat err)"
mux respawn-pane -k "exec $cyctop -i data"
eventually shows ' work$' || fail "work is not on the screen: $(cat screen)"
mux send-keys A
eventually shows 'INSTRUCTION' || fail "the recorded function is not annotated: $(cat screen)"
