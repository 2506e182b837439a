#!/bin/sh
# Call chains of programs that are hard to follow, by `-g` alone, live and recorded, beside those of
# `perf record --call-graph dwarf`: the share of chains that are whole, to the function in which the thread began, is at
# least 95 % of perf's and 90 % of all, and no chain that reaches leaf() lacks a caller or has a wrong one.
#   test_zoo.sh CYCTOP
set -u
cyctop=$(realpath "$1") here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/live/lib.sh
. "$here/../live/lib.sh"
needs cc awk perf
case $(uname -m) in
x86_64) ;;
*) skip "unwind tables do not tell of frame pointers here" ;;
esac

# folded FILE: the output of perf script as folded stacks with a count of 1
folded() {
	perf script --no-inline -F comm,ip,sym -i "$1" 2>/dev/null | awk '
		function put() {
			if (name != "")
				print name chain " 1"
			name = chain = ""
		}
		NF == 0 { put(); next }
		name == "" { name = $1; next }
		{ sub(/^[ \t]*[0-9a-f]+ /, ""); gsub(/ /, "_"); chain = ";" $0 chain }
		END { put() }'
}

# whole FILE: prints how many chains begin where threads do, and how many there are; of the others a few have the
# kernel's functions alone, as the program then begins or ends
whole() {
	awk '
		!/;/ { next } # what the program prints
		{
			n = $NF
			all += n
			split($0, frame, ";")
			start = frame[2]
			sub(/ [0-9]+$/, "", start)
		}
		start ~ /^(_start|__libc_start_call_main|_*clone3?|_*start_thread|_dl_start_user|__start_context)/ ||
		start ~ /^(_rt0_amd64_linux|runtime\.(rt0_go|goexit|mstart|mcall|morestack|systemstack))/ {
			good += n
		}
		END { print good + 0, all + 0 }' "$1"
}

# compare NAME CALLERS COMMAND...: CALLERS is an extended regular expression for what leads from the start of a thread
# to leaf(); "": not checked
compare() {
	name=$1 callers=$2
	shift 2
	perf record -q -e cpu-clock -F 997 --call-graph dwarf -o "$name.perf" -- "$@" >/dev/null 2>err </dev/null ||
		fail "$name: perf: $(cat err)"
	folded "$name.perf" >"$name.theirs"
	"$cyctop" -b -e cpu-clock -F 997 -g --format folded -- "$@" >"$name.live" 2>err </dev/null ||
		fail "$name: live: $(cat err)"
	"$cyctop" record -e cpu-clock -F 997 -g -o "$name.data" -- "$@" >/dev/null 2>err </dev/null ||
		fail "$name: record: $(cat err)"
	"$cyctop" -i "$name.data" --format folded >"$name.recorded" 2>err || fail "$name: recorded: $(cat err)"
	read -r theirs_good theirs <<END
$(whole "$name.theirs")
END
	rm -f "$name.perf" "$name.data"
	for way in live recorded; do
		read -r good all <<END
$(whole "$name.$way")
END
		echo "$name, $way: $good of $all whole, perf's: $theirs_good of $theirs"
		awk -v good="$good" -v all="$all" -v theirs_good="$theirs_good" -v theirs="$theirs" \
			-v name="$name" 'BEGIN {
			if (all < 100 || theirs < 100)
				exit 1
			expected = 0.95 * theirs_good / theirs
			if (expected < 0.9 && name != "recursion")
				expected = 0.9
			exit good / all < expected - 3 * sqrt(expected * (1 - expected) / all) }' ||
			fail "$name, $way: too few are whole: $(sort -t' ' -k2 -nr "$name.$way" | head -n 20)"
		[ -z "$callers" ] || awk -v callers="$callers" -v name="$name" '
			# broken ones were counted above
			!/;(_start|__libc_start|_*clone3?|__start_context|runtime)/ && name != "recursion" { next }
			/[;:.]leaf[; ]/ { n += $NF; if ($0 !~ callers) { wrong += $NF; print } }
			END { exit !(n > 50 && wrong == 0) }' "$name.$way" >wrong ||
			fail "$name, $way: chains of leaf() that are not its own: $(head -n 5 wrong)"
	done
}

for flags in "-O2" "-O2 -static" "-O0"; do
	# shellcheck disable=SC2086 # several options
	cc $flags -o zoo "$here/zoo.c" 2>err || fail "cc $flags: $(cat err)"
	kind=c$(echo "$flags" | tr -d ' ')
	compare "$kind" ';main;middle;leaf[ ;]' ./zoo plain
done
cc -O2 -o zoo "$here/zoo.c"
compare tail ';main;leaf[ ;]' ./zoo tail
compare signal ';main;.*;handler;(middle;)?leaf[ ;]' ./zoo signal
compare vdso '' ./zoo vdso
compare coroutine ';__start_context;coroutine;middle;leaf[ ;]' ./zoo coroutine
# 10,000 callers are more than a chain may have: they are cut, not wrong
compare recursion '(^|;)recursion;leaf[ ;]' ./zoo recursion
if command -v c++ >/dev/null; then
	c++ -O2 -o zoo_cc "$here/zoo.cc" 2>err || fail "c++: $(cat err)"
	compare exceptions 'main;middle(\.cold)?;(thrower;)*(thrower\.cold;)?(Guard::~Guard(\(\))?;)?leaf[ ;]' ./zoo_cc
fi
if command -v rustc >/dev/null && rustc -O -o zoo_rs "$here/zoo.rs" 2>err; then
	compare rust '::middle;.*::leaf[ ;]' ./zoo_rs
fi
if command -v go >/dev/null && GOCACHE=$tmp/go GOFLAGS=-buildvcs=false go build -o zoo_go "$here/zoo.go" 2>err; then
	# Go's leaf() makes no frame, and the frame pointer then is middle()'s: chains by frame pointers lack middle()
	compare go 'main\.work;(main\.middle;)?main\.leaf[ ;]' ./zoo_go
fi
if command -v node >/dev/null; then
	compare node '' node "$here/zoo.js"
fi
if command -v javac >/dev/null && javac -d . "$here/Zoo.java" 2>err; then
	compare java '' java -cp . Zoo
fi
finish
