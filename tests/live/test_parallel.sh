#!/bin/sh
# Parallelism, and the share of the wall-clock time, in recordings of whole CPUs and of a command.
#   test_parallel.sh CYCTOP
# Numbers of samples by parallelism are those that awk counts by what perf script lists; a script's are known exactly.
set -u
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq awk
needs_perf

# rows OPTIONS...: parallelism, samples and latency of each row
rows() {
	"$cyctop" -b --sort parallelism --format json "$@" 2>err | tail -n 1 | jq -r '.rows[] | select(.parallelism) |
		"\(.parallelism) \(.events["cpu-clock"].samples) \(.latency)"' |
		awk '{ printf "%d %d %.6f\n", $1, $2, $3 }' | sort -n
}

# Phases of 1, 2 and 16 threads, each as long as the others
cat >script <<'SCRIPT'
cpus 16
event cpu-clock period=1000000
dso app /usr/bin/app
sym app:work 0x1000 0x100
task 100 app maps=app
tick
switch 100
sample cpu=0 task=100 event=cpu-clock sym=app:work n=1000
tick
switch 100 cpu=1
sample cpu=0-1 task=100 event=cpu-clock sym=app:work n=1000
tick
SCRIPT
for cpu in 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo "switch 100 cpu=$cpu"; done >>script
echo "sample cpu=* task=100 event=cpu-clock sym=app:work n=1000" >>script
rows --demo=script -n 3 --window total >got
printf '1 1000 0.333333\n2 2000 0.333333\n16 16000 0.333333\n' >expected
cmp -s expected got || fail "of the script: $(diff expected got; cat err)"

# Of two processes each is counted alone, if it is meant alone
cat >two <<'SCRIPT'
cpus 4
event cpu-clock period=1000000
dso app /usr/bin/app
sym app:work 0x1000 0x100
task 100 app maps=app
task 200 other maps=app
tick
switch 100
switch 200 cpu=1
switch 200 cpu=2
sample cpu=0 task=100 event=cpu-clock sym=app:work n=1000
sample cpu=1-2 task=200 event=cpu-clock sym=app:work n=1000
SCRIPT
for only in '-p 100' '-p 200' '--comm other' '--comm o* -C 2' '-t 100,200'; do
	# shellcheck disable=SC2086 # words
	rows --demo=two -n 1 $only | cut -d ' ' -f 1,2
done >got
printf '1 1000\n2 2000\n2 2000\n1 1000\n3 3000\n' >expected
cmp -s expected got || fail "of some of two processes: $(diff expected got; cat err)"

cat >phases.sh <<'SH2'
work() { i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; }
work; work & work; wait; work
SH2

# by_perf FILE FIELDS CPUS [PIDS]: the same as rows(), by CPUs, or without CPUs by threads; of these processes, " 1 2 "
by_perf() {
	perf script --show-switch-events --show-task-events --ns -i "$1" -F "$2" 2>/dev/null |
		awk -v cpus="$3" -v pids="${4:-}" '
	function meant() { return id[2] + 0 && (!pids || index(pids, " " id[1] + 0 " ")) }
	{ split($1, id, "/"); at = cpus ? $2 : id[2] }
	/PERF_RECORD_EXIT/ { if (!cpus) { n -= run[at]; run[at] = 0; known[at] = 1 } next }
	/PERF_RECORD_(FORK|COMM)/ { next }
	/PERF_RECORD_SWITCH/ { now = / IN / && meant(); known[at] = 1; n += now - run[at]; run[at] = now; next }
	/cpu-clock/ && meant() {
		if (!known[at]) { n += 1 - run[at]; run[at] = 1 }
		k = n + !run[at]
		w[k]++
		latency += 1 / k
	}
	END { for (k in w) printf "%d %d %.6f\n", k, w[k], w[k] / k / latency }' | sort -n
}
# record PROGRAM OPTIONS...: of the phases
record() {
	"$@" -e cpu-clock -c 1000000 -- sh phases.sh 2>err >/dev/null
}
record perf record -q -a --switch-events -o all.data || skip "$(tail -n 1 err)"
record perf record -q --switch-events -o one.data || fail "$(cat err)"
record "$cyctop" record --parallelism -o own.data || fail "$(cat err)"
by_perf all.data pid,tid,cpu,time,event 1 >expected
rows -i all.data >got
cmp -s expected got || fail "of all CPUs: $(diff expected got; cat err)"
pids=$(perf script -i all.data -F pid 2>/dev/null |
	awk '$1 { n[$1]++ } END { for (p in n) if (n[p] > 19) printf " %d", p }')
by_perf all.data pid,tid,cpu,time,event 1 "$pids " | cut -d ' ' -f 1,2 >expected
rows -i all.data -p "$(echo "${pids# }" | tr ' ' ,)" | cut -d ' ' -f 1,2 >got
cmp -s expected got || fail "of some processes: $(diff expected got; cat err)"
by_perf one.data pid,tid,time,event 0 >expected
rows -i one.data >got
cmp -s expected got || fail "of a command: $(diff expected got; cat err)"
[ "$(rows -i own.data | wc -l)" -ge 1 ] || fail "own.data has no parallelism: $(cat err)"
"$cyctop" -b -i own.data 2>err | grep -q ' LAT% ' || fail "no column LAT%: $(cat err)"

perf record -q -e cpu-clock -o none.data -- true 2>/dev/null >/dev/null
"$cyctop" -b -i none.data --sort parallelism 2>err >/dev/null
grep -q "parallelism is not known: there are no records of context switches" err || fail "no reason: $(cat err)"
"$cyctop" -b -i none.data 2>err | grep -q 'LAT%' && fail "LAT% without context switches"
finish
