#!/bin/sh
# A thread's own counters on this machine: software events, which have no page, and what a hostile program does to their
# descriptors.  tests/vm/selfcount.sh has counters of hardware.
#   test_selfcount.sh SELFCOUNT_PROBE
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs jq
"$1" page-faults task-clock >"$tmp/json" || skip "no event can be opened here: $(cat "$tmp/json")"
cat "$tmp/json"
says() { # WHAT CONDITION
	jq -e "$2" "$tmp/json" >/dev/null || fail "$1: $2"
}
says 'there is no page of a software event' '.counters == "syscall" and .off == 0 and .ran == 1'
says 'the count is exact' '.touched[0] == .pages'
says 'those of another thread' '.of_thread == 0 and (.thread_by_page | not) and .thread_left and
	.thread_touched[0] == .pages'
says 'counts and times rise' '.wrong == 0 and .time_back == 0 and .handled_back == 0'
says 'a child opens its own' '.child == 0'
says 'no byte is taken from a pipe in the place of a counter' '.closed == {counted: false, left: 200}'

"$1" >"$tmp/json" || fail 'time alone needs nothing'
says 'time alone' '.time_back == 0 and .ran == 0 and .child == 0'
finish
