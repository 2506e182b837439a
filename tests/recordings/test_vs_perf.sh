#!/bin/sh
# Samples of every event by (comm, dso), by comm, by thread and by process in each recording: cyctop
# must count exactly as perf report does in the same file.  Files that perf cannot read are left out.
#   test_vs_perf.sh CYCTOP
# If the two use different names for the same thing, equal_names below makes them equal.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq perf
cyctop=$1
"$cyctop" --demo -n 1 --format json >/dev/null 2>"$tmp/why" || skip "$(cat "$tmp/why")"
mkdir "$tmp/symfs"
tab=$(printf '\t')

# perf_says FILE: lines "event<tab>comm<tab>dso<tab>tid<tab>samples", events by number, those without
# samples left out.  Branch stacks and AUX traces are not decoded, so that only samples count.
# The columns are wide, because perf cuts names off at the width that it computes.  "pid" of perf 6.1
# is a thread; its symbol shows whether the sample was in the kernel.
perf_says() {
	perf report -i "$1" --stdio -g none --no-children --no-group --no-branch-stack --no-itrace \
		--symfs "$tmp/symfs" -F sample,comm,dso,pid,symbol -t "$tab" -w 12,300,300,300,300 2>/dev/null \
		</dev/null | awk -F '\t' -v OFS='\t' -v mapped="$mapped" '
		/^# Samples: /		{ n = 0; next }
		/^#/ || !NF		{ next }
		$1 + 0 > 0		{
			if (!n++)
				event++
			for (i = 2; i <= NF; i++)
				gsub(/^ +| +$/, "", $i)
			if (!mapped && $3 == "[unknown]" && $5 ~ /^\[k\]/)
				$3 = "[kernel]"
			sub(/:.*/, "", $4)
			print event, $2, $3, $4, $1 + 0
		}'
}

# only KEYS: reduces lines with comm, dso and tid to these keys
only() {
	awk -F '\t' -v OFS='\t' -v keys="$1" '
		keys == "comm,dso"	{ print $1, $2, $3, $NF }
		keys == "comm"		{ print $1, $2, $NF }
		keys == "tid"		{ print $1, $4, $NF }'
}

# look FILE: collects other facts.  $tmp/pids: samples by process, which perf report does not have.
# $tmp/leaders: perf's name of each thread without a name, and its process.  torn: does the file have
# samples of exiting threads?  These have a pid and the tid 0, so that perf report takes them for
# swapper; cyctop shows them as exiting tasks of unknown pid.  mapped: does the recording contain the
# position of the kernel?  If not, cyctop takes everything in kernel mode for the kernel.
look() {
	perf script -i "$1" -F comm,pid,tid,event --show-task-events --show-mmap-events --no-itrace \
		--symfs "$tmp/symfs" 2>/dev/null </dev/null | awk -v OFS='\t' '
		match($0, / +-?[0-9]+\/-?[0-9]+ /) {
			split(substr($0, RSTART, RLENGTH), id, "/")
			comm = substr($0, 1, RSTART - 1)
			sub(/^ +/, "", comm)
			print comm, id[1] + 0, id[2] + 0, $0
		}' >"$tmp/script"
	awk -F '\t' '$4 !~ /PERF_RECORD/ { n[$2 && !($3 + 0) ? -1 : $2]++ }
		END { for (pid in n) print "all\t" pid "\t" n[pid] }' "$tmp/script" | sort >"$tmp/pids"
	awk -F '\t' '$4 ~ /PERF_RECORD_COMM/ {
			sub(/.*PERF_RECORD_COMM[^:]*: /, "", $4)
			split(substr($4, match($4, /:[0-9]+\/[0-9]+$/) + 1), id, "/")
			if (id[1] == id[2])
				name[id[1]] = substr($4, 1, RSTART - 1)
			next
		}
		$1 ~ /^:/ { of[$1] = $2 }
		END { for (thread in of) if (of[thread] in name) print thread "\t" name[of[thread]] }' \
		"$tmp/script" >"$tmp/leaders"
	mapped=$(grep 'PERF_RECORD_MMAP.* -1/0: ' "$tmp/script" |
		grep -cE ': \[0xf[0-9a-f]*\(0x[1-9a-f][0-9a-f]*\).*: . \[kernel\.kallsyms\]')
	torn=$(awk -F '\t' '$4 !~ /PERF_RECORD/ && $2 && !($3 + 0) { n++ } END { print n + 0 }' "$tmp/script")
}

