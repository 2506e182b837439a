#!/bin/sh
# The command line: exit statuses, the stream of each output, and what ends a run.
#   test_cli.sh CYCTOP
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$(realpath "$1") self=$(realpath "$0")
export cyctop HOME="$tmp"
cd "$tmp" || exit 1 # short names for scripts in quotes, whatever the directory is called

# expect STATUS TEXT ARGS...: checks the exit status, and a text on stderr ('': no output).
expect() {
	want=$1 text=$2
	shift 2
	"$cyctop" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	if [ $got != "$want" ]; then
		echo "cyctop $*: exit status $got, not $want"
		failed=1
	fi
	if [ -n "$text" ] && ! grep -qF -- "$text" "$tmp/err"; then
		echo "cyctop $*: stderr does not say '$text' but: $(cat "$tmp/err")"
		failed=1
	fi
	if [ "$want" = 2 ] && { [ -s "$tmp/out" ] || [ "$(wc -l <"$tmp/err")" != 1 ]; }; then
		echo "cyctop $*: a usage error is one line on stderr and nothing else"
		failed=1
	fi
}
# holds WHAT COMMAND...
holds() {
	what=$1
	shift
	if ! "$@" >"$tmp/log" 2>&1; then
		echo "$what: does not hold"
		cat "$tmp/log"
		failed=1
	fi
}

