#!/bin/sh
# What a first user is told and shown: that a recording runs and how to end it, why it is empty,
# what an interrupted run has measured, and a recording of which only a part is shown.
#   test_said.sh CYCTOP LOAD
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_sampling "$cyctop"

says() { # FILE TEXT
	grep -qF -- "$2" "$1" || fail "$1 does not say '$2' but: $(cat "$1")"
}
# column NAME: of the CSV on standard input, without the heading
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }'
}

start "$load" 3600 >load.out
load_pid=$pid
load_name=$(basename "$load")

# A recording without a command.
start "$cyctop" record -o all.data -e cpu-clock 2>all.err
recorder=$pid
eventually has_samples all.data 10 || fail "nothing is recorded: $(cat all.err)"
says all.err 'recording '
says all.err ' to all.data; Ctrl-C ends it'
uses "$load_pid" 1500
interrupt "$recorder" 'the recording'
start "$cyctop" record -o one.data -e cpu-clock -p "$load_pid" 2>one.err
recorder=$pid
eventually has_samples one.data 10 || fail "nothing is recorded: $(cat one.err)"
says one.err "recording process $load_pid ("
says one.err ' to one.data until it ends; Ctrl-C ends it earlier'
interrupt "$recorder" 'the recording of a process'
"$cyctop" record -o none.data -e cpu-clock -c 1000000000000000 true 2>none.err || fail "record: status $?"
says none.err '0 samples'
says none.err 'a smaller -c samples more often'
"$cyctop" record -o - -e cpu-clock --duration 0.2 2>pipe.err >pipe.data || fail "record: status $?"
says pipe.err ' to standard output for 0.2 s; Ctrl-C ends it earlier'

# No /proc: what to do, and nothing about events that were not refused.
if unshare -m true 2>unshare.err; then
	! unshare -m sh -c "mount -t tmpfs none /proc && exec '$cyctop' -b -n 1 -d 0.1" >/dev/null 2>proc.err ||
		fail 'it measures without /proc'
	says proc.err '/proc/stat cannot be read: mount -t proc proc /proc'
	! grep -q refused proc.err || fail "events are called refused: $(cat proc.err)"
fi

# Events of hardware that is not there.
if "$cyctop" -b -n 1 -d 0.1 2>&1 >/dev/null </dev/null | grep -q 'no hardware counters here'; then
	! "$cyctop" -b -n 1 -d 0.1 -e cycles >/dev/null 2>cycles.err || fail 'cycles are counted without a PMU'
	says cycles.err 'event cycles: no hardware counters here'
	says cycles.err '-e cpu-clock samples a timer instead'
	"$cyctop" -b -n 1 -d 0.1 -e cpu-clock,cycles,instructions >/dev/null 2>some.err ||
		fail 'what can be measured is not'
	says some.err 'not measured: cycles, instructions: no hardware counters here'
	"$cyctop" record -o some.data --duration 0.1 -e cpu-clock,cycles 2>some.err ||
		fail 'what can be recorded is not'
	says some.err 'not measured: cycles: no hardware counters here'
	"$cyctop" -b -n 1 -d 0.1 -e cpu-clock,no-such-event >/dev/null 2>other.err && fail 'an unknown event'
	says other.err "unknown event 'no-such-event'"
fi

# Ctrl-C before the first refresh: the time measured until then.
start "$cyctop" -b -n 1 -d 3600 -e cpu-clock --format csv --table tasks >begun.csv 2>begun.err
measured=$pid
eventually handles_sigterm "$measured"
uses "$load_pid" 500
interrupt "$measured" 'a run of one refresh'
says begun.err ' s of 3,600 s: this is what was measured until then'
[ "$(awk -F, -v pid="$load_pid" '$4 == pid && $2 - $1 < 3600e9 { n++ } END { print n + 0 }' begun.csv)" = 1 ] ||
	fail "the interrupted run does not show the load: $(head -n 5 begun.csv)"

# Only a part of a recording, as it is named.
thread=$("$cyctop" -b -i all.data -p "$load_pid" -H --format csv --table tasks 2>/dev/null | column tid | head -n 1)
for part in "-p $load_pid" "-t $thread" "--comm $load_name"; do
	# shellcheck disable=SC2086 # two words
	"$cyctop" -b -i all.data $part --format csv --table tasks >part.csv 2>/dev/null || fail "$part: status $?"
	[ "$(column comm <part.csv | sort -u)" = "$load_name" ] || fail "$part shows $(column comm <part.csv | sort -u)"
done
"$cyctop" -b -i all.data --filter "$load_name" --format csv --sort comm >part.csv 2>/dev/null
column comm <part.csv >shown
grep -q "$load_name" shown || fail "--filter shows nothing"
! grep -v "$load_name" shown || fail "--filter shows what has no $load_name in it"
"$cyctop" -b -i all.data -C 0 --format csv --sort cpu >cpu.csv 2>/dev/null
[ "$(column cpu <cpu.csv)" = 0 ] || fail "-C 0 shows the CPUs $(column cpu <cpu.csv)"
"$cyctop" -b -i all.data --comm no-such-command >/dev/null 2>nothing.err || fail "an empty filter: status $?"
says nothing.err "nothing was seen of command 'no-such-command'; without the filter,"

# Refreshes of a recording join, the last one ends where the recording does, and all have the time.
"$cyctop" -b -i all.data --format csv --sort cpu --top 1 >whole.csv 2>/dev/null
end_ns=$(column end_ns <whole.csv)
for every in 0.1 0.4 0.7; do
	"$cyctop" -b -i all.data -d $every --format csv --sort cpu --top 1 >pieces.csv 2>/dev/null
	awk -F, -v end="$end_ns" 'NR > 1 { bad += NR > 2 && $1 < last; last = $2 }
		END { exit !(NR > 2 && !bad && last == end) }' pieces.csv ||
		fail "in pieces of $every s it does not end at $end_ns: $(cut -d, -f1,2 pieces.csv)"
done
column time <whole.csv | grep -qx '20[0-9-]*T[0-9:.]*Z' || fail "no time: $(cat whole.csv)"
[ "$(($(date -u +%s) - $(date -u -d "$(column time <whole.csv)" +%s)))" -ge 0 ] || fail 'it ends in the future'
finish
