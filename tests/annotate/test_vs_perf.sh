#!/bin/sh
# cyctop annotate has as many samples at each instruction as perf annotate, for the hottest functions of a recording of
# several programs and two events, and of a function inlined into another one.
#   test_vs_perf.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs jq objdump cc
needs_perf
cd "$tmp" || exit 1
export HOME="$tmp/home" LC_ALL=C
mkdir home
wanted=20

cat >hot.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	static inline __attribute__((always_inline)) unsigned mixed(unsigned x)
	{
		x ^= x >> 13;
		return x * 0x9e3779b1; /* MIXED */
	}
	__attribute__((noinline)) unsigned hash_all(const unsigned *v, unsigned n)
	{
		unsigned s = 0;
		for (unsigned i = 0; i < n; i++)
			s += mixed(v[i]);
		return s;
	}
	__attribute__((noinline)) unsigned divided(unsigned n)
	{
		unsigned s = 0;
		for (unsigned i = 1; i < n; i++)
			s += n / i;
		return s;
	}
	static int by_value(const void *a, const void *b)
	{
		return memcmp(a, b, sizeof(unsigned));
	}
	int main(void)
	{
		enum { N = 50000 };
		unsigned *v = malloc(N * sizeof(*v)), s = 0;
		for (int k = 0; k < 100; k++) {
			for (unsigned i = 0; i < N; i++)
				v[i] = i * 2654435761u + (unsigned)k;
			qsort(v, N, sizeof(*v), by_value);
			for (int j = 0; j < 20; j++)
				s += hash_all(v, N) + divided(20000);
		}
		printf("%u\n", s);
		return 0;
	}
END
cc -g -O2 -o hot hot.c || fail "hot.c does not compile"
cp hot twin
cat >load.sh <<-'END'
	./hot
	./twin
	seq 1 200000 | sort -R >sorted
	perl -e 'my %h; $h{$_ % 977} .= "x" for 1 .. 600000; print length join "", sort values %h'
	python3 -c 'import json; [json.loads(json.dumps({str(i): [i] * 9 for i in range(3000)})) for k in range(30)]'
	xz -1 -k -c sorted | xz -d -c
	awk 'BEGIN { for (i = 0; i < 900000; i++) a[i % 99] += sqrt(i) }'
	gzip -c sorted
	cc -g -O2 -c -o hot.o hot.c
END
perf record -q -N -e cpu-clock,task-clock -F 4999 -o p.data -- sh load.sh >/dev/null 2>err ||
	skip "perf: $(tail -n 1 err)"

# the hottest functions in user space, of files with a path
"$cyctop" -b -i p.data --no-demangle --sort dso,symbol,mode --format json >report.json 2>err || fail "$(cat err)"
jq -r '[.rows[] |
	select(.mode == "user" and (.dso | startswith("/")) and (.symbol | test("^[a-zA-Z_][^@]*$"))) |
	{dso, symbol, n: .events["cpu-clock"].samples}] | sort_by(-.n) | .[] | [.dso, .symbol, .n] | @tsv' \
	report.json >functions
[ "$(wc -l <functions)" -ge $wanted ] || fail "only $(wc -l <functions) functions ran"

# ours DSO SYMBOL EVENT: "ADDRESS SAMPLES" of instructions that have any
ours() {
	"$cyctop" annotate "$1:$2" -i p.data --no-demangle -e "$3" --format json >a.json 2>err || return 1
	jq -r --arg e "$3" '.instructions[] | select(.events[$e]) |
		"\(.address[2:]) \(.events[$e].samples)"' a.json | sort
}

# theirs DSO SYMBOL EVENT
theirs() {
	perf annotate --stdio -n -f -i p.data -d "$1" "$2" 2>/dev/null |
		awk -v event="$3" '
		/^ *(Samples|Percent)/ { on = index($0, " for " event " ") }
		on && $2 == ":" && $3 ~ /^[0-9a-f]+:$/ && $1 > 0 { sub(/:/, "", $3); print $3, $1 }' | sort
}