expect 0 '' --help
holds 'help goes to stdout' grep -q -- --format "$tmp/out"
expect 0 '' --version
holds 'the version is one line' grep -qx 'cyctop [0-9.]*' "$tmp/out"
expect 2 "unknown option '--no-such'" --no-such
expect 2 "needs a value" -n
expect 2 "unknown word 'foo'" foo
expect 2 "doctor takes no 'file'" doctor file
expect 2 "unknown option '--csv'" doctor --csv
expect 2 "did you mean cyctop doctor?" doctr
expect 0 '' doctor --help
# whatever the machine is like
"$cyctop" doctor --json >"$tmp/out" 2>"$tmp/err"
status=$?
if [ $status -gt 1 ] || [ -s "$tmp/err" ] || [ "$(grep -c '^{"kind":"check","check":"' "$tmp/out")" != 19 ]; then
	echo "doctor: $(cat "$tmp/out" "$tmp/err")"
	failed=1
fi
[ "$("$cyctop" doctor | grep -cE '^(ok|limited|no|unknown) +[A-Za-z/]')" = 19 ] || {
	echo "doctor: $("$cyctop" doctor)"
	failed=1
}
if "$cyctop" doctor >/dev/full 2>"$tmp/err" || ! grep -q 'No space left' "$tmp/err"; then
	echo "doctor on a full device: $(cat "$tmp/err")"
	failed=1
fi
expect 2 "list takes one pattern" list a b
expect 0 '' list --help
expect 0 '' list page-faults
grep -q '^page-faults *software *[a-z]* ' "$tmp/out" || { echo "list: $(cat "$tmp/out")" && failed=1; }
expect 1 "no event has 'nonsense'" list nonsense
"$cyctop" list --json L1-dcache-load | grep -q '"name":"L1-dcache-load-misses","source":"cache"' ||
	{ echo "list --json has no L1-dcache-load-misses" && failed=1; }
expect 2 "unknown event 'cpu-clok': did you mean 'cpu-clock'?" -b -e cpu-clok
expect 2 "no second slash, at character 7" -b -e cs,cpu/event=1
expect 2 "-n takes a number from 1" -n 0
expect 2 "-n takes a whole number" -n 1.5
expect 2 "-d takes a number from 0.1" -d 0
expect 2 "-d takes a number" -d 1x
expect 2 "-d takes a number" -d nan
expect 2 "no column 'nonsense'" -s nonsense
expect 2 "no column 'nonsense'" --order nonsense
keys='symbol, dso, mode, origin, chain, symbol_to, pid, tid, comm, comm_nodigit, user, parent, cgroup'
keys="$keys, parallelism, context, mem_level, mem_op, snoop, tlb, locked, blocked, data_page, phys_page, cpu"
expect 2 "'ipcs' is none of $keys" --sort ipcs
expect 2 "'ipc' is a column: -s ipc orders the tables by it" --sort ipc
expect 2 "'' is none of" --sort comm,
expect 2 "'pid' is named twice" --sort pid,comm,pid
expect 2 "--table with --sort" --sort comm --table tasks
expect 2 "unknown event 'no-such-event'" -e no-such-event
expect 2 "named twice" -e cycles,cycles
expect 2 "--format takes one of text, csv, json, folded, svg, speedscope, firefox, pprof, snapshot, not 'xml'" \
	--format xml
expect 2 "one of symbols, dsos, modes, origins, chains, targets, tasks, commands" --table foo
expect 2 "'interval' or 'total'" --window soon
expect 2 "auto, always or never" --color maybe
expect 1 "cannot open the script" --demo=/no/such/file -b -n 1
printf 'cpus 2\nnonsense\n' >"$tmp/bad"
expect 1 "$tmp/bad:2:" "--demo=$tmp/bad" -b -n 1
expect 1 "cannot read the script" "--demo=$tmp" -b -n 1

# a long name is whole, and does not fill the lines of others with blanks
long=$(printf '%0999d' 0)
{
	printf 'cpus 1\nevent cycles period=1000\ndso app /usr/bin/app\ntask 100 app maps=app\n'
	printf 'sym app:f%s 0x1000 16\nsym app:b 0x2000 16\ntick\n' "$long"
	for f in "f$long" b; do
		echo "sample cpu=0 task=100 event=cycles sym=app:$f n=100 spread"
	done
} >"$tmp/long"
"$cyctop" "--demo=$tmp/long" -b -n 1 --sort symbol,comm >"$tmp/out" 2>"$tmp/err" ||
	fail "a long name: $(cat "$tmp/err")"
grep -q "  f$long  app$" "$tmp/out" || fail 'a long name is not whole'
grep -Eq '  b +app$' "$tmp/out" || fail "no short name: $(cut -c 1-200 "$tmp/out")"
[ "$(awk 'length > 400' "$tmp/out" | wc -l)" = 1 ] || fail 'a long name fills the lines of others'

printf 'notice "one thing; another (a cause): a remedy"\ncpus 1\nevent cycles period=1000\ntick\n' >"$tmp/notices"
expect 0 'another (a cause): a remedy' "--demo=$tmp/notices" -b -n 1
holds 'each part of a notice on a line of its own' grep -qx 'cyctop: one thing' "$tmp/err"

expect 0 '' --demo
holds 'one look where output is no terminal' test "$(grep -c '^Symbols' "$tmp/out")" = 1
expect 0 '' --demo -b -n 3
holds 'three looks' test "$(grep -c '^Symbols' "$tmp/out")" = 3
holds 'no escape codes in text' sh -c "! grep -q '$(printf '\033')' out"
expect 0 '' --demo -n 1 --top 3 --table symbols -s -ipc
holds 'only three rows of one table' test "$(sed '1,/SYMBOL$/d' "$tmp/out" | grep -c .)" = 3
expect 0 '' --demo -n 2 --format csv --table tasks
holds 'one header line' test "$(grep -c '^start_ns' "$tmp/out")" = 1
expect 0 '' --demo -n 1 --top 2 --sort comm,dso -s -samples
holds 'one report of two rows in place of the tables' sh -c "grep -q '^Report (2 of ' out &&
	! grep -q '^Symbols\\|^Tasks\\|^CPUs' out && grep -q 'COMM  *DSO\$' out"
for format in text csv json; do # raw names in each of them, also where there is a demangler
	"$cyctop" --demo -n 1 --format $format >/dev/null 2>&1 || continue # JSON is not in every build
	expect 0 '' --demo -n 1 --format $format --table symbols --no-demangle
	holds "raw names in $format" grep -q '_ZN12rustc_middle2ty4fold12TypeFoldable13try_fold_with' "$tmp/out"
done
holds 'text has raw names of reports, too' sh -c "\"\$cyctop\" --demo -n 1 --sort symbol --no-demangle 2>/dev/null |
	grep -q '_ZN12rustc_middle'"
expect 0 '' --demo -n 2 --sort cpu,comm --format csv
holds 'a report has the keys for columns' sh -c "head -n 1 out | grep -q '^start_ns,end_ns,time,cpu,comm,share,'"
for format in svg pprof; do # of several events, and no call chain
	expect 0 '' --demo -g -d 0.1 --format $format --filter nothing-has-this-name
done
expect 2 'call chains have no columns' --demo -n 1 --format folded -s cpu%
expect 0 '' --demo -n 2 --sort cpu --format csv
misses=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cache-misses.samples") at = i; next }
	{ n += $at } END { print n }' "$tmp/out")
expect 0 '' --demo -g -n 2 --format folded -s cache-misses
holds "folded stacks are of the event of -s, which has $misses samples" \
	sh -c "test '$misses' -gt 0 && test \"\$(awk '{ n += \$NF } END { print n }' out)\" = '$misses'"
expect 2 "'x=a b': an operator is missing at character 5" --demo --metric 'x=a b'
expect 2 "there is a metric of that title already" --demo --metric 'ipc=cycles/2'
if command -v jq >/dev/null && "$cyctop" --demo -n 1 --format json >/dev/null 2>&1; then
	# a formula of events has the values and errors of the built-in one; of a sum, those computed by hand
	"$cyctop" --demo -b -n 1 --format json --table symbols --metric 'own=instructions/cycles' \
		--metric 'sum%=cache-misses/(cache-misses + cache-references)' >"$tmp/out"
	jq -e '[.symbols[] | .metrics | select(.ipc)] | length > 3 and all(.[]; .own == .ipc)' "$tmp/out" >/dev/null ||
		fail 'a formula is not what the built-in metric is'
	jq -e '[.symbols[].metrics | select(."cache-miss-ratio".value > 0)] | length > 1 and
		all(.[]; ."cache-miss-ratio".value as $r | ."sum%".value - $r / (1 + $r) | fabs < 1e-12)' \
		"$tmp/out" >/dev/null ||
		fail 'a formula of a sum is not what it is by hand'
	expect 0 '' --demo -n 3 --format json
	holds 'JSON Lines' test "$(jq -r .schema "$tmp/out" | grep -cx cyctop/1)" = 3
	holds 'refreshes join without a gap' jq -se '[.[1:], .[:-1]] | transpose | all(.[0].start_ns == .[1].end_ns)' \
		"$tmp/out"
	expect 0 '' --demo -n 1 --sort comm,symbol --format json
	holds 'a report has rows and no other table' jq -e '(.rows | length) > 0 and .keys == ["comm", "symbol"] and
		(has("symbols") or has("tasks") or has("cpus") | not)' "$tmp/out"
	holds 'and every sample in them' jq -e '([.rows[].events.cycles.samples] | add) == .events[0].samples' \
		"$tmp/out"
	expect 0 '' --demo -n 3 --format json
	holds 'interval sums are within the counts' jq -e '.events | all(.weight <= 1.2 * .count)' "$tmp/out"
fi

# Filters, on what is printed.
expect 0 '' --demo -n 1 --comm 'ngi*' --format csv --table tasks
# shellcheck disable=SC2016 # fields of awk
holds 'only tasks of that name' awk -F, 'NR > 1 { n++; bad += $6 != "nginx" } END { exit !(n && !bad) }' "$tmp/out"
expect 0 '' --demo -n 1 -C 1,3 --format csv --table cpus
holds 'only these CPUs' test "$(cut -d, -f4 "$tmp/out" | tr '\n' ' ')" = 'cpu 1 3 '
expect 0 '' --demo -n 1 --filter 'schedule|memcpy' --table symbols
holds 'only rows with a text' sh -c "sed '1,/SYMBOL\$/d' out | grep . >rows && test -s rows &&
	! grep -v 'schedule\|memcpy' rows"
holds 'and the text says so' grep -q ', only rows with "schedule|memcpy", ' "$tmp/out"
expect 0 "nothing was seen of process 99, command 'x*' with 'y' in its name; without the filter" \
	--demo -n 1 -p 99 --comm 'x*' --filter y
expect 0 '' --demo -n 1 -p "$("$cyctop" --demo -n 1 --format csv --table tasks --comm nginx 2>/dev/null |
	awk -F, 'NR == 2 { print $4 }')" --sort pid,comm
