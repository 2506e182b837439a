#!/bin/sh
# The flames of a recording, compared with a recording of an earlier build in another directory: the function that was
# given more to do has grown, and the last line has its shares in both recordings.
#
#   flames.sh CYCTOP
set -u

cyctop=$(realpath "$1")
case=flames
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"
for tool in jq cc; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed"
		exit 77
	}
done

cat >"$dir/work.c" <<-'END'
	#include <time.h>
	static volatile double x;
	static unsigned calls;
	__attribute__((noinline)) void parse(int n)
	{
		for (int i = 0; i < n; i++)
			x += i * .5;
	}
	__attribute__((noinline)) void sort_all(int n)
	{
		for (int i = 0; i < n; i++)
			x *= 1.0001;
	}
	__attribute__((noinline)) void serve(void)
	{
		parse(PARSED);
		sort_all(10000);
		calls++;
	}
	__attribute__((noinline)) void report(void)
	{
		sort_all(10000);
		calls++;
	}
	int main(void)
	{
		for (time_t end = time(0) + 3; time(0) < end;) {
			serve();
			report();
		}
		return 0;
	}
END
record() { # NAME PARSED
	mkdir "$dir/$1"
	cc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -DPARSED="$2" \
		-o "$dir/$1/work" "$dir/work.c" || fail "work.c does not compile"
	"$cyctop" record -g fp -e cpu-clock -F 999 -o "$dir/$1.data" -- "$dir/$1/work" >/dev/null 2>"$dir/err" || {
		echo "skipped: $(cat "$dir/err")"
		exit 77
	}
}
own_share() { # RECORDING: of parse(), in percent, as the last line prints it
	"$cyctop" -b -g -i "$1" --sort symbol --format json |
		jq -r '.rows[] | select(.symbol == "parse") | .share * 1000 + 0.5 | floor' | sed 's/.$/.&/'
}
record before 10000
record after 30000

open_terminal 24 120
type_line "\$CYCTOP -g -i \$DIR/after.data --baseline \$DIR/before.data"
wait_for 'against before.data'
keys l
wait_for 'colours by change of own share against before.data'
wait_for 'parse [0-9.]*% +[1-9][0-9]*\.[0-9]'
wait_for 'sort_all [0-9.]*% -[1-9]'
keys / # selects the box
keys -l parse
keys Enter
was=$(own_share "$dir/before.data") is=$(own_share "$dir/after.data")
wait_for "^parse .*SELF% $was±[0-9.]*→$is±"
keys q
wait_gone 'Flames'
keys q
wait_gone 'against'

# Chains are read only if they are asked for at the start; the baseline's functions are compared all the same.
type_line "\$CYCTOP -i \$DIR/after.data --baseline \$DIR/before.data"
wait_for '%▲.* parse'
keys g
keys l
wait_for 'own share: start with -g to compare'
