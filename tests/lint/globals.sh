#!/bin/sh
# Checks that there is no mutable data at file scope, except the few variables that signal handlers
# or the allocator need.  Reads the object files, because in source files a macro could hide it.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0

# ROOM/FILE:NAME, each with a reason
allow() {
	case $1 in
	base/base.c:failure_hook) ;;   # how the allocator puts the terminal right before it ends the process
	front/curses/restore.c:*) ;;   # what a signal handler needs to put the terminal right
	os/signals.c:*) ;;             # the hook that handlers run
	calls/preload.c:*) ;;          # of a library in other programs, whose hooks get no argument of ours
	*) return 1 ;;
	esac
}

dir=build # ./dev lint makes it
find "$dir/src" -name '*.o' | grep -q . || {
	echo "no object file was checked, because there is none in $dir/src"
	exit 1
}
# FILE:NAME of each variable.  .data.rel.ro contains constants with addresses in them.
found=$(find "$dir/src" -name '*.o' -exec nm -A --format=sysv {} + | awk -F'|' '
	{ gsub(/[ \t]/, "", $1); gsub(/[ \t]/, "", $7) }
	$7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\.data\.[^r].*|\*COM\*)$/ && $1 !~ /:\./ { print $1 }' | sort)
for each in $found; do
	src=${each%:*} name=${each##*:}
	src=$(printf '%s' "${src#"$dir"/src/}" | sed 's/\.o$//; s,/[^/]*\.p/,/,; s,\([^/]*\)_\([^/]*\.c\)$,\1/\2,')
	allow "$src:$name" || {
		echo "$src: $name is mutable data at file scope"
		status=1
	}
done
exit $status
