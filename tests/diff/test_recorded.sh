#!/bin/sh
# cyctop diff of real recordings: a function that does twice the work is found, and nothing else of its program.
#   test_recorded.sh CYCTOP LOAD
# shellcheck source=tests/diff/lib.sh
. "$(dirname "$0")/lib.sh"
load=$(realpath "$2")
cd "$tmp" || exit 1
ms=600 # of CPU time
needs_sampling "$cyctop"

# Is it hot alone that moved, and by a size that can be twice the work?
finds_hot() { # BEFORE AFTER
	compare 0 '' --fdr 1 --format csv "$1" "$2"
	cp out table
	[ "$(field real load table | tr '\n' ' ')" = \
		'check false count false hot true parse false sort false store false ' ] &&
		[ "$(sed -n 2p table | cut -d, -f1-2)" = load,hot ] &&
		field relative load table | awk '$1 == "hot" && ($2 < 0.4 || $2 > 2) { exit 1 }' &&
		field low load table | awk '$1 == "hot" && $2 < 0.1 { exit 1 }' &&
		compare 0 '' --fdr 1 --format csv "$2" "$1" &&
		field relative load out | awk '$1 == "hot" && ($2 > -0.25 || $2 < -0.75) { exit 1 }'
}
# One verdict in some is chance, and a machine that has no time for a load makes phases: not three times in a row.
pair() { # NAME COMMAND...: records NAME1.data and NAME2.data
	name=$1
	shift
	for try in 1 2 3; do
		for times in 1 2; do
			"$@" -o "$name$times.data" "$load" $times $ms >err 2>&1 || fail "$*: $(cat err)"
		done
		! finds_hot "${name}1.data" "${name}2.data" || return 0
	done
	fail "$name, attempt $try: not hot alone moved: $(cat table)"
}

pair cyctop "$cyctop" record -e cpu-clock -F 2999

compare 0 '' cyctop1.data cyctop2.data
grep -q '^cpu-clock, measured by the [0-9]* rows that changed alike' out || fail "the heading: $(cat out)"
grep -q '^\* .* to .* load  *hot$' out || fail "text does not mark hot: $(cat out)"
grep -q 'no change found (< .*%) .* parse$' out || fail "text does not say what else could have been found: $(cat out)"
compare 0 '' -n 1 cyctop1.data cyctop2.data
[ "$(grep -c ' load ' out)" = 1 ] || fail "-n 1: $(cat out)"
compare 0 '' --sort comm --unit rate cyctop1.data cyctop2.data
grep -qx 'cpu-clock per second (100% is one CPU), without idle time' out ||
	fail "the heading does not name the unit: $(cat out)"

# parts of it: what is left is the whole
compare 0 '' --comm 'loa*' -K --unit share --filter 'hot|parse' --format csv cyctop1.data cyctop2.data
[ "$(sed 1d out | cut -d, -f1-2 | sort | tr '\n' ' ')" = 'load,hot load,parse ' ] || fail "--filter: $(cat out)"
compare 0 "--filter: no row has 'nosuch' in its names" --filter nosuch cyctop1.data cyctop2.data
compare 1 "outside of idle time, of command 'nosuch', and" --comm nosuch cyctop1.data cyctop2.data
compare 1 'outside of idle time, of process 1, and' -p 1 cyctop1.data cyctop2.data
compare 2 '-K with -U: nothing would be left to compare' -K -U cyctop1.data cyctop2.data

compare 3 'cpu-clock of load, hot: +' --fail-if 'cpu-clock > +30%' cyctop1.data cyctop2.data
compare 3 'clock of load, hot: -' --fail-if 'clock of h?t < -10%' cyctop2.data cyctop1.data
compare 0 '' --fail-if 'cpu-clock > +300%' --fail-if 'clock of hot < -10%' cyctop1.data cyctop2.data
compare 0 "no row has a name like 'nosuch'" --fail-if 'clock of nosuch > 3%' cyctop1.data cyctop2.data
compare 2 "'ipc' is not compared here" --fail-if 'ipc < -5%' cyctop1.data cyctop2.data

# no answer where there is none
cp cyctop1.data copy.data
compare 1 'are the same recording' cyctop1.data cyctop1.data
compare 1 'are the same recording' cyctop1.data copy.data
[ ! -s out ] || fail "a refused comparison printed something"
"$cyctop" record -e page-faults -o faults.data "$load" 1 50 2>err || fail "record: $(cat err)"
compare 1 'no event is on both sides: before has cpu-clock; after has page-faults' cyctop1.data faults.data
compare 1 'the event cycles is not on both sides' --event cycles cyctop1.data cyctop2.data
"$cyctop" record -e cpu-clock -F 99 -o short.data "$load" 1 60 2>err || fail "record: $(cat err)"
compare 1 'short.data has only ' cyctop1.data short.data
compare 1 '' cyctop1.data no-such-file
"$cyctop" record -e page-faults,cpu-clock -o both.data "$load" 1 100 2>err || fail "record: $(cat err)"
compare 0 '' cyctop1.data both.data
head -n 1 out | grep -qF 'the first events differ (cpu-clock; page-faults); cpu-clock is on both sides' ||
	fail "the first line does not say that the events differ but: $(head -n 1 out)"

