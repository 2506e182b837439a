#!/bin/sh
# -g without a method: copies of stacks for a program without frame pointers, of its own or among all; frame pointers
# for one that has them.
#   test_chain_way.sh CYCTOP CHAINS_LOAD
set -u
cyctop=$(realpath "$1") framed=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
case $(uname -m) in
x86_64) ;;
*) skip "unwind tables do not tell of frame pointers here" ;;
esac
needs cc awk
source=$(cd "$(dirname "$0")" && pwd)/chains_load.c
cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -fno-inline -o frameless "$source" 2>err ||
	fail "not built: $(cat err)"

# whole NAME FILE: at least 90 % of the chains of the program begin where threads do
whole() {
	awk -v name="$1" '
		index($0, name ";") == 1 { n += $NF; whole += /;(_start|__libc_start_call_main);/ ? $NF : 0 }
		END { print name ": " whole + 0 " of " n + 0 " whole"; exit !(n > 20 && whole >= 0.9 * n) }' "$2" ||
		fail "too few are whole: $(head -n 5 "$2")"
}

# A script's interpreter tells; a program of rustc needs copies of stacks, whatever the standard library in it has; one
# of Go does not, whatever its C code lacks.
cat >script <<END
#! $PWD/interpreter 300
END
chmod +x script
ln -s frameless interpreter
{
	cat "$source"
	echo '__asm__(".ident \"rustc version 1.80.0\"");'
} >as_rust.c
{
	cat "$source"
	echo '__attribute__((section(".gopclntab"), used)) static const int table = 1;'
} >as_go.c
if ! cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-inline -o as_rust as_rust.c 2>err ||
	! cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -fno-inline -o as_go as_go.c 2>err; then
	fail "not built: $(cat err)"
fi

# recorded NAME COMMAND...: records it to NAME.data
recorded() {
	name=$1
	shift
	"$cyctop" record -e cpu-clock -F 499 -g -o "$name.data" -- "$@" >/dev/null 2>err </dev/null ||
		fail "record $name: $(cat err)"
	"$cyctop" -i "$name.data" --format folded >"$name.folded" 2>err || fail "recorded $name: $(cat err)"
}

for program in ./frameless "$framed"; do
	"$cyctop" -b -e cpu-clock -F 499 -g --format folded -- "$program" 300 >live 2>err </dev/null ||
		fail "live: $(cat err)"
	whole "${program##*/}" live
	! grep -q 'copies' err || fail "changed the method, which the program's tables tell: $(cat err)"
	recorded "${program##*/}" "$program" 300
	whole "${program##*/}" "${program##*/}.folded"
done
recorded script ./script
recorded rust ./as_rust 300
recorded go ./as_go 300

# stacks NAME yes|no: their copies make a recording large
stacks() {
	copied=no
	[ "$(stat -c %s "$1.data")" -le "$((10 * $(stat -c %s "${framed##*/}.data")))" ] || copied=yes
	[ "$copied" = "$2" ] || fail "$1: stacks copied: $copied: $(ls -l ./*.data)"
}
stacks frameless yes
stacks script yes
stacks rust yes
stacks go no

# Among all: the chains tell
./frameless 100000 >/dev/null &
load=$!
"$cyctop" -b -e cpu-clock -F 499 -g -d 1 -n 5 --comm frameless --format csv --table chains >all 2>err </dev/null
status=$?
"$cyctop" -b -e cpu-clock -F 499 -g fp -d 1 -n 3 --comm frameless --format csv --table chains >by_fp 2>errors </dev/null
kill "$load"
[ "$status" = 0 ] || fail "among all: $(cat err)"
grep -q 'break at frame pointers: copies of stacks from now on' err || fail "stayed with frame pointers: $(cat err)"
[ "$(grep -c 'copies' err)" = 1 ] || fail "changed more than once: $(cat err)"
tail -n 3 all | grep -q '_start;.*;main;' || fail "no whole chain at the end: $(tail -n 3 all)"
! grep -q 'copies' errors || fail "-g fp changed the method: $(cat errors)"
! grep -q '_start;' by_fp || fail "-g fp has whole chains of a program without frame pointers"
finish