holds 'one process' grep -q '^Report (1 of 1)' "$tmp/out"

# Columns by their headings.
expect 0 '' --demo -n 1 -s CPU% --format csv --table tasks
# shellcheck disable=SC2016 # fields of awk
holds 'ordered by CPU%' awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cpu") c = i }
	NR == 3 { first = $c } NR > 3 { bad += $c > first } END { exit !(c && first && !bad) }' "$tmp/out"
expect 0 '' --demo -n 1 -s CYC/s --format csv --table cpus
# shellcheck disable=SC2016 # fields of awk
holds 'ordered by an event' awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles.count") c = i }
	NR > 1 { bad += NR > 2 && $c > last; last = $c } END { exit !(c && !bad) }' "$tmp/out"
"$cyctop" --demo -n 1 -s nonsense >/dev/null 2>"$tmp/err"
holds 'a column that no event has is status 2' test $? = 2
holds 'and is named' grep -q "no column 'nonsense' to sort by" "$tmp/err"
holds 'CSV ends its lines with LF' sh -c "! grep -q '$(printf '\r')' out"

expect 0 '' dump --help
expect 2 'dump takes one recording' dump
expect 2 "unknown option '--foo'" dump --foo x
expect 1 'cannot open /no/such' dump /no/such
expect 1 "$self: It is text, not a perf.data file" dump "$self"
expect 1 'not a perf.data file' -b -i "$self"
expect 2 '--speed takes a number' --speed fast

