#!/bin/sh
# Columns of --preset topdown, of scripts that say which CPU they are of; by hand from the vendors' formulas, as in
# tests/unit/test_topdown.c, which has their sources.
#   test_topdown.sh CYCTOP
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$(realpath "$1")
needs jq
"$cyctop" --demo -b -n 1 --format json >/dev/null 2>&1 || skip "cyctop is built without JSON"
cd "$tmp" || exit 1

# script CPUID NAME=COUNT...: a function that has these counts in thousands, and another one without any but cycles
script() {
	echo "cpuid $1"
	shift
	for count; do
		echo "event ${count%=*} period=1000"
	done
	echo "dso app /usr/bin/app
sym app:work 0x1000 0x100
sym app:rest 0x2000 0x100
task 100 app maps=app
tick
sample cpu=0 task=100 event=cycles sym=app:rest n=500"
	for count; do
		echo "sample cpu=0 task=100 event=${count%=*} sym=app:work n=${count#*=}"
	done
}
# shows WHAT VALUES CPUID NAME=COUNT...: does the function have these values, in order of columns?
shows() {
	what=$1 values=$2
	shift 2
	script "$@" >made
	got=$("$cyctop" --demo=made -b -n 1 --format json --table symbols 2>err | jq -r '.symbols[] |
		select(.symbol == "work").metrics | to_entries | map(select(.key | endswith("%"))) |
		map("\(.key)\(.value.value * 1e6 | round / 1e4)") | join(" ")')
	[ "$got" = "$values" ] || fail "$what: '$got', not '$values' $(cat err)"
}
shows Skylake 'RET%30 BAD%10 FE%20 BE%40' GenuineIntel,6,94,3 \
	cycles=1000 fe_slots=800 issued_uops=1400 retired_slots=1200 recovery_cycles=50
shows 'Ice Lake' 'RET%30 BAD%8 FE%20 BE%42' GenuineIntel,6,106,6 \
	cycles=1000 slots=5000 fe_slots=1100 fe_dropped=100 clears=20 be_slots=2000 retired_slots=1500
shows 'Alder Lake' 'RET%30 BAD%10 FE%20 BE%40 eRET%30 eBAD%10 eFE%15 eBE%45' GenuineIntel,6,151,2 \
	cycles=1000 slots=5000 fe_slots=1100 fe_dropped=100 be_slots=2000 retired_slots=1500 \
	e_fe_slots=750 e_be_slots=2250 e_retired=1500
shows 'Zen 4' 'RET%25 BAD%5 FE%20 BE%40 SMT%10' AuthenticAMD,25,97,2 \
	cycles=1000 fe_slots=1200 be_slots=2400 smt_slots=600 dispatched_ops=1800 retired_ops=1500
shows 'Neoverse V2' 'RET%36 BAD%6 FE%19.5 BE%38.5' 0x00000000410fd4f0 \
	cycles=1000 stall_slot=4800 stall_slot_frontend=1600 stall_slot_backend=3200 op_retired=2700 op_spec=3000 \
	br_mis_pred=5
shows 'Neoverse N2 r0p3' 'RET%36 BAD%6 FE%29.5 BE%28.5' 0x00000000410fd493 \
	cycles=1000 stall_slot=3000 stall_slot_frontend=1500 stall_slot_backend=1500 op_retired=2700 op_spec=3000 \
	br_mis_pred=5
shows 'a metric without its events' 'RET%25 FE%20' AuthenticAMD,25,97,2 cycles=1000 fe_slots=1200 retired_ops=1500
shows 'a CPU that is not known' '' AuthenticAMD,23,1,2 cycles=1000 fe_slots=1200 retired_ops=1500
for cpuid in "''" "','" AuthenticAMD AuthenticAMD,25 'AuthenticAMD,25,' AuthenticAMD,,97 AuthenticAMD,x,97 0x 0xzz \
	0xffffffffffffffffffffffff AuthenticAMD,99999999999999999999,97; do
	shows "the CPU $cpuid" '' "$cpuid" cycles=1000 fe_slots=1200 retired_ops=1500
done
finish
