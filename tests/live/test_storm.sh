#!/bin/sh
# A storm of short programs on a busy machine: each run of cyctop reads /proc and symbols first, while the rings fill.
#   test_storm.sh CYCTOP
set -eu
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_sampling "$cyctop"
needs jq

for _ in 1 2 3 4 5 6; do
	start sh -c 'while :; do /bin/true; done'
done
sleep 0.3
runs=0 lossy=0
while [ $runs -lt 6 ]; do
	"$cyctop" -b -n 2 -d 0.5 -e cpu-clock --table commands --format json >out.json 2>err || fail "$(cat err)"
	lossy=$((lossy + $(jq -s 'map(select(.trust.lost > 50)) | length' out.json)))
	runs=$((runs + 1))
done
[ $lossy -le 1 ] || fail "records are lost in $lossy of $((2 * runs)) intervals"

finish