expect 2 'give one of them' -b -p 1 -t 1
expect 2 'give one of them' -b -u 0 -p 1
expect 2 'is not a list of ids' -p 1,,2
expect 2 'is not a list of CPUs' -C 0-
expect 2 "no user 'no-such-user-here'" -u no-such-user-here
expect 2 '-u with -i: a recording does not say' -b -i x -u 0
expect 2 '-F with -i' -b -i x -F 99
expect 2 '--ring with --demo' -b --demo --ring 64
expect 2 '--speed without -i' -b --speed 2
expect 2 '-K with --hide-user: nothing would be left' --demo -K --hide-user
expect 2 '--symfs: /no/such: No such file' -i x --symfs /no/such
expect 2 "cyctop -b -i FILE prints it" report
expect 0 '' --help -K -U

expect 0 '' record --help
expect 2 'give one of them' record -a -p 1
expect 2 '-i without -o' record -i x
expect 2 'only -o and -z go with -i' record -i x -o y -F 100
expect 2 'there is no command to run' record -i x -o y true
expect 1 'cannot open /no/such' record -i /no/such -o "$tmp/copy"
expect 1 'not a perf.data file' record -i "$self" -o "$tmp/copy"
holds 'nothing is made of what is no recording' test ! -e "$tmp/copy"

