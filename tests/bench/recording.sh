#!/bin/sh
# Loads a recording of at least a million samples into a (comm, dso, symbol) report: compares cyctop
# with perf report on the same file, in the same run.
#   recording.sh BUILD-DIR
set -eu
build=$1
want=1000000
tmp=$(mktemp -d) || exit 1
load=
trap 'kill $load 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C

miss() {
	printf '\nrecordings were not compared: %s\n' "$*"
	exit 0
}
command -v perf >/dev/null || miss 'perf is not installed'

# Keeps all CPUs busy in many functions of many programs.
busy() {
	while :; do
		find /usr -xdev 2>/dev/null | sort | gzip >/dev/null
		find /usr/lib -xdev -printf '%s %t %p\n' 2>/dev/null | cksum >/dev/null
	done
}

# samples FILE: the number of samples in a recording
samples() {
	perf report -i "$1" --stats 2>/dev/null | awk '$1 == "SAMPLE" && $2 == "events:" { print $3; exit }'
}

# At 50 kHz per CPU, if the kernel allows it; a fifth longer than necessary.
seconds=$((want * 6 / 5 / (50000 * $(nproc)) + 1))
n=0
for try in 1 2 3; do
	printf 'bench: recording %s s\n' $seconds >&2
	busy &
	load=$!
	"$build/tests/load/load" $seconds >/dev/null &
	perf record -q -o "$tmp/perf.data" -a -e cpu-clock -c 20000 -m 1024 -- sleep $seconds >/dev/null 2>"$tmp/err" ||
		miss "perf may not sample this machine"
	kill $load 2>/dev/null || :
	wait $load 2>/dev/null || :
	load=
	sleep 2 # for what the load still had in its pipes
	n=$(samples "$tmp/perf.data")
	[ "${n:-0}" -lt $want ] || break
	# again, as long as the actual rate requires
	seconds=$((seconds * (want * 6 / 5) / (${n:-0} + 1) + 1))
	[ $seconds -le 120 ] || miss "no million samples in two minutes"
done
[ "${n:-0}" -ge $want ] || miss "only ${n:-0} samples after $try tries"

spend() { # NAME COMMAND...
	name=$1
	shift
	printf 'bench: %s\n' "$name" >&2
	"$build/tests/bench/spend" "$tmp/$name.out" "$@" >"$tmp/$name" 2>"$tmp/$name.err" ||
		miss "$name: $(tail -n 1 "$tmp/$name.err")"
}
spend perf-report perf report --stdio --sort comm,dso,symbol -i "$tmp/perf.data"
spend cyctop "$build/src/app/cyctop" -b -i "$tmp/perf.data" --sort comm,dso,symbol

value() {
	awk -v key="$2" '$1 == key { print $2 }' "$tmp/$1"
}

# line TITLE KEY SCALE FORMAT FACTOR: cyctop's value times FACTOR must not exceed perf's.
line() {
	awk -v title="$1" -v scale="$3" -v format="$4" -v factor="$5" \
		-v c="$(value cyctop "$2")" -v p="$(value perf-report "$2")" '
		BEGIN {
			ours = sprintf(format, c * scale)
			theirs = sprintf(format, p * scale)
			printf "%-26s %9s %11s %8.1f   at least %-11s %s\n", title, ours, theirs,
				p / (c > 0 ? c : 1e-3), factor, c * factor <= p ? "met" : "MISSED"
		}'
}
printf '\na report by comm, dso and symbol of %s samples, best of three\n' "$n"
printf '%-26s %9s %11s %8s   %s\n' '' cyctop 'perf report' ratio target
line 'wall-clock time, s' wall_s 1 %.3f 8
# what a busy machine disturbs least
line 'CPU time, s' cpu_s 1 %.3f 3
line 'peak RSS, MB' max_rss_kb 0.0009765625 %.1f 2
