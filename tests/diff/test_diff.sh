#!/bin/sh
# cyctop diff of snapshots that are made of scripts, and of stored recordings: what it finds, and what it refuses.
#   test_diff.sh CYCTOP
# shellcheck source=tests/diff/lib.sh
. "$(dirname "$0")/lib.sh"
recordings=$(realpath "$(dirname "$0")/../recordings")
cd "$tmp" || exit 1

# made FILE TICKS PERCENT-OF-HOT LARGER...: a snapshot whose functions are 10 % larger where a digit for the function
# is 1, and 10 % smaller where it is 0
made() {
	file=$1 ticks=$2 hot=$3
	shift 3
	{
		printf 'cpus 1\nevent cycles period=1000\ndso app /usr/bin/app\ntask 100 app maps=app\n'
		i=1
		for f in hot b c d e f; do
			echo "sym app:$f 0x${i}000 16"
			i=$((i + 1))
		done
		for noise in 3 0 5 1; do
			echo tick
			i=0 larger=0
			for f in hot b c d e f; do
				i=$((i + 1))
				eval "larger=\$$i"
				n=$(((larger ? 1100 : 900) + noise * i))
				[ "$f" != hot ] || n=$((n * hot / 100))
				echo "sample cpu=0 task=100 event=cycles sym=app:$f n=$n spread"
			done
		done
		echo repeat
	} >script
	"$cyctop" --demo=script -n "$ticks" --format snapshot -o "$file" 2>err </dev/null || fail "$file: $(cat err)"
}

# Recordings are refused where there is nothing to compare.
cp "$recordings/cyctop-plain.perf.data" plain.data
cp "$recordings/perf-plain.perf.data" other.data
cp plain.data copy.data
compare 1 'are the same recording' plain.data plain.data
compare 1 'are the same recording' plain.data copy.data
[ ! -s out ] || fail "a refused comparison printed something"
compare 1 'plain.data has samples of cpu-clock in only 5 of 6 intervals' plain.data other.data
compare 1 'the event cycles is not on both sides' --event cycles plain.data other.data
compare 2 '-K with -U: nothing would be left to compare' -K -U plain.data other.data
compare 1 '' plain.data no-such-file
mkfifo pipe
compare 1 'pipe is not a file' pipe plain.data
compare 1 '/dev/zero is not a file' plain.data /dev/zero

if ! has snapshot; then
	grep -q 'built without the jansson library' err || fail "without jansson: $(cat err)"
	echo '{}' >none.json
	compare 1 'none.json is a snapshot: this cyctop was built without the jansson library' none.json plain.data
	finish
fi

# a function with twice the work, and nothing else
made before.json 20 100 1 0 1 0 1 0
made after.json 20 200 1 0 1 0 1 0
[ "$(stat -c %a before.json)" = 600 ] || fail "a snapshot has mode $(stat -c %a before.json)"
[ "$(find . -name '.cyctop*')" = '' ] || fail 'a temporary file stayed'
compare 0 '' --fdr 1 --format csv before.json after.json
if [ "$(field real app out | tr '\n' ' ')" != 'b false c false d false e false f false hot true ' ] ||
    [ "$(sed -n 2p out | cut -d, -f1-2)" != app,hot ]; then
	fail "not hot alone moved: $(cat out)"
fi
field relative app out | awk '$1 == "hot" && ($2 < 0.9 || $2 > 1.1) { exit 1 }' || fail "hot is not twice: $(cat out)"
compare 0 '' before.json after.json
grep -q '^cycles, measured by the [0-9]* rows that changed alike' out || fail "the heading: $(cat out)"
grep -q '^\* .* to .* app  *hot$' out || fail "text does not mark hot: $(cat out)"
grep -q 'no change found (< .*%) .* b$' out || fail "text does not say what else could have been found: $(cat out)"
compare 0 '' -n 1 before.json after.json
[ "$(grep -c ' app ' out)" = 1 ] || fail "-n 1: $(cat out)"
compare 0 '' --comm 'ap*' --unit share --filter 'hot|b' --format csv before.json after.json
[ "$(sed 1d out | cut -d, -f1-2 | sort | tr '\n' ' ')" = 'app,b app,hot ' ] || fail "--filter: $(cat out)"
compare 0 "--filter: no row has 'nosuch' in its names" --filter nosuch before.json after.json
compare 1 "of command 'nosuch', and" --comm nosuch before.json after.json
compare 3 'cycles of app, hot: +' --fail-if 'cycles > +30%' before.json after.json
compare 3 'cycles of app, hot: -' --fail-if 'cycles of h?t < -10%' after.json before.json
compare 0 '' --fail-if 'cycles > +300%' --fail-if 'cycles of hot < -10%' before.json after.json
compare 0 "no row has a name like 'nosuch'" --fail-if 'cycles of nosuch > 3%' before.json after.json
# names as the screen and the report show them, with what a compiler or a path appended, find rows, too
sed 's|"hot"|"hot.isra.0"|; s|/usr/bin/app|/usr/bin/libapp.so.1.2.13|' before.json >isra.json
sed 's|/usr/bin/app|/usr/bin/libapp.so.1.2|' after.json >soname.json
for text in hot.isra hot.ISRA.0 'nosuch|a.0'; do
	compare 0 '' --filter "$text" --format csv isra.json soname.json
	[ "$(sed 1d out | cut -d, -f1-2 | tr '\n' ' ')" = 'libapp.so.1,hot ' ] || fail "--filter $text: $(cat out err)"
