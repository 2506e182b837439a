#!/bin/sh
# Runs the machine-dependent tests (the suite `machine`): their results depend on more than the code.
#   run.sh SECONDS COUNTS "DIR [MESON-OPTION...]"...
# Tests of what the change touches come first (rooms.txt), the others in an order drawn from the commit's id,
# so that over some commits all have their turn.  A test that fails is run again alone, up to twice.  If it
# passes then, it is unsteady; if it fails three times, it has failed.  The output of each failed run stays in
# DIR/failed/.  All tests together have SECONDS ("never": as long as they take); what has not ended by then
# counts as not run.  Prints which these are, one line of totals, and writes "PASSED FAILED SKIPPED" to the file
# COUNTS, with unsteady ones among those that passed.
set -u
seconds=$1 counts=$2
shift 2
[ "$seconds" != never ] || seconds=1000000
end=$(($(date +%s) + seconds))
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 1
# shellcheck source=tests/lib/changed.sh
. "$here/../lib/changed.sh"
trap 'end_leftovers; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# All processes that a test starts inherit this variable, and are found by it, even if they have left
# the test's process group.
CYCTOP_TESTS=$$.$(date +%s)
export CYCTOP_TESTS

end_leftovers() {
	for environ in /proc/[0-9]*/environ; do
		pid=${environ#/proc/} pid=${pid%/environ}
		# not this script, which had no such variable when it was started
		if tr '\0' '\n' <"$environ" | grep -qx "CYCTOP_TESTS=$CYCTOP_TESTS"; then
			kill -KILL "$pid"
		fi
	done 2>/dev/null # processes that have ended, or belong to others
}

# run DIR ARGS...: runs tests in the time that is left, and writes their results to $tmp/results:
# lines "NAME<tab>RESULT"
run() {
	dir=$1
	shift
	: >"$tmp/results"
	left=$((end - $(date +%s)))
	[ $left -gt 0 ] || return 0
	rm -f "$dir/meson-logs/testlog.json"
	timeout -s TERM -k 30 $left meson test -C "$dir" --no-rebuild "$@" </dev/null &
	wait $!
	end_leftovers
	[ ! -s "$dir/meson-logs/testlog.json" ] ||
		jq -r '[(.name | sub("^.* / "; "")), .result] | @tsv' "$dir/meson-logs/testlog.json" >"$tmp/results"
}

result_of() { # NAME
	awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$tmp/results"
}

# keep DIR NAME TRY RESULT: keeps the output of a failed run, and prints the end of it, because some
# see only the end of the output
keep() {
	mkdir -p "$1/failed"
	jq -r --arg name "$2" 'select(.name | endswith(" / " + $name)) | [.stdout, .stderr | strings] | join("")' \
		"$1/meson-logs/testlog.json" >"$1/failed/$2.$3.txt"
	echo "$4: $1: $2, try $3 (its output: $1/failed/$2.$3.txt)"
	tail -n 10 "$1/failed/$2.$3.txt" | cut -c 1-300 | sed 's/^/    /'
}

# judge DIR NAME: counts the result of a test of a build, and notes if it is to be run again
judge() {
	case $(result_of "$2") in
	OK | EXPECTEDFAIL) passed=$((passed + 1)) ;;
	SKIP)
		skipped=$((skipped + 1))
		jq -r --arg name "$2" --arg dir "$1" 'select(.name | endswith(" / " + $name)) |
			"skipped: \($dir): \($name): " + ([.stdout, .stderr | strings | rtrimstr("\n") |
			split("\n")[-1] // empty] | join("; "))' "$1/meson-logs/testlog.json"
		;;
	'' | INTERRUPT) not_run="$not_run${not_run:+, }$(label "$1" "$2")" ;;
	*)
		keep "$1" "$2" 1 "$(result_of "$2")"
		printf '%s\t%s\n' "$1" "$2" >>"$tmp/again"
		;;
	esac
}

label() { # DIR NAME
	case $1 in build) printf '%s' "$2" ;; *) printf '%s %s' "$1" "$2" ;; esac
}

