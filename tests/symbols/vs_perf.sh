#!/bin/sh
# Compares names with perf's, in one recording of a busy machine:
#   vs_perf.sh CYCTOP
# For every row that perf report names, cyctop has the same name and the same number of samples
# (another name of the same address is accepted and listed).  In user space, nearly all addresses for
# which perf has no name are parts of functions for cyctop.  Where there are at least five samples per
# address, this makes a short table of a very long one.
set -u
cyctop=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs jq nm readelf
needs_perf
work=
rest() { # the loads are shells in groups of their own
	for group in $work; do
		kill -s KILL -- "-$group" 2>/dev/null
		wait "$group" 2>/dev/null
	done
	work=
}
# shellcheck disable=SC2317 # the trap calls it
clean_up() {
	rest
	rm -rf "$tmp" 2>/dev/null || { sleep 1 && rm -rf "$tmp"; }
}
cd "$tmp" || exit 1
export HOME="$tmp/home" LC_ALL=C TMPDIR="$tmp"
mkdir home

# ---- a busy machine ---------------------------------------------------------------------

cat >source.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/socket.h>
	#include <regex.h>
	#include <time.h>
	int main(void)
	{
		return printf("%d\n", rand()) < 0;
	}
END
cat >source.cc <<-'END'
	#include <algorithm>
	#include <iostream>
	#include <map>
	#include <regex>
	#include <string>
	int main()
	{
		std::map<std::string, std::regex> m;
		std::cout << m.size();
	}
END
seq 1 400000 >numbers

again() { # COMMAND...: over and over
	command -v "$1" >/dev/null || return 0
	setsid sh -c 'while :; do "$@"; done' sh "$@" >/dev/null 2>&1 </dev/null &
	work="$work $!"
}
again cc -O2 -c -o c.o source.c
again g++ -O2 -c -o cc.o source.cc
again python3 -c 'import json, re; [re.sub("a+", "b", json.dumps({str(i): [i]})) for i in range(20000)]'
again xz -3 -k -c numbers
again sort -R numbers
# shellcheck disable=SC2016 # perl's variables
again perl -e 'my %h; $h{$_ % 977} .= "x" for 1 .. 300000; print join "", map { length } sort values %h'
again sqlite3 :memory: 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
	select count(distinct i * 7919 % 10007), group_concat(i % 13) from n'
# worked SECONDS: has the work used that much CPU time?  Processes that still run do not count
hz=$(getconf CLK_TCK)
# shellcheck disable=SC2317 # eventually calls it
worked() {
	for group in $work; do
		sed 's/.*) //' "/proc/$group/stat" 2>/dev/null
	done | awk -v want=$(($1 * hz)) '{ ticks += $12 + $13 + $14 + $15 } END { exit ticks < want }'
}
eventually worked 1
# -N: build-ids are enough; do not copy the programs that ran
perf record -q -N -m 4M -o perf.data -a -e cpu-clock -F 19999 >/dev/null 2>err &
recorder=$!
eventually test -s perf.data || skip "perf: $(tail -n 1 err)"
eventually worked 9 || fail "the programs do not run"
kill -TERM $recorder
wait $recorder
rest

# ---- the reports of both ------------------------------------------------------------------

# Writes "DSO SYMBOL SAMPLES" and "COMM DSO SYMBOL": names as in symbol tables, files by the last
# component of their path
tab=$(printf '\t')
perf report -i perf.data --stdio -q --no-demangle -F sample,comm,dso,symbol -t "$tab" -w 12,64,400,4000 -g none \
	--percent-limit 0 2>/dev/null | awk -F '\t' '$1 + 0 {
		for (i = 1; i <= 4; i++)
			gsub(/^ +| +$/, "", $i)
		sub(/^\[.\] /, "", $4)
		sub(/^\[kernel.kallsyms\]$/, "[kernel]", $3)
		sub(/.*\//, "", $3)
		print $3 "\t" $4 "\t" $1 "\t" $2
	}' >theirs
"$cyctop" -b -i perf.data --no-demangle --sort comm,dso,symbol --format json 2>err >ours.json || skip "$(cat err)"
jq -r '.rows[] | [(.dso | sub(" [(]deleted[)]$"; "") | sub(".*/"; "")), .symbol,
	.events["cpu-clock"].samples, .comm] | @tsv' ours.json >ours
[ -s theirs ] || fail "perf reports nothing"
perf buildid-list -i perf.data 2>/dev/null >ids

