#!/bin/sh
# Runs clang-tidy over the files that clang would compile: clang's warnings, and for the program's own files
# the analyzer and the checks that find bugs, without those that are matters of taste.
#   tidy.sh [--all]
# Without --all only over files that changed since main, and those that include them; over everything with the
# first commits of a week, and after changes of the compiler's options or of the checks.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
# shellcheck source=tests/lib/changed.sh
. tests/lib/changed.sh
checks='-*,clang-diagnostic-*,bugprone-*,clang-analyzer-*,cert-err34-c,misc-redundant-expression'
checks=$checks,readability-function-size
# Matters of taste, or wrong for this code: two parameters of one type; enums as bit sets; functions
# of Annex K, which no C library has; equal branches in tables of cases.
checks=$checks,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions
checks=$checks,-bugprone-reserved-identifier,-bugprone-branch-clone,-bugprone-assignment-in-if-condition
checks=$checks,-bugprone-implicit-widening-of-multiplication-result,-bugprone-suspicious-include
checks=$checks,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
checks=$checks,-clang-analyzer-optin.performance.Padding
# a bug of version 14, which does not see va_start()
checks=$checks,-clang-analyzer-valist.Uninitialized
# false alarms: the pointers of a VEC, and bytes taken for strings
checks=$checks,-bugprone-sizeof-expression,-bugprone-not-null-terminated-result
size=readability-function-size
options="{key: $size.LineThreshold, value: 80}, {key: $size.StatementThreshold, value: 1000}"

# A tenth of the analyzer's default number of states per function (225,000): it first follows states
# that lead to new code, and spends most of its time on the others.
nodes='--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=22500'

# tidy FILES-A-PROCESS CHECKS EXTRA-ARGS...: checks the files listed on standard input
tidy() {
	each=$1 check=$2
	shift 2
	xargs -r -P "$(nproc)" -n "$each" clang-tidy -p build-clang --quiet --warnings-as-errors='*' \
		--config="{Checks: '$check', CheckOptions: [$options]}" "$@" 2>/dev/null
}

week_of() { # COMMIT
	repository log -1 --format=%cd --date=format:%G-%V "$1"
}

# concerned CHANGED: lists the C files among these files, and those that include one of them.  What includes
# what is in the build's list of dependencies, under paths that begin with "../".
concerned() {
	echo "$1"
	ninja -C build -t deps | sed -n 's,^    \(\.\./\)\{0\,1\},,p; s,^[^ ].*,:,p' | awk -v changed="$1" '
		BEGIN { n = split(changed, list, "\n"); for (i = 1; i <= n; i++) is_changed[list[i]] = 1 }
		$0 == ":" { source = ""; next }
		source == "" { source = $0 }
		$0 in is_changed { print source }'
}

status=0
sources=$(files 'src/*.c') && tests=$(files 'tests/*.c') || exit 1
base=$(change_base)
if [ "${1:-}" != --all ] && [ -n "$base" ] && [ "$(week_of "$base")" = "$(week_of HEAD)" ]; then
	changed=$(changed_files "$base")
	if ! echo "$changed" | grep -qxE 'meson\.build|tests/lint/(tidy\.sh|analyzer\.h)'; then
		concerned=$(concerned "$changed" | sort -u)
		sources=$(echo "$sources" | grep -xF "$concerned")
		tests=$(echo "$tests" | grep -xF "$concerned")
	fi
fi
echo "clang-tidy: $(printf '%s\n' "$sources" "$tests" | grep -c .) files" >&2
# shellcheck disable=SC2086 # words
echo "$sources" | grep -vx src/base/base.c | tidy 2 "$checks" $nodes \
	--extra-arg=-include --extra-arg="$PWD/tests/lint/analyzer.h" || status=1
# shellcheck disable=SC2086
echo "$sources" | grep -x src/base/base.c | tidy 1 "$checks" $nodes || status=1 # where error_set() is
# clang's warnings and one check, without which clang-tidy does not start: tests are not worth the time of the rest
built=$(grep -o '"file": "[^"]*"' build-clang/compile_commands.json | sed 's,.*/\(tests/[^"]*\)"$,\1,; t; d' | sort -u)
echo "$tests" | grep -xF "$built" | tidy 8 '-*,clang-diagnostic-*,misc-redundant-expression' || status=1
exit $status
