#!/bin/sh
# Files are written by os/output.c alone: it follows no links, and never leaves a part of a file where a whole one was.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
sources=$(files 'src/*.c' 'src/*.h' 'include/*.h') || exit 1

# Opening to write, and giving names; not reading with stdio, and not the device that takes everything.
writes='\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b'
writes="$writes|\\b(creat|mkstemps?|mkostemps?|tmpfile|freopen|rename(at2?)?|(sym)?link(at)?) *\\("
writes="$writes|\\bfopen *\\("
# shellcheck disable=SC2086 # no path has a blank
found=$(grep -nE "$writes" $sources | grep -v -e '^src/os/output\.c:' -e '"/dev/null"' -e 'fopen([^,]*, "re")' \
	-e 'F_SETFL, O_APPEND')
[ -z "$found" ] || {
	printf '%s\nOnly os/output.c opens files to write, and names them: see os/output.h\n' "$found"
	exit 1
}
# The lint itself sees what it is to see.
grep -qE "$writes" src/os/output.c || {
	echo 'src/os/output.c: no call that opens a file was found in it'
	exit 1
}
