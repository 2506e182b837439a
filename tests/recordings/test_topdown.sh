#!/bin/sh
# Columns of --preset topdown in a recording: formulas of its own CPU, with the sums of periods that perf lists.
# The CPU, a Zen 4, is written into the recording, and its events are page faults, minor faults and context switches.
#   test_topdown.sh CYCTOP
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$(realpath "$1")
needs jq perf
cd "$tmp" || exit 1
echo 'sleep 0.01; exec sleep 0.01' >load
"$cyctop" record -c 1 -e 'software/config=2,name=cycles/' -e 'software/config=5,name=fe_slots/' \
	-e 'software/config=3,name=retired_ops/' -o zen.data -- sh load >out 2>err || skip "cyctop record: $(cat err)"
cpuid=$("$cyctop" dump --json zen.data 2>err | jq -r 'select(.name == "CPUID").fields.cpuid')
at=$(grep -abo -- "$cpuid" zen.data | tail -n 1 | cut -d : -f 1)
[ -n "$at" ] || skip "the recording does not have the CPU: $cpuid"
printf 'AuthenticAMD,25,97,2\0' | dd of=zen.data bs=1 seek="$at" conv=notrunc 2>/dev/null
perf script -F comm,event,period -i zen.data 2>/dev/null | awk '
	$1 == "sleep" { sub(/:$/, "", $3); n[$3] += $2 }
	END {
		slots = 6 * n["cycles"]
		printf "RET%%=%.9f FE%%=%.9f\n", n["retired_ops"] / slots, n["fe_slots"] / slots
	}' >expected
"$cyctop" -b -i zen.data --sort comm --format json 2>err | jq -r '.rows[] | select(.comm == "sleep").metrics |
	to_entries[] | select(.key | endswith("%")) | "\(.key) \(.value.value)"' |
	awk '{ printf "%s%s=%.9f", (NR > 1 ? " " : ""), $1, $2 } END { print "" }' >got
cmp -s expected got || fail "$(diff expected got; cat err)"
grep -q '=0.0*[1-9]' expected || fail "perf lists none: $(cat expected)"
finish
