#!/bin/sh
# Who may include whom, and who may talk to the system.  Each room may use only
# the rooms below it; pure rooms do no I/O; each library has one user.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0

bad() {
	printf '%s\n' "$1"
	status=1
}

# room: the public headers it may include, beside its own, base.h and abi.h.
# What a header of a lower room includes itself comes with it.
allowed() {
	case $1 in
	base | record | event | catalog) ;;
	perfdata) echo record ;;
	source | writer) echo record event perfdata writer ;; # writer: of files, a part of source
	resolve) echo record catalog perfdata ;; # perfdata: the structs only
	model) echo catalog event ;;
	session) echo source record resolve model catalog event ;;
	view) echo model catalog source event ;;
	front) echo view model catalog source event perfdata ;; # perfdata: the visitor of dumps
	app) echo record event source resolve model session view front catalog perfdata writer ;;
	*) return 1 ;;
	esac
}

# What pure rooms may include of the system; what they may not call is below.
pure_system='assert ctype errno float inttypes limits math stdarg stdbool stddef stdint stdio stdlib string strings
	time wchar wctype'
pure_never='(f?open(at)?|fdopen|close|read|pread|p?write|ioctl|mmap|poll|syscall|std(in|out|err)|v?f?printf)'
pure_never="$pure_never|f?put[sc]|putchar|perror|fwrite|fread|fgets|getline|time|clock|clock_gettime|gettimeofday"
pure_never="$pure_never|localtime(_r)?|u?sleep|nanosleep|getenv|setlocale|system|popen|fork|exit|_exit|rand|random"
pure_never="$pure_never|signal|sigaction|pthread_.*"

is_in() { # WORD LIST...
	word=$1
	shift
	for w; do
		[ "$w" != "$word" ] || return 0
	done
	return 1
}

# check_file ROOM FILE
check_file() {
	room=$1 file=$2
	rooms=$(allowed "$room") || {
		bad "$file: room $room is in no layer (see tests/lint/layers.sh)"
		return
	}
	sed -n "s/^[ \t]*#[ \t]*include[ \t]*\\([<\"][^>\"]*[>\"]\\).*/\\1/p" "$file" | while read -r inc; do
		name=${inc#?}
		name=${name%?}
		case $inc in
		'<cyctop/'*)
			h=${name#cyctop/}
			h=${h%.h}
			# shellcheck disable=SC2086
			is_in "$h" base abi "$room" $rooms || echo "$file: room $room may not include $inc"
			;;
		'"'*)
			# internal headers: base's, one's own room's, and one's own folder's
			case $name in
			base/* | "$room"/*) ;;
			*/*) echo "$file: room $room may not include $inc" ;;
			*) [ -f "$(dirname "$file")/$name" ] || echo "$file: no $name in its folder" ;;
			esac
			;;
		*)
			check_system "$room" "$file" "$name"
			;;
		esac
	done
}

check_system() {
	room=$1 file=$2 name=$3
	case $name in
	*curses.h | term.h) owner='src/front/curses/*' ;;
	libelf.h | gelf.h) owner='src/resolve/elf/*' ;;
	perfmon/*) owner='src/event/pfm.c' ;;
	jansson.h) owner='src/front/batch/*' ;;
	libiberty/*) owner='src/resolve/*' ;;
	lzma.h) owner='src/resolve/elf/xz.c' ;;
	zstd.h) owner='src/source/file/*' ;;
	linux/perf_event.h) owner='src/source/live/*' ;; # the others have <cyctop/abi.h>
	*) owner='*' ;;
	esac
	# shellcheck disable=SC2254 # a pattern
	case $file in
	$owner | src/event/pfm.c | src/resolve/recording/unpack.c) ;;
	*) echo "$file: <$name> is for '${owner:-nobody}'" ;;
	esac
	case $room:$file in
	event:src/event/pfm.c) ;;
	record:* | event:* | model:* | view:* | perfdata:*)
		# shellcheck disable=SC2086
		is_in "${name%.h}" $pure_system || echo "$file: $room is a pure room; no <$name>"
		;;
	esac
}

found=$(
	for file in $(git ls-files -co --exclude-standard -- 'src/*.c' 'src/*.h'); do
		room=${file#src/}
		check_file "${room%%/*}" "$file"
	done
	for file in $(git ls-files -co --exclude-standard -- 'include/*.h'); do
		room=${file##*/}
		room=${room%.h}
		case $room in
		abi | base) room=base ;;
		esac
		check_file "$room" "$file"
	done
	grep -rlE '(__NR|SYS)_perf_event_open' src include | grep -v '^src/source/live/' |
		sed 's/$/: only src\/source\/live opens perf events/'
)
[ -z "$found" ] || bad "$found"

# What the pure rooms' objects call, whatever they include.
for dir in build build-clang; do
	for room in record event model view perfdata; do
		for obj in "$dir/src/$room/lib$room.a.p"/*.o; do
			[ -f "$obj" ] || continue
			case $obj in
			*/pfm.c.o) continue ;;
			esac
			calls=$(nm -u "$obj" | awk '{ print $2 }' | grep -xE "$pure_never")
			# shellcheck disable=SC2086
			[ -z "$calls" ] || bad "$obj: $room is a pure room; it calls" $calls
		done
	done
done
exit $status
