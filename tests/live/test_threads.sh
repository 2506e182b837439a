#!/bin/sh
# Directories of perf record --threads: cyctop reads all files, merged by time.
#   test_threads.sh CYCTOP
# Records a load that forks and executes all the time, so that the task of a sample depends on the
# order of records in different files.  Totals by command and file are those of perf report; those of
# the single file that cyctop makes from the directory are, too.
set -u
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs perf
cat >forks.sh <<'SH'
while :; do
	head -c 300000 /dev/zero | tr '\0' x | md5sum >/dev/null
	seq 2000 | sort -r | awk '{ n += $1 } END { print n }' >/dev/null
done
SH
sh forks.sh &
children=$!
# half_gone DIR: has it samples of a thread that has lost its thread id, but not yet its process id?  cyctop names
# them by their process, perf does not.
half_gone() {
	perf script -i "$1" -F pid,tid 2>/dev/null | grep -q '[1-9][0-9]*/-1'
}
# record DIR OPTIONS...: until no sample is of such a thread
record() {
	dir=$1
	shift
	for _ in 1 2 3 4 5; do
		rm -rf "$dir"
		perf record -q --threads "$@" -o "$dir" -e cpu-clock -F 2000 -a -- sleep 1 >/dev/null 2>err || return
		half_gone "$dir" || break
	done
}
record plain || skip "perf record --threads does not work here: $(tail -n 1 err)"
[ -s plain/data.0 ] || skip "perf record --threads makes no data.0 here"
record packed -z || rm -rf packed
kill $children

by_perf() {
	perf report -i "$1" --stdio -q -n -t '|' --sort comm,dso -g none 2>/dev/null | awk -F '|' '
		NF >= 4 { gsub(/ +$/, "", $3); gsub(/ +$/, "", $4); sub(/.*\//, "", $4)
			sub(/ \(deleted\)$/, "", $4)
			if ($3 ~ /^:-?[0-9]+$/) $3 = "[exiting]"
			if ($4 == "[unknown]") $4 = "[kernel.kallsyms]"
			if ($4 ~ /^(\[JIT\] .*|anon|anon_huge|zero|\[heap\]|perf-[0-9]+[.]map)$/) $4 = "[anonymous]"
			n[$3 "|" $4] += $2 }
		END { for (k in n) print k "|" n[k] }' | sort
}
# Names as perf writes them: the idle task is swapper; the kernel is unknown for an address without
# a mapping; a library is the last component of its path; memory without a file has no name
by_cyctop() {
	"$cyctop" -b -i "$1" --sort comm,dso --format csv 2>err | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) {
				if ($i == "comm") c = i
				if ($i == "dso") d = i
				if ($i ~ /samples$/) s = i
			} }
		NR > 1 { if ($c == "[idle]") $c = "swapper"
			if ($c ~ /^:-?[0-9]+$/) $c = "[exiting]"
			if ($d == "[kernel]" || $d == "[unknown]") $d = "[kernel.kallsyms]"
			if ($d ~ /^\[(JIT\] .*|anon\]|heap\])$/) $d = "[anonymous]"
			sub(/.*\//, "", $d); n[$c "|" $d] += $s }
		END { for (k in n) print k "|" n[k] }' | sort
}
for dir in plain packed; do
	[ -d $dir ] || continue
	by_perf $dir >perf.txt
	if ! by_cyctop $dir >ours.txt || grep -q 'built without' err; then
		echo "$dir: $(cat err)"
		continue
	fi
	[ "$(awk -F '|' '{ n += $3 } END { print n + 0 }' perf.txt)" -gt 500 ] ||
		fail "$dir: too few samples to compare"
	cmp -s perf.txt ours.txt || {
		fail "$dir: totals differ (<: perf, >: cyctop)"
		diff perf.txt ours.txt | head -n 8
	}
	"$cyctop" record -i $dir -o $dir.data 2>err || fail "$dir: $(cat err)"
	by_perf $dir.data >joined.txt
	cmp -s perf.txt joined.txt || {
		fail "$dir: perf counts otherwise in the joined file (<: directory, >: file)"
		diff perf.txt joined.txt | head -n 8
	}
	by_cyctop $dir.data >joined.txt
	cmp -s perf.txt joined.txt || fail "$dir: cyctop counts otherwise in the joined file"
	"$cyctop" dump $dir >dump.txt
	[ "$(grep -c 'type=SAMPLE' dump.txt)" = "$(awk -F '|' '{ n += $3 } END { print n }' perf.txt)" ] ||
		fail "$dir: the dump has another number of samples"
	echo "$dir: $(grep -c '^file' dump.txt) files beside the first, $(grep -c 'type=SAMPLE' dump.txt) samples," \
		"$(wc -l <perf.txt) rows"
done

# A FIFO among the files is not waited for, and no further files are read
mkfifo plain/data.99 && rm -f plain/data.1 && mkfifo plain/data.1
timeout 10 "$cyctop" -b -i plain >/dev/null 2>&1 || fail "a pipe in the directory: status $?"
# A truncated file is read as far as possible, with a message
rm -f plain/data.1
truncate -s -20 plain/data.0
"$cyctop" -b -i plain --format json 2>err >out || fail "cut off: $(cat err)"
grep -q 'of its 1 files with records ends in the middle' err out || fail "nothing is said of the file that is cut off"
finish