compared=0
tab=$(printf '\t')
while IFS=$tab read -r dso symbol n; do
	[ $compared -lt $wanted ] || break
	for event in cpu-clock task-clock; do
		# shellcheck disable=SC2094 # these are functions
		ours "$dso" "$symbol" $event >ours || fail "$dso:$symbol: $(cat err)"
		# shellcheck disable=SC2094
		theirs "$dso" "$symbol" $event >theirs
		[ -s theirs ] || break # perf has another of its names
		diff theirs ours >difference || fail "$dso:$symbol, $event: $(head -5 difference)"
	done
	[ -s theirs ] || continue
	compared=$((compared + 1))
	echo "$n samples of $dso:$symbol at $(wc -l <ours) instructions: as perf annotate"
done <functions
[ $compared -eq $wanted ] || fail "perf annotates only $compared functions"

ours "$tmp/hot" hash_all cpu-clock >/dev/null
jq -e '[.instructions[].source | select(.inlined == "mixed" and (.file | endswith("/hot.c"))) | .line] |
	index(7)' a.json >where || jq -e '.notes[] | select(test("libdw"))' a.json >where ||
	fail "lines of the source: $(jq -c '[.instructions[].source]' a.json)"
jq -e '.hottest as $h | .instructions[] | select(.address == $h).loops == 1' a.json >where || fail "not in the loop"

# leader sampling: a sample of each event of the group; a recording of cyctop's own
perf record -q -N -e '{cpu-clock,task-clock}:S' -F 4999 -o g.data ./hot >/dev/null 2>err || fail "perf: $(cat err)"
"$cyctop" annotate hot:hash_all -i g.data --format json >g.json 2>err || fail "a group: $(cat err)"
jq -r '.instructions[] | select(.events["cpu-clock"]) |
	"\(.events["cpu-clock"].samples) \(.events["task-clock"].samples) \(.address[2:]):"' g.json >ours
perf annotate --group --stdio -n -f -i g.data -d hot hash_all 2>/dev/null |
	awk '$3 == ":" && $4 ~ /^[0-9a-f]+:$/ && $1 + $2 { print $1, $2, $4 }' >wanted
diff wanted ours >difference || fail "a group: $(head -5 difference)"
[ -s ours ] || fail "a group has no samples"
"$cyctop" record -e cpu-clock -F 4999 -o own.data ./hot >/dev/null 2>err || fail "$(cat err)"
"$cyctop" annotate hot:hash_all -i own.data --format json >own.json 2>err || fail "own: $(cat err)"
jq -r '.instructions[] | select(.events["cpu-clock"]) |
	"\(.events["cpu-clock"].samples) \(.address[2:]):"' own.json >ours
perf annotate --stdio -n -f -i own.data -d hot hash_all 2>/dev/null |
	awk '$2 == ":" && $3 ~ /^[0-9a-f]+:$/ && $1 > 0 { print $1, $3 }' >wanted
diff wanted ours >difference || fail "cyctop's own: $(head -5 difference)"
[ -s ours ] || fail "cyctop's own has no samples"

# several functions of one name; none
"$cyctop" annotate hash_all -i p.data >out 2>err && fail "hash_all is in two programs"
grep -q "2 functions are called hash_all; name one of them: $tmp/.*:0x.*, $tmp/.*:0x" err || fail "$(cat err)"
"$cyctop" annotate nowhere -i p.data >out 2>err && fail "there is no such function"
grep -q 'no function called nowhere has samples' err || fail "$(cat err)"
# a file that was built anew
cc -O1 -o hot hot.c
"$cyctop" annotate hot:hash_all -i p.data >out 2>err && fail "the file is another build"
grep -q 'another build\|replaced\|no function called' err || fail "$(cat err)"
finish
