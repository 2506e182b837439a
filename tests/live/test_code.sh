#!/bin/sh
# Code made at run time, live:
#   test_code.sh CYCTOP CODE
# In each kind of memory it has the name its process tells of it; code that nobody tells
# of has none, and no other's.
set -eu
cyctop=$(realpath "$1") code=$(realpath "$2")
skip() {
	echo "skipped: $*"
	exit 77
}
[ "$(id -u)" = 0 ] || skip "only root sees what belongs to no program"
command -v jq >/dev/null || skip "jq is not installed"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp"
export LC_ALL=C
"$cyctop" -b -n 1 -d 0.2 -e cpu-clock >/dev/null 2>err || skip "cannot sample this machine: $(tail -n 1 err)"

mkfifo end
kinds='mprotect memfd sysv none fork'
for kind in $kinds; do
	"$code" "$kind" "made_in_$kind" <end 2>>err &
done
exec 3>end # they end when this is closed
sleep 1
"$cyctop" -b -n 1 -d 4 -e cpu-clock -F 499 --user-only --format json >out 2>>err
exec 3>&-
wait

status=0
fail() {
	echo "FAIL $*"
	status=1
}
has() { # of the machine, a function in a DSO has a part that is worth the name
	jq -e -s --arg name "$1" --arg dso "$2" '[.[] | .symbols[]? | select(.symbol == $name and .dso == $dso)
		| .share] | (add // 0) > 0.002' out >/dev/null
}
for kind in mprotect memfd sysv fork; do
	has "made_in_$kind" "[JIT] code_load" || fail "made_in_$kind is not there"
done
! has made_in_none "[JIT] code_load" || fail "what nobody told of has a name"
has "[no symbol]" "[anon]" || fail "code without a name is not there"
[ "$status" = 0 ] || { cat err; jq -c '.symbols[]? | [.dso, .symbol, .share]' out | head -n 40; }
exit $status
