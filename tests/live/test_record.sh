#!/bin/sh
# cyctop record, as perf sees it:
#   test_record.sh CYCTOP LOAD
# A load with a known profile is recorded for some seconds: perf opens what was written
# without a word on stderr, names the load's functions and the kernel's, and counts
# what cyctop counts.  The same through a pipe, and of recordings that ended badly.
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
perf_samples
# quiet WHAT COMMAND...: it succeeds, and says nothing on stderr; its output is in "out"
quiet() {
	what=$1
	shift
	"$@" >out 2>err </dev/null || bad "$what: status $?"
	if grep -q 'Check IO/CPU overload' err; then
		echo "$what: this machine is so busy that records were lost"
		return
	fi
	[ ! -s err ] || {
		bad "$what: on stderr:"
		cat err
	}
}
# The number of samples as the summary says it
told() {
	sed -n 's/^cyctop: \([0-9]*\) samples.*/\1/p' "$1"
}
# The number of samples perf report counts
counted() {
	perf report -i "$1" --stdio -q -n --sort cpu -g none 2>/dev/null | awk '{ n += $2 } END { print n + 0 }'
}
same_count() {
	[ "$2" -gt 0 ] || bad "$1: no samples"
	[ "$2" = "$3" ] || bad "$1: cyctop says $2 samples, perf $3"
}
# Of another order, the five functions of the load, each seen by perf
functions() {
	for f in load_sixty load_thirty load_ten load_twenty load_eighty; do
		grep -q "$f" "$2" || bad "$1: perf report does not name $f"
	done
}

"$load" 900 >load.out & # ended by us, however slow the machine is
lpid=$!

echo "-- a file"
"$cyctop" record -o a.data -e cpu-clock -F 1999 --duration 3 2>a.err || bad "record: status $?"
quiet "perf report" perf report --stdio -g none -i a.data
functions "report" out
grep -q '\[k\] [a-z_]' out || bad "no kernel function has its name"
same_count "file" "$(told a.err)" "$(counted a.data)"
quiet "perf report --header" perf report --header-only -I -i a.data
for f in hostname 'os release' arch 'nrcpus online' 'total memory' cmdline 'sibling' 'time of first sample' \
	'event : name = cpu-clock'; do
	grep -q "^# $f" out || bad "the header does not say: $f"
done
quiet "perf evlist" perf evlist -v -i a.data
grep -q '^cpu-clock: .*size: 96' out || bad "perf evlist does not show the event, or its attr is too large"
quiet "perf script" perf script -i a.data
[ "$(grep -c cpu-clock out)" = "$(told a.err)" ] || bad "perf script shows $(grep -c cpu-clock out) samples"
quiet "perf buildid-list" perf buildid-list -i a.data
grep -q '\[kernel.kallsyms\]' out || bad "the kernel has no build-id"
grep -q "$(basename "$load")\$" out || bad "the load has no build-id"
[ "$(stat -c %a a.data)" = 600 ] || bad "others may read the file"

# cyctop reads it back.  By symbol where both name them alike; elsewhere perf has its own way
# with PLT entries, aliases and C++, so there by (comm, dso).  What a JIT made has no dso.
# What neither has a name for is a row per address for perf, and one row of its file here.
# A thread that is being torn down has no name, or the one of the idle task.
echo "-- a round trip"
pairs() { # FILE: "comm|dso|symbol<tab>samples", summed up
	awk -F '\t' '{
			if ($1 ~ /^(\[unknown\]|\[exiting\]|\[idle\]|swapper|:-?[0-9]+)$/)
				$1 = "[nobody]"
			if ($2 ~ /^(anon|anon_huge|zero|\[heap\]|\[anon\]|\[JIT\] .*|perf-[0-9]+[.]map)$/)
				$2 = "[anonymous]"
			if ($2 !~ /^\[kernel\]$|^load$/)
				$3 = ""
			n[$1 "|" $2 "|" $3] += $4
		}
		END { for (k in n) print k "\t" n[k] }' "$1" | sort
}
"$cyctop" -b -i a.data --sort comm,dso,symbol --format json 2>i.err >rows && code=0 || code=$?
if ! command -v jq >/dev/null || grep -q 'built without' i.err; then
	echo "left out: it needs jq, and cyctop with jansson"
else
	[ "$code" = 0 ] || bad "cyctop -i: $(cat i.err)"
	jq -r '.rows[] | [.comm, (.dso | sub(".*/"; "")), .symbol, .events["cpu-clock"].samples] | @tsv' rows >ours
	tab=$(printf '\t')
	perf report -i a.data --stdio -q -F sample,comm,dso,symbol -t "$tab" -w 12,300,300,300 -g none 2>/dev/null |
		awk -F '\t' '$1 + 0 {
			for (i = 1; i <= 4; i++)
				gsub(/^ +| +$/, "", $i)
			sub(/.*\//, "", $3)
			sub(/ \(deleted\)$/, "", $3)
			sub(/^\[kernel.kallsyms\]$/, "[kernel]", $3)
			sub(/^\[.\] (__pi_)?/, "", $4)
			sub(/^0x[0-9a-f]+$/, "[no symbol]", $4)
			print $2 "\t" $3 "\t" $4 "\t" $1
		}' >theirs
	pairs ours >ours.pairs
	pairs theirs >theirs.pairs
	[ "$(grep -c '|load|load_' ours.pairs)" = 5 ] || bad "cyctop -i does not name the load's functions"
	cmp -s ours.pairs theirs.pairs || {
		bad "cyctop and perf do not agree about the same file (< cyctop, > perf):"
		diff ours.pairs theirs.pairs | head -n 20
	}
