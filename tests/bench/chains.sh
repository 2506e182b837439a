#!/bin/sh
# What call chains cost: on the screen at 999 Hz, by frame pointers beside none and beside perf top -g, by copies of
# stacks beside perf top --call-graph dwarf; and opening a recording of a million samples with chains, beside perf
# report --children.  All in one run, on one load.
#   chains.sh BUILD-DIR [SECONDS]
set -eu
build=$(realpath "$1") seconds=${2:-20}
tmp=$(mktemp -d) || exit 1
load=
trap 'kill $load 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export TERM=xterm-256color LC_ALL=C.UTF-8
command -v perf >/dev/null || { echo 'perf is not installed'; exit 0; }

# Keeps all CPUs busy in many functions of many programs.
busy() {
	while :; do
		find /usr -xdev 2>/dev/null | sort | gzip >/dev/null
		find /usr/lib -xdev -printf '%s %t %p\n' 2>/dev/null | cksum >/dev/null
	done
}
busy &
load="$load $!"
busy &
load="$load $!"

# cpu NAME COMMAND...: CPU seconds of a screen; two rounds of all, whose less is taken
cpu() {
	name=$1
	shift
	"$build/tests/pty/ptymeter" -r 35 -c 120 -s "$seconds" -k q "$@" 2>"$tmp/err" |
		awk '$1 == "cpu_s" { print $2 }' >>"$tmp/$name"
}
for _ in 1 2; do
	cpu none "$build/src/app/cyctop" -e cpu-clock -F 999 -d 1
	cpu chains "$build/src/app/cyctop" -e cpu-clock -F 999 -d 1 -g fp
	cpu perf perf top -e cpu-clock -F 999 -d 1 -g
	cpu stacks "$build/src/app/cyctop" -e cpu-clock -F 999 -d 1 -g dwarf
	cpu perf_stacks perf top -e cpu-clock -F 999 -d 1 --call-graph dwarf
done
least() { sort -n "$tmp/$1" | head -n 1; }
printf 'screens for %s s, %s CPUs, cpu-clock at 999 Hz, CPU seconds\n' "$seconds" "$(nproc)"
awk -v none="$(least none)" -v chains="$(least chains)" -v perf="$(least perf)" \
	-v stacks="$(least stacks)" -v perf_stacks="$(least perf_stacks)" '
	function ratio(title, is, most) {
		printf "  %-28s %.2f, at most %s  %s\n", title, is, most, is <= most ? "met" : "MISSED"
	}
	BEGIN {
		printf "  cyctop %.2f, with chains %.2f, perf top -g %.2f\n", none, chains, perf
		ratio("chains, beside none", chains / none, 2)
		ratio("chains, beside perf top -g", chains / perf, 0.25)
		printf "  by copies of stacks %.2f, perf top --call-graph dwarf %.2f\n", stacks, perf_stacks
		ratio("stacks, beside perf top", stacks / perf_stacks, 0.5)
	}'

# As many samples as it takes, at the rate that the kernel allows.
perf record -q -g -o "$tmp/perf.data" -a -e cpu-clock -c 25000 -m 1024 -- sleep $((1000000 / 20000 / $(nproc))) \
	>/dev/null 2>"$tmp/err" || { cat "$tmp/err"; exit 1; }
# shellcheck disable=SC2086 # several
kill $load 2>/dev/null || :
load=
sleep 2 # for what the load still had in its pipes
n=$(perf report -i "$tmp/perf.data" --stats 2>/dev/null | awk '$1 == "SAMPLE" && $2 == "events:" { print $3; exit }')
spend() { # NAME COMMAND...
	name=$1
	shift
	"$build/tests/bench/spend" "$tmp/out" "$@" 2>"$tmp/err" | awk '$1 == "wall_s" { print $2 }' >"$tmp/$name"
}
spend theirs perf report --children --no-inline --stdio -g none -i "$tmp/perf.data"
spend ours "$build/src/app/cyctop" -b --no-inline --children -i "$tmp/perf.data" --sort comm,dso,symbol
awk -v n="$n" -v ours="$(least ours)" -v theirs="$(least theirs)" 'BEGIN {
	printf "opening a recording with chains, %d samples: %.2f s, perf report --children %.2f s\n", n, ours, theirs
	printf "  %-28s %.3f, at most 0.25  %s\n", "beside perf report", ours / theirs,
		ours <= theirs / 4 ? "met" : "MISSED"
}'
