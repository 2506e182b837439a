#!/bin/sh
# Times off the CPU: of perf's recordings the same, to the nanosecond and by stack, as what perf script lists of
# switches adds up to, and within 1 % those of perf sched timehist; of switch records, of cyctop's recordings and live,
# what threads measure themselves; and who sleeps is seen meanwhile.
#   test_offcpu.sh CYCTOP LOAD
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs_root "reads tracepoints"
needs perf unshare jq
if [ "${3:-}" != inside ]; then
	exec unshare -m sh "$0" "$1" "$2" inside
fi
cyctop=$(realpath "$1")
load=$(realpath "$2")
cd "$tmp" || exit 1
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || [ -d /sys/kernel/tracing/events ] ||
	skip "tracefs cannot be mounted"
[ -d /sys/kernel/tracing/events/sched ] || skip "no tracepoints"

# ours KEYS FILE OPTION...: "KEY NS" of each row that cyctop reports
ours() {
	keys=$1
	shift
	"$cyctop" -b --off-cpu --sort "$keys" --format json "$@" >rows.json 2>err || fail "$*: $(cat err)"
	jq -r --arg key "${keys#*,}" '.rows[] | "\(.tid) \(.[$key]) \(.events["off-cpu"].weight | round)"' rows.json |
		sort
}

# near WHAT PERCENT WANTED GOT: files with "TID NAME NS"; of each thread in WANTED the times are the same
near() {
	[ "$(wc -l <"$3")" -ge 2 ] || fail "$1: there are only $(wc -l <"$3") threads"
	awk -v most="$2" 'NR == FNR { got[$1] += $NF; next } {
		off = got[$1] / $NF * 100 - 100
		printf "%s %s: %.3f s of %.3f s\n", $1, $2, got[$1] / 1e9, $NF / 1e9
		if (off > most || off < -most) bad = 1 } END { exit bad }' "$4" "$3" >said ||
		fail "$1: more than $2 % off: $(cat said)"
	echo "$1: $(wc -l <said) threads, the last: $(tail -1 said)"
}

echo "-- perf's recording"
perf record -q -a -g -m 4096 -e sched:sched_switch -o p.data -- "$load" 1.5 >own || fail "perf record"
! perf report --stats -i p.data 2>/dev/null | grep -q LOST || fail "perf lost switches: try again"
ours tid,comm -i p.data >named
perf script --ns --no-inline -i p.data -F tid,time,ip,sym,trace >traced 2>err || fail "perf script: $(cat err)"
awk -v end="$(jq .end_ns rows.json)" '
function value(key) { match($0, key "=[^ ]*"); return substr($0, RSTART + length(key) + 1, RLENGTH - length(key) - 1) }
function leave() { if (tid == "") return; left[tid] = at; chain[tid] = stack; tid = "" }
/ prev_pid=/ {
	leave()
	gone = $1 == -1 # it was released, and has no task any more
	sub(/^.*prev_comm=/, "prev_comm=&")
	match($0, /[0-9]+\.[0-9]+:/); split(substr($0, RSTART, RLENGTH - 1), time, "."); at = time[1] * 1e9 + time[2]
	tid = value("prev_pid"); next_tid = value("next_pid"); state = value("prev_state"); stack = ""
	if (next_tid in left) {
		last[next_tid] = at - left[next_tid]
		away[next_tid ";" chain[next_tid]] += last[next_tid]
		delete left[next_tid]
	}
	if (tid in left) { print tid >"unsure"; delete left[tid] } # perf missed one
	if (gone || tid == 0 || state ~ /^[XZ]/) tid = ""
	next
}
NF == 2 { sub(/@.*/, "", $2); stack = stack == "" ? $2 : $2 ";" stack }
END { leave()
	for (t in left) away[t ";" chain[t]] += end - left[t]
	for (t in last) print t, last[t] >"lasts"
	for (k in away) { i = index(k, ";"); printf "%s %s %.0f\n", substr(k, 1, i - 1), substr(k, i + 1), away[k] } }
' traced | sort >theirs
awk '$1 > 0 { n[$1] += $NF } END { for (t in n) if (n[t] >= 1) printf "%s %.0f\n", t, n[t] }' named | sort >got
awk '{ n[$1] += $NF } END { for (t in n) if (n[t] >= 1) printf "%s %.0f\n", t, n[t] }' theirs | sort >want
diff want got >difference || fail "not what perf script adds up to: $(head -6 difference)"
echo "the same times of $(wc -l <want) threads"

