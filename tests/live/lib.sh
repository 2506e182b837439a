# shellcheck shell=sh
# What the live tests share: sourced with the paths that they were given already made
# absolute, as it goes to a directory that is removed in the end.
skip() {
	echo "skipped: $*"
	exit 77
}
needs() { # PROGRAM...
	for program in "$@"; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}
perf_samples() {
	needs perf
	perf record -o /dev/null -q -e cpu-clock -a true 2>/dev/null || skip "perf may not sample this machine"
}
status=0
bad() {
	echo "FAILED: $*"
	# shellcheck disable=SC2034 # what the test exits with
	status=1
}
tmp=$(mktemp -d)
lpid= # of a load in the background
trap 'kill $lpid 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C
cd "$tmp" || exit 1
