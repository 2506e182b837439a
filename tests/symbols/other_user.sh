#!/bin/sh
# Names of code that a process of another user made at run time: its perf map names it, for root and for that user, if
# it is that user's or root's; a map that a third user has put there is not used, whatever it says, nor is a file of
# root's that has a second name.  Of a JVM of another user root has the methods, from its memory.
#   other_user.sh CYCTOP
set -u
cyctop=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs_root "may be several users"
needs cc setpriv
needs_sampling "$cyctop"
cd "$tmp" || exit 1
chmod 755 .
cc -O1 -o jit "$here/programs/jit.c" 2>err || skip "no jit program: $(tail -n 1 err)"
cp "$cyctop" cyctop || exit 1
other=65534 third=65533
as() { # UID COMMAND...: another user, without root's privileges
	id=$1
	shift
	exec setpriv --reuid "$id" --regid "$id" --clear-groups --bounding-set=-all "$@"
}
for id in $other $third; do
	(as "$id" "$tmp/jit") 2>err
	[ $? = 2 ] || skip "no programs of uid $id: $(tail -n 1 err)"
done
map=
trap 'rm -f "$map" /tmp/perf-map.$$; clean_up' EXIT

(as $other "$tmp/jit" map) >said 2>err &
pid=$!
children=$pid
map=/tmp/perf-$pid.map
eventually grep -q ready said || fail "the program does not run: $(tail -n 1 err)"
[ "$(stat -c %u "$map")" = $other ] || fail "the map is of uid $(stat -c %u "$map")"

# names COMMAND...: of the program's samples in memory without a file
names() {
	"$@" -b -n 1 -d 2 -e cpu-clock:u -p "$pid" --sort dso,symbol --format csv >table 2>why || {
		fail "$*: $(tail -n 1 why)"
		return
	}
	grep -E '\[anon\]|\[JIT\]' table | cut -d, -f 4,5 >names
	[ -s names ] || fail "no samples of JIT code: $(cat table)"
}
used() { # WHAT COMMAND...
	what=$1
	shift
	names "$@"
	grep -q jit_function_ names || fail "$what: no name: $(cat names)"
	! grep -q lie names || fail "$what: $(grep lie names)"
}
unused() { # WHAT COMMAND...
	what=$1
	shift
	names "$@"
	! grep -Eq 'jit_function_|lie' names || fail "$what: $(cat names)"
	grep -q 'no symbol' names || fail "$what: not without a name: $(cat names)"
}
# shellcheck disable=SC2317 # names calls it
root() { "$cyctop" "$@"; }
# shellcheck disable=SC2317
owner() { (as $other "$tmp/cyctop" "$@"); }
who=root
if owner -b -n 1 -d 0.1 -e cpu-clock:u -p "$pid" >/dev/null 2>err; then
	who='root owner'
else
	echo "not as the owner of the program: $(tail -n 1 err)"
fi

for reader in $who; do
	used "$reader: the process's own map" "$reader"
done
chown 0 "$map"
for reader in $who; do
	used "$reader: a map of root" "$reader"
done
ln "$map" /tmp/perf-map.$$
for reader in $who; do
	unused "$reader: a map of root with a second name" "$reader"
done
rm /tmp/perf-map.$$

# the process's pid, foretold by a third user: a map of that user says something else of all of its code
chmod a+r "$map"
sed 's/jit_function_/lie_/; s/out_of_date/lie/' "$map" >lies
rm "$map"
# shellcheck disable=SC2016 # expanded there
(as $third sh -c 'cat >"$1"' - "$map") <lies || fail "no map of the third user"
[ "$(stat -c %u "$map")" = $third ] || fail "the map is of uid $(stat -c %u "$map")"
for reader in $who; do
	unused "$reader: a map of a third user" "$reader"
done
chown $other "$map" # it is the owner alone that is not believed
names root
grep -q lie names || fail "the same file of the process's user is not used: $(cat names)"
kill "$pid"
wait "$pid" 2>/dev/null

# a JVM: its map is not asked for, and its memory has the names
if ! command -v javac >/dev/null; then
	echo "javac is not installed: no JVM of another user"
	finish
fi
javac -d . "$here/programs/Hot.java" 2>err || skip "no Java program: $(tail -n 1 err)"
chmod a+r Hot.class
rm -f "$map"
(as $other env -u JAVA_TOOL_OPTIONS java -Xmx64m -XX:-Inline -cp "$tmp" Hot "$tmp/go") >said 2>err &
pid=$!
children=$pid
map=/tmp/perf-$pid.map
eventually grep -q ready said || fail "java does not run: $(tail -n 1 err)"
# all of the addresses that code can have
# shellcheck disable=SC2016
(as $third sh -c 'echo "1000 7fffffff0000 lie_of_java" >"$1"' - "$map") || fail "no map of the third user"
names root
grep -q 'Hot.hotMethod(int)' names || fail "no method of another user's JVM: $(cat names)"
! grep -q lie names || fail "a map of a third user names a JVM's code: $(grep lie names)"
finish
