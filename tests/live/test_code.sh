#!/bin/sh
# JIT code, live: in each kind of memory, code has the name that its process's perf map
# gives it; code that is in no map has no name, and not that of other code.
#   test_code.sh CYCTOP CODE
set -eu
cyctop=$(realpath "$1") code=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "sees all samples"
needs jq
needs_sampling "$cyctop"

mkfifo end
makers=
for kind in mprotect memfd sysv none fork; do
	"$code" "$kind" "made_in_$kind" <end 2>>err &
	makers="$makers $!" children="$children $!"
done
exec 3>end # the programs end when this is closed
start "$cyctop" -b -d 1 --window total -e cpu-clock -F 499 --user-only --format json >out 2>>err
top=$pid

# share NAME DSO: the share in the last table, as a fraction of the whole machine
share() {
	tail -n 1 out | jq -e -s --arg name "$1" --arg dso "$2" '[.[] | .symbols[]? |
		select(.symbol == $name and .dso == $dso) | .share] | (add // 0) > 0.002' >/dev/null 2>&1
}
for kind in mprotect memfd sysv fork; do
	eventually share "made_in_$kind" "[JIT] code_load" || fail "made_in_$kind is not there"
done
eventually share "[no symbol]" "[anon]" || fail "code without a name is not there"
! share made_in_none "[JIT] code_load" || fail "code that is in no map has a name"
interrupt "$top"
exec 3>&-
# shellcheck disable=SC2086 # process ids
wait $makers
[ "$failed" = 0 ] || {
	cat err
	tail -n 1 out | jq -c '.symbols[]? | [.dso, .symbol, .share]' | head -n 40
}
finish
