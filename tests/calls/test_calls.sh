#!/bin/sh
# cyctop calls: the numbers of calls are those that a program counts itself; a call takes what it measures itself.
#   test_calls.sh CYCTOP ZOO PLUGIN PLAIN
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs jq
cyctop=$(realpath "$1") zoo=$(realpath "$2") plugin=$(realpath "$3") plain=$(realpath "$4")
made=$(realpath "$(dirname "$0")/../fuzz/corpus/calls_file/two")
cd "$tmp" || exit 1
"$cyctop" --demo -n 1 --format json >/dev/null 2>&1 || skip "this build writes no JSON"
unset CYCTOP_CALLS LD_PRELOAD

# counts: what the program printed into "said" is in "out", the JSON of its calls
counts() {
	grep -v spin_ns said | while read -r name calls left; do
		got=$(jq -r --arg name "$name" '.functions[] | select(.symbol == $name) | "\(.calls) \(.left)"' out)
		[ "$got" = "$calls $left" ] || echo "$1, $name: $got, not $calls $left"
	done >wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
	[ "$(grep -c . said)" -ge 10 ] || fail "$1: the program printed $(cat said)"
}

# The program prints on standard output, before the table.
"$cyctop" calls --format json -- "$zoo" "$plugin" >both 2>err || fail "calls: $(cat err)"
sed '$d' both >said
sed -n '$p' both >out
counts "a run"
grep -q 'counting took [0-9]* ns a call' err || fail "what counting costs is not said: $(cat err)"
spun=$(awk '/spin_ns/ { print $2 }' said)
got=$(jq '.functions[] | select(.symbol == "spin") | .call_ns' out)
echo "a call of spin: $got ns; by itself $spun ns"
awk -v a="$got" -v b="$spun" 'BEGIN { exit !(a > 0.95 * b && a < 1.05 * b) }' || fail "spin: $got, not $spun"
[ "$(jq '[.functions[] | select(.dso | test("zoo|plugin") | not)] | length' out)" = 0 ] ||
	fail "functions of other files: $(cat out)"
jq -e '(.callers[] | select(.caller == "main" and .callee == "spin").calls == 500) and
	([.callers[] | select(.callee == "fib").calls] | add) == 1973 and
	([.functions[] | select(.symbol == "spin").histogram[] | select(.[0] >= 4096)[1]] | add) == 500' \
	out >/dev/null ||
	jq -c '.callers, (.functions[] | select(.symbol == "spin"))' out >pairs
[ ! -s pairs ] || fail "callers: $(cat pairs)"
sums=$(jq '([.functions[].self_ns] | add) / .self_ns' out)
awk -v a="$sums" 'BEGIN { exit !(a > 0.999 && a < 1.001) }' || fail "the parts are $sums of the whole"

