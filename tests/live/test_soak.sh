#!/bin/sh
# Memory does not grow while functions, programs and cgroups appear and disappear:
#   test_soak.sh CYCTOP CHURN [SECONDS]
# After two minutes the history has its full length, and soon after that ids are used again; from then on resident
# memory grows by less than 2 MB.  Only the processes of this test are measured, because other programs of the machine
# may start after two minutes.
set -eu
cyctop=$(realpath "$1") churn=$(realpath "$2") seconds=${3:-600}
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root sees what belongs to no program"
"$cyctop" -b -n 1 -d 0.2 -e cpu-clock >/dev/null 2>err || skip "cannot sample this machine: $(tail -n 1 err)"

# The hierarchy that perf events follow; without one, or the right to change it, there are no cgroups.
cgroup=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { own = $2 } $3 == "cgroup2" && !any { any = $2 }
	END { print own ? own : any }' /proc/mounts)
cgroup=$cgroup/cyctop_soak_$$
if mkdir "$cgroup" 2>/dev/null; then
	trap 'clean_up; rmdir "$cgroup"' EXIT
else
	echo "no cgroups can be made here"
	cgroup=
fi

warm=140
start "$churn" $((seconds + 5)) 1000 200 ${cgroup:+"$cgroup"} >made
start "$cyctop" -b -n $((seconds + 5)) -d 1 -e cpu-clock -p "$pid" --sort cgroup,symbol >out 2>err
rss() {
	awk '$1 == "VmRSS:" { print $2 }' "/proc/$pid/status"
}
# The middle of the values: what a refresh takes for a moment is no growth.
median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
t=0
: >early
: >late
while [ "$t" -lt "$seconds" ]; do
	sleep 5
	t=$((t + 5))
	now=$(rss)
	echo "$t s: $now kB"
	[ "$t" -le "$warm" ] || [ "$t" -gt $((warm + 60)) ] || echo "$now" >>early
	[ "$t" -le $((seconds - 60)) ] || echo "$now" >>late
done
shown=$(grep -o 'cyctop_soak_[^ ]*' out | sort -u | wc -l)
[ -z "$cgroup" ] || [ "$shown" -gt 20 ] || fail "only $shown of the cgroups were shown"
before=$(median <early) after=$(median <late)
echo "in the minute after $warm s $before kB, in the last minute $after kB"
[ "$after" -lt $((before + 2048)) ] || fail "it grew by $((after - before)) kB"
grep -q made_function_ out || fail "no function had its name"
# shellcheck disable=SC2086 # process ids
end $children
cat made
awk -v s="$seconds" '{ exit !($3 > 20 * s) }' made || fail "the load made too little in $seconds s"
finish
