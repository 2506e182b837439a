#!/bin/sh
# cyctop diff of real recordings: a function that does twice the work is found, and nothing else of its program.
#   test_diff.sh CYCTOP LOAD
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$(realpath "$1") load=$(realpath "$2")
ms=600 # of CPU time
export HOME="$tmp" LC_ALL=C
needs_sampling "$cyctop"
cd "$tmp" || exit 1

# compare STATUS TEXT ARGS...: checks the exit status, and a text on stderr ('': any)
compare() {
	want=$1 text=$2
	shift 2
	"$cyctop" diff "$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "cyctop diff $*: exit status $got, not $want: $(cat err)"
	[ -z "$text" ] || grep -qF -- "$text" err || fail "cyctop diff $*: it does not say '$text' but: $(cat err)"
}
# field NAME FILE: "SYMBOL VALUE" of each row of the load that has the most samples
field() {
	awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["dso"] == "load" && $at["samples_before"] > 30 { print $at["symbol"], $at[name] }' "$2" | sort
}

# Is it hot alone that moved, and by a size that can be twice the work?
finds_hot() { # BEFORE AFTER
	compare 0 '' --fdr 1 --format csv "$1" "$2"
	cp out table
	[ "$(field real table | tr '\n' ' ')" = \
		'check false count false hot true parse false sort false store false ' ] &&
		[ "$(sed -n 2p table | cut -d, -f1-2)" = load,hot ] &&
		field relative table | awk '$1 == "hot" && ($2 < 0.4 || $2 > 2) { exit 1 }' &&
		field low table | awk '$1 == "hot" && $2 < 0.1 { exit 1 }' &&
		compare 0 '' --fdr 1 --format csv "$2" "$1" &&
		field relative out | awk '$1 == "hot" && ($2 > -0.25 || $2 < -0.75) { exit 1 }'
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
grep -q '^cpu-clock, measured by the [0-9]* rows that moved alike' out || fail "the heading: $(cat out)"
grep -q '^\* .* to .* load  *hot$' out || fail "text does not mark hot: $(cat out)"
grep -q 'no change found (< .*%) .* parse$' out || fail "text does not say what else could have been found: $(cat out)"
compare 0 '' -n 1 cyctop1.data cyctop2.data
[ "$(grep -c ' load ' out)" = 1 ] || fail "-n 1: $(cat out)"
compare 0 '' --sort comm --unit rate cyctop1.data cyctop2.data
grep -qx 'cpu-clock per second, without idle time' out || fail "the heading does not name the unit: $(cat out)"

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
compare 1 '--event cycles is not on both sides' --event cycles cyctop1.data cyctop2.data
"$cyctop" record -e cpu-clock -F 99 -o short.data "$load" 1 60 2>err || fail "record: $(cat err)"
compare 1 'short.data has only ' cyctop1.data short.data
compare 1 '' cyctop1.data no-such-file
mkfifo pipe
compare 1 'pipe is not a file' pipe cyctop1.data
compare 1 '/dev/zero is not a file' cyctop1.data /dev/zero
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
if "$cyctop" --demo -n 1 --format json >/dev/null 2>&1; then # it was built with jansson
	compare 0 '' --format json cyctop1.data cyctop2.data
	for key in '{"schema":"cyctop-diff/1","before":{"file":"cyctop1.data"' '"after":{"file":"cyctop2.data"' \
		'"unit":"reference"' '"keys":["dso","symbol"],"rows":[{"dso":"load","symbol":"hot",' \
		'"change":{"value":0.' '"real":true' '"metrics":{"ipc":null'; do
		grep -qF -- "$key" out || fail "JSON does not have $key: $(head -c 600 out)"
	done
fi

# snapshots: written by batch, atomically, and compared with each other and with recordings
if "$cyctop" --demo -n 1 --format snapshot >/dev/null 2>&1; then
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
	field relative out | awk '$1 == "hot" && ($2 < 0.2 || $2 > 1.4) { exit 1 }' || fail "snapshots: $(cat out)"
	compare 0 '' --comm load -K snap1.json cyctop2.data
	grep -q '^before: snap1.json .* of .*user code' out || fail "a part of a snapshot: $(cat out)"
	compare 1 '-C: the rows of snap1.json do not say it' -C 0 snap1.json cyctop2.data
	compare 0 '' snap1.json cyctop2.data
	grep -q '^before: snap1.json ' out || fail "a snapshot and a recording: $(cat out)"
	compare 0 '' --format json --sort mode,comm cyctop1.data snap2.json
	grep -qF '"after":{"file":"snap2.json"' out || fail "a recording and a snapshot: $(head -c 600 out)"
	compare 1 'are the same recording' snap1.json snap1.json
	compare 1 'do not have cpu: a snapshot has comm, dso, symbol and mode' --sort cpu snap1.json cyctop1.data
	head -n 3 snap1.json >cut.json
	compare 1 'cut.json: line 3 of the snapshot: it is cut off: 2 of its ' cut.json snap2.json
	sed 's/,"weights":\[\[0,/,"weights":[[99,/' snap1.json >wrong.json
	compare 1 'of the snapshot: the interval of a weight is not a whole number from 0 to 14' wrong.json snap2.json
	compare 2 '--format: diff prints text, csv or json' --format snapshot snap1.json snap2.json
	# Several files a side: made-up ones whose functions are 10 % larger or smaller from file to file.
	made() { # FILE TICKS PERCENT-OF-HOT LARGER...: a digit for each function
		file=$1 ticks=$2 hot=$3
		shift 3
		{
			printf 'cpus 1\nevent cycles period=1000\ndso app /usr/bin/app\ntask 100 app maps=app\n'
			i=1
			for f in hot b c d e f; do
				echo "sym app:$f 0x${i}000 16"
				i=$((i + 1))
			done
			for noise in 3 0 5 1; do
				echo tick
				i=0 larger=0
				for f in hot b c d e f; do
					i=$((i + 1))
					eval "larger=\$$i"
					n=$(((larger ? 1100 : 900) + noise * i))
					[ "$f" != hot ] || n=$((n * hot / 100))
					echo "sample cpu=0 task=100 event=cycles sym=app:$f n=$n spread"
				done
			done
			echo repeat
		} >script
		"$cyctop" --demo=script -n "$ticks" --format snapshot -o "$file" 2>err || fail "$file: $(cat err)"
	}
	made b1.json 20 100 1 0 1 0 1 0
	made b2.json 21 100 0 1 1 1 0 0
	made b3.json 22 100 1 1 0 0 0 1
	made b4.json 23 100 0 0 0 1 1 1
	made a1.json 24 105 1 1 0 1 0 0
	made a2.json 25 105 0 0 1 1 0 1
	made a3.json 26 105 0 1 0 0 1 1
	made a4.json 27 105 1 0 1 0 1 0
	compare 0 '' --unit share --format csv b1.json b2.json b3.json b4.json -- a1.json a2.json a3.json a4.json
	[ "$(cut -d, -f2,14 out | grep -c ',true')" = 0 ] || fail "files that differ by 10 %: $(cat out)"
	compare 0 '' --unit share --format csv b1.json a2.json
	[ "$(cut -d, -f2,14 out | grep -c ',true')" -ge 4 ] || fail "one file a side does not say so: $(cat out)"
	compare 0 '' b1.json b2.json -- a1.json
	grep -q '^before: b1.json and 1 more (41.0 s, ' out || fail "the heading of two files: $(cat out)"
	compare 1 'are the same recording' b1.json b1.json -- a1.json
	compare 1 'are the same recording' b1.json b2.json -- a1.json b2.json
	compare 1 'are on one side, but not of the same events' b1.json snap1.json -- a1.json
	compare 2 'or several of each: BEFORE... -- AFTER...' b1.json b2.json a1.json
	# nothing is written through a link, and no directory is taken for a file
	ln -s victim link.json
	"$cyctop" --demo -n 3 --format snapshot -o link.json 2>err && fail 'a snapshot was written to a link'
	grep -q 'link.json is a symbolic link, no file to be replaced' err || fail "a link: $(cat err)"
	[ ! -e victim ] || fail 'a snapshot was written through a link'
	mkdir saved
	"$cyctop" --demo -n 3 --format snapshot -o saved >out 2>err || fail "-o DIRECTORY: $(cat err)"
	[ "$(cat out)" = "$(ls saved/cyctop-*.json)" ] || fail "it does not say where it is: $(cat out)"
else
	"$cyctop" --demo -n 1 --format snapshot >/dev/null 2>err
	grep -q 'built without the jansson library' err || fail "without jansson: $(cat err)"
	echo '{}' >none.json
	compare 1 'none.json is a snapshot: this cyctop was built without the jansson library' none.json cyctop1.data
fi

if command -v perf >/dev/null && perf record -o /dev/null -q -e cpu-clock true 2>/dev/null; then
	pair perf perf record -q -N -e cpu-clock -F 2999
	# the shares of all functions of the load, and their differences, to the last digit
	compare 0 '' --unit share --raw-weights --format csv perf1.data perf2.data
	field before out >shares
	field change out >changes
	join shares changes | awk '{ printf "%s %.2f%% %+.2f%%\n", $1, 100 * $2, 100 * $3 }' >ours
	perf diff -q -c delta -s dso,sym perf1.data perf2.data 2>/dev/null </dev/null |
		awk '$3 == "load" { sub(/\.constprop\.0$/, "", $5); print $5, $1, $2 }' | sort |
		grep -E '^(check|count|hot|parse|sort|store) ' >perfs
	[ "$(wc -l <ours)" = 6 ] || fail "there are not six functions: $(cat ours)"
	cmp -s ours perfs || fail "perf diff has other shares: $(diff ours perfs)"
fi
finish
