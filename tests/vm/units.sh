#!/bin/sh
# The unit tests on arm64, where char has no sign and alignment is another; without
# the one that draws thousands of screens, which is slow there and shows nothing new; and of
# the damaged records a part.
. "$(dirname "$0")/lib.sh"
vm_build arm64 --units
find "$cross/tests/unit" -maxdepth 1 -type f -name 'test_*' ! -name test_view_any -exec cp {} "$job" \;
# the files they compare with, where they were when the tests were built
cp -r "$top/tests/golden" "$top/doc" "$job"
printf '%s\n' "mkdir -p '$top/tests'" "ln -s /job/golden '$top/tests/'" "ln -s /job/doc '$top/'" >"$job/places"
guest --limit 400 <<'GUEST'
. ./places
export CYCTOP_EMULATED=1
for t in ./test_*; do
	read -r began _ </proc/uptime
	$t >/tmp/log 2>&1
	status=$?
	read -r ended _ </proc/uptime
	if [ $status = 0 ]; then
		echo "ok: $t, ${began} to ${ended} s"
	elif [ $status = 77 ]; then
		echo "skipped: $t"
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
