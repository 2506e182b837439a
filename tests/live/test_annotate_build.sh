#!/bin/sh
# The key A with a baseline of another build: the program is rebuilt by rename and restarted, the view goes on with the
# new build, and the division that has vanished stands between its instructions.  What was gone before b is not
# compared, which is said.
#   test_annotate_build.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "measures all processes"
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
cat >changing.c <<'END'
__attribute__((noipa)) unsigned hot_work(unsigned n)
{
	unsigned s = 0;
	for (unsigned i = 0; i < n; i++)
#ifdef OTHER
		s = (s << 3) - (i ^ s);
#elif defined FAST
		s = (s * 7 ^ i) * 5 ^ s;
#else
		s = s / (i | 3) + 7;
#endif
	return s;
}
int main(void)
{
	for (volatile unsigned sink = 0;;)
		sink += hot_work(10000);
}
END
build() { # OPTION...: replaces the program by rename, as linkers and package managers do
	cc -O1 "$@" -o next changing.c || fail "no compiler"
	mv next changing
}
restart() {
	end "$pid"
	start ./changing
}
annotate() {
	eventually shows ' hot_work$' || fail "hot_work is not on the screen: $(cat screen)"
	mux send-keys Home A
	eventually shows 'hot_work in changing .* [1-9][0-9,]* sample' ||
		fail "hot_work is not annotated: $(cat screen)"
	eventually shows INSTRUCTION || fail "hot_work has no code: $(cat screen)"
}
build
start ./changing
mux new-session -d -x 120 -y 40 "exec $cyctop -e cpu-clock -K --comm changing"
annotate
eventually shows '[0-9][0-9][.][0-9] .*addl ' || fail "the division is not hot: $(cat screen)"
mux send-keys b
eventually shows '^cpu-cl% CHANGE .*INSTRUCTION' || fail "nothing is compared: $(cat screen)"

build -DFAST
restart
# shellcheck disable=SC2317 # `eventually` calls it
is_compared() {
	shows ', another build' && awk '
		$1 ~ /^-[0-9.]+▼$/ && substr($1, 2) + 0 > 50 && / - [0-9a-f]+ / { gone = 1 }
		/ - [0-9a-f]+ +divl/ { division = 1 }
		$2 ~ /^\+[0-9.]+▲$/ && / \+ [0-9a-f]+ / { new = 1 }
		END { exit !(gone && division && new) }' screen
}
eventually is_compared || fail "the builds are not compared: $(cat screen)"
mux send-keys B
eventually shows '^cpu-cl%  *INSTRUCTION' || fail "the comparison does not end: $(cat screen)"
grep -q 'divl' screen && fail "what is gone stays: $(cat screen)"

# b comes after the file is gone: the samples of the last build are in the baseline, its code is not
mux send-keys Escape
eventually shows 'SYMBOL' || fail "Esc does not go back: $(cat screen)"
build -DOTHER
restart
mux send-keys b
annotate
eventually shows 'The baseline ran another build, whose code was not kept: ' ||
	fail "it is not said that the code is gone: $(cat screen)"
finish
