#!/bin/sh
# Checks that every header's guard is its path, and that every header compiles on its own.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
status=0
headers=$(files 'include/*.h' 'src/*.h' 'tests/*.h') || exit 1
for file in $headers; do
	path=${file#include/}
	path=${path#src/}
	guard=$(printf '%s' "$path" | tr 'a-z/.-' 'A-Z___')
	if ! grep -qx "#ifndef $guard" "$file" || ! grep -qx "#define $guard" "$file"; then
		echo "$file: its guard should be $guard"
		status=1
	fi
	printf '#include "%s"\n' "$file" |
		gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-function \
			-Werror -fsyntax-only -I. -Iinclude -Isrc -Itests -x c - ||
		status=1
done
exit $status
