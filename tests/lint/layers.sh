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

# The public headers that a room may include, besides its own, base.h and abi.h: its README.md has them.  Headers that
# these include are allowed, too.
allowed() {
	case $1 in
	catalog) echo runtime ;; # the ids that resolve gives
	dimension) echo catalog event ;; # what facts are grouped by: a part of model
	reader | doctor) allowed source ;; # of files, and of this machine: parts of source
	*) sed -n 's/^May include: \(.*\)[.]$/\1/; T; s/^nothing$//; p; q' "src/$1/README.md" | grep '' ;;
	esac
}

# System headers that pure rooms may include; calls that they may not make are listed below.
pure_system='assert ctype errno float fnmatch inttypes limits math regex stdarg stdbool stddef stdint stdio stdlib
	string strings time wchar wctype'
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
	[ "$folder" != "$other" ] || return 0
	folders=$(inside_resolve "$folder") || {
		echo "$1: folder $folder is in no layer of resolve (see tests/lint/layers.sh)"
		return
	}
	# shellcheck disable=SC2086
	is_in "$other" $folders || echo "$1: $folder may not include \"$2\""
}

# check_include ROOM FILE INCLUDE ROOMS...: INCLUDE with its quotes; ROOMS that the room may use
check_include() {
	room=$1 file=$2 inc=$3
	shift 3
	name=${inc#?}
	name=${name%?}
	case $inc in
	'<cyctop/'*)
		h=${name#cyctop/}
		h=${h%.h}
		is_in "$h" base abi "$room" "$@" || echo "$file: room $room may not include $inc"
		;;
	'"'*)
		# private headers: those of base and os, of the same room and of the same folder
		case $name in
		resolve/*) [ "$room" != resolve ] || check_folder "$file" "$name" ;;
		esac
		case $name in
		base/* | "$room"/*) ;;
		selfcount/*.h) is_in selfcount "$@" || echo "$file: room $room may not include $inc" ;;
		*.inc) ;; # made by the build
		os/*) is_pure "$room" "$file" && echo "$file: $room is a pure room; no $inc" ;;
		*/*) echo "$file: room $room may not include $inc" ;;
		*) [ -f "${file%/*}/$name" ] || echo "$file: no $name in its folder" ;;
		esac
		;;
	*)
		check_system "$room" "$file" "$name"
		;;
	esac
}

# Checks the lines "FILE INCLUDE" of the standard input, those of a file one after another.
check_includes() {
	last=
	while read -r file inc; do
		if [ "$file" != "$last" ]; then
			last=$file
			room=${file#src/}
			room=${room%%/*}
			case $file in
			include/*/abi.h | include/*/base.h) room=base ;;
			include/*) room=${file##*/} room=${room%.h} ;;
			esac
			rooms=$(allowed "$room") || echo "$file: room $room is in no layer (see tests/lint/layers.sh)"
		fi
		# shellcheck disable=SC2086
		check_include "$room" "$file" "$inc" $rooms
	done
}

# Is the file in a room that does no I/O?  base and os are below the pure rooms.
is_pure() { # ROOM FILE
	case $1:$2 in
	event:src/event/pfm* | event:src/event/files.c) return 1 ;;
	code:src/code/x86_length.c | code:src/code/arrows.c | code:src/code/listing.c) return 0 ;;
	base:* | runtime:* | record:* | event:* | model:* | compare:* | diff:* | view:* | perfdata:*) return 0 ;;
	unwind:*) return 0 ;;
	esac
	return 1
}

check_system() {
	room=$1 file=$2 name=$3
	case $name in
	*curses.h | term.h) owner='src/front/curses/*' ;;
	libelf.h | gelf.h) owner='src/resolve/elf/*'
		[ "$file" != src/code/dw_walk.c ] || return 0 ;;
	perfmon/*) owner='src/event/pfm*' ;;
	jansson.h) owner='src/front/batch/*' ;;
	libiberty/*) owner='src/resolve/*' ;;
	capstone.h) owner='src/code/capstone_library.h' ;;
	libdw.h | dwarf.h) owner='src/code/dw*' ;;
	lzma.h) owner='src/resolve/elf/xz.c' ;;
	zstd.h) owner='src/source/file/inflate.c' ;;
	linux/perf_event.h) owner='src/source/live/*' # the others have <cyctop/abi.h>
		[ "$room" != selfcount ] || return 0 ;;
	*) owner='*' ;;
	esac
	# shellcheck disable=SC2254 # a pattern
	case $file in
	$owner | src/event/pfm* | src/resolve/recording/decompress.c) ;;
	src/recorder/compressor.c | src/perfdata/compress.c) ;;
	*) echo "$file: <$name> is for '${owner:-nobody}'" ;;
	esac
	case $room:$name in
	perfdata:zstd.h | view:regex.h) return ;; # only compute
	esac
	if [ "$room" != base ] && is_pure "$room" "$file"; then # base ends the process where there is no memory
		# shellcheck disable=SC2086
		is_in "${name%.h}" $pure_system || echo "$file: $room is a pure room; no <$name>"
	fi
}

sources=$(files 'src/*.c' 'src/*.h' 'include/*.h') || exit 1
found=$(
	# shellcheck disable=SC2086 # no path has a blank
	sed -sn "s/^[ \t]*#[ \t]*include[ \t]*\\([<\"][^>\"]*[>\"]\\).*/\\1/; T; F; p" $sources | paste -d ' ' - - |
		check_includes
	grep -rlE '(__NR|SYS)_perf_event_open' src include | grep -vE '^src/(source\/live|selfcount)/' |
		sed 's/$/: only src\/source\/live and src\/selfcount open perf events/'
)
[ -z "$found" ] || bad "$found"

# Checks the calls in the object files of pure rooms, whatever headers they include.
checked=0
for room in runtime record event unwind model compare diff view perfdata; do
	for obj in "build/src/$room/lib$room.a.p"/*.o; do
		[ ! -f "$obj" ] || checked=$((checked + 1))
	done
	calls=$(nm -A -u "build/src/$room/lib$room.a.p"/*.o 2>/dev/null | sed 's/:[ \t]*U /: /' |
		grep -E " ($pure_never)\$")
	[ -z "$calls" ] || bad "$room is a pure room; its objects call what does I/O or reads a clock:
$calls"
done
[ $checked -gt 0 ] || bad 'no object file was checked, because there is none'
exit $status
