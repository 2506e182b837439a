#!/bin/sh
# The zoo: programs that are built here in all forms that programs have, each with functions of known
# names that use CPU time.
#   zoo.sh CYCTOP DEMANGLES(0|1) [CASE...]
# All of them run at the same time, while cyctop measures live and cyctop record records.  In the
# recording, the right name of every sample is known from its address and time, because the programs
# print where and when their functions run: each expected name must have exactly its samples.  Live,
# the expected names must have nearly all samples, no other name any, and their proportions must be
# those of the recording in the same time, but for the chance of both samplings.
set -u
# shellcheck disable=SC2034 # for zoo_judge.sh
cyctop=$(realpath "$1") demangles=$2
shift 2
only=" $* "
here=$(cd "$(dirname "$0")" && pwd)
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
		# the program in a pid namespace is a child of this process
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

# ---- the measurement --------------------------------------------------------------------

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

# cyctop has a higher priority than the programs, if that is allowed.
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
# 16 MB hold the samples of some ten seconds in which cyctop does not run.
"$cyctop" record -o zoo.data --ring 16384 -e cpu-clock -F 9999 2>record.err </dev/null 9>&- &
recording=$!
until_measuring $recording
"$cyctop" -b -n 1 -d 600 --ring 16384 --window total -e cpu-clock -F 4999 --sort pid,dso,symbol --format json \
	>live.json 2>live.err </dev/null 9>&- &
live=$!
pids="$pids $live $recording"
until_measuring $live # the recording begins before, and ends after it
exec 9>&- # those that wait go on
sleep 1
for name in $names; do
	! runs "$name" late || start "$name"
done
for name in $names; do
	! runs "$name" late || wait_ready "$name"
done
# On a busy machine it takes longer until each has run.
n=0
until all_ran; do
	n=$((n + 1))
	[ $n -lt 600 ] || fail "not all programs get to run"
	[ $n -lt 600 ] || break
	sleep 0.2
done
kill -TERM $live
wait $live || fail "cyctop -b: $(cat live.err)"
kill -TERM $recording
wait $recording || fail "cyctop record: $(cat record.err)"
wait_told
for name in $names; do
	# a program whose map or dump still grows must run until its names were read
	runs "$name" map || runs "$name" dump || stop "$name"
done
"$cyctop" -b -i zoo.data --sort pid,dso,symbol --format json >recorded.json 2>err || fail "cyctop -i: $(cat err)"
"$cyctop" dump zoo.data 2>err | samples || fail "cyctop dump: $(cat err)"
whole=1
for when in live recorded; do
	lost=$(jq '.trust.lost_share * 1000 | round' $when.json)
	[ "$lost" -lt 5 ] || {
		echo "$when: $((lost / 10)) % of the samples were lost: live proportions are not compared"
		whole=0
	}
done
span_of live >live.span
span_of recorded >recorded.span
rows live.json >live.rows
rows recorded.json >recorded.rows
for name in $names; do
	judge "$name"
done
[ "$failed" -eq 0 ] || exit 1
echo "all $(echo "$names" | wc -w) cases are named as they must be; $(cat samples/* | wc -l) samples in user space"
