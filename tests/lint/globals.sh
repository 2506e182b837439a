#!/bin/sh
# No data at file scope that can change, but for the few that a signal handler or
# the allocator needs.  Asked of the object files: there no macro can hide it.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0

# ROOM/FILE:NAME, with a reason each
allow() {
	case $1 in
	base/base.c:failure_hook) ;;   # how the allocator puts the terminal right before it ends the process
	front/curses/restore.c:*) ;;   # what a signal handler needs to put the terminal right
	app/signals.c:*) ;;            # volatile sig_atomic_t flags, and the hook that handlers run
	*) return 1 ;;
	esac
}

dir=build # ./dev lint makes it
for obj in $(find "$dir/src" -name '*.o' | sort); do
	src=${obj#"$dir"/src/}
	src=$(printf '%s' "$src" | sed 's/\.o$//; s,/[^/]*\.p/,/,; s,\([^/]*\)_\([^/]*\.c\)$,\1/\2,')
	# .data.rel.ro holds constants with addresses in them
	for name in $(nm --format=sysv "$obj" | awk -F'|' '
		{ gsub(/[ \t]/, "", $1); gsub(/[ \t]/, "", $7) }
		$7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\.data\.[^r].*|\*COM\*)$/ && $1 !~ /^\./ { print $1 }'); do
		allow "$src:$name" || {
			echo "$src: $name is mutable data at file scope"
			status=1
		}
	done
done
exit $status
