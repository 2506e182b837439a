#!/bin/sh
# cyctop inside a pid namespace, as in a container: the tasks outside of it have pid 0 in the kernel's records, and are
# not the idle task.  Where /proc shows another namespace, its numbers are not those of the records.
#   test_namespace.sh CYCTOP LOAD
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_sampling "$cyctop"
needs unshare
unshare -pfm --mount-proc true 2>/dev/null || skip 'no pid namespace can be made here'

# share COMM < CSV: percent of all, of the tasks whose name begins so
share() {
	awk -F, -v comm="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "comm") c = i; if ($i == "share") s = i } next }
		index($c, comm) == 1 { sum += $s } END { print int(100 * sum) }'
}
export cyctop load

# A task outside of it and one inside, on one CPU.
cpu=$(taskset -pc $$ | sed 's/.*[ ,-]//')
start taskset -c "$cpu" "$load" 3600 >out.load
uses "$pid" 500
# shellcheck disable=SC2016 # the inner shell expands it
unshare -pfm --mount-proc sh -c '
	taskset -c "$1" "$load" 3600 >/dev/null & inner=$!
	sleep 0.2
	"$cyctop" -b -n 1 -d 2 -e cpu-clock --sort comm,pid,mode --format csv >own.csv 2>own.err
	"$cyctop" record -o own.data -e cpu-clock --duration 1 >/dev/null 2>&1
	kill $inner' - "$cpu"
outer=$(share '[other pid namespaces]' <own.csv) inner=$(share load <own.csv)
if [ "$outer" -lt 20 ] || [ "$inner" -lt 1 ] || [ $((outer + inner)) -gt 100 ]; then
	fail "outside $outer %, inside $inner %: $(cat own.csv)"
fi
! grep -q ',\[idle\].*user' own.csv || fail "the idle task has user code: $(cat own.csv)"
grep -q 'other pid namespaces.*--pid=host' own.err || fail "nothing is said: $(cat own.err)"
"$cyctop" -b -i own.data --sort comm,pid,mode --format csv >file.csv 2>file.err
[ "$(share '[other pid namespaces]' <file.csv)" -ge 20 ] || fail "in the recording: $(cat file.csv)"
grep -q 'recorded in a pid namespace' file.err || fail "nothing is said of the recording: $(cat file.err)"

# The /proc of the host: the pids inside, which begin with 1, are kernel threads there.
# shellcheck disable=SC2016
unshare -pf sh -c '
	taskset -c "$1" "$load" 3600 >/dev/null & inner=$!
	sleep 0.2
	"$cyctop" -b -n 1 -d 1 -e cpu-clock --sort pid,comm,dso --format csv >host.csv 2>host.err
	"$cyctop" -b -n 1 -d 0.1 -p $inner >/dev/null 2>named.err && echo taken >named.err
	kill -9 $inner' - "$cpu"
! grep -q kthreadd host.csv || fail "names of the host's processes: $(cat host.csv)"
grep -q ',\[unknown\],' host.csv || fail "the task inside is missing: $(cat host.csv)"
grep -q '/proc shows another pid namespace' host.err || fail "nothing is said: $(cat host.err)"
grep -q '/proc shows another pid namespace' named.err || fail "-p: $(cat named.err)"

finish
