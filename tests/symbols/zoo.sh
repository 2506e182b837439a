#!/bin/sh
# The zoo: programs that are built here in all the forms in which programs come, each
# with functions of known names that use up the CPU.
#   zoo.sh CYCTOP DEMANGLES(0|1) [CASE...]
# All of them run at the same time, under a live cyctop and under cyctop record.  In the
# recording every sample is known by its address and time, as the programs tell where
# and when they run: each expected name has exactly the samples that it must have, so none
# that belongs elsewhere.  Live, the expected names have all but what is truly outside,
# and no other name has any of it; and their proportions are those of the recording.
set -u
# shellcheck disable=SC2034 # for zoo_judge.sh
cyctop=$(realpath "$1") demangles=$2
shift 2
only=" $* "
here=$(cd "$(dirname "$0")" && pwd)
seconds=6
read -r load _ </proc/loadavg # as many more where there are many others
[ "${load%.*}" -lt $((2 * $(nproc))) ] || seconds=12
skip() {
	echo "skipped: $*"
	exit 77
}
for tool in cc nm readelf strip objcopy objdump jq unshare chroot; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
[ "$(id -u)" = 0 ] || skip "only root sees all programs, and may make containers"
tmp=$(mktemp -d)
pids=
finish() {
	[ -z "${KEEP:-}" ] || cp -r "$tmp" "$KEEP"
	for pid in $pids; do
		# what a namespace was made for is its child
		kill -KILL "$pid" 2>/dev/null
	done
	rm -rf "$tmp"
	for pid in $pids; do
		rm -f "/tmp/perf-$pid.map"
	done
}
trap finish EXIT
trap 'exit 130' INT TERM
cd "$tmp" || exit 1
home=$HOME # where compilers have their settings
export HOME="$tmp/home" LC_ALL=C
mkdir home
mkfifo gate
"$cyctop" record -e cpu-clock --duration 0.1 -o try.data 2>err || skip "cannot sample this machine: $(tail -n 1 err)"
"$cyctop" -b -i try.data --format json >/dev/null 2>err || skip "$(tail -n 1 err)"

# shellcheck source=tests/symbols/zoo_build.sh
. "$here/zoo_build.sh"
# shellcheck source=tests/symbols/zoo_judge.sh
. "$here/zoo_judge.sh"

# ---- the day ------------------------------------------------------------------------

build_commons || exit 1
mkdir case
grep -v '^#' "$here/zoo.table" | while IFS='|' read -r name live recorded after run how; do
	name=${name%% *}
	case $only in
	'  ' | *" $name "*) ;;
	*) continue ;;
	esac
	echo "$live" >want.live
	echo "$recorded" >want.recorded
	build "$name" "$after" "$how" || continue
	mv want.live want.recorded "case/$name"
	echo "$run" >"case/$name/how"
done || exit 1
names=$(ls case)
[ -n "$names" ] || skip "no case of that name can be built here"

# Whoever measures comes before what is measured, where that is allowed.
niceness=0
! renice -n -5 -p $$ >/dev/null 2>&1 || niceness=5
exec 9<>gate
for name in $names; do
	prepare "$name"
done
for name in $names; do
	runs "$name" late || start "$name"
done
for name in $names; do
	runs "$name" late || wait_ready "$name"
done
"$cyctop" record -o zoo.data -e cpu-clock -F 9999 --duration $seconds 2>record.err 9>&- &
recording=$!
"$cyctop" -b -n 1 -d $seconds --window total -e cpu-clock -F 4999 --sort pid,dso,symbol --format json \
	>live.json 2>live.err </dev/null 9>&- &
live=$!
pids="$pids $live $recording"
exec 9>&- # those that wait go on
sleep 1
for name in $names; do
	! runs "$name" late || start "$name"
done
for name in $names; do
	! runs "$name" late || wait_ready "$name"
done
sleep 2
for name in $names; do
	! runs "$name" short || stop "$name"
done
wait $recording || fail "cyctop record: $(cat record.err)"
wait $live || fail "cyctop -b: $(cat live.err)"
sleep 1 # for what runs to be told
for name in $names; do
	# who goes on writing its names must be alive for them to count
	runs "$name" map || runs "$name" dump || stop "$name"
done
"$cyctop" -b -i zoo.data --sort pid,dso,symbol --format json >recorded.json 2>err || fail "cyctop -i: $(cat err)"
"$cyctop" dump zoo.data 2>err | samples >zoo.samples || fail "cyctop dump: $(cat err)"
rows live.json >live.rows
rows recorded.json >recorded.rows
for name in $names; do
	judge "$name"
done
[ "$failed" -eq 0 ] || exit 1
echo "all $(echo "$names" | wc -w) cases are named as they must be; $(wc -l <zoo.samples) samples in user space"
