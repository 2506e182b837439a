#!/bin/sh
# Checks that the C files are formatted by clang-format 14; other versions format differently.
set -u
cd "$(dirname "$0")/../.." || exit 1
tool=
for t in clang-format-14 clang-format; do
	case $($t --version 2>/dev/null) in
	*'version 14.'*)
		tool=$t
		break
		;;
	esac
done
if [ -z "$tool" ]; then
	echo 'format: not checked, there is no clang-format 14 here'
	exit 0
fi
found=$(git ls-files -co --exclude-standard -z -- '*.c' '*.h' |
	xargs -0 -P "$(nproc)" -n 20 "$tool" --dry-run -Werror 2>&1)
[ -n "$found" ] || exit 0
printf '%s\n' "$found" | sed -n "s/^\([^: ]*\):[0-9]*:[0-9]*: error:.*/\1: not as $tool -i lays it out/p" | sort -u
exit 1
