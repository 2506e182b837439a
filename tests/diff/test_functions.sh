#!/bin/sh
# A function that the compiler inlines or splits in one of two builds: both comparisons say so of real files.
#   test_functions.sh CYCTOP
# shellcheck source=tests/diff/lib.sh
. "$(dirname "$0")/lib.sh"
export TMPDIR="$tmp"
cd "$tmp" || exit 1
needs cc strip
needs_sampling "$cyctop"

cat >work.c <<'END'
volatile unsigned long seed = 1;
#ifdef BEFORE
static __attribute__((noinline)) unsigned long mix(unsigned long x)
#else
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
#endif
{
	for (int i = 0; i < 3000; i++)
		x = x * 6364136223846793005ul + seed;
	return x;
}
#ifndef BEFORE
__attribute__((noinline)) unsigned long rest(unsigned long x) __asm__("work.cold");
__attribute__((noinline)) unsigned long rest(unsigned long x)
{
	for (int i = 0; i < 1000; i++)
		x = x * 3 + seed;
	return x;
}
#endif
__attribute__((noinline)) unsigned long work(unsigned long x)
{
	for (int i = 0; i < 3000; i++)
		x = x * 3 + seed;
#ifndef BEFORE
	x += rest(x);
#endif
	return x;
}
int main(void)
{
	unsigned long x = 1;
	for (int i = 0; i < 20000; i++)
		x = work(mix(x));
	seed = x;
	return 0;
}
END
mkdir before after stripped
cc -O2 -DBEFORE -o before/app work.c || fail 'cc'
cc -O2 -o after/app work.c || fail 'cc'
strip -o stripped/app after/app || fail 'strip'
for side in before after stripped; do
	"$cyctop" record -e cpu-clock -F 1999 -o $side.data $side/app 2>err || fail "record: $(cat err)"
done

# says SYMBOL TEXT: ends the row of the function with it?
says() {
	sed -n "s/^.* app  *$1  */ /p" out | grep -qF " $2" || fail "of $1 it does not say '$2': $(cat out)"
}
split='work, work.cold'
compare 0 '' before.data after.data
says mix 'the AFTER file names no such function: it was inlined into its callers, '
says work "BEFORE: work; AFTER: $split; the compiler split or copied it"
compare 0 '' after.data before.data
says mix 'the BEFORE file names no such function: it was inlined into its callers there, '
says work "BEFORE: $split; AFTER: work; the compiler no longer splits or copies it"
compare 0 '' before.data stripped.data
! grep -qE ' app .*( file |AFTER:)' out || fail "of a stripped file something is said: $(cat out)"
if has json; then
	compare 0 '' --format json before.data after.data
	for row in '"function":{"fate":"gone","before":["mix"],"after":[]}' \
		'"function":{"fate":"split","before":["work"],"after":["work","work.cold"]}'; do
		grep -qF "$row" out || fail "JSON does not have $row: $(cat out)"
	done
	(while :; do :; done) & # so that there is something to compare
	busy=$!
	"$cyctop" -e cpu-clock -F 1999 -d 0.1 -n 10 --format snapshot -o snapshot.json 2>err || fail "$(cat err)"
	kill $busy
	compare 0 '' --format json before.data snapshot.json
	! grep -q '"dso":"app".*"fate":"gone"' out || fail "of a snapshot something is said: $(cat out)"
fi

"$cyctop" compare -r 2 -F 1999 -- before/app --- after/app >out 2>err || fail "compare: $(cat err)"
says mix 'the B file names no such function: it was inlined into its callers, '
says work "A: work; B: $split; the compiler split or copied it"
finish
