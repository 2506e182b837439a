# shellcheck shell=sh
# Shared by all shell tests, which source it.  It has the functions below, and a directory $tmp,
# which is removed when the test ends.  After `fail` a test goes on, and ends with `finish`, which
# then exits with 1.
# A test must not depend on how busy the machine is: it waits for conditions with `eventually`, and
# compares measurements with the CPU time that the load has used.

# What the caller's environment has must not change a result.
exec </dev/null
umask 022
unset LINES COLUMNS NO_COLOR ESCDELAY CDPATH LANGUAGE XDG_STATE_HOME DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
export LC_ALL=C

skip() { # WHY...: ends the test as skipped
	echo "skipped: $*"
	exit 77
}

needs() { # PROGRAM...
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

needs_root() { # WHAT FOR...
	[ "$(id -u)" = 0 ] || skip "only root $*"
}

# Does the kernel let cyctop, or perf, sample the whole machine?
needs_sampling() { # CYCTOP
	"$1" -b -n 1 -d 0.1 -e cpu-clock >/dev/null 2>"$tmp/why" </dev/null ||
		skip "this machine cannot be sampled: $(tail -n 1 "$tmp/why")"
}
needs_perf() {
	needs perf
	perf record -o /dev/null -q -e cpu-clock -a true 2>/dev/null || skip "perf cannot sample this machine"
}

failed=0
fail() { # WHAT...
	printf 'FAIL %s\n' "$*"
	failed=$((failed + 1))
}
finish() {
	[ "$failed" = 0 ] || exit 1
	exit 0
}

# eventually COMMAND...: repeats the command until it succeeds; false after five minutes, which
# happens only in a test that fails
eventually() {
	waited=0
	until "$@"; do
		waited=$((waited + 1))
		[ $waited -lt 3000 ] || return 1
		sleep 0.1
	done
}

is_gone() { # PID: it has ended, and is a zombie at most
	case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
	'' | [ZX]*) ;;
	*) return 1 ;;
	esac
}

# cpu_ns PID: nanoseconds of CPU time that all threads of the process have used
cpu_ns() {
	cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ ns += $1 } END { printf "%.0f\n", ns }'
}

has_used() { # PID NS
	[ "$(cpu_ns "$1")" -ge "$2" ]
}

# uses PID MS: waits until the process has used MS more milliseconds of CPU time
uses() {
	eventually has_used "$1" $(($(cpu_ns "$1") + $2 * 1000000)) || fail "process $1 does not use the CPU"
}

# handles_sigterm PID: does the process handle or block SIGTERM?  A new process is a copy of this
# shell until it calls exec(), and the handlers of this shell would ignore the signal.
handles_sigterm() {
	[ "$(readlink "/proc/$1/exe")" != "$(readlink "/proc/$$/exe")" ] &&
		awk '/^Sig(Blk|Cgt):/ { d = substr($2, length($2) - 3, 1); if (d ~ /[4567cdef]/) seen = 1 }
			END { exit !seen }' "/proc/$1/status"
}

tmp=$(mktemp -d) || exit 1 # mktemp says why; with an empty name files would be made in /
children= # process ids that are killed at the end
# shellcheck disable=SC2317 # the trap calls it
clean_up() {
	# shellcheck disable=SC2086 # process ids
	[ -z "$children" ] || kill $children 2>/dev/null || :
	rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
