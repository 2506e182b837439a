#!/bin/sh
# A stream of perf names what perf report names of it, on the machine where it was made: programs, libraries, code
# made at run time and the kernel, though the stream has no build-ids.  Elsewhere, and of a file that was replaced, it
# names nothing.
#   test_piped.sh CYCTOP
set -u
cyctop=$(realpath "$1") programs=$(realpath "$(dirname "$0")/../symbols/programs")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs_root "has the kernel's addresses"
needs_perf
needs cc jq unshare
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp"
cc -O1 -DRESTLESS -o jit "$programs/jit.c" 2>err || skip "no jit program: $(tail -n 1 err)"
cat >calls.c <<-'END'
	#include <unistd.h>
	static volatile unsigned long sum;
	__attribute__((noinline)) void piped_function(unsigned long n)
	{
		for (unsigned long i = 0; i < n; i++)
			sum += i;
	}
	int main(void)
	{
		for (alarm(600);; piped_function(1000000))
			for (int i = 0; i < 10000; i++)
				(void)getppid();
	}
END
cc -O1 -o calls calls.c || exit 1
: >said
./jit map >said 2>err </dev/null &
map=/tmp/perf-$!.map children="$children $!"
trap 'rm -f "$map"; clean_up' EXIT
./calls &
children="$children $!"
eventually grep -q ready said || fail "the program with JIT code does not run: $(cat err)"

report() { # [FILE]: lines of name and samples
	"$cyctop" -b -i "${1:--}" --sort symbol --format json 2>err |
		jq -r '.rows[] | [.symbol, .events["cpu-clock"].samples] | @tsv' | sort
}
# directly, while it is made; and later, from a file that has the stream
perf record -q -a -e cpu-clock -F 997 -o - sleep 4 2>err | tee stream | report >piped
[ -s piped ] || skip "perf writes no stream here: $(tail -n 1 err)"
report <stream >stored
report stream >named
for other in stored named; do
	cmp -s piped $other || fail "the pipe and its bytes differ: $(diff piped $other | head -n 3)"
done
perf report -i - --stdio -q -n -g none -t , --sort symbol <stream 2>/dev/null |
	sed -n 's/^ *[0-9.]*% *, *\([0-9]*\) *, *\[\(.\)\] \([^,]*[^, ]\) *\(,.*\)\{0,1\}$/\2\t\3\t\1/p' |
	grep -v '	0x' >theirs
# perf has other names of some functions in the kernel; the samples of all others must be the same
awk -F '\t' 'NR == FNR { ours[$1] = $2; next } $1 == "k" { theirs[$2] += $3 }
	END {
		for (name in theirs) {
			all += theirs[name]
			same += theirs[name] == ours[name] ? theirs[name] : 0
		}
		printf "%d of %d samples in the kernel have the names of perf\n", same, all
		exit !(all > 0 && same > 0.7 * all)
	}' piped theirs || fail "perf report has other names"
for name in piped_function jit_function_1 jit_function_3; do
	their=$(awk -F '\t' -v name=$name '$2 == name { n += $3 } END { print n + 0 }' theirs)
	our=$(awk -F '\t' -v name=$name '$1 == name { n += $2 } END { print n + 0 }' piped)
	if [ "$their" != "$our" ] || [ "$our" = 0 ]; then
		fail "$name has $our samples, for perf $their"
	fi
done

# shellcheck disable=SC2016 # expanded there
unshare -u sh -c 'hostname elsewhere; exec "$1" -b -i - --sort dso,symbol --format csv' - "$cyctop" <stream >other 2>err
grep -Ei 'piped_function|jit_function|entry_|syscall' other | head -n 3 >wrong
[ ! -s wrong ] || fail "names of another machine: $(cat wrong)"
grep -q 'no name for' err || fail "no word of why: $(cat err)"
cp calls new && mv new calls
report <stream >replaced
! grep -q piped_function replaced || fail "names of a file that was replaced"
grep -q 'jit_function_1' replaced || fail "other names are lost, too"
finish
