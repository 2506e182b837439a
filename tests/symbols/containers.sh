#!/bin/sh
# One program in forty containers, each with its own namespaces and its own root, which is
# an overlay over the same files or has a copy of them: its symbols are read once.
#   containers.sh CYCTOP BIG-ELF PEAK
# Every container's samples have their names; and forty times the program takes not much more
# memory than once, where its symbols forty times would take hundreds of megabytes.
set -u
cyctop=$(realpath "$1") big_elf=$(realpath "$2") peak=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
containers=40 symbols=300000
skip() {
	echo "skipped: $*"
	exit 77
}
for tool in cc jq unshare chroot; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
[ "$(id -u)" = 0 ] || skip "only root may make containers"
tmp=$(mktemp -d)
pids=
# shellcheck disable=SC2317 # it is called by the trap
finish() {
	for pid in $pids; do
		kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 130' INT TERM
cd "$tmp" || exit 1
export HOME="$tmp" LC_ALL=C
"$cyctop" record -e cpu-clock --duration 0.1 -o try.data 2>err || skip "cannot sample this machine: $(tail -n 1 err)"
"$cyctop" -b -i try.data --format json >/dev/null 2>err || skip "$(tail -n 1 err)"
cc -O1 -static -DRESTLESS -Wl,--build-id -o zoo "$here/programs/zoo.c" 2>err || skip "cc: $(tail -n 1 err)"
mkdir lower box
"$big_elf" zoo lower/boxed $symbols || exit 1
chmod +x lower/boxed

# contain HOW: a container, in the background
# shellcheck disable=SC2016 # for the shells in there
contain() {
	nice -n 15 unshare --mount --pid --fork --kill-child sh -c '
		mount -t tmpfs none box && mkdir box/upper box/work box/root || exit 1
		if [ "$1" = copy ]; then
			cp lower/boxed box/root
		else
			mount -t overlay -o lowerdir=lower,upperdir=box/upper,workdir=box/work none box/root
		fi || exit 1
		exec chroot box/root /boxed' sh "$1" >/dev/null 2>>err </dev/null &
	pids="$pids $!"
}

# look FILE SECONDS: the table by process, and what it took: the peak in KB
look() {
	"$peak" "$cyctop" -b -n 1 -d "$2" --window total -e cpu-clock -F 1999 --sort pid,dso,symbol --format json \
		3>peak.out >"$1" 2>look.err </dev/null
	read -r status kb <peak.out
	[ "$status" = 0 ] || {
		echo "FAIL cyctop: status $status: $(tail -n 1 look.err)"
		exit 1
	}
	echo "$kb"
}

renice -n -5 -p $$ >/dev/null 2>&1 || :
none=$(look none.json 0.5) || { echo "$none"; exit 1; }
contain overlay
sleep 0.5
kill -0 $! 2>/dev/null || skip "no container can be made here: $(tail -n 1 err)"
one=$(look one.json 1) || { echo "$one"; exit 1; }
n=1
while [ $n -lt $containers ]; do
	how=overlay
	[ $((n % 10)) != 0 ] || how=copy
	contain $how
	n=$((n + 1))
done
sleep 1
forty=$(look forty.json 4) || { echo "$forty"; exit 1; }

echo "peak RSS in KB: $none without, $one with one container, $forty with $containers"
failed=0
[ $((one - none)) -gt 8000 ] || {
	echo "FAIL the table of one is too small to tell anything"
	failed=1
}
[ $((forty - one)) -lt $(((containers - 1) * (one - none) / 4)) ] || {
	echo "FAIL the program was read more than once"
	failed=1
}
jq -r --arg n $containers '[.rows[] | select(.dso | endswith("/boxed"))] as $rows |
	([$rows[] | select(.symbol | startswith("hot_")) | .pid] | unique | length) as $named |
	([$rows[].events["cpu-clock"].samples] | add // 0) as $all |
	([$rows[] | select(.symbol | test("^0x|^\\[")) | .events["cpu-clock"].samples] | add // 0) as $nameless |
	"\($named) containers have named functions; \($nameless) of \($all) samples have no name",
	# how many had the CPU meanwhile depends on what else runs
	if $named >= ($n | tonumber) / 2 and $nameless * 20 <= $all then empty
	else "FAIL not all of them are named" end' forty.json >said || failed=1
cat said
! grep -q ^FAIL said || failed=1
exit $failed
