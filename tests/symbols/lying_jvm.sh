#!/bin/sh
# Programs that look like JVMs and lie to whoever reads their memory, some of which start over and over: others get
# their names, and theirs are right, and the threads of cyctop spend little on them.
#   lying_jvm.sh CYCTOP
set -u
cyctop=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs "$cc" realpath
needs_sampling "$cyctop"
cd "$tmp" || exit 1

cat >honest.c <<-'EOT'
	#include <unistd.h>
	static volatile unsigned long sink;
	__attribute__((noinline, noclone)) void honest_hot(unsigned long n)
	{
		for (unsigned long i = 0; i < n; i++)
			sink += i * n;
	}
	int main(void)
	{
		alarm(1700);
		for (;;)
			honest_hot(1000000);
	}
EOT
liar=$here/programs/lying_jvm.c
if ! "$cc" -O1 -fPIC -shared -Wl,-soname,libjvm.so -DLIBRARY -o libjvm.so "$liar" ||
	! "$cc" -O1 -o liar "$liar" -Wl,-rpath,"$tmp" libjvm.so || ! "$cc" -O1 -o honest honest.c; then
	skip "cannot build the programs"
fi

# kinds of lies: a huge heap with cycles, changing, tables without end, pointers to nothing, numbers that cannot be
for kind in h c e u n; do
	./liar stays $kind &
	children="$children $!"
	last=$!
done
for kind in h c h c; do
	./liar starts $kind &
	children="$children $!"
done
for pid in $children; do
	kill -0 "$pid" || fail "a liar has ended"
done
"$cyctop" -b -d 1 --window total -e cpu-clock --format csv --sort comm,symbol >tables 2>err &
cyctop_pid=$!
children="$children $cyctop_pid"

# shellcheck disable=SC2317 # eventually calls it
listed() { grep -q "$1" tables; }
eventually listed ',liar,.*liar_hot' || fail "the liars' own function has no name: $(tail -n 1 err)"
./honest &
children="$children $!"
eventually listed ',honest,.*honest_hot' || fail "another program has no names: $(tail -n 1 err)"
uses "$last" 1500

# CPU time of all threads but the first, which draws the tables
others_ms() {
	cat "/proc/$cyctop_pid/task/"*/schedstat | awk -v main="$(cut -d ' ' -f 1 "/proc/$cyctop_pid/schedstat")" '
		{ ns += $1 } END { printf "%.0f\n", (ns - main) / 1e6 }'
}
spent=$(others_ms)
# a second a minute for first readings, what is left to other users, and reading the programs themselves
[ "$spent" -lt 4000 ] || fail "reading symbols took $spent ms of CPU time"
kill -0 "$cyctop_pid" || fail "cyctop has ended: $(tail -n 1 err)"
echo "reading symbols took $spent ms of CPU time"
finish
