#!/bin/sh
# cyctop record, checked with perf:
#   test_record.sh CYCTOP LOAD
# Records a load with a known profile for some seconds.  perf opens the recording without a message
# on stderr, names the functions of the load and the kernel, and counts the same samples as cyctop.
# The same through a pipe, and for recordings that were interrupted.
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_perf
# quiet WHAT COMMAND...: checks that the command succeeds without output on stderr; stdout goes to "out"
quiet() {
	what=$1
	shift
	"$@" >out 2>err </dev/null || fail "$what: status $?"
	if grep -q 'Check IO/CPU overload' err; then
		echo "$what: this machine is so busy that records were lost"
		return
	fi
	[ ! -s err ] || {
		fail "$what: on stderr:"
		cat err
	}
}
# The number of samples in the summary of cyctop record
told() {
	sed -n 's/^cyctop: \([0-9]*\) samples, .*/\1/p' "$1"
}
# The number of samples that perf report counts
counted() {
	perf report -i "$1" --stdio -q -n --sort cpu -g none 2>/dev/null | awk '{ n += $2 } END { print n + 0 }'
}
same_count() {
	[ "$2" -gt 0 ] || fail "$1: no samples"
	[ "$2" = "$3" ] || fail "$1: cyctop says $2 samples, perf $3"
}
# Checks that perf names the five functions of the load, in any order
functions() {
	for f in load_sixty load_thirty load_ten load_twenty load_eighty; do
		grep -q "$f" "$2" || fail "$1: perf report does not name $f"
	done
}

start "$load" 3600 >load.out
load_pid=$pid
# record_load FILE OPTIONS...: records until the load has used 2 s of CPU time; cyctop's stderr goes to
# FILE.err
record_load() {
	file=$1
	shift
	start "$cyctop" record -o "$file" -e cpu-clock "$@" 2>"$file.err"
	recorder=$pid
	eventually has_samples "$file" 100 || fail "$file: $(cat "$file.err")"
	uses "$load_pid" 2000
	interrupt "$recorder" "$file"
}

echo "-- a file"
record_load a.data -F 1999
mv a.data.err a.err
quiet "perf report" perf report --stdio -g none -i a.data
functions "report" out
grep -q '\[k\] [a-z_]' out || fail "no kernel function has its name"
same_count "file" "$(told a.err)" "$(counted a.data)"
quiet "perf report --header" perf report --header-only -I -i a.data
for f in hostname 'os release' arch 'nrcpus online' 'total memory' cmdline 'sibling' 'time of first sample' \
	'event : name = cpu-clock'; do
	grep -q "^# $f" out || fail "the header does not say: $f"
done
quiet "perf evlist" perf evlist -v -i a.data
grep -q '^cpu-clock: .*size: 96' out || fail "perf evlist does not show the event, or its attr is too large"
quiet "perf script" perf script -i a.data
[ "$(grep -c cpu-clock out)" = "$(told a.err)" ] || fail "perf script shows $(grep -c cpu-clock out) samples"
quiet "perf buildid-list" perf buildid-list -i a.data
grep -q '\[kernel.kallsyms\]' out || fail "the kernel has no build-id"
grep -q "$(basename "$load")\$" out || fail "the load has no build-id"
[ "$(stat -c %a a.data)" = 600 ] || fail "others may read the file"

# cyctop reads its recording.  Compared by symbol where both use the same names; perf treats PLT
# entries, aliases and C++ differently, so those are compared by (comm, dso).  JIT code has no dso.
# perf has one row for each address without a name, cyctop one row for each file.
# A thread that is exiting has no name, or that of the idle task.
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
	[ "$code" = 0 ] || fail "cyctop -i: $(cat i.err)"
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
	[ "$(grep -c '|load|load_' ours.pairs)" = 5 ] || fail "cyctop -i does not name the load's functions"
	cmp -s ours.pairs theirs.pairs || {
		fail "cyctop and perf do not agree about the same file (< cyctop, > perf):"
		diff ours.pairs theirs.pairs | head -n 20
	}
fi

# READ records: of each event on each CPU, from the beginning to the end.  What they count is what a
# clock counts: the time of all CPUs; perf does not mind them.
echo "-- counts"
"$cyctop" dump a.data >dumped
awk -v cpus="$(getconf _NPROCESSORS_ONLN)" '
	/ type=THREAD_MAP / { all = /pid=18446744073709551615 / }
	/ type=SAMPLE / { samples++ }
	/ type=READ / && /{pid=-1 tid=-1 / {
		match($0, /cpu=[0-9]+}}/); cpu = substr($0, RSTART, RLENGTH)
		match($0, / time=[0-9]+/); time = substr($0, RSTART + 6, RLENGTH - 6)
		match($0, /enabled=[0-9]+/); enabled = substr($0, RSTART + 8, RLENGTH - 8)
		match($0, /running=[0-9]+/); running = substr($0, RSTART + 8, RLENGTH - 8)
		if (!(cpu in first)) {
			first[cpu] = time; begun[cpu] = enabled; n++
			early += samples > 0
		}
		if (time < last[cpu] || running > enabled) wrong++
		last[cpu] = time; ended[cpu] = enabled; after = samples
	}
	END {
		for (cpu in first) {
			passed = last[cpu] - first[cpu]
			if (ended[cpu] - begun[cpu] < 0.9 * passed || passed < 1e9) wrong++
		}
		if (!all) print "no THREAD_MAP of all threads"
		if (n != cpus) print n, "CPUs with READ records, not", cpus
		if (early) print early, "samples before the first READ record"
		if (samples != after) print samples - after, "samples after the last one"
		if (wrong) print wrong, "times that cannot be"
	}' dumped >wrong