# one_name: of names of one address perf may choose another
one_name() { sed 's/__GI_//g; s/__libc_//g; s/;__*/;/g'; }
ours tid,chain -i p.data -g | one_name | sort >got
one_name <theirs | sort >chains
for name in doze serve answer; do
	awk -v name=$name 'NR == FNR { if ($2 == name) is[$1]; next } $1 in is' own chains >want
	awk -v name=$name 'NR == FNR { if ($2 == name) is[$1]; next } $1 in is' own got >mine
	[ -s want ] || fail "perf script has no stacks of $name"
	diff want mine >difference || fail "stacks of $name: $(head -6 difference)"
done
echo "the same stacks"

perf sched timehist -i p.data 2>/dev/null | awk '
match($0, /\[[0-9]+(\/[0-9]+)?\] +[0-9.]+ +[0-9.]+ +[0-9.]+/) {
	split(substr($0, RSTART + 1, RLENGTH), f, /[]\/ ]+/)
	n = index(substr($0, RSTART, RLENGTH), "/") ? 3 : 2
	ns[f[1]] += (f[n] + f[n + 1]) * 1e6 }
END { for (t in ns) printf "%s %.0f\n", t, ns[t] }' >hist
# what timehist calls wait time is the whole time off the CPU if nobody recorded wakeups; it leaves out the last one,
# because the switch of a thread that has ended has no tid
touch unsure
awk 'FILENAME == "unsure" { not[$1]; next } FILENAME != "own" { ns[$1] += $2; next }
	!($1 in not) { printf "%s %s %.0f\n", $1, $2, ns[$1] }' unsure hist lasts own >want
near "perf sched timehist" 1 want named
awk 'NR == FNR { sure[$1]; next } $1 in sure' want own >sure
near "the threads themselves" 3 sure named

echo "-- switch records, by which a thread comes back some microseconds later, after the switch itself"
perf record -q -a --switch-events -e cpu-clock -F 99 -o s.data -- "$load" 1 >own || fail "perf record --switch-events"
ours tid,comm -i s.data >got
near "switch records" 12 own got
perf record -q --switch-events -e cpu-clock -F 99 -o s.data -- "$load" 1 >own || fail "of one process"
ours tid,comm -i s.data >got
near "those of one process" 12 own got

echo "-- cyctop"
"$cyctop" record --off-cpu -g -o c.data -- "$load" 1 >own 2>err || fail "record: $(cat err)"
ours tid,comm -i c.data >got
near "cyctop record" 12 own got
perf script -i c.data -F comm,trace 2>/dev/null | grep -q '^ *doze.*prev_pid' || fail "perf cannot read the switches"
"$cyctop" -b --off-cpu --window total --sort tid,comm --format json -- "$load" 1.5 >out 2>err || fail "live: $(cat err)"
grep '^[0-9]* [a-z]* [0-9]*$' out >own
grep '^{' out | jq -rs 'last | .rows[] | "\(.tid) \(.comm) \(.events["off-cpu"].weight | round)"' >got
near "live" 12 own got
"$cyctop" -b --off-cpu --table tasks -- "$load" 0.3 >out 2>err || fail "as text: $(cat err)"
grep -Eq '^off-cpu [0-9,]+ ms \([0-9.k]+ ms/s\)$' out || fail "the total time is no time: $(grep off-cpu out)"

echo "-- who sleeps is seen meanwhile"
(
	sleep 1
	exec sleep 8
) &
"$cyctop" -b --off-cpu -d 0.5 -n 8 --sort pid,comm --format json >out 2>err || fail "live: $(cat err)"
jq -rs --arg pid $! '.[4:8][] | (.end_ns - .start_ns) as $ns | .rows[] | select((.pid | tostring) == $pid) |
	"\(.pid) \(.comm) \((.events["off-cpu"].weight / $ns * 1000) | round)"' out >got
wait
[ "$(grep -c ' sleep \(999\|1000\|1001\)$' got)" = 4 ] || fail "of a sleeper: $(cat got; cat err)"
