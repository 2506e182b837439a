#!/bin/sh
# cyctop doctor where there is a PMU: how many counters it has, how many are free while others count, and who they are.
. "$(dirname "$0")/lib.sh"
vm_build arm64
guest <<'GUEST'
echo 2 >/proc/sys/kernel/perf_event_paranoid
./cyctop doctor --json >/out/quiet
./cyctop -b -n 600 -d 0.1 >/dev/null 2>&1 &
pid=$!
sleep 3
./cyctop doctor --json >/out/busy
kill $pid
wait $pid
perf stat -a -e cycles:D sleep 60 >/dev/null 2>&1 &
sleep 3
echo 1 >/proc/sys/kernel/perf_user_access
./cyctop doctor --json >/out/pinned
perf stat -a -e r8:D,r3:D,r4:D,r10:D,r12:D,r1:D sleep 60 >/dev/null 2>&1 &
sleep 3
./cyctop -b -n 1 -d 1 -e cycles >/out/held 2>&1
echo "status $?" >>/out/held
./cyctop -b -n 1 -d 1 -e cpu-clock >/out/clock 2>&1
true
GUEST
# doctor WHAT FILE EXPRESSION: of its answer as an object of checks
doctor() {
	jq -s 'map(select(.kind == "check") | {(.check): .}) | add' "$out/$2" >"$out/$2.all"
	jq -e "$3" "$out/$2.all" >/dev/null && say "ok: $1" && return
	cat "$out/$2"
	say "FAILED: $1"
	failures=$((failures + 1))
}
doctor 'there is a PMU, all of it free' quiet '.pmu.state == "ok" and .counters.state == "ok" and
	(.counters.what | test("^armv8_pmuv3[_0-9]*: 7 of 7 free$"))'
doctor 'a live run reaches everything' quiet '.run.state == "ok" and (.run.what | contains("cycles at 809 Hz"))'
doctor 'nobody else counts' quiet '.holders.state == "ok"'
doctor 'all features are there' quiet '.features.what == "17 of 17 accepted"'
doctor 'another cyctop holds the counter of cycles' busy '(.counters.what | endswith("6 of 7 free")) and
	.holders.limits == 1 and (.holders.what | test("^cyctop \\([0-9]+\\): [0-9]+ events$"))'
doctor 'a pinned event holds one' pinned '(.counters.what | endswith("6 of 7 free")) and
	(.holders.what | startswith("perf ("))'
expect 'all counters are held' \
	grep -q 'cycles never had a counter, since other events held them .*: cyctop doctor' "$out/held"
expect 'the event says so' grep -q '^cycles never counted' "$out/held"
expect 'the trust line says so' grep -q '| mux 0% |' "$out/held"
cat "$out/held"
expect 'what the message advises works' grep -q '^Symbols ([1-9]' "$out/clock"
doctor 'user-space reads are off' quiet '.user_reads.state == "no" and .user_reads.limits == 0 and
	.user_reads.remedy == "sudo sysctl kernel.perf_user_access=1"'
doctor 'user-space reads are on' pinned '.user_reads.state == "ok"'
finish