[ ! -s wrong ] || fail "READ records: $(cat wrong)"

echo "-- once more, compressed or not: the old one stays"
zstd=
perf version --build-options 2>/dev/null | grep -q 'zstd: \[ on' &&
	"$cyctop" record -z -o z.data --duration 0.1 2>/dev/null &&
	zstd=-z
"$cyctop" record -a $zstd -o a.data -e cpu-clock -F 1999 -- sleep 1 2>b.err || fail "record sleep: status $?"
same_count "again" "$(told b.err)" "$(counted a.data)"
same_count "old" "$(told a.err)" "$(counted a.data.old)"
quiet "perf diff" perf diff a.data.old a.data

echo "-- a pipe"
for opt in '' $zstd; do
	# shellcheck disable=SC2086 # an option or none
	start "$cyctop" record $opt -o - -e cpu-clock -F 1999 2>p.err >pipe
	recorder=$pid
	eventually has_samples pipe 100 || fail "record to a pipe: $(cat p.err)"
	uses "$load_pid" 2000
	interrupt "$recorder" "record to a pipe"
	perf report --stdio -g none -i - <pipe >out 2>err || fail "perf report of a pipe: status $?"
	[ ! -s err ] || fail "perf report of a pipe: $(cat err)"
	functions "pipe" out
	[ "$("$cyctop" dump pipe | grep -c ' type=READ .*{pid=-1 tid=-1 ')" -gt 1 ] || fail "no counts in a pipe"
	perf script -i - <pipe 2>/dev/null >out
	same_count "pipe" "$(told p.err)" "$(grep -c cpu-clock out)"
done
{ "$cyctop" record -o - -e cpu-clock --duration 3600 2>err || echo $? >code; } | head -c 500 >/dev/null
[ "$(cat code)" = 1 ] || fail "the reader went away: status $(cat code)"
grep -q 'has closed the pipe' err || fail "the reader went away: $(cat err)"

echo "-- the command"
"$cyctop" record -o c.data -- sh -c 'exit 3' 2>/dev/null && code=0 || code=$?
[ "$code" = 3 ] || fail "the command's status is $code"
"$cyctop" record -o c.data -- /nonexistent/command 2>err && code=0 || code=$?
[ "$code" = 127 ] || fail "a command that is not there: status $code"
grep -q 'cannot run /nonexistent/command' err || fail "a command that is not there: $(cat err)"

echo "-- ended by a signal"
record_load s.data
quiet "perf report after SIGINT" perf report --stdio -g none -i s.data
same_count "interrupted" "$(told s.data.err)" "$(counted s.data)"
start "$cyctop" record -o k.data -e cpu-clock 2>/dev/null
recorder=$pid
eventually has_samples k.data 1000 || fail "killed: too few samples"
uses "$load_pid" 2000
eventually has_samples k.data 2000 || fail "killed: too few samples"
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null || :
quiet "perf report after SIGKILL" perf report --stdio -g none -i k.data
functions "killed" out
[ "$(counted k.data)" -gt 1000 ] || fail "killed: only $(counted k.data) samples"

echo "-- names in a stream"
# A program that did not exist before: its build-id precedes its samples.  Then the same recording
# with build-ids after everything else, as some writers put them.
cp "$load" fresh
"$cyctop" record -e cpu-clock -o - -- sh -c 'echo not in the stream; exec ./fresh cpu 1' >s.pipe 2>s.err ||
	fail "a stream of a new program: status $?"
"$cyctop" -b -d 0.5 -i - --sort dso,symbol <s.pipe >out 2>/dev/null
grep -q 'fresh  *load_sixty' out || fail "a stream read piece by piece does not name what began meanwhile"
grep -q 'not in the stream' s.err || fail "the output of the command is not on standard error"
"$cyctop" dump s.pipe | grep '^damage' && fail "the stream is damaged"
where=$("$cyctop" dump s.pipe |
	sed -n 's/^record offset=\(0x[0-9a-f]*\) type=BUILD_ID .*size=\([0-9]*\) .*fresh}$/\1 \2/p')
at=$(printf '%d' "${where% *}") len=${where#* }
{
	head -c "$at" s.pipe
	tail -c +$((at + len + 1)) s.pipe
	head -c $((at + len)) s.pipe | tail -c "$len"
} >late.pipe
[ "$("$cyctop" dump late.pipe | tail -n 1 | grep -c 'BUILD_ID.*fresh')" = 1 ] || fail "no stream with a late build-id"
"$cyctop" -b -i - --sort dso,symbol <late.pipe >out 2>/dev/null
grep -q 'fresh  *load_sixty' out || fail "a build-id at the end of a stream names nothing"

echo "-- where it must not write"
ln -s a.data link
mkdir dir
for to in link dir/ dir nowhere/a.data; do
	"$cyctop" record -o $to --duration 0.1 2>err && fail "it wrote to $to"
	grep -q '^cyctop: ' err || fail "$to: $(cat err)"
done
[ -L link ] || fail "the symbolic link was replaced"

echo "-- no room"
(
	ulimit -f 1000 # blocks of 512 bytes or 1 KiB, whichever shell this is
	"$cyctop" record -o f.data -e cpu-clock -F 1999 --duration 3600 2>f.err
) && code=0 || code=$?
[ "$code" = 1 ] || fail "no room: status $code"
grep -q 'cannot write to f.data: .*can be read' f.err || fail "no room: $(cat f.err)"
grep -q 'samples taken, not all of them kept' f.err || fail "no room: $(cat f.err)"
quiet "perf report without room" perf report --stdio -g none -i f.data
[ "$(counted f.data)" -gt 0 ] || fail "no room: nothing is left"

finish