done
compare 0 '' --filter '1.2.13' --format csv isra.json soname.json
[ "$(grep -c '^libapp.so.1,' out)" = 6 ] || fail "--filter of a library as it is shown: $(cat out err)"
for pattern in hot.isra.0 'hot.isra*' hot; do
	compare 3 'cycles of libapp.so.1, hot: +' --fail-if "cycles of $pattern > +3%" isra.json soname.json
done
compare 0 '' --fail-if 'cycles of libapp.so.1.2.13 > +300%' isra.json soname.json
! grep -q 'no row' err || fail "a pattern of a library as it is shown: $(cat err)"
compare 0 "no row has a name like 'hot.cold'" --fail-if 'cycles of hot.cold > 3%' isra.json soname.json
compare 2 "'ipc' is not compared here" --fail-if 'ipc < -5%' before.json after.json
compare 0 '' --format json before.json after.json
for key in '{"schema":"cyctop-diff/1","before":{"file":"before.json"' '"after":{"file":"after.json"' \
	'"unit":"reference"' '"keys":["dso","symbol"],"rows":[{"dso":"app","symbol":"hot",' '"real":true'; do
	grep -qF -- "$key" out || fail "JSON does not have $key: $(head -c 600 out)"
done

# a function without a name has the address of other code in another build, and of these the snapshots do not say it
for file in before after; do
	sed 's|"hot"|"[app+0x1139]"|' $file.json >stripped-$file.json
done
compare 0 '' stripped-before.json stripped-after.json
grep -q '^Note: app has functions without symbols, and was rebuilt, or a side does not' out || fail "note: $(cat out)"
grep -q '^0 of 7 rows changed' out || fail "an address was compared with that of another build: $(cat out)"
[ "$(grep -cE '^ +([0-9.]+% +-|- +[0-9.]+%) +- +- +app +\[app\+0x1139\]$' out)" = 2 ] ||
	fail "not a row a side: $(cat out)"

# where they say it, it counts: of all files of that name
built() { # FILE ID...: the stripped snapshot of files with these build-ids; -: it has none
	which=$1
	shift
	ids=$(for id; do printf '{"path":"/a/app","build_id":"%s"},' "$id"; done | sed 's/"-"/null/g; s/,$//')
	sed "1s|\"files\":.*\"events\":|\"files\":[$ids],\"events\":|" "stripped-$which.json" >"built-$which.json"
	grep -q '"path":"/a/app"' "built-$which.json" || fail "no files: $(head -n 1 "built-$which.json")"
}
built before 01ab
built after 01ab
compare 0 '' built-before.json built-after.json
grep -q '^1 of 6 rows changed' out || fail "an address was not compared with that of the same build: $(cat out)"
grep -qE '^\* .* app +\[app\+0x1139\]$' out || fail "an address was not compared: $(cat out)"
for ids in 01ac 01 - '01ab 01ac' '01ab -'; do
	# shellcheck disable=SC2086 # words
	built after $ids
	compare 0 '' built-before.json built-after.json
	grep -q '^Note: app has functions without symbols, and was rebuilt' out || fail "$ids is not 01ab: $(cat out)"
done

# by the second a clock is a part of a CPU
for file in before after; do
	sed '1s/"name":"cycles","role":"cycles"/"name":"cpu-clock","role":"clock"/' $file.json >clock-$file.json
done
compare 0 '' --unit rate clock-before.json clock-after.json
grep -q '^cpu-clock per second (100% is one CPU), without' out || fail "the rate of a clock: $(cat out)"
grep -Eq '^\* +0\.[0-9]+% +0\.[0-9]+% .* hot$' out || fail "the rate of a clock is no part of a CPU: $(cat out)"

# rates by the second of another machine are refused, by other units it is compared
sed 's/"cpus":1,/"cpus":8,/' after.json >machine.json
compare 1 '--unit rate: before had 1 CPUs and after 8, and what is done in a second there' \
	--unit rate before.json machine.json
[ ! -s out ] || fail "rates of another machine: $(cat out)"
compare 0 '' --unit share before.json machine.json
grep -q '^Note: before had 1 CPUs and after 8: shares can be compared, rates cannot' out || fail "CPUs: $(cat out)"

