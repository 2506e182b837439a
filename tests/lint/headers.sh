#!/bin/sh
# Checks that every header's guard is its path, and that every header compiles on its own.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
status=0
headers=$(files 'include/*.h' 'src/*.h' 'tests/*.h') || exit 1
for file in $headers; do # awk does not see files without a line
	[ -s "$file" ] || {
		echo "$file: it is empty"
		status=1
	}
done
# shellcheck disable=SC2086 # no path has a blank
awk 'function ask() {
		if (before && found < 2) {
			print before ": its guard should be " guard
			bad = 1
		}
	}
	FNR == 1 {
		ask()
		before = path = FILENAME
		sub(/^(include|src)\//, "", path)
		guard = toupper(path)
		gsub(/[\/.-]/, "_", guard)
		found = 0
	}
	$0 == "#ifndef " guard || $0 == "#define " guard { found++ }
	END { ask(); exit bad }' $headers || status=1
# shellcheck disable=SC2016 # for the shells that xargs starts
echo "$headers" | xargs -P "$(nproc)" -n 1 sh -c 'printf "#include \"%s\"\n" "$0" |
	gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-function \
		-Werror -fsyntax-only -I. -Iinclude -Isrc -Itests -x c -' || status=1
exit $status
