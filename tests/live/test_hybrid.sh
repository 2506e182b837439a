#!/bin/sh
# A machine with two kinds of CPU, made of descriptions and a library that refuses the events of one kind on the other:
# an event is opened on each CPU's own PMU and is one column; by the PMUs' names it is two, which shares, IPC and GHz
# take together.
#   test_hybrid.sh CYCTOP LIBRARY TREE
set -eu
cyctop=$(realpath "$1") library=$(realpath "$2") tree=$(realpath "$3")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "mounts descriptions of PMUs"
needs jq
needs_sampling "$cyctop"
unshare -m true 2>/dev/null || skip "no mount namespace"
[ "$(cat /sys/devices/system/cpu/online)" != 0 ] || skip "one CPU"
grep '^[^#]' "$tree" | while read -r file value; do
	mkdir -p "devices/$(dirname "$file")"
	echo "$value" >"devices/$file"
done
hybrid() { # ARGUMENT...: cyctop there, to out
	# shellcheck disable=SC2016 # of the inner shell
	unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices && LD_PRELOAD=$0 exec "$@"' "$library" \
		"$cyctop" -b -n 1 -d 1 "$@" >out 2>err || fail "$*: $(cat err)"
}
holds() { # WHAT FILTER
	jq -e "$2" out >/dev/null || fail "$1: $(jq -c '.events, .cpus' out)"
}

# where nothing runs there are too few samples for a ratio
for _ in $(seq "$(nproc)"); do
	start sh -c 'while :; do :; done'
done
hybrid -e cycles,instructions --format json
holds "one event, on all CPUs" '(.events | length) == 2 and ([.cpus[] | select(.online).counts.cycles > 5e8] | all)'
holds "its IPC" '[.cpus[] | select(.online).metrics.ipc.value] | all(. > 0.9 and . < 1.1)'

core=cpu_core/cycles/ atom=cpu_atom/cycles/
hybrid -e "$core,$atom,cpu_core/instructions/,cpu_atom/instructions/" --format json
holds "an event for each kind" ".cpus | .[0].counts[\"$core\"] > 5e8 and .[0].counts[\"$atom\"] == null and
	.[1].counts[\"$core\"] == null and .[1].counts[\"$atom\"] > 5e8"
holds "IPC of each kind" '[.cpus[] | select(.online).metrics.ipc.value] | all(. > 0.9 and . < 1.1)'
holds "shares of both together" '[.cpus[].share] | add > 0.99 and add < 1.01 and min > 0.001'
hybrid -e "$core,$atom"
grep -q '^CPU .* GHZ .*core/s *cpu_atom/s' out || fail "columns: $(grep '^CPU' out)"
[ "$(grep -A 2 '^CPU ' out | awk '$1 ~ /^[01]$/ && $4 >= 0.9' | wc -l)" = 2 ] || fail "GHz: $(grep -A 2 '^CPU ' out)"
finish
