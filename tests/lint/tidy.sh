#!/bin/sh
# clang-tidy and the clang analyzer over the sources, with the checks that find
# faults and without those that only have opinions.
set -u
cd "$(dirname "$0")/../.." || exit 1
checks='-*,bugprone-*,clang-analyzer-*,cert-err34-c,misc-redundant-expression,readability-function-size'
# Opinions, or wrong on this code: two parameters of one type; enum bit sets;
# Annex K functions nobody has; branches alike on purpose in tables of cases.
checks=$checks,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions
checks=$checks,-bugprone-reserved-identifier,-bugprone-branch-clone,-bugprone-assignment-in-if-condition
checks=$checks,-bugprone-implicit-widening-of-multiplication-result,-bugprone-suspicious-include
checks=$checks,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
checks=$checks,-clang-analyzer-optin.performance.Padding
# wrong in version 14: it does not see va_start()
checks=$checks,-clang-analyzer-valist.Uninitialized
# it takes the pointers of a VEC for mistakes, and bytes for strings
checks=$checks,-bugprone-sizeof-expression,-bugprone-not-null-terminated-result
size=readability-function-size
options="{key: $size.LineThreshold, value: 80}, {key: $size.StatementThreshold, value: 1000}"

# Of each function a third of the states that the analyzer would follow by itself (225,000): it takes
# those first that lead to code not seen yet, and most of its time goes into the rest.
nodes='--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=75000'

# tidy EXTRA-ARGS...: the files on stdin
tidy() {
	# shellcheck disable=SC2086 # words
	xargs -P "$(nproc)" -n 2 clang-tidy -p build-clang --quiet --warnings-as-errors='*' \
		--config="{Checks: '$checks', CheckOptions: [$options]}" $nodes "$@" 2>/dev/null
}

status=0
git ls-files -co --exclude-standard -- 'src/*.c' ':!src/base/base.c' |
	tidy --extra-arg=-include --extra-arg="$PWD/tests/lint/analyzer.h" || status=1
echo src/base/base.c | tidy || status=1 # where error_set() is
exit $status
