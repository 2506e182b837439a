#!/bin/sh
# Checks which rooms include which headers and use the system.  Each room may use only the rooms
# below it; pure rooms do no I/O; each external library has one user.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
status=0

bad() {
	printf '%s\n' "$1"
	status=1
}

# The public headers that a room may include, besides its own, base.h and abi.h.  Headers that these
# include are allowed, too.
allowed() {
	case $1 in
	base | os | record | event | catalog | compare) ;;
	perfdata) echo record ;;
	source | reader) echo record event perfdata reader ;; # reader: of files, a part of source
	resolve) echo record catalog perfdata ;; # perfdata: the structs only
	model) echo catalog event ;;
	diff) echo model compare catalog event ;;
	session) echo source record resolve model catalog event ;;
	recorder) echo record event perfdata reader source session resolve catalog ;;
	view) echo model compare diff catalog source event ;;
	front) echo view model compare diff catalog source event perfdata ;; # perfdata: the visitor of dumps
	app) echo record event source resolve model compare diff session recorder view front catalog perfdata ;;
	*) return 1 ;;
	esac
}

# System headers that pure rooms may include; calls that they may not make are listed below.
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

# Within resolve: the folders from which a folder may include, besides itself; "." is src/resolve.
inside_resolve() {
	case $1 in
	table) ;;
	elf) echo table ;;
	jit | kernel) echo table elf ;;
	recording) echo table elf jit kernel ;;
	load) echo table elf jit kernel ;;
	naming) echo table elf jit kernel load ;;
	task) echo table elf jit kernel load naming ;;
	.) echo table elf jit kernel recording load naming task ;;
	*) return 1 ;;
	esac
}

# check_folder FILE INCLUDE
check_folder() {
	folder=${1#src/resolve/} other=${2#resolve/}
	case $folder in
	*/*) folder=${folder%/*} ;;
	*) folder=. ;;
	esac
	case $other in
	*/*) other=${other%/*} ;;
	*) other=. ;;
	esac
	folders=$(inside_resolve "$folder") || {
		echo "$1: folder $folder is in no layer of resolve (see tests/lint/layers.sh)"
		return
	}
	# shellcheck disable=SC2086
	is_in "$other" "$folder" $folders || echo "$1: $folder may not include \"$2\""
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
			# private headers: those of base and os, of the same room and of the same folder
			case $name in
			resolve/*) [ "$room" != resolve ] || check_folder "$file" "$name" ;;
			esac
			case $name in
			base/* | "$room"/*) ;;
			os/*) is_pure "$room" "$file" && echo "$file: $room is a pure room; no $inc" ;;
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

# Is the file in a room that does no I/O?  base and os are below the pure rooms.
is_pure() { # ROOM FILE
	case $1:$2 in
	event:src/event/pfm.c) return 1 ;;
	base:* | record:* | event:* | model:* | compare:* | diff:* | view:* | perfdata:*) return 0 ;;
	esac
	return 1
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
	zstd.h) owner='src/source/file/inflate.c' ;;
	linux/perf_event.h) owner='src/source/live/*' ;; # the others have <cyctop/abi.h>
	*) owner='*' ;;
	esac
	# shellcheck disable=SC2254 # a pattern
	case $file in
	$owner | src/event/pfm.c | src/resolve/recording/unpack.c | src/recorder/compressor.c | src/perfdata/pack.c) ;;
	*) echo "$file: <$name> is for '${owner:-nobody}'" ;;
	esac
	case $room:$name in
	perfdata:zstd.h) return ;; # only computes
	esac
	if [ "$room" != base ] && is_pure "$room" "$file"; then # base ends the process where there is no memory
		# shellcheck disable=SC2086
		is_in "${name%.h}" $pure_system || echo "$file: $room is a pure room; no <$name>"
	fi
}

sources=$(files 'src/*.c' 'src/*.h') && headers=$(files 'include/*.h') || exit 1
found=$(
	for file in $sources; do
		room=${file#src/}
		check_file "${room%%/*}" "$file"
	done
	for file in $headers; do
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

# Checks the calls in the object files of pure rooms, whatever headers they include.
checked=0
for dir in build build-clang; do
	for room in record event model compare diff view perfdata; do
		for obj in "$dir/src/$room/lib$room.a.p"/*.o; do
			[ -f "$obj" ] || continue
			checked=$((checked + 1))
			case $obj in
			*/pfm.c.o) continue ;;
			esac
			calls=$(nm -u "$obj" | awk '{ print $2 }' | grep -xE "$pure_never")
			# shellcheck disable=SC2086
			[ -z "$calls" ] || bad "$obj: $room is a pure room; it calls" $calls
		done
	done
done
[ $checked -gt 0 ] || bad 'no object file was checked, because there is none'
exit $status
