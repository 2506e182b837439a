#!/bin/sh
# Functions without names are compared where both sides say that their file is of one build: recordings of cyctop, those
# of perf that say it with each mapping alone, and snapshots, in any mix.
#   test_builds.sh CYCTOP
# shellcheck source=tests/diff/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1
needs cc
needs_sampling "$cyctop"

cat >work.c <<'END'
#include <unistd.h>
volatile unsigned long seed = 1;
__attribute__((noinline)) unsigned long one(unsigned long x)
{
	for (int i = 0; i < 3000; i++)
		x = x * 3 + seed;
	return x;
}
__attribute__((noinline)) unsigned long two(unsigned long x)
{
	for (int i = 0; i < 2000 + MORE; i++)
		x = x * 5 + seed;
	return x;
}
int main(int argc, char **argv)
{
	unsigned long x = 1;
	alarm(1700);
	(void)argv;
	for (int i = 0; argc > 1 || i < 80000; i++)
		x = one(two(x));
	seed = x;
	return 0;
}
END
mkdir same other
cc -O2 -s -Wl,--build-id -DMORE=0 -o same/app work.c || fail 'cc'
cc -O2 -s -Wl,--build-id -DMORE=1000 -o other/app work.c || fail 'cc'

sides=''
take() { # NAME PROGRAM COMMAND...: a side, made with it
	side=$1 app=$2
	shift 2
	"$@" -o "$side" "$app" >err 2>&1 || fail "$*: $(tail -n 1 err)"
	sides="$sides $side"
}
take cyctop.data same/app "$cyctop" record -e cpu-clock -F 1999
take other.data other/app "$cyctop" record -e cpu-clock -F 1999
sides=${sides% other.data}
if command -v perf >/dev/null && # with no table of build-ids, which -B leaves out
	perf record -q -B -N --buildid-mmap -e cpu-clock -o perf.data true >/dev/null 2>&1; then
	take perf.data same/app perf record -q -B -N --buildid-mmap -e cpu-clock -F 1999
	"$cyctop" dump perf.data | grep -q 'name=BUILD_ID' && fail 'perf writes a table of build-ids'
else
	echo 'perf does not write build-ids with mappings: not tested'
fi
if has snapshot; then
	same/app for-ever &
	app=$!
	children=$app
	for file in cyctop.json again.json; do
		"$cyctop" -e cpu-clock -F 1999 -d 0.1 -n 12 -p $app --format snapshot -o $file 2>err ||
			fail "$(cat err)"
		sides="$sides $file"
	done
	kill $app
fi

for before in $sides; do
	for after in $sides; do
		[ "$before" != "$after" ] || continue
		compare 0 '' "$before" "$after"
		! grep -q '^Note: app has functions without' out || fail "$before, $after: $(grep '^Note: app' out)"
		[ "$(grep -cE '^\*? +[0-9.]+% +[0-9.]+% .* app +\[app\+0x[0-9a-f]+\]' out)" -ge 2 ] ||
			fail "$before, $after: no two functions of app: $(cat out)"
	done
	compare 0 '' "$before" other.data
	grep -q '^Note: app has functions without symbols, and was rebuilt' out ||
		fail "$before: of another build, and not said: $(cat out)"
done
# one that does not say it, as the first versions wrote them
if has snapshot; then
	sed '1s/"files":.*"events":/"events":/' cyctop.json >old.json
	! grep -q '"files"' old.json || fail "files: $(head -n 1 old.json)"
	compare 0 '' old.json again.json
	grep -q '^Note: app has functions without symbols' out || fail "it does not say its builds: $(cat out)"
fi
finish
