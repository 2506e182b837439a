#!/bin/sh
# One program in forty containers, each with its own namespaces and its own root, which is an overlay
# over the same files or has a copy of them: its symbols are read once.
#   containers.sh CYCTOP BIG-ELF PEAK
# The samples in every container have names; forty containers use little more memory than one, while
# forty copies of the symbols would use hundreds of megabytes.
set -u
cyctop=$(realpath "$1") big_elf=$(realpath "$2") peak=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs cc jq unshare chroot pgrep
needs_root "may make containers"
containers=40 symbols=300000
pids=
# shellcheck disable=SC2317 # the trap calls it
clean_up() {
	for pid in $pids; do
		kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	rm -rf "$tmp"
}
cd "$tmp" || exit 1
export HOME="$tmp" LC_ALL=C
"$cyctop" record -e cpu-clock --duration 0.1 -o try.data 2>err || skip "cannot sample this machine: $(tail -n 1 err)"
"$cyctop" -b -i try.data --format json >/dev/null 2>err || skip "$(tail -n 1 err)"
cc -O1 -static -DRESTLESS -Wl,--build-id -o zoo "$here/programs/zoo.c" 2>err || skip "cc: $(tail -n 1 err)"
mkdir lower box
"$big_elf" zoo lower/boxed $symbols || exit 1
chmod +x lower/boxed

# contain HOW: starts a container in the background
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

# named N: does the last table have named functions of N containers?
# shellcheck disable=SC2317 # eventually calls it
named() {
	got=$(tail -n 1 tables | jq 2>/dev/null '[.rows[] |
		select((.dso | endswith("/boxed")) and (.symbol | startswith("hot_"))) | .pid] | unique | length')
	[ "$got" = "$1" ]
}
# look FILE N: runs cyctop until its table by process names N containers; prints the peak memory in KB
look() {
	"$peak" "$cyctop" -b -d 1 --window total -e cpu-clock -F 1999 --sort pid,dso,symbol --format json \
		3>peak.out >tables 2>look.err </dev/null &
	meter=$!
	eventually test -s tables
	eventually named "$2" || echo "not all $2 containers have names" >&2
	kill -TERM "$(cat /proc/$meter/task/$meter/children)"
	wait $meter
	tail -n 1 tables >"$1"
	read -r status kb <peak.out
	[ "$status" = 0 ] || {
		echo "FAIL cyctop: status $status: $(tail -n 1 look.err)"
		exit 1
	}
	echo "$kb"
}

renice -n -5 -p $$ >/dev/null 2>&1 || :
none=$(look none.json 0) || { echo "$none"; exit 1; }
contain overlay
container=$!
# shellcheck disable=SC2317 # eventually calls it
running() { # N: so many containers' programs are there, or the last one has failed
	[ "$(pgrep -cx boxed)" = "$1" ] || is_gone "$container"
}
eventually running 1 || fail 'the first container does not start'
! is_gone $container || skip "no container can be made here: $(tail -n 1 err)"
one=$(look one.json 1) || { echo "$one"; exit 1; }
n=1
while [ $n -lt $containers ]; do
	how=overlay
	[ $((n % 10)) != 0 ] || how=copy
	contain $how
	n=$((n + 1))
done
container=$!
eventually running $containers || fail 'the containers do not start'
forty=$(look forty.json $containers) || { echo "$forty"; exit 1; }

echo "peak RSS in KB: $none without, $one with one container, $forty with $containers"
[ $((one - none)) -gt 8000 ] || {
	fail "the table of one is too small to tell anything"
}
[ $((forty - one)) -lt $(((containers - 1) * (one - none) / 4)) ] || {
	fail "the program was read more than once"
}
jq -r --arg n $containers '[.rows[] | select(.dso | endswith("/boxed"))] as $rows |
	([$rows[] | select(.symbol | startswith("hot_")) | .pid] | unique | length) as $named |
	([$rows[].events["cpu-clock"].samples] | add // 0) as $all |
	([$rows[] | select(.symbol | test("^0x|^\\[")) | .events["cpu-clock"].samples] | add // 0) as $nameless |
	"\($named) containers have named functions; \($nameless) of \($all) samples have no name",
	if $named == ($n | tonumber) and $nameless * 20 <= $all then empty
	else "FAIL not all of them are named" end' forty.json >said || failed=1
cat said
! grep -q ^FAIL said || failed=1
finish
