#!/bin/sh
# Compares two builds of cyctop in alternating runs on this machine:
#   pair.sh [-n ROUNDS] [-s SECONDS] [-f RECORDING] OLD-BUILD-DIR NEW-BUILD-DIR [WHAT...]
# WHAT is any of
#   ingest  samples a second that tests/bench/bench_ingest decodes and adds up, by CPU time
#   report  -b -i RECORDING --sort comm,dso,symbol: wall-clock time, CPU time, peak RSS
#   first   live: seconds from the start to the first row of a function
#   live    live for SECONDS (default 20): CPU time, peak RSS
# and all of them by default.  Each round measures both builds, and the order changes from
# round to round.  A line shows the medians of both, the median of the rounds' ratios NEW/OLD,
# and the range of the middle half of these ratios.  The two live runs of a round take place at the same
# time, so that both see the same machine.  RECORDING is made with cyctop record by default.
set -eu
rounds=7 seconds=20 recording=
while getopts n:s:f: option; do
	case $option in
	n) rounds=$OPTARG ;;
	s) seconds=$OPTARG ;;
	f) recording=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}
old=$1 new=$2
shift 2
[ $# -gt 0 ] || set -- ingest report first live
tmp=$(mktemp -d) || exit 1
load=
trap 'kill $load 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C.UTF-8 TERM=xterm-256color

build() { # old|new: its directory
	[ "$1" = old ] && echo "$old" || echo "$new"
}

# keep KEY old|new VALUE: stores a measured value
keep() {
	[ -z "$3" ] || echo "$3" >>"$tmp/$1.$2"
}

# keep_of FILE old|new PREFIX KEYS...: stores these values from the output of spend or ptymeter
keep_of() {
	file=$1 which=$2 prefix=$3
	shift 3
	for key; do
		keep "$prefix-$key" "$which" "$(awk -v key="$key" '$1 == key && $2 >= 0 { print $2 }' "$file")"
	done
}

start_load() {
	"$new/tests/load/load" 3600 >/dev/null &
	load=$!
}

stop_load() {
	kill $load 2>/dev/null || :
	wait $load 2>/dev/null || :
	load=
}

make_recording() {
	recording=$tmp/perf.data
	printf 'pair: recording\n' >&2
	start_load
	{ while :; do find /usr -xdev 2>/dev/null | sort | cksum; done; } >/dev/null 2>&1 &
	finder=$!
	"$new/src/app/cyctop" record -e cpu-clock -F 30000 -o "$recording" --duration 8 >/dev/null 2>&1 || {
		printf 'pair: cannot record on this machine\n' >&2
		recording=
	}
	kill $finder
	wait $finder 2>/dev/null || :
	stop_load
}

# ---- measurements -------------------------------------------------------------------------

ingest() {
	keep ingest "$1" "$("$(build "$1")/tests/bench/bench_ingest" 64 10 | awk '{ print $3 }')"
}

report() {
	[ -n "$recording" ] || return 0
	"$new/tests/bench/spend" "$tmp/out" "$(build "$1")/src/app/cyctop" -b -i "$recording" \
		--sort comm,dso,symbol >"$tmp/spent"
	keep_of "$tmp/spent" "$1" report wall_s cpu_s max_rss_kb
}

meter() { # old|new SECONDS: a live run on a terminal
	"$new/tests/pty/ptymeter" -r 35 -c 120 -s "$2" -t load_eighty -k q \
		"$(build "$1")/src/app/cyctop" -e cpu-clock -F 999 -d 1 >"$tmp/meter.$1"
}

first() {
	start_load
	meter "$1" 3
	keep_of "$tmp/meter.$1" "$1" first first_text_s
	stop_load
}

live() { # both at once
	start_load
	meter "$1" "$seconds" &
	one=$!
	meter "$2" "$seconds"
	wait $one
	for which in old new; do
		keep_of "$tmp/meter.$which" $which live cpu_s max_rss_kb
	done
	stop_load
}

for what; do
	case $what in
	report) [ -n "$recording" ] || make_recording ;;
	ingest | first | live) ;;
	*)
		printf 'pair: unknown measurement %s\n' "$what" >&2
		exit 2
		;;
	esac
done
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	[ $((round % 2)) = 0 ] && order='old new' || order='new old'
	printf 'pair: round %d of %d\n' $round "$rounds" >&2
	for what; do
		# shellcheck disable=SC2086 # two words
		case $what in
		live) live $order ;;
		*) for which in $order; do "$what" "$which"; done ;;
		esac
	done
done

# ---- results ------------------------------------------------------------------------------

line() { # TITLE KEY FORMAT
	[ -s "$tmp/$2.old" ] && [ -s "$tmp/$2.new" ] || return 0
	paste "$tmp/$2.old" "$tmp/$2.new" | awk -v title="$1" -v format="$3" '
		function sort(a, n,    i, j, v) {
			for (i = 2; i <= n; i++) {
				v = a[i]
				for (j = i - 1; j > 0 && a[j] > v; j--)
					a[j + 1] = a[j]
				a[j + 1] = v
			}
		}
		function quantile(a, n, q,    at, i) {
			at = 1 + (n - 1) * q
			i = int(at)
			return i < n ? a[i] + (a[i + 1] - a[i]) * (at - i) : a[n]
		}
		NF == 2 {
			n++
			was[n] = $1
			is[n] = $2
			ratio[n] = $1 > 0 ? $2 / $1 : 1
		}
		END {
			sort(was, n)
			sort(is, n)
			sort(ratio, n)
			printf "%-34s %10s %10s   %6.3f   %.3f to %.3f\n", title,
				sprintf(format, quantile(was, n, 0.5)), sprintf(format, quantile(is, n, 0.5)),
				quantile(ratio, n, 0.5), quantile(ratio, n, 0.25), quantile(ratio, n, 0.75)
		}'
}
printf '%-34s %10s %10s   %6s   %s\n' "$rounds rounds" old new 'ratio' 'middle half'
line 'ingest, million samples/s' ingest %.1f
line 'report, wall-clock time, s' report-wall_s %.3f
line 'report, CPU time, s' report-cpu_s %.3f
line 'report, peak RSS, KB' report-max_rss_kb %.0f
line 'first row after, s' first-first_text_s %.3f
line "CPU time in $seconds s live, s" live-cpu_s %.3f
line 'live, peak RSS, KB' live-max_rss_kb %.0f
