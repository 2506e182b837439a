#!/bin/sh
# The static executable is built, is what it is said to be, and does what the usual one does:
#   test_static.sh CYCTOP TEST_ENDING RECORDING
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
usual=$1 ending=$2 recording=$3
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

holds() {
	what=$1
	shift
	"$@" || {
		echo "$what: does not hold"
		bad=1
	}
}

# its linker's warnings are errors
"$top/dev" static || exit 1
static=$top/build-static/cyctop-$(uname -m)
# shellcheck disable=SC2016 # for the shell in there
holds 'it needs no library' sh -c '! readelf -lW "$1" | grep -q INTERP' sh "$static"
holds 'it has less than 6 MB' [ "$(wc -c <"$static")" -lt 6000000 ]
"$static" -V >"$tmp/version"
holds 'it says that it is static' grep -q '^static' "$tmp/version"
# shellcheck disable=SC2016
holds 'it has JSON and no debuginfod' sh -c 'grep -q "^with .*JSON" "$1" && grep -q "^without .*libdebuginfod" "$1"' \
	sh "$tmp/version"

# A made-up machine, and a recording, in each format.  The two differ in what they say of themselves.
for args in '--demo -b -n 3' '--demo --format csv -n 3' '--demo --format json -n 3' "-b -i $recording"; do
	# shellcheck disable=SC2086 # words
	"$usual" $args >"$tmp/usual" 2>"$tmp/usual.err"
	# shellcheck disable=SC2086
	"$static" $args >"$tmp/static" 2>"$tmp/static.err"
	holds "$args prints the same" cmp "$tmp/usual" "$tmp/static"
	holds "$args prints something" [ -s "$tmp/static" ]
done

"$static" -b -n 1 -u no-such-user >"$tmp/out" 2>&1
holds 'a user that is not there is named, and where he was sought' grep -q "/etc/passwd has no user 'no-such-user'" \
	"$tmp/out"
"$static" -b -n 1 -e perf::no_such >"$tmp/out" 2>&1
holds 'libpfm4 is asked' grep -q "unknown event 'perf::no_such'.*libpfm4\(: \| does not know this CPU\)" "$tmp/out"
# on a made terminal, ended in all ways
holds 'it leaves the terminal as it was' "$ending" "$static" "$recording"
exit $bad
