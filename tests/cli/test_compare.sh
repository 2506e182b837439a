#!/bin/sh
# cyctop compare: exit statuses, formats, what fails and what is interrupted.  Nothing here depends on how long a
# command takes, or on perf events.
#   test_compare.sh CYCTOP
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$(realpath "$1")
mkdir "$tmp/t" && export TMPDIR="$tmp/t"
cd "$tmp" || exit 1

# compare STATUS TEXT ARGS...: checks the exit status, and a text on stderr ('': any)
compare() {
	want=$1 text=$2
	shift 2
	"$cyctop" compare "$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "cyctop compare $*: exit status $got, not $want: $(cat err)"
	[ -z "$text" ] || grep -qF -- "$text" err || fail "cyctop compare $*: it does not say '$text' but: $(cat err)"
}
nothing_is_left() { # AFTER WHAT...
	[ -z "$(ls "$TMPDIR")" ] || fail "$*: left $(ls "$TMPDIR"/*)"
}

compare 0 '' --help
grep -q -- '--runs RUNS' out || fail "--help: $(cat out)"
compare 2 'compare takes two commands with --- between them' true
compare 2 '-r takes a number from 2 to 500' -r 1 -- true --- true
nothing_is_left 'a wrong command line'

compare 0 '' -r 2 --seed 7 -- true --- sh -c 'echo noise; echo noise >&2'
[ ! -s err ] || fail "nothing but the comparison is printed, but: $(cat err)"
[ "$(grep -cxF -e 'A: true' -e 'B: sh -c echo noise; echo noise >&2' out)" = 2 ] ||
	fail "the commands are not named: $(cat out)"
grep -q '^2 of 2 pairs of runs, in random order (--seed 7)$' out || fail "pairs: $(cat out)"
! grep -qx noise out || fail "the command's own output is in it: $(cat out)"
for metric in wall cpu user system peak-rss page-faults context-switches; do
	grep -Eq "^[* ] +$metric +[0-9]" out || fail "$metric is not there: $(cat out)"
done
nothing_is_left 'runs that succeed'

# the same seed is the same order of runs
for try in 1 2; do
	: >order
	compare 0 '' -r 4 --seed 11 -- sh -c 'echo a >>order' --- sh -c 'echo b >>order'
	tr -d '\n' <order >order$try
done
cmp -s order1 order2 || fail "the same seed has two orders: $(cat order1 order2)"
[ "$(cut -c1-2 order1)" = ab ] || fail "the warm-up is not A, then B: $(cat order1)"
[ "$(wc -c <order1)" = 10 ] || fail "not four runs of each and one to warm up: $(cat order1)"
case $(cut -c3- order1) in
*abba* | *baab*) ;;
*) fail "the order within pairs does not change: $(cat order1)" ;;
esac

compare 0 '' -r 2 --format csv -- true --- true
sed -n 1p out | grep -qx 'kind,dso,name,unit,a,a_low,a_high,b,b_low,b_high,ratio,low,high,real,smallest,state' ||
	fail "the header of CSV: $(sed -n 1p out)"
