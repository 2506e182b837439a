#!/bin/sh
# What a counted call costs: cyctop calls beside uftrace record and gcc's -pg, on one program, in alternating runs.
#   calls.sh BUILD-DIR [ROUNDS]
# The program calls an empty function five million times, and measures its CPU time itself.  A line shows the median of
# ns.
set -eu
build=$(realpath "$1") rounds=${2:-5}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp"
cat >calls.c <<'END'
#include <stdio.h>
#include <time.h>
enum { CALLS = 5000000 };
__attribute__((noinline)) void empty(void)
{
	__asm__ volatile("");
}
int main(void)
{
	struct timespec begin, end;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (int i = 0; i < CALLS; i++)
		empty();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	fprintf(stderr, "ns %.2f\n", ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / CALLS);
	return 0;
}
END
gcc -O2 -o plain calls.c
gcc -O2 -finstrument-functions -o counted calls.c
gcc -O2 -pg -o profiled calls.c

# run NAME COMMAND...: adds the ns a call that the program prints to the file NAME
run() {
	name=$1
	shift
	"$@" 2>&1 >/dev/null | sed -n 's/^ns //p' >>"$name" || :
}
i=0
while [ $i -lt "$rounds" ]; do
	i=$((i + 1))
	run plain.ns ./plain
	run calls.ns "$build/src/app/cyctop" calls -- ./counted
	run pg.ns ./profiled
	! command -v uftrace >/dev/null || run uftrace.ns uftrace record --no-event -d data ./profiled
	rm -rf data
done
for name in plain calls pg uftrace; do
	[ -s $name.ns ] || continue
	sort -n $name.ns | awk -v name=$name '
		{ v[NR] = $1 }
		END { printf "%-8s %8.1f ns a call\n", name, v[int((NR + 1) / 2)] }'
done
