#!/bin/sh
# The unit tests on arm64, where char is unsigned and alignment differs; without the tests that draw
# thousands of screens, wait, simulate and read files of millions of entries, which are slow there and find nothing
# new, and with only a part of the damaged records.
. "$(dirname "$0")/lib.sh"
vm_build arm64 --units
find "$cross/tests/unit" -maxdepth 1 -type f -name 'test_*' ! -name test_view_any \
	! -name test_elf_hostile ! -name 'test_resolve_code*' ! -name test_compare -exec cp {} "$job" \;
# files that the tests compare with, at the paths of the build machine
cp -r "$top/tests/golden" "$top/tests/events" "$top/doc" "$job"
cp "$cross/tests/unit/libjvm.so" "$job"
printf '%s\n' "mkdir -p '$top/tests' '$cross/tests/unit'" "ln -s /job/golden /job/events '$top/tests/'" \
	"ln -s /job/doc '$top/'" \
	"ln -s /job/libjvm.so '$cross/tests/unit/'" >"$job/places"
guest <<'GUEST'
. ./places
export CYCTOP_EMULATED=1
for t in ./test_*; do
	read -r began _ </proc/uptime
	$t >/tmp/log 2>&1
	status=$?
	read -r ended _ </proc/uptime
	if [ $status = 0 ]; then
		echo "ok: $t, ${began} to ${ended} s"
		sed -n 's/^\[  SKIPPED \] \([a-z]\)/skipped there: \1/p' /tmp/log # what needs a compiler, for one
	elif [ $status = 77 ]; then
		echo "skipped: $t: $(grep -v '^\[' /tmp/log | tail -n 1)"
	else
		echo "FAILED: $t"
		cat /tmp/log
	fi
done
GUEST
cat "$out/stdout"
expect 'unit tests ran' grep -q '^ok' "$out/stdout"
expect 'all of them passed' sh -c "! grep -q ^FAILED '$out/stdout'"
finish