# one long name is whole, and does not fill the lines of all others with blanks
long=$(printf '%099999d' 0)
for file in before after; do
	sed "s|\"hot\"|\"f$long\"|" $file.json >long-$file.json
done
compare 0 '' --sort symbol,dso long-before.json long-after.json
[ "$(awk 'length > 400' out | wc -l)" = 1 ] || fail "$(awk 'length > 400' out | wc -l) lines are long"
grep -q "  f$long  app$" out || fail 'the long name is not whole'
grep -Eq ' b +app$' out || fail "a short name is not beside its DSO: $(cut -c 1-200 out)"
compare 0 '' --sort symbol,dso --format csv long-before.json long-after.json
grep -q "^f$long,app," out || fail 'the long name is not whole as csv'

# a snapshot of a part of what the other side is of
end=$(sed -n '1s/.*"end_ns":\([0-9]*\).*/\1/p' before.json)
at() { # END: when the snapshot on standard input ends, on this clock since boot
	sed "1s/\"utc_ns\":null/\"utc_ns\":$((1700000000000000000 + $1))/; 1s/\"end_ns\":$end/\"end_ns\":$1/"
}
at "$end" <before.json >whole.json
at $((end - 5000000000)) <before.json >part.json
compare 0 '' whole.json part.json
grep -q '^Note: whole.json and part.json share 1[0-9.]* s of the same time on synthetic:' out ||
	fail "a part: $(head -n 3 out)"
compare 0 '' before.json after.json
! grep -q 'of the same time' out || fail "two scripts have no time: $(head -n 3 out)"

# what a snapshot does not have, and damaged ones
compare 1 '-C: before.json cannot be filtered so' -C 0 before.json after.json
compare 1 'do not have cpu: a snapshot has comm, dso, symbol and mode' --sort cpu before.json plain.data
compare 1 'no event is on both sides: before has cycles' before.json plain.data
compare 1 'are the same recording' before.json before.json
made short.json 1 100 1 0 1 0 1 0
compare 1 'short.json has samples of cycles in only 1 of 1 intervals' before.json short.json
head -n 3 before.json >cut.json
compare 1 'cut.json: line 3 of the snapshot: it is cut off: ' cut.json after.json
sed 's/,"weights":\[\[0,/,"weights":[[99,/' before.json >wrong.json
compare 1 'of the snapshot: the interval of a weight is not a whole number from 0 to ' wrong.json after.json
compare 2 '-n stands behind --, where only files do: options of diff stand before it' before.json -- after.json -n 8
compare 2 "--format takes one of text, csv, json, not 'xml'" --format xml before.json after.json
compare 2 '--format snapshot is of what is measured; a comparison is printed' --format snapshot before.json after.json

# Several files a side, whose functions are 10 % larger or smaller from file to file.
made b1.json 20 100 1 0 1 0 1 0
made b2.json 21 100 0 1 1 1 0 0
made b3.json 22 100 1 1 0 0 0 1
made b4.json 23 100 0 0 0 1 1 1
made a1.json 24 105 1 1 0 1 0 0
made a2.json 25 105 0 0 1 1 0 1
made a3.json 26 105 0 1 0 0 1 1
made a4.json 27 105 1 0 1 0 1 0
compare 0 '' --unit share --format csv b1.json b2.json b3.json b4.json -- a1.json a2.json a3.json a4.json
[ "$(cut -d, -f2,14 out | grep -c ',true')" = 0 ] || fail "files that differ by 10 %: $(cat out)"
compare 0 '' --unit share --format csv b1.json a2.json
[ "$(cut -d, -f2,14 out | grep -c ',true')" -ge 4 ] || fail "one file a side does not say so: $(cat out)"
compare 0 '' b1.json b2.json -- a1.json
grep -q '^before: b1.json and 1 more (41.0 s, ' out || fail "the heading of two files: $(cat out)"
compare 1 'are the same recording' b1.json b1.json -- a1.json
compare 1 'are the same recording' b1.json b2.json -- a1.json b2.json
compare 1 'are on one side, but not of the same events' b1.json plain.data -- a1.json
compare 2 'or several of each: BEFORE... -- AFTER...' b1.json b2.json a1.json

# nothing is written through a link, and no directory is taken for a file
ln -s victim link.json
"$cyctop" --demo -n 3 --format snapshot -o link.json 2>err </dev/null && fail 'a snapshot was written to a link'
grep -q 'link.json is a symbolic link, which is not written to' err || fail "a link: $(cat err)"
[ ! -e victim ] || fail 'a snapshot was written through a link'
mkdir saved
"$cyctop" --demo -n 3 --format snapshot -o saved >out 2>err </dev/null || fail "-o DIRECTORY: $(cat err)"
[ "$(cat out)" = "$(ls saved/cyctop-*.json)" ] || fail "it does not say where it is: $(cat out)"
finish
