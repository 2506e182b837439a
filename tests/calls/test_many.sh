#!/bin/sh
# cyctop calls: ten million calls, a hundred thousand functions, a thousand threads and an exec are counted exactly; the
# times of a thread add up to what it ran; exceptions end calls.
#   test_many.sh CYCTOP MANY
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs jq
cyctop=$(realpath "$1") many=$(realpath "$2") throws=$(realpath "$(dirname "$0")/throws.cc")
cd "$tmp" || exit 1
"$cyctop" --demo -n 1 --format json >/dev/null 2>&1 || skip "this build writes no JSON"
unset CYCTOP_CALLS LD_PRELOAD

# counts NAME NUMBERS: what the program printed into "said" is in "kept", whose numbers of a function jq gives
counts() {
	of=".functions[] | select(.symbol | ltrimstr(\"void \") == \$name) | $2"
	grep -v run_ns said | while read -r name calls left; do
		got=$(jq -r --arg name "$name" "$of" kept)
		[ "$got" = "$calls $left" ] || echo "$1, $name: $got, not $calls $left"
	done >wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
	[ "$(grep -c . said)" -ge 7 ] || fail "$1: the program printed $(cat said)"
}

"$cyctop" calls -o kept -- "$many" >said 2>err || fail "many: $(cat err)"
counts many '"\(.calls) \(.left)"'
grep -q 'not counted' err && fail "many: $(cat err)"
named=$(jq -r '.functions[] | select(.symbol == "[no symbol]") | "\(.calls) \(.left)"' kept)
[ "$named" = "200000 0" ] || fail "100000 functions without names, each called twice: $named calls"
ran=$(awk '/run_ns/ { print $2 }' said)
sum=$(jq '[.functions[] | select(.symbol == ("main", "work", "step")).self_ns] | add' kept)
echo "a thread that ran $ran ns has $sum ns of its own functions"
awk -v a="$sum" -v b="$ran" 'BEGIN { exit !(a > 0.98 * b && a < 1.02 * b) }' || fail "a thread ran $ran ns, not $sum"

# gcc ends the calls that an exception leaves; with clang they are left.
for compiler in g++ clang++; do
	"$compiler" -std=c++17 -O1 -finstrument-functions -o throws "$throws" 2>err || continue
	"$cyctop" calls -o kept -- ./throws >said 2>err || fail "$compiler: $(cat err)"
	case $compiler in
	g++) counts "$compiler" '"\(.calls) \(.left)"' ;;
	*) counts "$compiler" '"\(.calls + .left) 0"' ;;
	esac
done
finish
