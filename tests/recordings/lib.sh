# shellcheck shell=sh
# What the tests of recordings share; sourced with $1: their program.
set -u
# shellcheck disable=SC2034 # used by those who source this
data=${CYCTOP_PERFDATA:-$(dirname "$0")/../../../shared/perfdata}
if [ ! -d "$data/ref" ]; then
	echo "no recordings at $data: set CYCTOP_PERFDATA to where they are"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
failed=0

fail() {
	printf 'FAIL %s\n' "$*"
	failed=$((failed + 1))
}

# Prints the path of a recording, unpacked if need be.
unpacked() {
	case $1 in
	*.gz)
		gzip -dc "$1" >"$tmp/$(basename "$1" .gz)" && printf '%s\n' "$tmp/$(basename "$1" .gz)"
		;;
	*) printf '%s\n' "$1" ;;
	esac
}
