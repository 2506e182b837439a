#!/bin/sh
# A hot BPF program has its name, whether it was there before or came later, in the live
# tables and in recordings, to perf as well as to cyctop.
#   test_bpf.sh CYCTOP BPF_LOAD
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root may see the kernel's code"
[ "$(cat /proc/sys/net/core/bpf_jit_enable 2>/dev/null)" != 0 ] || skip "BPF programs are interpreted here"
rc=0
"$load" 0 >/dev/null 2>err || rc=$?
[ $rc != 77 ] || skip "$(cat err)"

# loaded SECONDS [LATER]: the program runs, in the background
loaded() {
	: >load.out
	"$load" "$@" >load.out &
	lpid=$!
	[ $# -gt 1 ] || while ! grep -q running load.out; do sleep 0.1; done
}
unloaded() {
	kill "$lpid" 2>/dev/null || :
	wait "$lpid" 2>/dev/null || :
	lpid=
}
name='bpf_prog_[0-9a-f]*_cyc_hot'

echo "-- there before"
loaded 60
"$cyctop" -b -n 1 -d 2 -e cpu-clock --format csv >out 2>err </dev/null || bad "cyctop: $(cat err)"
grep -q "$name" out || bad "live: no $name in $(grep -c . out) lines"
grep "$name" out | grep -qF '[bpf]' || bad "live: it is not in [bpf]"

echo "-- recorded"
"$cyctop" record -o before.data -e cpu-clock -F 999 --duration 2 2>err || bad "record: $(cat err)"
"$cyctop" dump before.data >out || bad "dump"
grep -q "KSYMBOL.*$name" out || bad "the recording does not tell of it"
unloaded
"$cyctop" -b -i before.data --sort dso,symbol --format csv >out 2>/dev/null || bad "reading it"
grep -q "$name" out || bad "recording: no $name"
if command -v perf >/dev/null; then
	perf report -i before.data --stdio -g none --sort symbol >out 2>err || bad "perf report: $(cat err)"
	[ ! -s err ] || bad "perf report: $(cat err)"
	grep -q "$name" out || bad "perf report: no $name"
fi

echo "-- came later"
loaded 3 2
"$cyctop" -b -n 1 -d 4 -e cpu-clock --format csv >out 2>err </dev/null || bad "cyctop: $(cat err)"
grep -q "$name" out || bad "live, later: no $name"
unloaded
loaded 3 2
"$cyctop" record -o later.data -e cpu-clock -F 999 --duration 4 2>err || bad "record: $(cat err)"
unloaded
"$cyctop" -b -i later.data --sort dso,symbol --format csv >out 2>/dev/null || bad "reading it"
grep -q "$name" out || bad "recording, later: no $name"
if command -v perf >/dev/null; then
	perf report -i later.data --stdio -g none --sort symbol >out 2>err || bad "perf report: $(cat err)"
	grep -q "$name" out || bad "perf report, later: no $name"
fi
exit $status