# A reader may close the pipe, which is no error; a full disk is an error with one line.
(
	"$cyctop" --demo -b -n 50
	echo $? >"$tmp/status"
) 2>"$tmp/err" | head -n 1 >/dev/null
holds 'a reader that leaves is no failure' test "$(cat "$tmp/status")" = 0
holds 'and is not complained about' sh -c "! grep -q 'cannot write' err"
( # like a full disk: a file that cannot grow, which may come as a signal
	trap '' XFSZ
	ulimit -f 1
	"$cyctop" --demo -n 1 >"$tmp/out" 2>"$tmp/err"
)
holds 'an output that cannot be written is exit status 1' test $? = 1
holds 'and is said' grep -q 'cannot write the output: File too large' "$tmp/err"

# A signal ends a run after a complete refresh, with status 0.  The file still has an earlier run's output.
rm "$tmp/out"
"$cyctop" --demo -b -d 0.2 >"$tmp/out" 2>/dev/null &
pid=$!
eventually grep -qs '^Symbols' "$tmp/out"
kill -TERM $pid
wait $pid
holds 'SIGTERM ends a run with status 0' test $? = 0
holds 'after whole refreshes' test "$(grep -c '^Symbols' "$tmp/out")" -ge 1

# Ended before the first refresh was due, a run prints what it has.
"$cyctop" --demo -b -d 3600 --table symbols >"$tmp/out" 2>"$tmp/err" &
pid=$!
eventually handles_sigterm $pid
kill -TERM $pid
wait $pid
holds 'an early end is status 0' test $? = 0
holds 'what was measured is printed' test "$(grep -c '^Symbols' "$tmp/out")" = 1
holds 'and its length is said' grep -q 'interrupted after [0-9.]* s of 3,600 s' "$tmp/err"

# The user can end the waiting for a pipe that has no more bytes.
mkfifo "$tmp/pipe"
sleep 3600 >"$tmp/pipe" &
writer=$!
children=$writer
"$cyctop" -b -i - <"$tmp/pipe" >"$tmp/out" 2>"$tmp/err" &
pid=$!
eventually handles_sigterm $pid
kill -TERM $pid
eventually is_gone $pid || kill -KILL $pid
wait $pid
holds 'an empty pipe can be left' test $? = 1
holds 'and that is said' grep -q 'Nothing came through the pipe' "$tmp/err"

# So can the waiting for a FIFO that nobody writes to.  Least privileges come before the first byte.
mkfifo "$tmp/fifo"
# shellcheck disable=SC2317 # holds calls it
no_new_privileges() { # PID
	for status in /proc/"$1"/task/*/status; do
		grep -q '^NoNewPrivs:[[:space:]]*1' "$status" || return 1
	done
}
for how in '-b -i ' '-b --speed 1 -i ' '-b --sort symbol -i ' 'record -o copy -i ' '-b --demo='; do
	# Started with the signal ignored, as by nohup, and by shells in the background.
	# shellcheck disable=SC2086 # options
	(trap '' TERM && exec "$cyctop" $how"$tmp/fifo") >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	eventually handles_sigterm $pid
	holds "all threads of '$how' may get no new privileges" no_new_privileges $pid
	kill -TERM $pid
	eventually is_gone $pid || kill -KILL $pid
	wait $pid
	holds "'$how' of a FIFO can be left" test $? -lt 128
done
# A dump ends by the signal itself.
"$cyctop" dump "$tmp/fifo" >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
# shellcheck disable=SC2317 # eventually calls it
has_begun() { [ "$(readlink "/proc/$pid/exe")" = "$(readlink -f "$cyctop")" ]; }
eventually has_begun
kill -TERM $pid
eventually is_gone $pid || kill -KILL $pid
wait $pid
holds 'dump of a FIFO can be left' test $? = 143

# No message has control characters, whatever a name has.
evil=$(printf 'a\033]2;b\033[2J\302\233c')
expect 1 'cannot open a?]2;b?[2J?c' -b -i "$evil"
expect 1 'cannot open a?]2;b?[2J?c' dump "$evil"
expect 1 'cannot open a?]2;b?[2J?c' record -i "$evil" -o "$tmp/copy"
expect 2 "unknown word 'a?]2;b?[2J?c'" "$evil"
finish
