#!/bin/sh
# Capabilities belong to threads, not to processes: all threads of a running cyctop have the same ones,
# and only those that they need.  Needs root.
#   threads.sh CYCTOP ENDLESS
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$1 endless=$2
if [ "$(id -u)" != 0 ]; then
	echo "SKIP: only root has capabilities to give up"
	exit 77
fi

# 2^19 SYS_PTRACE, 2^14 IPC_LOCK, 2^2 DAC_READ_SEARCH, 2^34 SYSLOG, 2^38 PERFMON, 2^40 CHECKPOINT_RESTORE
measure=$((1 << 19 | 1 << 14 | 1 << 2 | 1 << 34 | 1 << 38 | 1 << 40))
read_only=$((1 << 2 | 1 << 34))

# shellcheck disable=SC2317 # eventually calls it
has_threads() { # PID N
	[ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -ge "$2" ]
}

# check WHAT PID ALLOWED
check() {
	for status in "/proc/$2/task/"*/status; do
		for set in CapInh CapPrm CapEff CapAmb; do
			caps=$((0x$(sed -n "s/^$set:[ \t]*//p" "$status")))
			[ $((caps & ~$3)) = 0 ] || fail "$1: ${status#/proc/}: $set has $(printf '%x' $((caps & ~$3)))"
		done
		grep -q '^NoNewPrivs:[[:space:]]*1' "$status" || fail "$1: ${status#/proc/} may get new privileges"
	done
	[ "$(cat "/proc/$2/task/"*/status | grep '^Cap\(Prm\|Eff\)' | sort -u | wc -l)" = 2 ] ||
		fail "$1: threads differ: $(cat "/proc/$2/task/"*/status | grep '^Cap')"
}

mkfifo "$tmp/fifo" "$tmp/begun"
"$cyctop" -b -d 1 >"$tmp/out" 2>"$tmp/err" &
pid=$!
children="$children $pid"
if eventually has_threads $pid 2; then
	check 'measuring' $pid $measure
else
	fail "no loader thread: $(cat "$tmp/err")"
fi
kill $pid

# The thread that names JIT code, for the recording
"$cyctop" record -a -e cpu-clock -o "$tmp/x.data" >"$tmp/out" 2>"$tmp/err" &
pid=$!
children="$children $pid"
# shellcheck disable=SC2317 # eventually calls it
records() { has_threads "$pid" 2 || grep -q 'nothing can be recorded' "$tmp/err"; }
eventually records || fail "recording: no thread: $(cat "$tmp/err")"
[ ! -d /proc/$pid/task ] || check 'recording' $pid $measure
kill $pid

# While cyctop waits for the first byte of a recording, and afterwards.
"$cyctop" -b -i "$tmp/fifo" >"$tmp/out" 2>"$tmp/err" &
pid=$!
children="$children $pid"
# shellcheck disable=SC2317 # eventually calls it
has_given_up() { # PID ALLOWED: has the process, which began with all capabilities, given up the others?
	caps=$(sed -n 's/^CapPrm:[ \t]*//p' "/proc/$1/status") && [ $((0x$caps & ~$2)) = 0 ]
}
eventually has_given_up $pid $read_only || fail "it keeps its capabilities: $(cat "$tmp/err")"
check 'waiting for a recording' $pid $read_only
kill $pid
"$endless" 100 >"$tmp/begun" &
children="$children $!"
"$cyctop" -b --speed 1 -i "$tmp/begun" >"$tmp/out" 2>"$tmp/err" &
pid=$!
children="$children $pid"
if eventually has_threads $pid 2; then check 'reading a recording' $pid $read_only; else fail 'no loader thread'; fi
kill $pid

# The process that asks JVMs beside the screen keeps what it takes to become another user, and finds the files of
# others: it can do nothing else, has nothing open but its socket, and ends with cyctop however that ends.
become=$((1 << 19 | 1 << 6 | 1 << 7)) # SYS_PTRACE, SETGID, SETUID
if ! command -v script >/dev/null; then
	echo "the process that asks JVMs was not tried: script is not installed"
	finish
fi
mkfifo "$tmp/keys"
TERM=xterm script -qfc "exec '$cyctop' -d 1" /dev/null <"$tmp/keys" >"$tmp/screen" 2>&1 &
children="$children $!"
exec 3>"$tmp/keys"
# shellcheck disable=SC2317 # eventually calls it
finds_helper() { # of a process that is a child of `script`
	for status in /proc/[0-9]*/status; do
		parent=$(awk '$2 == "cyctop-asks" { it = 1 } $1 == "PPid:" && it { print $2 }' "$status" 2>/dev/null)
		[ -n "$parent" ] || continue
		grep -q "^PPid:[[:space:]]*$1\$" "/proc/$parent/status" || continue
		helper=${status%/status} helper=${helper#/proc/} screen=$parent
		return 0
	done
	return 1
}
if eventually finds_helper $!; then
	eventually has_given_up "$helper" $become || fail "the helper keeps its capabilities"
	check 'asking JVMs' "$helper" $become
	[ "$(find "/proc/$helper/task" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] || fail "the helper has threads"
	for fd in "/proc/$helper/fd/"*; do
		case ${fd##*/} in
		[012]) wanted='^/dev/null$' ;;
		*) wanted='^socket:' ;;
		esac
		readlink "$fd" | grep -q "$wanted" || fail "the helper has open: ${fd##*/}, $(readlink "$fd")"
	done
	[ "$(find "/proc/$helper/fd" -mindepth 1 | wc -l)" = 4 ] || fail "the helper has more open than its socket"
	kill -KILL "$screen"
	eventually is_gone "$helper" || fail "the helper outlives cyctop"
else
	fail "no process that asks JVMs: $(tail -c 300 "$tmp/screen")"
fi
exec 3>&-
finish
