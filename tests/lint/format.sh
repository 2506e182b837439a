#!/bin/sh
# Checks that the C files are formatted by clang-format 14; other versions format differently.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
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
	echo 'format: not checked, because there is no clang-format 14 here (Debian 12 has the package clang-format-14)'
	exit 1
fi
sources=$(files '*.c' '*.h') || exit 1
found=$(echo "$sources" | xargs -P "$(nproc)" -n 20 "$tool" --dry-run -Werror 2>&1)
[ -n "$found" ] || exit 0
printf '%s\n' "$found" | sed -n "s/^\([^: ]*\):[0-9]*:[0-9]*: error:.*/\1: not as $tool -i lays it out/p" | sort -u
exit 1