fi

echo "-- once more, compressed or not: the old one stays"
zstd=
perf version --build-options 2>/dev/null | grep -q 'zstd: \[ on' &&
	"$cyctop" record -z -o z.data --duration 0.1 2>/dev/null &&
	zstd=-z
"$cyctop" record -a $zstd -o a.data -e cpu-clock -F 1999 -- sleep 1 2>b.err || bad "record sleep: status $?"
same_count "again" "$(told b.err)" "$(counted a.data)"
same_count "old" "$(told a.err)" "$(counted a.data.old)"
quiet "perf diff" perf diff a.data.old a.data

echo "-- a pipe"
for opt in '' $zstd; do
	# shellcheck disable=SC2086 # an option or none
	"$cyctop" record $opt -o - -e cpu-clock -F 1999 --duration 1 2>p.err >pipe || bad "record to a pipe: status $?"
	perf report --stdio -g none -i - <pipe >out 2>err || bad "perf report of a pipe: status $?"
	[ ! -s err ] || bad "perf report of a pipe: $(cat err)"
	functions "pipe" out
	perf script -i - <pipe 2>/dev/null >out
	same_count "pipe" "$(told p.err)" "$(grep -c cpu-clock out)"
done
{ timeout 20 "$cyctop" record -o - -e cpu-clock --duration 15 2>err || echo $? >code; } | head -c 500 >/dev/null
[ "$(cat code)" = 1 ] || bad "the reader went away: status $(cat code)"
grep -q 'has gone' err || bad "the reader went away: $(cat err)"

echo "-- the command"
"$cyctop" record -o c.data -- sh -c 'exit 3' 2>/dev/null && code=0 || code=$?
[ "$code" = 3 ] || bad "the command's status is $code"
"$cyctop" record -o c.data -- /nonexistent/command 2>err && code=0 || code=$?
[ "$code" = 127 ] || bad "a command that is not there: status $code"
grep -q 'cannot run /nonexistent/command' err || bad "a command that is not there: $(cat err)"

echo "-- ended by a signal"
"$cyctop" record -o s.data -e cpu-clock 2>s.err &
pid=$!
sleep 1.5
kill -INT $pid
wait $pid || bad "interrupted: status $?"
quiet "perf report after SIGINT" perf report --stdio -g none -i s.data
same_count "interrupted" "$(told s.err)" "$(counted s.data)"
"$cyctop" record -o k.data -e cpu-clock 2>/dev/null &
pid=$!
sleep 2.5
for _ in 1 2 3 4 5 6 7 8 9 10; do # more where the machine is busy with something else
	[ "$("$cyctop" dump k.data 2>/dev/null | grep -c type=SAMPLE)" -le 1000 ] || break
	sleep 1
done
kill -KILL $pid
wait $pid 2>/dev/null || :
quiet "perf report after SIGKILL" perf report --stdio -g none -i k.data
functions "killed" out
[ "$(counted k.data)" -gt 1000 ] || bad "killed: only $(counted k.data) samples"

echo "-- names in a stream"
# Of a program that was not there before: its build-id comes before its samples; and, as some
# writers have it, behind everything.
cp "$load" fresh
"$cyctop" record -e cpu-clock -o - -- sh -c 'echo not in the stream; exec ./fresh 2' >s.pipe 2>s.err ||
	bad "a stream of a new program: status $?"
"$cyctop" -b -d 0.5 -i - --sort dso,symbol <s.pipe >out 2>/dev/null
grep -q 'fresh  *load_sixty' out || bad "a stream read piece by piece does not name what began meanwhile"
grep -q 'not in the stream' s.err || bad "the output of the command is not on standard error"
"$cyctop" dump s.pipe | grep '^damage' && bad "the stream is damaged"
where=$("$cyctop" dump s.pipe |
	sed -n 's/^record offset=\(0x[0-9a-f]*\) type=BUILD_ID .*size=\([0-9]*\) .*fresh}$/\1 \2/p')
at=$(printf '%d' "${where% *}") len=${where#* }
{
	head -c "$at" s.pipe
	tail -c +$((at + len + 1)) s.pipe
	head -c $((at + len)) s.pipe | tail -c "$len"
} >late.pipe
[ "$("$cyctop" dump late.pipe | tail -n 1 | grep -c 'BUILD_ID.*fresh')" = 1 ] || bad "no stream with a late build-id"
"$cyctop" -b -i - --sort dso,symbol <late.pipe >out 2>/dev/null
grep -q 'fresh  *load_sixty' out || bad "a build-id at the end of a stream names nothing"

echo "-- where it must not write"
ln -s a.data link
mkdir dir
for to in link dir/ dir nowhere/a.data; do
	"$cyctop" record -o $to --duration 0.1 2>err && bad "it wrote to $to"
	grep -q '^cyctop: ' err || bad "$to: $(cat err)"
done
[ -L link ] || bad "the symbolic link was replaced"

echo "-- no room"
(
	ulimit -f 1000 # blocks of 512 bytes or 1 KiB, whichever shell this is
	"$cyctop" record -o f.data -e cpu-clock -F 1999 --duration 30 2>f.err
) && code=0 || code=$?
[ "$code" = 1 ] || bad "no room: status $code"
grep -q 'cannot write to f.data: .*can be read' f.err || bad "no room: $(cat f.err)"
quiet "perf report without room" perf report --stdio -g none -i f.data
[ "$(counted f.data)" -gt 0 ] || bad "no room: nothing is left"

exit $status
