#!/bin/sh
# Compares cyctop with perf top (and htop): with the same event, rate, load, terminal and delay,
# one after the other in one run, so that the ratios are meaningful on any machine.
# Then measures the throughput of decoder and aggregation alone, on synthetic rings.
#   run.sh BUILD-DIR [SECONDS]
set -eu
build=$1 seconds=${2:-20}
rows=35 cols=120 rate=809 delay=1
meter=$build/tests/pty/ptymeter
tmp=$(mktemp -d) || exit 1
load=
trap 'kill $load 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export TERM=xterm-256color LC_ALL=C.UTF-8

event=cpu-clock
if perf stat -x, -e cycles true 2>&1 | grep -q '^[0-9].*,cycles'; then
	event=cycles
fi

# measure NAME TEXT COMMAND...: runs the command under load; the measured values go to $tmp/NAME
measure() {
	name=$1 text=$2
	shift 2
	printf 'bench: %s for %s s\n' "$name" "$seconds" >&2
	"$build/tests/load/load" $((seconds + 10)) >/dev/null &
	load=$!
	sleep 0.5
	"$meter" -r $rows -c $cols -s "$seconds" ${text:+-t "$text"} -k q "$@" >"$tmp/$name" 2>"$tmp/$name.err" || :
	kill $load 2>/dev/null || :
	wait $load 2>/dev/null || :
	load=
	if grep -q '^status 127' "$tmp/$name" || [ ! -s "$tmp/$name" ]; then
		rm -f "$tmp/$name"
		printf 'bench: %s did not run\n' "$name" >&2
	fi
}

measure cyctop load_eighty "$build/src/app/cyctop" -e $event -F $rate -d $delay
! command -v perf >/dev/null || measure perf-top load_eighty perf top -e $event -F $rate -d $delay
! command -v htop >/dev/null || measure htop '' htop -d $((delay * 10))

# value FILE KEY: a measured value; for bytes, the mean of the seconds after the fifth, in which
# only the numbers on the screen change.
value() {
	[ -f "$tmp/$1" ] || return 0
	case $2 in
	bytes)
		awk -v d=$delay '$1 == "second" && $2 > 5 { b += $4; n++ } END { if (n) printf "%.0f", b / n * d }' \
			"$tmp/$1"
		;;
	*) awk -v key="$2" '$1 == key && $2 >= 0 { print $2 }' "$tmp/$1" ;;
	esac
}

# line TITLE KEY SCALE FORMAT LIMIT OF: prints a result; LIMIT is for the ratio or for the value (OF).
line() {
	awk -v title="$1" -v scale="$3" -v format="$4" -v limit="$5" -v of="$6" \
		-v c="$(value cyctop "$2")" -v p="$(value perf-top "$2")" -v h="$(value htop "$2")" '
		function show(v) { return v == "" ? "-" : sprintf(format, v * scale) }
		BEGIN {
			ratio = c == "" || p == "" || p + 0 == 0 ? "" : c / p
			seen = of == "ratio" ? ratio : (c == "" ? "" : c * scale)
			printf "%-26s %9s %9s %9s %8s   %-20s %s\n", title, show(c), show(p), show(h),
				ratio == "" ? "-" : sprintf("%.2f", ratio),
				"at most " limit (of == "ratio" ? " of perf top" : ""),
				seen == "" ? "-" : (seen <= limit + 0 ? "met" : "MISSED")
		}'
}

printf '\n%s, %s at %s Hz, %sx%s, delay %s s, %s CPUs, %s s each\n\n' "$(uname -srm)" $event $rate $cols $rows $delay \
	"$(nproc)" "$seconds"
printf '%-26s %9s %9s %9s %8s   %-20s\n' '' cyctop 'perf top' htop ratio target
line 'CPU seconds' cpu_s 1 %.2f 0.33 ratio
line 'peak RSS, MB' max_rss_kb 0.0009765625 %.1f 15 value
line 'first row after, s' first_text_s 1 %.2f 0.4 value
line 'bytes per refresh' bytes 1 %.0f 2000 value

if [ -x "$build/tests/bench/bench_ingest" ]; then
	printf '\ndecoding and aggregating synthetic rings on one core (target: 10 million samples/s)\n'
	for cpus in 2 64 512; do
		"$build/tests/bench/bench_ingest" $cpus
	done
fi

if [ -x "$build/tests/bench/bench_history" ]; then
	printf '\nhistory of 64 busy CPUs (targets: within its bound, 50 ms for the tables of a stretch)\n'
	"$build/tests/bench/bench_history"
fi

sh "$(dirname "$0")/symbols.sh" "$build"
sh "$(dirname "$0")/recording.sh" "$build"