# The parts of what a function calls and its own add up to it, in a graph that graphviz reads.
"$cyctop" calls --format dot --min 0 -- "$zoo" "$plugin" >both 2>err || fail "dot: $(cat err)"
sed -n '/^digraph/,$p' both >graph
awk '
	/ -> / { match($0, /"[0-9.]*%/); if (RSTART) parts[$1] += substr($0, RSTART + 1, RLENGTH - 2) }
	/ \[label="main/ { main = $1; split($0, of, /\\n|%| \(own /); own = 100 * of[4] / of[2] }
	END { exit !(main && parts[main] + own > 99 && parts[main] + own < 101) }' graph || fail "parts: $(cat graph)"
if command -v dot >/dev/null; then
	dot -Tsvg graph >svg 2>err || fail "dot: $(cat err)"
	[ "$(grep -c 'class="node"' svg)" -ge 10 ] || fail "dot draws $(grep -c 'class="node"' svg) functions"
fi

# What was kept has the names when the program's files are gone, and all of the numbers in each format.
cp "$zoo" zoo && cp "$plugin" plugin.so
"$cyctop" calls -o kept -- ./zoo ./plugin.so >said 2>err || fail "-o: $(cat err)"
rm zoo plugin.so
cp kept out
counts "what was kept"
for format in json text csv dot; do
	"$cyctop" calls --format "$format" -i kept >"printed.$format" 2>said || fail "-i, $format: $(cat said)"
	cmp -s err said || fail "-i, $format: $(cat said), not $(cat err)"
	"$cyctop" calls --format "$format" -i printed.json >again 2>said || fail "-i, $format again: $(cat said)"
	cmp "printed.$format" again || fail "$format again"
done
for file in kept printed.json; do # ids are its own, and bounds of buckets have 15 digits
	jq -c 'del(.functions[].id, .callers[].caller_id, .callers[].callee_id) | .functions[].histogram[] |= .[1]' \
		"$file" >"$file.numbers"
done
cmp kept.numbers printed.json.numbers || fail "the numbers differ: $(cat printed.json)"
# As a tree each pair of caller and callee is there once; the parts of a function and what it calls add up to it.
"$cyctop" calls -i kept --table tree --min 0 >printed.tree 2>err || fail "tree: $(cat err)"
pairs=$(jq '.callers | length' kept) roots=$(grep -cE ' (child|jumps_from)$' printed.tree)
[ "$(sed 1d printed.tree | wc -l)" = $((pairs + roots)) ] ||
	fail "tree: $pairs pairs and $roots roots: $(cat printed.tree)"
grep -q ' 20,000 .* down (recursive)$' printed.tree || fail "tree, down: $(cat printed.tree)"
"$cyctop" calls -i kept --function main >by 2>err || fail "callers: $(cat err)"
grep -q '^called by .* 1 .*not counted' by || fail "main is called by: $(cat by)"
grep -q '^calls .* 500 .* spin$' by || fail "main calls: $(cat by)"
awk '/^itself|^calls/ { sum += $3 } END { exit !(sum > 99 && sum < 101) }' by || fail "parts: $(cat by)"
"$cyctop" calls -i kept --histogram spin >out 2>err || fail "histogram: $(cat err)"
awk 'NR > 2 { n += $5 } END { exit n != 500 }' out || fail "histogram: $(cat out)"
"$cyctop" calls -i kept --function 'jumps*' --format csv >out 2>err || fail "a pattern: $(cat err)"
[ "$(cut -d, -f2 out | sort | tr '\n' ' ')" = 'jumps jumps_from symbol ' ] || fail "a pattern: $(cat out)"
"$cyctop" calls -i kept --function nowhere >out 2>err && fail "a function that is not there: $(cat out)"
grep -q "no call of a function 'nowhere'" err || fail "a function that is not there: $(cat err)"

# Cycles and instructions, which this machine may not have, as IPC.
sed 's/"a"/"instructions"/g; s/"b:u"/"cycles:u"/g' "$made" >ratio
"$cyctop" calls -b -i ratio --function main --table functions >out 2>err || fail "IPC: $(cat err)"
grep -q ' 0.67 *1.00 *x *main$' out || fail "IPC: $(cat out)"

# Two files compared: counts are what they are, on both sides, and functions are found by what their names mean.
"$cyctop" calls -o less -- "$zoo" >out 2>err || fail "-o: $(cat err)"
sed 's/"symbol":"spin"/"symbol":"spin.isra.0"/' less >renamed
"$cyctop" diff --sort symbol --format csv renamed kept >out 2>err || fail "diff: $(cat err)"
column() { # FUNCTION COLUMN
	awk -F, -v name="$1" -v head="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == head) at = i }
		$2 == name { print $at }' out
}
got="$(column empty calls.before) $(column empty calls.after) $(column empty calls.relative)"
got="$got, $(column spin calls.before) $(column spin calls.after), $(column plugin calls.before) "
[ "$got$(column plugin calls.after)" = '108101 108101 0, 500 500,  3' ] || fail "diff: $got: $(cat out)"
"$cyctop" diff less kept >out 2>err || fail "diff as text: $(cat err)"
grep -q 'new .* plugin$' out || fail "diff as text: $(cat out)"
"$cyctop" diff --sort symbol less kept --format json | jq -e '.rows | length == 14' >/dev/null || fail "diff as JSON"
for files in "$zoo kept" "kept $zoo"; do
	# shellcheck disable=SC2086 # two words
	"$cyctop" diff $files >out 2>err && fail "unlike: $(cat out)"
	grep -q 'kept has counted calls, and .*calls_zoo has not' err || fail "unlike: $(cat err)"
done
"$cyctop" diff --sort symbol --fail-if 'calls > 0%' less less >out 2>err || fail "nothing changed: $(cat err)"
got=0
"$cyctop" diff --sort symbol --fail-if 'calls of pl* > 0%' --fail-if 'calls of empty > 0%' less kept >out 2>err ||
	got=$?
[ "$got" = 3 ] || fail "--fail-if: status $got: $(cat err)"
[ "$(cat err)" = 'cyctop: calls of plugin: new, beyond +0%' ] || fail "--fail-if: $(cat err)"
got=0
"$cyctop" diff --fail-if 'ipc < -5%' less less >out 2>err || got=$?
[ "$got" = 2 ] || fail "--fail-if of another number: status $got: $(cat err)"
"$cyctop" diff --fdr 1 less kept >out 2>err && fail "an option of recordings: $(cat out)"

head -c 3000 kept >part
"$cyctop" calls -i part >out 2>err && fail "a part is a whole: $(cat out)"
grep -q 'part: byte [0-9]* of the counted calls: ' err || fail "a part: $(cat err)"
mkfifo fifo
"$cyctop" calls -i fifo >out 2>err && fail "a FIFO is no file"
"$cyctop" calls -o nowhere/kept -- "$zoo" "$plugin" >out 2>err && fail "-o nowhere"
[ ! -s out ] || fail "the program ran before the file was known to be none: $(cat out)"

# A program that is killed, or ends itself, has its calls in the tables; its status is that of a shell.
for how in kill:137 abort:134; do
	got=0
	"$cyctop" calls --format json -- "$zoo" "$plugin" "${how%:*}" >both 2>err || got=$?
	[ "$got" = "${how#*:}" ] || fail "${how%:*}: status $got: $(cat err)"
	sed '$d' both >said
	sed -n '$p' both >out
	counts "${how%:*}"
done

# An interrupted run ends the program, and has the calls until then.
"$cyctop" calls --format json -- "$plain" "$plugin" 30 >out 2>err &
pid=$!
sleep 1
kill -INT "$pid"
got=0
wait "$pid" || got=$?
[ "$got" = 143 ] || fail "interrupted: status $got: $(cat err)"
jq -e '.functions[] | select(.symbol == "plugin").calls == 7' out >/dev/null || fail "interrupted: $(cat out err)"

# A counted library in a program that is not; functions of the kernel's events, by page or read(2).
"$cyctop" calls --format csv -- "$plain" "$plugin" >out 2>err || fail "plain: $(cat err)"
grep -q ',plugin,7,0,7,' out || fail "plain: $(cat out)"
if "$cyctop" calls -e page-faults:u --format json -- "$plain" "$plugin" >out 2>err; then
	jq -e '.functions[0].events["page-faults:u"] | .self >= 0 and ([.histogram[][1]] | add) == 7' out >/dev/null ||
		fail "events: $(cat out)"
	"$cyctop" calls -i out --histogram plugin >text 2>err || fail "histogram of events: $(cat err)"
	grep -q '^plugin (.*): 7 calls by their page-faults:u' text || fail "histogram of events: $(cat text)"
fi

# What is not counted is said.
"$cyctop" calls -- "$plain" >out 2>err && fail "nothing was counted, and all is well"
grep -q 'made no call of a function built with -finstrument-functions' err || fail "not instrumented: $(cat err)"
# built WHAT SENTENCE FLAG...: the sentence for a program built with the flags, if the compiler can
cat >built.c <<'END'
int main(void) { return 0; }
END
built() {
	sentence=$2
	file=built.$1
	shift 2
	cc -o "$file" "$@" built.c 2>/dev/null || return 0
	"$cyctop" calls -- "./$file" >out 2>err && fail "$file: $(cat out)"
	grep -q "$file $sentence.*cyctop probe needs nothing of it" err || fail "$file: $(cat err)"
}
if command -v cc >/dev/null; then
	built static 'is static' -static
	[ "$(uname -m)" != x86_64 ] || built other 'is built for another architecture' -m32
fi
cp "$plain" owned
if [ "$(id -u)" = 0 ] && chown nobody owned && chmod 4755 owned; then
	"$cyctop" calls -- ./owned "$plugin" >out 2>err && fail "setuid: $(cat out)"
	grep -q 'owned is setuid' err || fail "setuid: $(cat err)"
fi
got=0
"$cyctop" calls -- ./nowhere >out 2>err || got=$?
[ "$got" = 127 ] || fail "no program: status $got"
grep -q 'cannot run ./nowhere' err || fail "no program: $(cat err)"
"$cyctop" calls >out 2>err && fail "without a program"
grep -q 'cyctop calls -- PROGRAM' err || fail "without a program: $(cat err)"
finish