# cyctop_says FILE KEYS: the same lines from a report of cyctop by these keys
cyctop_says() {
	"$cyctop" -b --raw-weights -i "$1" --sort "$2" --window total --format json 2>"$tmp/err" </dev/null \
		>"$tmp/json" || return 1
	jq -r --arg keys "$2" '($keys | split(",")) as $keys
		| [.events[] | select(.samples > 0) | .name] as $names
		| .rows[] as $row | range($names | length) as $i
		| $row.events[$names[$i]].samples as $n | select($n > 0)
		| [$i + 1] + [$keys[] as $k | $row[$k] // -1] + [$n] | @tsv' "$tmp/json"
}

# equal_names FILE KEYS: makes names equal.  Both programs have their own names for the kernel, idle
# time, memory without a file, and tasks without a name; perf shows only the last component of a DSO's
# path.  In one recording all kernel maps have the length 0, or span everything.
equal_names() {
	awk -F '\t' -v OFS='\t' -v keys="$2" -v torn="$torn" -v leaders="$tmp/leaders" -v name="$1" '
		BEGIN {
			n = split(keys, key, ",")
			anonymous = "^(//anon|/anon_huge|/dev/zero|[[](heap|anon)[]]|[[]JIT[]] |perf-[0-9]+[.]map$)"
			while ((getline <leaders) > 0)
				leader[$1] = $2
		}
		{
			for (i = 1; i <= n; i++) {
				f = $(i + 1)
				if (key[i] == "comm") {
					if (f == "[idle]")
						f = "swapper"
					if (f in leader)
						f = leader[f]
					if (f ~ /^:-?[0-9]+$/ || f == "[exiting]")
						f = "[unknown]"
					if (torn && (f == "swapper" || f == "[unknown]"))
						f = "[swapper or unknown]"
				} else if (key[i] == "tid") {
					if (torn && f == -1)
						f = 0
				} else if (key[i] == "dso") {
					sub(/ \(deleted\)$/, "", f)
					if (f ~ /^\[(guest\.)?kernel/ || f ~ /(^|\/)vmlinux/)
						f = "[kernel]"
					else if (f ~ anonymous)
						f = "[anonymous]"
					else if (name == "AOSP-simpleperf-perf.perf.data" && f == "[pata_acpi]")
						f = "[kernel]"
					else if (name ~ /tail-synthesis/ && f == "[unknown]")
						f = "[kernel]" # for perf, until the map of the kernel comes at the end
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
while IFS= read -r packed <&3; do
	file=$(unpacked "$packed")
	name=${file##*/}
	look "$file"
	perf_says "$file" >"$tmp/said"
	if [ ! -s "$tmp/said" ]; then
		unread=$((unread + 1))
		continue
	fi
	if ! cyctop_says "$file" comm,dso,tid,pid >"$tmp/saying"; then
		fail "$name: cyctop does not read it: $(tail -n 1 "$tmp/err")"
		continue
	fi
	for keys in comm,dso comm tid; do
		only $keys <"$tmp/said" | equal_names "$name" $keys >"$tmp/perf"
		only $keys <"$tmp/saying" | equal_names "$name" $keys >"$tmp/ours"
		cmp -s "$tmp/perf" "$tmp/ours" || differ "$name" "totals by $keys"
	done
	awk -F '\t' '{ n[$5] += $6 } END { for (pid in n) print "all\t" pid "\t" n[pid] }' \
		"$tmp/saying" | sort >"$tmp/ours"
	mv "$tmp/pids" "$tmp/perf"
	cmp -s "$tmp/perf" "$tmp/ours" || differ "$name" "totals by pid"
	same=$((same + 1))
done 3<"$tmp/recordings"
echo "$same recordings compared, $unread that perf does not read or finds no samples in; $failed differences"
[ "$same" -gt 0 ] || fail "nothing was compared"
finish
