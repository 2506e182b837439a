#!/bin/sh
# cyctop compare of real commands: a function that does half more work is named, and the same command twice is not said
# to differ.
#   test_compare.sh CYCTOP WORK
# shellcheck disable=SC2317 # tries calls functions
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$(realpath "$1") work=$(realpath "$2")
export HOME="$tmp" LC_ALL=C TMPDIR="$tmp"
needs_sampling "$cyctop"
cd "$tmp" || exit 1
rounds=400 # some 60 ms

# compare ARGS...: as CSV in `out`
compare() {
	"$cyctop" compare --format csv "$@" >out 2>err </dev/null || fail "cyctop compare $*: status $?: $(cat err)"
}
# column NAME KIND ROW
column() {
	awk -F, -v name="$1" -v kind="$2" -v row="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == kind && $3 == row { print $at[name] }' out
}
# is_within VALUE LOW HIGH
is_within() {
	awk -v v="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(v != "" && v >= low && v <= high) }'
}

# tries WHAT FUNCTION: a machine that has no time for the commands makes outliers
tries() {
	"$2" || "$2" || "$2" || fail "$1: $(head -n 40 out)"
}
# differs PATTERN: CPU time does, and a function whose name has the pattern
differs() {
	[ "$(column real metric cpu)" = true ] &&
		awk -F, -v name="$1" '$1 == "function" && $14 == "true" && $3 ~ name { any = 1 } END { exit !any }' out
}

# Half more work of hot, which has half of the time: +25 %
finds_hot() {
	compare -r 10 -F 1999 -- "$work" 100 "$rounds" --- "$work" 150 "$rounds"
	[ "$(column real metric cpu)" = true ] && [ "$(column real function hot)" = true ] &&
		is_within "$(column ratio metric cpu)" 1.15 1.35 && is_within "$(column ratio function hot)" 1.3 1.7 &&
		[ "$(awk -F, '$1 == "function" { print $3; exit }' out)" = hot ]
}
tries "hot does half more work" finds_hot
# rows add up to the whole, whatever it is
awk -F, '$1 == "function" { a += $5; b += $8 } $1 == "metric" && $3 == "cpu" { cpu = $8 / $5 }
	END { r = b / a; exit !(r > 0.97 * cpu && r < 1.03 * cpu) }' out || fail "the rows do not add up: $(cat out)"

# The same command twice: at most 5 % of the comparisons have a real difference.  More than 4 of 7 would be one run of
# this test in 10^5.
claims=0
for try in 1 2 3 4 5 6 7; do
	compare -r 8 --seed $try -- "$work" 100 100 --- "$work" 100 100
	[ -z "$(awk -F, '$14 == "true"' out)" ] || claims=$((claims + 1))
done
[ $claims -le 4 ] || fail "the same command twice differs in $claims of 7 comparisons"

# known programs
gzips() {
	compare -r 10 -F 2999 -- gzip -1 -k -c numbers --- gzip -6 -k -c numbers
	differs .
}
if command -v gzip >/dev/null; then
	seq 1 300000 >numbers
	tries "gzip -1 and -6" gzips
fi
# a locale of the test's own: few machines have one whose order of words differs
sorts() {
	compare -r 10 -F 2999 -- env LOCPATH="$tmp/locales" LC_ALL=en_US.UTF-8 sort -o /dev/null words \
		--- env LC_ALL=C sort -o /dev/null words
	differs strcoll
}
if mkdir locales && localedef -i en_US -f UTF-8 locales/en_US.UTF-8 >err 2>&1; then
	seq 1 60000 | awk '{ print ($1 * 7919) % 60013 " word " $1 }' >words
	tries "sort in two locales" sorts
else
	echo "sort in two locales was not tried, because there is no locale: $(tail -n 1 err)"
fi
# What -O1 keeps in memory, -O2 keeps in a register: an int is no short.
levels() {
	compare -r 10 -F 2999 -- ./O1/sums --- ./O2/sums
	[ "$(column real function add_up)" = true ] && is_within "$(column ratio function add_up)" 0 0.9
}
if command -v cc >/dev/null; then
	cat >sums.c <<-'END'
		static short numbers[4096];
		static __attribute__((noinline)) void add_up(int *sum, const short *of)
		{
			for (int i = 0; i < 4096; i++)
				*sum += of[i];
		}
		int main(void)
		{
			int sum = 0;
			for (int i = 0; i < 4096; i++)
				numbers[i] = (short)i;
			for (int i = 0; i < 6000; i++)
				add_up(&sum, numbers);
			return sum == 1;
		}
	END
	for level in 1 2; do
		mkdir O$level
		cc -O$level -o O$level/sums sums.c || fail "cc -O$level"
	done
	tries "-O1 and -O2" levels
else
	echo "two levels of optimisation were not tried, because there is no compiler"
fi

# overlap METRIC VALUE ERROR: is the interval of a mean of 10 runs, with that standard error in percent, beside ours?
# exec() itself is not in perf's.
overlap() {
	awk -v low="$(column a_low metric "$1")" -v high="$(column a_high metric "$1")" -v v="$2" -v percent="$3" '
		BEGIN { half = v * percent / 100 * 2.26 # t of 9 degrees of freedom
			exit !(v > 0 && v + half >= 0.97 * low && v - half <= 1.03 * high) }'
}
# perf stat agrees
agrees() {
	compare -r 10 -- "$work" 100 "$rounds" --- true
	perf stat -r 10 -e task-clock -o stat "$work" 100 "$rounds" || return 1
	# shellcheck disable=SC2046 # two words each: seconds and percent
	overlap cpu $(awk '/task-clock/ { gsub(/[%,]/, ""); for (i = 1; i <= NF; i++) if ($i == "+-") e = $(i + 1)
		print $1 / 1000, e }' stat) &&
		overlap wall $(awk '/time elapsed/ { gsub(/%/, ""); print $1, $(NF - 1) }' stat)
}
if command -v perf >/dev/null && perf stat -e task-clock true 2>/dev/null; then
	tries "perf stat disagrees" agrees
	cat stat
fi
finish
