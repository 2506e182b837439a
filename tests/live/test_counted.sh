#!/bin/sh
# A PMU that only counts: msr/tsc/ has as many counts on each CPU as perf stat counts in the same time, in the totals
# and in the rows of CPUs, and none for functions and tasks; the CPU clock is sampled beside it.  With descriptions in
# place of this machine's it counts joules for all CPUs together, on CPU 0.
#   test_counted.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "reads model-specific registers"
needs jq
[ -f /sys/bus/event_source/devices/msr/events/tsc ] || skip "no event msr/tsc/"
"$cyctop" -b -n 1 -d 1 -e msr/tsc/ --format json >a.json 2>err || fail "json: $(cat err)"
jq -e '.events | length == 2 and .[0].name == "cpu-clock" and .[0].samples >= 0' a.json >/dev/null ||
	fail "events: $(jq -c .events a.json)"
jq -e '.events[1] | .name == "msr/tsc/" and .samples == null and .weight == null and .count > 1e8' \
	a.json >/dev/null ||
	fail "event: $(jq -c '.events[1]' a.json)"
# The counters of all CPUs run alike, so the total is that of the CPUs.
jq -e '([.cpus[] | select(.online).counts["msr/tsc/"]]) as $c | (.end_ns - .start_ns) as $ns |
	($c | add) == .events[1].count and ($c | min) > 0.9 * ($c | max) and
	($c | min) / $ns > 0.2 and ($c | max) / $ns < 8' a.json >/dev/null ||
	fail "CPUs: $(jq -c '.cpus[].counts' a.json)"
"$cyctop" -b -n 1 -d 0.5 -e msr/tsc/ --table sockets --format json >s.json 2>err || fail "sockets: $(cat err)"
jq -e '([.sockets[].counts["msr/tsc/"]] | add) == .events[1].count' s.json >/dev/null ||
	fail "sockets: $(jq -c . s.json)"
"$cyctop" -b -n 1 -d 0.5 -e msr/tsc/ --table nodes --format json >n.json 2>err || fail "nodes: $(cat err)"
jq -e '([.nodes[].counts["msr/tsc/"]] | add) == .events[1].count' n.json >/dev/null ||
	fail "nodes: $(jq -c . n.json)"
jq -e '[.symbols[], .tasks[], .cpus[] | .events["msr/tsc/"].weight] | all(. == null)' a.json >/dev/null ||
	fail "rows have what was never sampled"
if command -v perf >/dev/null; then
	perf stat -a -x, -o stat -e msr/tsc/ sleep 1 2>/dev/null
	awk -F, -v own="$(jq '.events[1].count / (.end_ns - .start_ns)' a.json)" \
		'/msr/ { seen = 1; perf = $1; ns = $4 } END {
			n = '"$(nproc)"'; ratio = own / (perf / (ns / n))
			exit seen && (ratio < 0.9 || ratio > 1.1) }' stat ||
		fail "perf stat counts $(cat stat), cyctop $(jq -c '.events[1]' a.json)"
fi
"$cyctop" -b -n 1 -d 0.5 -e msr/tsc/ >out 2>err
grep -q '^msr/tsc/ [0-9.]*[MG]/s' out || fail "totals: $(head -3 out)"
[ "$(grep -c 'tsc/s' out)" = 1 ] || fail "headings: $(grep 'tsc/s' out)"
# What has only tasks or functions cannot have it.
"$cyctop" -b -n 1 -d 0.1 -p $$ -e msr/tsc/,cpu-clock --format json >b.json 2>err || fail "process: $(cat err)"
jq -e '.events | map(select(.name == "msr/tsc/"))[0].count == null' b.json >/dev/null ||
	fail "a process: $(jq -c .events b.json)"
