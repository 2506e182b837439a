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

# JIT code, of the memory of its process
cat >made.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static const unsigned char code[] = {
	0xb8, 1, 0, 0, 0,	   /* mov $1,%eax */
	0xb9, 0x10, 0x27, 0, 0,	   /* mov $10000,%ecx */
	0x31, 0xd2,		   /* 1: xor %edx,%edx */
	0xf7, 0xf1,		   /* div %ecx */
	0x05, 0x77, 0x77, 0x77, 7, /* add $0x7777777,%eax */
	0xff, 0xc9,		   /* dec %ecx */
	0x75, 0xf3,		   /* jne 1b */
	0xc3,			   /* ret */
};
int main(void)
{
	char path[64];
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(p, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	FILE *f = fopen(path, "w");
	fprintf(f, "%lx %zx made_hot\n", (unsigned long)p, sizeof(code));
	fclose(f);
	for (;;)
		((unsigned (*)(void))p)();
}
END
cc -O1 -o made made.c || fail "no compiler"
start ./made
mux respawn-pane -k "exec $cyctop -e cpu-clock -p $pid -K"
eventually shows ' made_hot' || fail "made_hot is not on the screen: $(cat screen)"
mux send-keys A
eventually is_right || fail "made_hot is not annotated: $(cat screen)"
rm -f "/tmp/perf-$pid.map"