[ "$(awk -F, '$1 == "metric" && NF == 16' out | sed -n '/,wall,s,/p' | wc -l)" = 1 ] || fail "CSV: $(cat out)"
compare 0 '' -r 2 -o file --format csv -- true --- true
[ ! -s out ] || fail "-o: it prints $(cat out)"
grep -q '^metric,,wall,s,' file || fail "-o: $(cat file)"
compare 1 'cannot create /no/such/file: No such file or directory' -r 2 -o /no/such/file -- true --- true
# what stands in the place of the file: nothing is written through it, and nobody waits for it
echo precious >precious
ln precious hard
ln -s precious link
mkfifo fifo
compare 1 'link is a symbolic link' -r 2 -o link -- true --- true
compare 1 'nobody reads from the FIFO fifo' -r 2 -o fifo -- true --- true
compare 1 't is a directory' -r 2 -o t -- true --- true
compare 0 '' -r 2 -o hard -- true --- true
grep -q '^A: true$' hard || fail "-o: $(cat hard)"
[ "$(cat precious)" = precious ] || fail "it was written through a link: $(cat precious)"
[ "$(stat -c %a hard)" = 600 ] || fail "others may read the file"
compare 0 '' -r 2 -o /dev/stdout -- true --- true
grep -q '^A: true$' out || fail "-o /dev/stdout: $(cat out)"
# a disk that is full
(
	ulimit -f 0
	trap '' XFSZ
	"$cyctop" compare -r 2 -o hard -- true --- true >out 2>err </dev/null
) && fail "a full disk is no error"
grep -q '^A: true$' hard || fail "a full disk took the old file"
[ -z "$(find . -name '.cyctop*')" ] || fail "left: $(ls -a)"
if "$cyctop" --demo -n 1 --format json >/dev/null 2>&1; then # it was built with jansson
	compare 0 '' -r 2 --format json -- true --- sh -c 'exit 0'
	number='[0-9.e+-]*'
	for key in '{"schema":"cyctop-compare/1","a":{"command":\["true"\],"failed":0},' \
		'"b":{"command":\["sh","-c","exit 0"\],"failed":0}' \
		'"runs":2,"pairs":2,"seed":[0-9]*,"failures":\[\],"outliers":\[\],' \
		'"output":null,"fdr":0.05,"min_change":0.01,' \
		'"metrics":\[{"name":"wall","unit":"s","a":{"value":'"$number"',"low":'"$number"',"high":' \
		'"ratio":{"value":'"$number"',"low":'"$number"',"high":'"$number"',"real":' '"rows":\['; do
		grep -q "$key" out || fail "JSON does not have $key: $(cat out)"
	done
	! command -v jq >/dev/null || jq -e '.metrics | length >= 7' out >/dev/null ||
		fail "jq does not read it: $(cat out)"
else
	compare 2 'built without the jansson library' -r 2 --format json -- true --- true
fi
nothing_is_left 'formats'