"$cyctop" record -e msr/tsc/ -o c.data -- true 2>err && fail "it is recorded"
grep -q 'only counted' err || fail "recording: $(cat err)"
"$cyctop" list tsc >out 2>/dev/null
grep -q '^msr/tsc/ .* yes ' out || fail "list: $(cat out)"
# The descriptions name the type of the real PMU, so that the kernel counts.
made=$tmp/devices real=/sys/bus/event_source/devices
mkdir -p "$made/power/events" "$made/power/format"
cat "$real/msr/type" >"$made/power/type"
echo 0 >"$made/power/cpumask"
echo config:0-63 >"$made/power/format/event"
echo event=0x00 >"$made/power/events/energy-tsc"
echo 1e-9 >"$made/power/events/energy-tsc.scale"
echo Joules >"$made/power/events/energy-tsc.unit"
# shellcheck disable=SC2317 # called below
with_made() { # ARGUMENT...: cyctop with the made descriptions
	# shellcheck disable=SC2016 # of the inner shell
	unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$made" "$real" "$cyctop" "$@"
}
if unshare -m true 2>/dev/null; then
	with_made -b -n 1 -d 0.5 -e cpu-clock,power/energy-tsc/ --format json >p.json 2>err || fail "made: $(cat err)"
	jq -e '.events[1] | .unit == "Joules" and .samples == null and .count > 0.05 and .count < 5' \
		p.json >/dev/null ||
		fail "joules: $(jq -c '.events[1]' p.json)"
	jq -e '[.cpus[].counts["power/energy-tsc/"]] | .[0] > 0.05 and all(.[1:][]; . == null)' p.json >/dev/null ||
		fail "the CPUs of the mask: $(jq -c '[.cpus[].counts]' p.json)"
	with_made -b -n 1 -d 0.5 -e cpu-clock,power/energy-tsc/ >out 2>err
	grep -q '^power/energy-tsc/ [0-9.]* W$' out || fail "watts: $(head -3 out) $(cat err)"
	grep -q '^CPU .*energy-t W ' out || fail "heading: $(grep '^CPU ' out)"
	[ "$(nproc)" = 1 ] || grep -A 2 '^CPU .*energy-t W' out | grep -q '^ *1 .* -  ' ||
		fail "rows: $(grep -A 3 ^CPU out)"
	# When the CPU of the mask goes offline, the kernel names another one: the event is counted there from then on.
	if [ "$(nproc)" != 1 ]; then
		(sleep 1.7 && echo 1 >"$made/power/cpumask") &
		with_made -b -n 5 -d 1 -e cpu-clock,power/energy-tsc/ --format json >m.json 2>err ||
			fail "moves: $(cat err)"
		wait
		jq -s -e '[.[] | [.cpus[].counts["power/energy-tsc/"]]] | .[0][0] > 0.2 and .[0][1] == null and
			.[4][1] > 0.2 and (.[4][0] // 0) == 0' m.json >/dev/null ||
			fail "the mask moved: $(jq -c '[.cpus[].counts]' m.json)"
		jq -s -e 'all(.[].events[1].count; . > 0.2 and . < 10)' m.json >/dev/null ||
			fail "totals while it moved: $(jq -c '.events[1].count' m.json)"
	fi
	echo 77777 >"$made/power/cpumask"
	with_made -b -n 1 -d 0.1 -e power/energy-tsc/ >out 2>err && fail "no CPU of the mask is there"
	grep -q 'power/energy-tsc/: the kernel names no CPU on which its PMU counts' err || fail "no CPU: $(cat err)"
	echo 0 >"$made/power/cpumask"
	if [ "$(nproc)" != 1 ]; then
		with_made -b -n 1 -d 0.1 -C 1 -e power/energy-tsc/ >out 2>err && fail "-C leaves its CPU out"
		grep -q 'its PMU counts on CPU 0, which is offline, or left out by -C' err || fail "-C 1: $(cat err)"
	fi
	rm "$made/power/type"
	with_made -b -n 1 -d 0.1 -e power/energy-tsc/ >out 2>err && fail "a PMU without a number"
	grep -q 'the kernel does not say the number of the PMU power' err || fail "no number: $(cat err)"
fi
finish