# Words of rooms.txt for what the change touches, as an extended regular expression; empty: nothing known.
touched() {
	base=$(change_base)
	[ -n "$base" ] || return 0
	changed_files "$base" | awk 'NR == FNR { if ($0 !~ /^#/ && NF > 1) suites[$1] = $0; next }
		{ for (prefix in suites) if (index($0, prefix) == 1) {
			n = split(suites[prefix], word, " ")
			for (i = 2; i <= n; i++)
				if (!seen[word[i]]++) printf "%s%s", (some++ ? "|" : ""), word[i]
		} }' \
		"$here/rooms.txt" -
}

# Lists all tests, "DIR<tab>NAME", in the order in which they are run.
in_order() {
	first=$(touched)
	commit=$(repository rev-parse HEAD)
	for build; do
		# shellcheck disable=SC2086 # a directory and options
		meson test -C ${build%% *} --no-rebuild --suite machine --list ${build#"${build%% *}"} 2>/dev/null \
			</dev/null |
			sed -n 's,^\([^ ]*\) / ,\1\t,p' | while IFS=$tab read -r suites name; do
			rank=1
			! printf '%s\n' "$suites" | sed 's,[:+],\n,g' | grep -qxE "${first:-none}" || rank=0
			drawn=$(printf '%s' "$commit $build $name" | cksum | cut -d ' ' -f 1)
			printf '%s\t%s\t%s\t%s\n' $rank "$drawn" "${build%% *}" "$name"
		done
	done | sort -t "$tab" -k 1,1n -k 2,2n | cut -f 3,4 | awk '!seen[$0]++'
}

tab=$(printf '\t')
passed=0 skipped=0 not_run='' unsteady='' failed=''
: >"$tmp/again"
for build; do
	rm -rf "${build%% *}/failed"
	case $build in *' --timeout-multiplier '*) echo "${build%% *}" >>"$tmp/slow" ;; esac
done
in_order "$@" >"$tmp/order"
# a dozen at a time: meson takes a second to start
split -l 12 "$tmp/order" "$tmp/batch."
for batch in "$tmp"/batch.*; do
	[ -f "$batch" ] || break # there are no tests
	cut -f 1 "$batch" | sort -u >"$tmp/dirs"
	while IFS= read -r dir <&4; do
		set --
		! grep -qxF "$dir" "$tmp/slow" 2>/dev/null || set -- --timeout-multiplier 2
		grep "^$dir$tab" "$batch" | cut -f 2- >"$tmp/listed"
		while IFS= read -r name; do
			set -- "$@" "$name"
		done <"$tmp/listed"
		# twice as many tests as CPUs, because most parallel tests wait most of the time
		run "$dir" --suite machine --num-processes $(($(nproc) * 2)) "$@"
		while IFS= read -r name <&3; do
			judge "$dir" "$name"
		done 3<"$tmp/listed"
	done 4<"$tmp/dirs"
done

# those that failed, alone
while IFS=$tab read -r dir name <&3; do
	label=$(label "$dir" "$name")
	steady=failed
	for try in 2 3; do
		run "$dir" --num-processes 1 "$name"
		case $(result_of "$name") in
		OK | EXPECTEDFAIL)
			steady=unsteady
			break
			;;
		'' | INTERRUPT | SKIP) break ;; # no time is left for it, or it has left nothing to judge
		esac
		keep "$dir" "$name" $try "$(result_of "$name")"
	done
	case $steady in
	unsteady) unsteady="$unsteady${unsteady:+, }$label" ;;
	failed) failed="$failed${failed:+, }$label" ;;
	esac
done 3<"$tmp/again"

count() { # NAMES, separated by commas
	if [ -z "$1" ]; then echo 0; else echo "$1" | tr ',' '\n' | wc -l; fi
}
[ -z "$not_run" ] || echo "not run: $not_run"
echo "of this machine: passed $passed, unsteady $(count "$unsteady")${unsteady:+ ($unsteady)}," \
	"failed $(count "$failed")${failed:+ ($failed)}, skipped $skipped, not run $(count "$not_run")"
echo "$((passed + $(count "$unsteady"))) $(count "$failed") $skipped" >"$counts"
[ -z "$failed" ]
