#!/bin/sh
# Compares the speed of symbol lookups with perf's, in the same run: looking up addresses, and reading
# the symbols of the kernel and of a 200 MB file with two million symbols; the table of a stripped Go program of 60 MB,
# which takes go two minutes to build; and how much a recording grows by the names of code that node made.
#   symbols.sh BUILD-DIR
# perf has no benchmark of its lookups.  The closest value is the CPU time of `perf report` by symbol
# minus that of counting the records (--stats): the time for naming samples and adding them up.
set -eu
build=$(realpath "$1")
tmp=$(mktemp -d) || exit 1
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
# spend NAME COMMAND...: measures the command; the values go to $tmp/NAME
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
	# makes samples of many programs and of the kernel
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
	# a few samples of the kernel or of a program: the difference is the time for the kernel's symbols
	for side in k u; do
		perf record -q -N -e cpu-clock:$side -o "$tmp/$side" -- dd if=/dev/zero of=/dev/null bs=64k \
			count=20000 >/dev/null 2>&1 || :
		spend of_$side perf report -i "$tmp/$side" --stdio --sort symbol
	done
	kernel_kb=$(less "$(value of_k max_rss_kb)" "$(value of_u max_rss_kb)")
	# from this file perf reads only its few own symbols, so that there is nothing to compare
	perf record -q -N -e cpu-clock:u -o "$tmp/two" -- "$tmp/large" 1 >/dev/null 2>&1 || :
	spend two_ours "$cyctop" -b -i "$tmp/two" --sort dso,symbol
fi

# A Go program of GO_PACKAGES packages with 1500 functions each, stripped; its size is in $go_mb.
go_mb=''
if command -v go >/dev/null; then
	go=$tmp/go
	packages=${GO_PACKAGES:-30}
	awk -v packages="$packages" -v dir="$go/src" 'BEGIN {
		system("mkdir -p " dir "/main")
		main = dir "/main/main.go"
		print "package main" >main
		for (p = 0; p < packages; p++) {
			system("mkdir -p " dir "/p" p)
			out = dir "/p" p "/p.go"
			print "package p" p "\nimport \"fmt\"\nvar All []func(int, string) error" >out
			for (f = 0; f < 1500; f++) {
				name = "ComputeTheValueOfItem" p "x" f
				print "func " name "(n int, s string) error {" >out
				print "\tm := map[string]int{s: n, \"k" f "\": " f "}" >out
				print "\tfor k, v := range m {" >out
				print "\t\ts = fmt.Sprintf(\"%s%d-%s\", k, v*n, s)\n\t}" >out
				print "\tdefer func() { m[s] = n }()" >out
				print "\treturn fmt.Errorf(\"item %d of %s\", n, s)\n}" >out
				list = list (f ? ", " : "") name
			}
			print "func init() { All = append(All, " list ") }" >out
			list = ""
			close(out)
			print "import \"p" p "\"" >main
			calls = calls "\tprintln(len(p" p ".All))\n"
		}
		print "func main() {\n" calls "}" >main
	}'
	export GO111MODULE=off GOPATH="$go" GOCACHE="$tmp/cache"
	if go build -ldflags='-s -w' -o "$tmp/stripped" main 2>"$tmp/go.err"; then
		go_mb=$(($(wc -c <"$tmp/stripped") / 1000000))
		go_s=$("$build/tests/bench/bench_symbols" "$tmp/stripped" | awk '$1 == "file_s" { print $2 }')
	else
		printf 'no Go program: %s\n' "$(tail -n 1 "$tmp/go.err")" >&2
	fi
fi

# A recording of node, of which a part in $grows percent are names of JIT code.
grows=''
if command -v node >/dev/null; then
	cat >"$tmp/work.js" <<-'END'
		const made = []
		for (let i = 0; i < 400; i++)
			made.push(new Function('n', `let s = ${i}
				for (let k = 0; k < n; k++) s = (s * ${i + 3} + k) | 0
				return s`))
		const end = Date.now() + 10000
		for (let i = 0, x = 0; Date.now() < end; i++) {
			x += made[i % 400](2000)
			x += JSON.stringify(JSON.parse('{"a": [1, 2], "b": {"c": 3}}')).replace(/[a-c]/g, 'x').length
			x += [5, 3, 1, 4].map((v) => v * i % 7).sort((a, b) => a - b).reduce((a, b) => a + b)
		}
	END
	# node writes a log of its own into the working directory
	(cd "$tmp" && "$cyctop" record -e cpu-clock -F 999 -o node.data -- \
		node --perf-basic-prof work.js) 2>/dev/null &&
		names=$("$cyctop" dump "$tmp/node.data" | sed -n 's/.* name=CODE_NAMES size=\([0-9]*\) .*/\1/p') &&
		grows=$(echo "$names $(wc -c <"$tmp/node.data")" | awk '{ print 100 * $1 / ($2 - $1) }')
	pid=$("$cyctop" dump "$tmp/node.data" | sed -n 's/.*processes=\[{pid=\([0-9]*\) .*/\1/p')
	rm -f "/tmp/perf-$pid.map"
fi

# line TITLE CYCTOP PEER FORMAT HOW LIMIT: prints a result.  HOW: is "more" or "less" better?  LIMIT:
# for the value, with a sign before it, or for the ratio to the peer, with an x after it.
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
line "the table of a Go program of ${go_mb:-60} MB is read in, s" "${go_s:-}" '' %.3f less 0.1
line 'a recording of node grows by its names, %' "$grows" '' %.2f less 1
