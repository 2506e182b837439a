#!/bin/sh
# Checks inlined functions in call chains against those of perf script --inline, sample by sample, of programs that are
# built and recorded here; that functions have the same numbers with them and without; and that every output has them.
#   test_inlined.sh CYCTOP
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
cyctop=$(realpath "$1")
needs cc c++ perf jq addr2line
needs_root "records everything"
needs_perf
"$cyctop" --version | grep -q libdw || skip "cyctop is built without libdw"
cd "$tmp" || exit 1

# perf_chains ARG...: the chains of perf script from main() inwards, with how often each was sampled
perf_chains() {
	perf script --no-demangle "$@" 2>/dev/null | awk '
		/^[^ \t]/ || !NF { if (seen) n[chain]++; chain = ""; seen = 0; next }
		seen { next }
		{
			name = $0
			sub(/^[ \t]*[0-9a-f]+ /, "", name)
			sub(/\+0x[0-9a-f]+ \([^+]*\)$/, "", name)
			name = name ($NF == "(inlined)" ? " (inlined)" : "")
			chain = name (chain == "" ? "" : ";" chain)
			seen = name == "main"
		}
		END { for (c in n) print c, n[c] }' | sort
}
# own_chains ARG...: the same of cyctop
own_chains() {
	"$cyctop" --no-demangle --format folded "$@" 2>>err | sed -n 's/^.*;main\(;.* [0-9]*\)$/main\1/p' | sort
}

# check NAME: compares with perf, with inlined functions and without
check() {
	perf record -q -e cpu-clock:u -F 499 --call-graph dwarf -o "$1.data" "./$1" 300 >/dev/null 2>err ||
		fail "$1: perf record: $(cat err)"
	for how in --inline --no-inline; do
		perf_chains "$how" -i "$1.data" >theirs
		own_chains "$how" -i "$1.data" >own
		[ -s theirs ] || fail "$1 $how: perf has no chains"
		diff theirs own >said || fail "$1 $how: $(cat said)"
		"$cyctop" -i "$1.data" "$how" --sort dso,symbol --children --format json 2>>err |
			jq 'del(.. | objects | .error, .share_error, .total_error)' >"table$how"
		wc -l own | sed "s/own/chains: $1 $how/"
	done
	cmp table--inline table--no-inline || fail "$1: functions have other numbers"
	[ "$(jq -s '[.[] | .. | .samples? | numbers] | add > 100' table--inline)" = true ] || fail "$1: no samples"
}

cc -O2 -g -fno-optimize-sibling-calls -o zoo_c "$here/inlined_zoo.c" || fail "cc"
c++ -O2 -g -o zoo_cc "$here/inlined_zoo.cc" || fail "c++"
check zoo_c
check zoo_cc
deep='main;physical;outer_inlined (inlined);leaf;middle (inlined);innermost (inlined)'
own_chains -i zoo_c.data | grep -qF "$deep " || fail "not so deep: $(own_chains -i zoo_c.data)"

# names of C++ are demangled, as those of other functions are
"$cyctop" -i zoo_cc.data --format folded >names 2>>err
grep -qF ';ns::Box<unsigned long>::add(unsigned long const&) (inlined) ' names || fail "not demangled: $(cat names)"

# every way out
for format in speedscope firefox svg; do
	"$cyctop" -i zoo_c.data --format "$format" 2>>err | grep -qF 'middle (inlined)' || fail "$format"
	"$cyctop" -i zoo_c.data --no-inline --format "$format" 2>>err | grep -qF '(inlined)' &&
		fail "$format --no-inline"
done
"$cyctop" -i zoo_c.data --format pprof 2>>err | { gzip -dcf || :; } | grep -aqF 'middle (inlined)' || fail "pprof"
"$cyctop" -i zoo_c.data --table chains --format json 2>>err | grep -qF 'middle (inlined)' ||
	fail "JSON"
"$cyctop" -i zoo_c.data --table chains 2>>err | grep -qF 'middle (inlined)' || fail "text"

# live, where what was inlined becomes known while it runs; and of a program whose debug information is a file apart
"$cyctop" -b -g dwarf --format folded -- ./zoo_c 200 >live 2>>err
grep -qF ";$deep " live || fail "live: $(cat live)"
objcopy --only-keep-debug zoo_c zoo_c.debug && strip zoo_c && objcopy --add-gnu-debuglink=zoo_c.debug zoo_c
"$cyctop" -b -g dwarf --format folded -- ./zoo_c 200 >live 2>>err
grep -qF ";$deep " live || fail "with a debug file: $(cat live)"
# and without any there are only functions
rm zoo_c.debug
"$cyctop" -b -g dwarf --inline --format folded -- ./zoo_c 100 >live 2>>err
grep -q '\[zoo_c\]\|zoo_c' live || fail "stripped: $(cat live)"
grep -qF 'middle (inlined)' live && fail "without debug information: $(cat live)"
[ ! -s err ] || cat err
finish
