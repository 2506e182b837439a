#!/bin/sh
# Checks the callers that cyctop finds on copies of stacks against those that perf finds, frame by frame, of programs
# without frame pointers, which are built and recorded here; and that live nearly all chains are whole.
#   test_stacks.sh CYCTOP STACKS
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
cyctop=$(realpath "$1") stacks=$(realpath "$2")
case $(uname -m) in
x86_64) ;;
*) skip "perf lists other addresses here" ;;
esac
needs cc perf
needs_root "records everything"
needs_perf
cd "$tmp" || exit 1

# check NAME: compares with perf; one program, since perf 6.1 mixes up the tables of several processes
check() {
	perf record -q -e cpu-clock -F 499 --call-graph dwarf -o "$1.data" "./$1" 2 >/dev/null 2>"$tmp/err" ||
		fail "$1: perf record: $(cat "$tmp/err")"
	perf script --ns --no-inline --max-stack 1000 -F tid,time,ip -i "$1.data" >"$1.perf" 2>/dev/null
	"$stacks" "$1.data" >"$1.own" || fail "$1: stacks"
	awk -f "$here/stacks.awk" "$1.perf" "$1.own" >"$1.said"
	tail -n 1 "$1.said" | sed "s/^/$1: /"
	grep -q 'samples [1-9].*, not so 0$' "$1.said" || fail "$1: $(cat "$1.said")"
}

# whole NAME FOLDED: at least 95 % of the chains begin where threads do
whole() {
	awk -v name="$1" '
		{ n += $NF }
		/;(_start|clone|__clone|clone3|__clone3|start_thread);/ { whole += $NF }
		END { print name ": " whole + 0 " of " n + 0 " whole"; exit !(n && whole >= 0.95 * n) }' "$2" ||
		fail "$1: too few are whole: $(grep -v _start "$2" | head -n 5)"
}

for form in '' -static '-fcf-protection=none -Os' '-fno-plt -O1'; do
	# shellcheck disable=SC2086 # words
	cc -O2 -fomit-frame-pointer $form -o zoo "$here/stacks_zoo.c" 2>"$tmp/err" || {
		echo "not built with $form: $(head -n 1 "$tmp/err")"
		continue
	}
	check zoo
	"$cyctop" -i zoo.data --format folded >stacks.txt 2>/dev/null
	whole "a recording, $form" stacks.txt
done
# each call of a library goes through glibc's linker, whose frame is where the base pointer (rbx) says
if cc -O2 -fomit-frame-pointer -fno-builtin -fplt -Wl,-z,lazy -o zoo "$here/stacks_zoo.c" 2>"$tmp/err"; then
	export LD_BIND_NOT=1
	check zoo
	unset LD_BIND_NOT
	"$cyctop" -i zoo.data --format folded >stacks.txt 2>/dev/null
	whole "a recording, linked at each call" stacks.txt
	grep -q ';_dl_fixup[; ]' stacks.txt || fail "nothing was linked at a call: $(cat stacks.txt)"
fi
"$cyctop" record -g dwarf -o own.data -- ./zoo 1 >/dev/null 2>&1
"$cyctop" -i own.data --format folded >stacks.txt 2>/dev/null
whole "cyctop record" stacks.txt
"$cyctop" -b -g dwarf --format folded -- ./zoo 4 >stacks.txt 2>/dev/null
whole "live" stacks.txt
# by .sframe, once .eh_frame is gone, the callers are the same
needs objcopy
if cc -O2 -fomit-frame-pointer -Wa,--gsframe -o zoo "$here/stacks_zoo.c" 2>"$tmp/err"; then
	"$cyctop" record -g dwarf -o sframe.data -- ./zoo 2 >/dev/null 2>&1
	"$cyctop" -i sframe.data --format folded >by_eh_frame.txt 2>/dev/null
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr zoo
	"$cyctop" -i sframe.data --format folded >by_sframe.txt 2>/dev/null
	objcopy --remove-section .sframe zoo without && mv without zoo
	"$cyctop" -i sframe.data --format folded >by_none.txt 2>/dev/null
	whole "by .eh_frame" by_eh_frame.txt
	cmp by_eh_frame.txt by_sframe.txt || fail "by .sframe: $(diff by_eh_frame.txt by_sframe.txt | head -n 8)"
	! cmp -s by_none.txt by_sframe.txt || fail "the chains do not depend on .sframe"
else
	echo "not built with .sframe: $(head -n 1 "$tmp/err")"
fi
finish