# failures
compare 1 'cannot run no-such-command: No such file or directory' -r 2 -- true --- no-such-command
nothing_is_left 'a command that is not there'
compare 1 'B failed in 2 of 2 runs (exit status 3): a pair with such a run is left out' -r 2 -- true --- sh -c 'exit 3'
grep -q 'there is no pair of runs to compare' err || fail "no pairs: $(cat err)"
rm -rf "${TMPDIR:?}"/*
compare 1 'the first 3 pairs of runs all failed' -r 50 -- sh -c 'echo why; kill -9 $$' --- true
grep -q 'A failed in 3 of 3 runs (signal 9)' err || fail "a signal: $(cat err)"
dir=$(sed -n 's/.*what the runs that failed have printed is in //p' err)
[ "$(cat "$dir/a-2.out")" = why ] || fail "what a failed run printed is not kept: $(ls "$dir")"
[ ! -e "$dir/b-2.out" ] || fail "what a run printed that did not fail is kept: $(ls "$dir")"
[ "$(find "$dir" -prune -perm 0700 | wc -l)" = 1 ] || fail "others may read it: $(ls -ld "$dir")"
[ -z "$(find "$dir" -name '*.data')" ] || fail "recordings are left: $(ls "$dir")"
rm -rf "${TMPDIR:?}"/*
# every second run of B fails, the first one being that to warm up
compare 1 '' -r 4 -- true --- sh -c 'if [ -e odd ]; then rm odd; else : >odd; exit 1; fi'
grep -q '^Note: B failed in 2 of 4 runs (exit status 1)' out || fail "failures are not counted: $(cat out)"
grep -q '^2 of 4 pairs of runs' out || fail "pairs with failures: $(cat out)"
rm -rf "${TMPDIR:?}"/*

# a run that takes far longer than the others is named, and counts; so long that a busy machine hides it nowhere
# shellcheck disable=SC2016 # the command expands it
compare 0 '' -r 6 -- true --- sh -c 'echo >>runs; [ $(wc -l <runs) -ne 4 ] || sleep 4'
grep -Eq '^Note: run 3 of B took [0-9.]+ s, the others [0-9.e-]+ s: it counts like them\.$' out ||
	fail "a run of four seconds is not named: $(cat out)"
grep -q '^6 of 6 pairs of runs' out || fail "an outlier was left out: $(cat out)"

# bounds; a program that touches more memory has more page faults, whatever the machine
# shellcheck disable=SC2016 # the command expands it
more='i=0; x=0123456789; while [ $i -lt 17 ]; do x=$x$x; i=$((i + 1)); done'
compare 3 'page-faults: +' -r 4 --fail-if 'page-faults > +20%' -- sh -c : --- sh -c "$more"
# not peak-rss, in which the kernel includes the memory of what started the command: much, in a sanitized build
grep -Eq '^\* +page-faults ' out || fail "1.3 MB more are not found: $(cat out)"
compare 0 '' -r 3 --fail-if 'peak-rss > +10000%' -- true --- true
compare 2 "'no-such' is not compared here" -r 2 --fail-if 'no-such > 3%' -- true --- true
nothing_is_left 'bounds'

# a directory that cannot be made
TMPDIR=/no/such compare 1 'cannot make a directory in /no/such: No such file or directory' -- true --- true

# what is there is reported, whatever ended it
# shellcheck disable=SC2016 # the command expands it
compare 1 'cannot make a new file for what the command prints' -r 9 -- true \
	--- sh -c 'echo >>made; [ $(wc -l <made) -lt 4 ] || rm -r "$TMPDIR"/cyctop-compare-*'
grep -Eq '^[23] of 9 pairs of runs' out || fail "what there is is not reported: $(cat out)"
nothing_is_left 'a directory that was removed'
# the report is not lost with the place that it was to have
mkdir place
compare 1 'cannot create place/report: No such file or directory: this is printed instead' -r 2 -o place/report \
	-- sh -c 'rm -rf place' --- true
grep -q '^2 of 2 pairs of runs' out || fail "the report is lost: $(cat out)"
# a command that cannot be started leaves nothing
(
	# shellcheck disable=SC3045 # dash and bash have it
	ulimit -n 10
	"$cyctop" compare -r 2 -- true --- true >out 2>err </dev/null
)
nothing_is_left 'too few descriptors'
# SIGKILL leaves neither the directory nor what runs
"$cyctop" compare -r 9 -- sh -c 'echo $$ >child; exec sleep 1000' --- true >out 2>err </dev/null &
pid=$!
eventually test -s child
kill -KILL $pid
wait $pid
eventually is_gone "$(cat child)" || fail "the command outlives cyctop"
# shellcheck disable=SC2317 # eventually calls it
is_empty() {
	[ -z "$(ls "$TMPDIR")" ]
}
eventually is_empty || nothing_is_left 'SIGKILL'
rm -f child

# a signal ends what runs, and its children
"$cyctop" compare -r 9 -- true --- sh -c 'sleep 1000 & echo $! >child; wait' >out 2>err </dev/null &
pid=$!
eventually test -s child
kill -TERM $pid
wait $pid
status=$?
[ $status = 1 ] || fail "an end before the first pair is status $status, not 1"
grep -q 'interrupted after 0 of 9 pairs of runs' err || fail "the interruption is not said: $(cat err)"
eventually is_gone "$(cat child)" || fail "the command's child runs on"
nothing_is_left 'an interrupt'
# what there is is printed
# shellcheck disable=SC2016 # the command expands it
"$cyctop" compare -r 9 -- true --- sh -c 'echo >>count; [ $(wc -l <count) -lt 4 ] || exec sleep 1000' >out 2>err \
	</dev/null &
pid=$!
# shellcheck disable=SC2317 # eventually calls it
is_fourth() {
	[ -e count ] && [ "$(wc -l <count)" = 4 ]
}
eventually is_fourth
kill -TERM $pid
wait $pid
status=$?
[ $status = 0 ] || fail "an end after two pairs is status $status, not 0: $(cat err)"
[ "$(grep -Ec '^Note: interrupted after 2 of 9 pairs of runs|^2 of 9 pairs| wall ' out)" = 3 ] ||
	fail "what there is is not printed: $(cat out)"
nothing_is_left 'an interrupt with results'
finish
