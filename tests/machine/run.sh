#!/bin/sh
# Runs the machine-dependent tests (the suite `machine`): their results depend on more than the code.
#   run.sh SECONDS COUNTS "DIR [MESON-OPTION...]"...
# A test that fails is run again alone, up to twice.  If it passes then, it is unsteady; if it fails
# three times, it has failed.  The output of each failed run stays in DIR/failed/.  All tests together
# have SECONDS; what has not ended by then counts as not run.  Prints one line of totals, and writes
# "PASSED FAILED SKIPPED" to the file COUNTS, with unsteady ones among those that passed.
set -u
seconds=$1 counts=$2
shift 2
end=$(($(date +%s) + seconds))
tmp=$(mktemp -d) || exit 1
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

passed=0 skipped=0 not_run=0 unsteady='' failed=''
: >"$tmp/again"
for build; do
	# shellcheck disable=SC2086 # a directory and options
	set -- $build
	dir=$1
	rm -rf "$dir/failed"
	shift
	meson test -C "$dir" --no-rebuild --suite machine --list "$@" 2>/dev/null </dev/null |
		sed -n 's,^[^ ]* / ,,p' | sort -u >"$tmp/listed"
	# twice as many tests as CPUs, because most parallel tests wait most of the time
	run "$dir" --suite machine --num-processes $(($(nproc) * 2)) "$@"
	while IFS= read -r name <&3; do
		case $(result_of "$name") in
		OK | EXPECTEDFAIL) passed=$((passed + 1)) ;;
		SKIP)
			skipped=$((skipped + 1))
			jq -r --arg name "$name" --arg dir "$dir" 'select(.name | endswith(" / " + $name)) |
				"skipped: \($dir): \($name): " + ([.stdout, .stderr | strings | rtrimstr("\n") |
				split("\n")[-1] // empty] | join("; "))' "$dir/meson-logs/testlog.json"
			;;
		'' | INTERRUPT) not_run=$((not_run + 1)) ;;
		*)
			keep "$dir" "$name" 1 "$(result_of "$name")"
			printf '%s\t%s\n' "$dir" "$name" >>"$tmp/again"
			;;
		esac
	done 3<"$tmp/listed"
done

# those that failed, alone
tab=$(printf '\t')
while IFS=$tab read -r dir name <&3; do
	label=$name
	[ "$dir" = build ] || label="$dir $name"
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
echo "of this machine: passed $passed, unsteady $(count "$unsteady")${unsteady:+ ($unsteady)}," \
	"failed $(count "$failed")${failed:+ ($failed)}, skipped $skipped, not run $not_run"
echo "$((passed + $(count "$unsteady"))) $(count "$failed") $skipped" >"$counts"
[ -z "$failed" ]
