#!/bin/sh
# A recording has the names of JIT code, of perf maps and jitdumps, by a program of the test and by node:
# those of the screen, while the programs run, after they ended, after their files are gone, and on another machine.
#   code_names.sh CYCTOP
set -u
cyctop=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs_root "sees all programs, and may make mount namespaces"
needs cc unshare
needs_sampling "$cyctop"
cd "$tmp" || exit 1
export LC_ALL=C
cc -O1 -DRESTLESS -o jit "$here/programs/jit.c" 2>err || skip "no jit program: $(tail -n 1 err)"

# a shell would wait for its children, which are to be ended
maps='' pids=''
trap 'rm -f $maps; clean_up' EXIT
begin() { # NAME COMMAND...
	kind=$1
	shift
	: >"said.$kind"
	"$@" >"said.$kind" 2>"err.$kind" </dev/null &
	children="$children $!" pids="$pids,$!" maps="$maps /tmp/perf-$!.map"
	eventually grep -q ready "said.$kind" || fail "$kind does not run: $(tail -n 1 "err.$kind")"
}
begin map ./jit map
begin dump ./jit dump "$tmp"
names='jit_function_ jit_dumped_'
if command -v node >/dev/null; then
	cat >spin.js <<-'END'
		function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += i * i % 7; return s }
		function warm(n) { let s = 1; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s }
		const end = Date.now() + 600000
		for (let i = 0, x = 0; Date.now() < end; i++) {
			x += hot(200000) + warm(100000)
			if (i == 100) console.log('ready')
		}
	END
	begin node-map node --perf-basic-prof spin.js
	begin node-dump node --perf-prof spin.js
	names="$names :.*hot.* :.*warm"
else
	echo "node is not installed: only the program of the test"
fi

# the table begins before the recording and ends after it
"$cyctop" -b -d 1 --window total -e cpu-clock -F 997 -p "${pids#,}" --sort comm,dso,symbol --format csv \
	>live 2>err.live &
live=$!
children="$children $live"
# shellcheck disable=SC2317 # eventually calls it
shown() {
	for name in $names; do
		grep -q "$name" live || return 1
	done
}
eventually shown || fail "the table lacks names: $(tail -n 3 live; tail -n 1 err.live)"
"$cyctop" record -a -e cpu-clock -F 997 --duration 3 -o run.data 2>err || fail "cyctop record: $(tail -n 1 err)"
lines=$(wc -l <live)
# shellcheck disable=SC2317
grown() { [ "$(wc -l <live)" -gt "$lines" ]; }
eventually grown || fail "there is no further table"
kill $live && children=${children% *}
wait $live

# rows FILE: command, DSO, name and samples of JIT code
rows() {
	"$cyctop" -b -i "$1" --sort comm,dso,symbol --format csv 2>err | grep -F '[JIT]' | cut -d, -f 4-6,9 | sort
}
rows run.data >running
for name in $names; do
	for table in running live; do
		grep -q "$name" $table || fail "no samples of $name are $table: $(head -n 3 $table)"
	done
done
! grep -q out_of_date running || fail "a name that was replaced: $(grep out_of_date running)"
# names of the screen: those with more than a hundredth of the samples, and not with a few
awk -F, 'NR == FNR { if (/\[JIT\]/) seen[$6]; next } { n[$3] += $4; all += $4 }
	END { for (name in n) if (n[name] > all / 100 && n[name] >= 20 && !(name in seen)) print name }' \
	live running >missing
[ ! -s missing ] || fail "names that the live table does not have: $(cat missing)"

same() { # WHEN FILE
	rows "$2" >now
	cmp -s running now || {
		fail "the names are others $1"
		diff running now | head -n 6
	}
}
if command -v perf >/dev/null; then
	perf report -i run.data --stdio --sort comm,dso,symbol >theirs 2>err
	[ ! -s err ] || fail "perf warns: $(head -n 3 err)"
	grep -q 'jit_function_' theirs || fail "perf does not read it"
fi
# shellcheck disable=SC2086 # process ids
{
	kill $children
	wait $children 2>/dev/null
}
children=
same "after the programs ended" run.data
# shellcheck disable=SC2086 # paths
rm -f $maps
rm -f jit-*.dump jit spin.js
same "after their files are gone" run.data
"$cyctop" record -i run.data -o copy.data 2>err || fail "the copy: $(cat err)"
same "in a copy" copy.data
"$cyctop" record -i run.data -o - 2>err >copy.stream || fail "the stream: $(cat err)"
grep -q 'CODE_NAMES.* is left out' err || fail "a stream without the names, but no word: $(cat err)"

# another machine: another name, without /tmp
# shellcheck disable=SC2016 # expanded there
unshare -mu sh -c 'hostname elsewhere && mount -t tmpfs none /mnt && cp "$1" "$2" /mnt/ && mount -t tmpfs none /tmp &&
	/mnt/cyctop -b -i /mnt/run.data --sort comm,dso,symbol --format csv' - run.data "$cyctop" 2>err |
	grep -F '[JIT]' | cut -d, -f 4-6,9 | sort >now
cmp -s running now || fail "the names are others on another machine: $(diff running now | head -n 3; tail -n 1 err)"

"$cyctop" dump run.data | grep -q 'name=CODE_NAMES .*functions=.*name=jit_' || fail "dump does not show them"
echo "$(wc -l <running) names; the recording has $(stat -c %s run.data) bytes, of which names take $(
	"$cyctop" dump run.data | sed -n 's/.*name=CODE_NAMES size=\([0-9]*\) .*/\1/p')"
finish
