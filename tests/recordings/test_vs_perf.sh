#!/bin/sh
# What cyctop reads out of recordings against perf report, run on the same files:
# samples of every event by (comm, dso), by comm, by thread and by process, to the
# sample.  A file that perf does not read is left out.
#   test_vs_perf.sh CYCTOP
# Names that the two spell differently are made equal first, see equal_names below.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
cyctop=$1
for program in jq perf; do
	command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
mkdir "$tmp/symfs"
export LC_ALL=C
tab=$(printf '\t')

# perf_says FILE KEYS: "event<tab>key...<tab>samples", events by number, those without
# samples left out.  Without decoding branch stacks and AUX traces: samples only.
perf_says() {
	keys=$(echo "$2" | sed 's/tid/pid/') # what perf 6.1 calls pid is a thread
	perf report -i "$1" --stdio -g none --no-children --no-group --no-branch-stack --no-itrace --percentage absolute \
		--symfs "$tmp/symfs" -F "sample,$keys" -t "$tab" 2>/dev/null </dev/null | awk -F '\t' '
		/^# Samples: /		{ section = $0; n = 0; next }
		/^#/ || !NF		{ next }
		$1 + 0 > 0		{
			if (!n++)
				event++
			line = event
			for (i = 2; i <= NF; i++) {
				gsub(/^ +| +$/, "", $i)
				line = line "\t" $i
			}
			print line "\t" $1 + 0
		}' | if [ "$2" = tid ]; then sed 's/:[^\t]*//'; else cat; fi
}

# perf_pids FILE: the same by process, of which perf report has no notion.
perf_pids() {
	perf script -i "$1" -F pid,tid,event --no-itrace --symfs "$tmp/symfs" 2>/dev/null </dev/null | awk '
		{ split($1, id, "/"); n[id[1]]++ }
		END { for (pid in n) print "all\t" pid "\t" n[pid] }'
}

# cyctop_says FILE KEYS
cyctop_says() {
	"$cyctop" -b -i "$1" --sort "$2" --window total --format json 2>"$tmp/err" </dev/null >"$tmp/json" || return 1
	jq -r --arg keys "$2" '($keys | split(",")) as $keys
		| [.events[] | select(.samples > 0) | .name] as $names
		| .rows[] as $row | range($names | length) as $i
		| $row.events[$names[$i]].samples as $n | select($n > 0)
		| [$i + 1] + [$keys[] as $k | $row[$k] // -1] + [$n] | @tsv' "$tmp/json"
}

# Both name the kernel, idle time, memory without a file, and tasks without a name in
# their own ways; perf knows a DSO by the last part of its path.
equal_names() {
	awk -F '\t' -v OFS='\t' -v keys="$1" '
		BEGIN { n = split(keys, key, ",") }
		{
			for (i = 1; i <= n; i++) {
				f = $(i + 1)
				if (key[i] == "comm") {
					if (f == "[idle]")
						f = "swapper"
					if (f ~ /^:-?[0-9]+$/ || f == "[exiting]")
						f = "[unknown]"
				} else if (key[i] == "dso") {
					if (f ~ /^\[(guest\.)?kernel/ || f ~ /(^|\/)vmlinux/)
						f = "[kernel]"
					else if (f ~ /^\/\/anon|^\[heap\]|^\/anon_hugepage|^\/dev\/zero|perf-[0-9]+\.map$/)
						f = "[anonymous]"
					else if (f !~ /^\[/)
						sub(/.*\//, "", f)
				}
				$(i + 1) = f
			}
			head = $1
			for (i = 1; i <= n; i++)
				head = head "\t" $(i + 1)
			sum[head] += $(n + 2)
		}
		END { for (h in sum) print h "\t" sum[h] }' | sort
}

same=0 unread=0
differ() { # FILE WHAT
	fail "$1: $2 differ (-: perf, +: cyctop)"
	diff "$tmp/perf" "$tmp/ours" | grep '^[<>]' | head -n 8 | sed 's/^</-/; s/^>/+/'
}
for packed in "$data"/*.perf.data "$data"/derived/*.perf.data*; do
	[ -f "$packed" ] || continue
	file=$(unpacked "$packed")
	name=${file##*/}
	perf_says "$file" comm,dso >"$tmp/raw"
	if [ ! -s "$tmp/raw" ]; then
		unread=$((unread + 1))
		continue
	fi
	for keys in comm,dso comm tid; do
		perf_says "$file" $keys | equal_names $keys >"$tmp/perf"
		if ! cyctop_says "$file" $keys >"$tmp/raw"; then
			fail "$name: cyctop does not read it: $(tail -n 1 "$tmp/err")"
			continue 2
		fi
		equal_names $keys <"$tmp/raw" >"$tmp/ours"
		cmp -s "$tmp/perf" "$tmp/ours" || differ "$name" "totals by $keys"
	done
	perf_pids "$file" | sort >"$tmp/perf"
	cyctop_says "$file" pid | awk -F '\t' '{ n[$2] += $3 } END { for (pid in n) print "all\t" pid "\t" n[pid] }' |
		sort >"$tmp/ours"
	[ ! -s "$tmp/perf" ] || cmp -s "$tmp/perf" "$tmp/ours" || differ "$name" "totals by pid"
	same=$((same + 1))
done
echo "$same recordings compared, $unread that perf does not read or finds no samples in; $failed differences"
[ "$failed" = 0 ] && [ "$same" -gt 0 ]