# a pause is intervals without samples, not one long one
"$cyctop" record -e cpu-clock -F 2999 -o pause.data sh -c "'$load' 1 100; sleep 0.7; '$load' 1 100" 2>err ||
	fail "record: $(cat err)"
if "$cyctop" diff --format json cyctop1.data pause.data >out 2>err && [ -s out ]; then
	grep -qE '"after":\{"file":"pause.data".*"intervals":(5[5-9]|6[0-2]),' out ||
		fail "intervals: $(head -c 900 out)"
fi
if has json; then
	compare 0 '' --format json cyctop1.data cyctop2.data
	for key in '{"schema":"cyctop-diff/1","before":{"file":"cyctop1.data"' '"after":{"file":"cyctop2.data"' \
		'"unit":"reference"' '"keys":["dso","symbol"],"rows":[{"dso":"load","symbol":"hot",' \
		'"change":{"value":0.' '"real":true' '"metrics":{"ipc":null'; do
		grep -qF -- "$key" out || fail "JSON does not have $key: $(head -c 600 out)"
	done
fi

# snapshots: written by batch, atomically, and compared with each other and with recordings
if has snapshot; then
	for times in 1 2; do
		"$load" $times 30000 &
		load_pid=$!
		"$cyctop" -e cpu-clock -F 2999 -d 0.1 -n 15 --format snapshot -p $load_pid -o "snap$times.json" 2>err ||
			fail "--format snapshot: $(cat err)"
		kill $load_pid
		wait $load_pid 2>/dev/null
	done
	[ "$(stat -c %a snap1.json)" = 600 ] || fail "a snapshot has mode $(stat -c %a snap1.json)"
	[ "$(find . -name '.cyctop*')" = '' ] || fail 'a temporary file stayed'
	# the load has five functions besides hot, so that it is a third of all or a half
	compare 0 '' --unit share --format csv snap1.json snap2.json
	field relative load out | awk '$1 == "hot" && ($2 < 0.2 || $2 > 1.4) { exit 1 }' || fail "snapshots: $(cat out)"
	compare 0 '' --comm load -K snap1.json cyctop2.data
	grep -q '^before: snap1.json .* of .*user code' out || fail "a part of a snapshot: $(cat out)"
	compare 1 '-C: snap1.json cannot be filtered so' -C 0 snap1.json cyctop2.data
	compare 0 '' snap1.json cyctop2.data
	grep -q '^before: snap1.json ' out || fail "a snapshot and a recording: $(cat out)"
	compare 0 '' --format json --sort mode,comm cyctop1.data snap2.json
	grep -qF '"after":{"file":"snap2.json"' out || fail "a recording and a snapshot: $(head -c 600 out)"
	compare 1 'do not have cpu: a snapshot has comm, dso, symbol and mode' --sort cpu snap1.json cyctop1.data
fi

if command -v perf >/dev/null && perf record -o /dev/null -q -e cpu-clock true 2>/dev/null; then
	pair perf perf record -q -N -e cpu-clock -F 2999
	# the shares of all functions of the load, and their differences, to the last digit
	compare 0 '' --unit share --raw-weights --format csv perf1.data perf2.data
	field before load out >shares
	field change load out >changes
	join shares changes | awk '{ printf "%s %.2f%% %+.2f%%\n", $1, 100 * $2, 100 * $3 }' >ours
	perf diff -q -c delta -s dso,sym perf1.data perf2.data 2>/dev/null </dev/null |
		awk '$3 == "load" { sub(/\.constprop\.0$/, "", $5); print $5, $1, $2 }' | sort |
		grep -E '^(check|count|hot|parse|sort|store) ' >perfs
	# what both pairs say of hot: their intervals overlap
	for tool in cyctop perf; do
		compare 0 '' --fdr 1 --format csv ${tool}1.data ${tool}2.data
		printf '%s %s\n' "$(field low load out | awk '$1 == "hot" { print $2 }')" \
			"$(field high load out | awk '$1 == "hot" { print $2 }')"
	done >intervals
	awk 'NF == 2 { low = NR == 1 || $1 > low ? $1 : low; high = NR == 1 || $2 < high ? $2 : high }
		END { exit !(NR == 2 && low < high) }' intervals || fail "the two pairs disagree: $(cat intervals)"
	[ "$(wc -l <ours)" = 6 ] || fail "there are not six functions: $(cat ours)"
	cmp -s ours perfs || fail "perf diff has other shares: $(diff ours perfs)"
fi
finish
