#!/bin/sh
# Names beside perf's, in the same run: looking addresses up, reading the kernel's symbols and
# two million of a file of 200 MB.
#   symbols.sh BUILD-DIR
# perf has no bench of its lookups; what comes near is the CPU time that `perf report` takes
# for a recording by symbol beyond what counting its records takes (--stats): naming its
# samples and adding them up.
set -eu
build=$1
tmp=$(mktemp -d)
load=
trap 'kill $load 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C
cyctop=$build/src/app/cyctop

printf 'bench: names\n' >&2
"$build/tests/big_elf" "$build/tests/load/load" "$tmp/large" 2000000
chmod +x "$tmp/large"
"$build/tests/bench/bench_symbols" "$tmp/large" >"$tmp/ours"
: >"$tmp/theirs"
own() {
	awk -v key="$1" '$1 == key { print $2 }' "$tmp/ours"
}
# spend NAME COMMAND...: what it costs, in $tmp/NAME
spend() {
	name=$1
	shift
	"$build/tests/bench/spend" "$tmp/out" "$@" >"$tmp/$name" 2>/dev/null || rm -f "$tmp/$name"
}
value() { # NAME KEY
	[ ! -f "$tmp/$1" ] || awk -v key="$2" '$1 == key { print $2 }' "$tmp/$1"
}
less() { # A B: nothing where one is not known
	[ -z "$1" ] || [ -z "$2" ] || echo "$1 $2" | awk '{ print $1 - $2 }'
}

if command -v perf >/dev/null && perf record -o /dev/null -q -e cpu-clock -a true 2>/dev/null; then
	kallsyms_s=$(perf bench internals kallsyms-parse 2>/dev/null |
		awk '/Average/ { for (i = 1; i < NF; i++) if ($(i + 1) == "ms") print $i / 1000 }')
	# samples of many programs and of the kernel
	{ while :; do find /usr -xdev 2>/dev/null | sort | gzip; done; } >/dev/null 2>&1 &
	load=$!
	perf record -q -N -a -e cpu-clock -F 19999 -o "$tmp/all" -- sleep 5 >/dev/null 2>&1 || :
	kill $load 2>/dev/null || :
	wait $load 2>/dev/null || :
	load=
	samples=$(perf report -i "$tmp/all" --stats 2>/dev/null |
		awk '$1 == "SAMPLE" && $2 == "events:" { print $3; exit }')
	spend by_symbol perf report -i "$tmp/all" --stdio --sort symbol
	spend counted perf report -i "$tmp/all" --stats
	named_s=$(less "$(value by_symbol cpu_s)" "$(value counted cpu_s)")
	report_rate=$(echo "${samples:-0} ${named_s:-0}" | awk '$2 > 0 { print $1 / $2 / 1e6 }')
	# the same few samples, of the kernel and of a program: what the kernel's symbols add
	for side in k u; do
		perf record -q -N -e cpu-clock:$side -o "$tmp/$side" -- dd if=/dev/zero of=/dev/null bs=64k \
			count=20000 >/dev/null 2>&1 || :
		spend of_$side perf report -i "$tmp/$side" --stdio --sort symbol
	done
	kernel_kb=$(less "$(value of_k max_rss_kb)" "$(value of_u max_rss_kb)")
	# perf itself finds its few own symbols in that file only: nothing to compare with
	perf record -q -N -e cpu-clock:u -o "$tmp/two" -- "$tmp/large" 1 >/dev/null 2>&1 || :
	spend two_ours "$cyctop" -b -i "$tmp/two" --sort dso,symbol
fi

# line TITLE CYCTOP PEER FORMAT HOW LIMIT: "more" is better, or "less"; the limit is one of
# the value, with its sign before it, or of the ratio to the peer, with an x behind it.
line() {
	awk -v title="$1" -v c="$2" -v p="$3" -v format="$4" -v how="$5" -v limit="$6" '
		function show(v) { return v == "" ? "-" : sprintf(format, v) }
		BEGIN {
			ratio = c == "" || p == "" || c * p == 0 ? "" : how == "more" ? c / p : p / c
			times = limit ~ /x$/
			seen = times ? ratio : c
			up = times || how == "more"
			met = (up ? seen >= limit + 0 : seen <= limit + 0) ? "met" : "MISSED"
			if (seen == "")
				met = "-"
			target = (up ? "at least " : "at most ") limit + 0 (times ? " times perf" : "")
			printf "%-42s %9s %9s %8s   %-18s %s\n", title, show(c), show(p),
				ratio == "" ? "-" : sprintf("%.1f", ratio), target, met
		}'
}
printf '\nnames, on one core; %s lookups of which %s have a name\n' "2 million" "$(own resolver_named)"
printf '%-42s %9s %9s %8s   %s\n' '' cyctop perf 'times' target
line 'lookups, warm, million/s (perf: report)' "$(own resolver_warm)" "${report_rate:-}" %.2f more 1x
line 'lookups, cold, million/s (perf: report)' "$(own resolver_cold)" "${report_rate:-}" %.2f more 1x
line "the kernel's symbols are read in, s" "$(own kallsyms_s)" "${kallsyms_s:-}" %.3f less 1x
line "and take, KB (perf: RSS they add)" "$(own kallsyms_kb)" "${kernel_kb:-}" %.0f less 1x
line 'two million symbols are indexed in, s' "$(own file_s)" '' %.3f less 1
line 'and take, bytes each' "$(own file_bytes)" '' %.1f less 80
line 'a report that needs them, wall-clock s' "$(value two_ours wall_s)" '' %.3f less 2
line 'and its peak RSS, KB' "$(value two_ours max_rss_kb)" '' %.0f less 250000
