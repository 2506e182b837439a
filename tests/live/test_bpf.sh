#!/bin/sh
# A busy BPF program has a name in the live tables and in recordings, whether it was loaded before or
# after the start; perf reads the name from the recording, too.
#   test_bpf.sh CYCTOP BPF_LOAD
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "sees the kernel's code"
[ "$(cat /proc/sys/net/core/bpf_jit_enable 2>/dev/null)" != 0 ] || skip "BPF programs are interpreted here"
status=0
"$load" 0 >/dev/null 2>err || status=$?
[ $status != 77 ] || skip "$(cat err)"
name='bpf_prog_[0-9a-f]*_cyc_hot'

load_program() { # it is loaded, and runs in the background as $loader
	: >load.out
	start "$load" 3600 >load.out
	loader=$pid
	eventually grep -q running load.out || fail "the BPF program is not loaded"
}

# recorded FILE: checks that cyctop and perf name the program
recorded() {
	"$cyctop" -b -i "$1" --sort dso,symbol --format csv >out 2>err || fail "$1: $(cat err)"
	grep -q "$name" out || fail "$1: no $name"
	command -v perf >/dev/null || return 0
	perf report -i "$1" --stdio -g none --sort symbol >out 2>err || fail "perf report of $1: $(cat err)"
	[ ! -s err ] || fail "perf report of $1: $(cat err)"
	grep -q "$name" out || fail "perf report of $1: no $name"
}

echo "-- there before"
load_program
start "$cyctop" -b -d 1 -e cpu-clock --format csv >out 2>err </dev/null
top=$pid
eventually grep -q "$name" out || fail "live: no $name in $(grep -c . out) lines: $(cat err)"
interrupt "$top"
grep "$name" out | grep -qF '[bpf]' || fail "live: it is not in [bpf]"
start "$cyctop" record -o before.data -e cpu-clock -F 999 2>err
recorder=$pid
eventually has_samples before.data 10 || fail "record: $(cat err)"
uses "$loader" 500
interrupt "$recorder"
end "$loader"
"$cyctop" dump before.data >out || fail "dump"
grep -q "KSYMBOL.*$name" out || fail "the recording has no record of it"
recorded before.data

echo "-- came later"
start "$cyctop" -b -d 1 -e cpu-clock --format csv >out 2>err </dev/null
top=$pid
eventually test -s out || fail "cyctop: $(cat err)"
load_program
eventually grep -q "$name" out || fail "live, later: no $name"
interrupt "$top"
end "$loader"
start "$cyctop" record -o later.data -e cpu-clock -F 999 2>err
recorder=$pid
eventually has_samples later.data 10 || fail "record: $(cat err)"
load_program
uses "$loader" 500
interrupt "$recorder"
end "$loader"
recorded later.data
finish
