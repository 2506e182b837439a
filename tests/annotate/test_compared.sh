#!/bin/sh
# cyctop annotate --baseline finds what is slower in another build of a function, whose code comes from the build's own
# file, and finds nothing in two recordings of one build; both recordings are of perf.
#   test_compared.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs jq cc
needs_perf
cd "$tmp" || exit 1
export HOME="$tmp/home" LC_ALL=C
mkdir home

cat >hot.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	unsigned table[4096];
	#ifdef MOVED
	__attribute__((noinline)) unsigned other(unsigned x)
	{
		return x * 17 + table[x & 7];
	}
	#endif
	__attribute__((noinline)) unsigned hash_all(const unsigned *v, unsigned n)
	{
		unsigned s = 0;
		for (unsigned i = 0; i < n; i++) {
			unsigned x = v[i];
			x ^= x >> 13;
	#ifdef SLOWER
			s += x / (n - i);
	#endif
			s += table[x & 4095] * 0x9e3779b1;
		}
		return s;
	}
	int main(void)
	{
		enum { N = 50000 };
		unsigned *v = malloc(N * sizeof(*v)), s = 0;
		for (unsigned i = 0; i < N; i++)
			v[i] = i * 2654435761u;
		table[5] = 7;
		for (int k = 0; k < 8000; k++, v[k % N]++)
			s += hash_all(v, N);
	#ifdef MOVED
		s += other(s);
	#endif
		printf("%u\n", s);
		return 0;
	}
END
record() { # FILE CFLAGS...: of a program that always has the same path, and whose build is in perf's cache
	file=$1
	shift
	cc -g -O1 -Wl,--build-id "$@" -o hot hot.c || fail "hot.c does not compile"
	perf record -q -e cpu-clock -F 4999 -o "$file" ./hot >/dev/null 2>err || skip "perf: $(tail -n 1 err)"
}
compare() { # BEFORE AFTER OPTION...
	before=$1
	after=$2
	shift 2
	"$cyctop" annotate hash_all -i "$after" --baseline "$before" "$@" --format json >c.json 2>err ||
		fail "$before, $after: $(cat err)"
}

record moved.data -DMOVED
record slower.data -DMOVED -DSLOWER
record again.data
record before.data

# the same build
compare before.data again.data
jq -e '.before.same_build and ([.instructions[] | select(.build != "both" or .same_registers != true)] == []) and
	.before.address == .address' c.json >/dev/null || fail "one build: $(head -c 400 c.json)"
jq -e '[.instructions[] | .changes["cpu-clock"] // empty | .before] | add > 0.99' c.json >/dev/null ||
	fail "one build: shares before: $(jq -c '[.instructions[].changes]' c.json)"
# by chance one of few may be real
jq -e '[.instructions[] | select(.changes["cpu-clock"].real)] | length <= 2' c.json >/dev/null ||
	fail "one build has changed: $(jq -c '[.instructions[] | {text, changes}]' c.json)"

# the same instructions at other addresses
compare before.data moved.data
jq -e '(.before.same_build | not) and .before.address != .address and
	([.instructions[] | select(.build != "both" or .same_registers != true)] == [])' c.json >/dev/null ||
	fail "moved: $(jq -c '[.instructions[] | [.text, .build, .same_registers]]' c.json)"

# a division more: each build's own code
compare before.data slower.data
jq -e '[.instructions[] | select(.build == "after" and (.text | startswith("div")))] | length == 1' c.json >/dev/null ||
	fail "slower has no division of its own: $(jq -c '[.instructions[] | [.text, .build]]' c.json)"
jq -e '[.instructions[] | select(.changes["cpu-clock"].real and .build == "after") | .changes["cpu-clock"].change] |
	max > 0.3' c.json >/dev/null || fail "the division takes nothing: $(jq -c '[.instructions[].changes]' c.json)"
jq -e '[.instructions[] | .changes["cpu-clock"] // empty | .change] | add | fabs < 0.01' c.json >/dev/null ||
	fail "changes do not add up to 0"
"$cyctop" annotate hash_all -i slower.data --baseline before.data >text 2>err || fail "text: $(cat err)"
grep -q '^\*.* + *.*addl' text || fail "text: $(cat text)"

# what cannot be compared is said
"$cyctop" annotate hash_all -i slower.data --baseline before.data --baseline-symbol nosuch >text 2>err &&
	fail "a function that is not there was compared"
grep -q '^cyctop: --baseline: no function called nosuch has samples' err || fail "nosuch: $(cat err)"
perf record -q -e task-clock -F 999 -o other.data ./hot >/dev/null 2>err
"$cyctop" annotate hash_all -i other.data --baseline before.data >text 2>err && fail "other events were compared"
grep -q 'before.data has none of the events of other.data' err || fail "other events: $(cat err)"
finish
