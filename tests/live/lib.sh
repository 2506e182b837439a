# shellcheck shell=sh
# Shared by the live tests.  A test makes its path arguments absolute and then sources this file,
# which changes the working directory to $tmp.
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cd "$tmp" || exit 1

# start COMMAND...: runs it in the background; its process id is in $pid
start() {
	"$@" &
	pid=$!
	children="$children $pid"
}

# interrupt PID [WHAT]: ends the process by SIGINT, and checks that its status is 0
interrupt() {
	kill -INT "$1"
	wait "$1" || fail "${2:-process $1} ends with status $? after SIGINT"
}

# end PID...: ends processes by SIGTERM and ignores their status
end() {
	for pid; do
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
}

# has_samples FILE N: has the recording that "$cyctop" is writing at least N samples?
has_samples() {
	# shellcheck disable=SC2154 # the test's
	[ "$("$cyctop" dump "$1" 2>/dev/null | grep -c type=SAMPLE)" -ge "$2" ]
}