# names_of DSO: "DSO NAME ADDRESS" for all symbols in files of that name
names_of() {
	if [ "$1" = '[kernel]' ]; then
		awk -v OFS='\t' '{ print "[kernel]", $3, $1 }' /proc/kallsyms
		return
	fi
	grep -F "/$1" ids | while read -r id path; do
		is_still "$id" "$path" || continue
		rest=${id#??}
		for file in "$path" "/usr/lib/debug/.build-id/${id%"$rest"}/$rest.debug"; do
			nm "$file" 2>/dev/null
			nm -D "$file" 2>/dev/null
		done | awk -v OFS='\t' -v dso="$1" 'NF == 3 { sub(/@.*/, "", $3); print dso, $3, $1 }'
	done | sort -u
}

# is_still ID FILE: has the file still this build-id?
is_still() {
	readelf -n "$2" 2>/dev/null | grep -q "Build ID: $1" && return 0
	printf '%s\n' "${2##*/}" >>changed
	return 1
}

# lists "DSO SYMBOL THEIRS OURS" for different numbers
awk -F '\t' -v OFS='\t' '
	FNR == 1 { file++ }
	{
		if ($2 !~ /^@|@plt$/)
			sub(/@.*/, "", $2)
		n[$1 "\t" $2, file] += $3
		seen[$1 "\t" $2]
	}
	END {
		for (k in seen)
			if (n[k, 1] != n[k, 2])
				print k, n[k, 1] + 0, n[k, 2] + 0
	}' theirs ours | sort >different
: >changed # files that somebody has built anew since then
awk -F '\t' '$2 !~ /^0x|^\[/ { print $1 }' different | sort -u | while read -r dso; do
	names_of "$dso"
done >names

# Names with an address in common are one function, which must have as many samples in both.  In the
# vdso, which is not a file, names with and without __vdso_ are equal.  All PLT entries count as one
# here, because perf confuses their order if some are of ifuncs (the zoo checks them).  perf also takes
# _init, which has no size, for everything up to the next symbol.
awk -F '\t' '
	function root(k) {
		while (k in up)
			k = up[k]
		return k
	}
	function nameless(symbol) {
		return symbol ~ /^0x|^\[.*\]$|^_init$/
	}
	FILENAME == "changed" {
		changed[$1]
		next
	}
	FILENAME == "names" {
		k = $1 "\t" $2
		if (!(($1, $3) in first))
			first[$1, $3] = k
		a = root(k)
		b = root(first[$1, $3])
		if (a != b)
			up[a] = b
		next
	}
	{
		# perf reads the map of a program that makes code when it reports, cyctop while it runs
		if ($1 in changed || $1 ~ /^\[JIT\]/)
			next
		if ($1 == "[vdso]")
			sub(/^__vdso_/, "", $2)
		sub(/.*@plt$/, "@plt", $2)
		if (nameless($2)) {
			perf_nameless[$1] += $3
			next
		}
		k = root($1 "\t" $2)
		theirs[k] += $3
		ours[k] += $4
		if ($3)
			perf_name[k] = perf_name[k] " " $2
		if ($4)
			our_name[k] = our_name[k] " " $2
	}
	END {
		for (k in theirs) {
			split(k, part, "\t")
			# more samples than perf: those for which perf has no name
			if (theirs[k] > ours[k] || ours[k] - theirs[k] > perf_nameless[part[1]] + 0)
				print "FAIL " part[1] ": perf " theirs[k] perf_name[k] ", cyctop " ours[k] our_name[k]
			else if (theirs[k]) {
				aliases++
				list = list "\n  " part[1] ":" perf_name[k] " =" our_name[k]
			}
		}
		print aliases + 0 " functions by another of their names (perf = cyctop):" list
	}' changed names different >verdict
cat verdict
! grep -q '^FAIL' verdict || failed=1

# ---- what has no name ---------------------------------------------------------------------

# files that are gone, or are of another build now, cannot be checked
awk -F '\t' '$2 ~ /^0x/ { print $1 }' ours | sort -u | while read -r dso; do
	grep -F "/$dso" ids | while read -r id path; do
		is_still "$id" "$path"
	done
done
# Only the programs above are counted, because other programs of this machine may be of any kind.
for file in theirs ours; do
	awk -F '\t' '$4 ~ /^(cc|gcc|g[+][+]|cc1|cc1plus|as|python3.*|xz|sort|perl|sqlite3)$/' $file >$file.work
done
# JIT code without a map has no functions to be found, and neither have files that no longer exist.
# Rows that perf names are compared one by one above; this part cannot be shorter than perf's.
awk -F '\t' -v OFS='\t' '
	FILENAME == "changed" {
		changed[$1]
		next
	}
	FNR == 1 { file++ }
	{ rows[file]++ }
	$2 !~ /^0x|^\[.*\+0x[0-9a-f]+\]$|^\[no symbol\]$/ { named[file]++ }
	$1 ~ /^\[kernel/ { next }
	$1 ~ /^\[(JIT|anon|heap)/ || $1 == "anon" || $1 == "//anon" || $1 ~ /^perf-[0-9]+\.map$/ ||
	    $1 in changed || $1 ~ /^memfd:/ {
		if (file == 1 && $2 ~ /^0x/)
			untold += $3
		next
	}
	file == 1 && $2 ~ /^0x/ {
		left += $3
		deep[$1] += $3
		row[$1]++
	}
	file == 2 && $2 ~ /^\[.*\+0x[0-9a-f]+\]$/ { grouped += $3; group[$1]++ }
	file == 2 && $2 ~ /^0x|^\[no symbol\]$/ { nameless += $3; group[$1]++ }
	END {
		printf "%d samples in user space are addresses for perf; of these %d, %.1f %%, have no function\n",
			left, nameless, left ? 100 * nameless / left : 0
		if (nameless > left / 10) {
			print "FAIL: more than a tenth"
			bad = 1
		}
		if (untold)
			printf "  %d more in files that are gone, or made at run time and told of to nobody\n", untold
		printf "the whole table by comm, dso and symbol: perf %d rows, of them %d with a name; cyctop %d, %d\n",
			rows[1], named[1], rows[2], named[2]
		for (d in deep)
			if (deep[d] >= 2000 && deep[d] >= 5 * row[d]) {
				files++
				theirs += row[d]
				ours += group[d]
				printf "  %s: %d samples at %d addresses, in %d functions\n", d, deep[d], row[d],
					group[d]
			}
		if (files)
			printf "where code is stripped and busy: perf %d rows, cyctop %d\n", theirs, ours
		if (files && ours * 10 >= theirs) {
			print "FAIL: not less than a tenth"
			bad = 1
		}
		exit bad
	}' changed theirs.work ours.work || failed=1
[ -z "${KEEP:-}" ] || cp -r "$tmp" "$KEEP"
finish
