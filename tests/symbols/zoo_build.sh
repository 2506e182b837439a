# shellcheck shell=sh
# Sourced by zoo.sh: building the zoo's programs, and running them.
# shellcheck disable=SC2154 # what zoo.sh sets

failed=0
fail() {
	printf 'FAIL %s\n' "$*"
	failed=$((failed + 1))
}

# ---- building ---------------------------------------------------------------------

# Some kernels run no 32-bit programs, though the compiler makes them.
runs_32_bit() {
	echo 'int main(void) { return 7; }' >short.c
	cc -m32 -o short short.c 2>err || return 1
	./short >/dev/null 2>&1
	[ $? = 7 ]
}

build_commons() {
	cc -O1 -Wl,--build-id -o decoy "$here/programs/decoy.c" &&
		cc -D_GNU_SOURCE -O1 -o memfd_exec "$here/programs/memfd_exec.c" &&
		cc -O1 -g -Wl,--build-id -o other "$here/programs/decoy.c" &&
		cc -O1 -Wl,--build-id -shared -fPIC -DSPIN=spin_one -o libone.so "$here/programs/spin.c" &&
		cc -O1 -Wl,--build-id -shared -fPIC -DSPIN=spin_two -o libtwo.so "$here/programs/spin.c"
}

# build CASE AFTER COMPILER FLAGS...: builds the program in case/CASE; a copy from before AFTER was
# applied is case/CASE/whole.  A program that this machine cannot build is left out.
build() {
	name=$1 after=$2
	dir=case/$name
	mkdir "$dir"
	# shellcheck disable=SC2086 # words
	set -- $3
	compiler=$1
	shift
	# unique build-ids, because programs may differ only by AFTER
	flags='-O1 -Wl,--build-id=uuid'
	case " $* " in
	*' -m32 '*)
		if ! runs_32_bit; then
			leave_out "$name" "$compiler -m32 makes nothing that this machine runs: $(head -n 1 err)"
			return 1
		fi
		;;
	esac
	[ "$compiler" != rustc ] || flags='-C link-arg=-Wl,--build-id=uuid'
	for word; do
		case $word in
		calls.c)
			cc -O1 -shared -fPIC -Wl,--build-id,-soname,libleaf.so -o "$dir/libleaf.so" \
				"$here/programs/leaf.c"
			flags="$flags $here/programs/$word -L$dir -lleaf -ldl -Wl,-rpath,$tmp/$dir:$tmp/jailed"
			;;
		*.c | *.cc | *.rs) flags="$flags $here/programs/$word" ;;
		*) flags="$flags $word" ;;
		esac
	done
	# shellcheck disable=SC2086 # words
	if ! HOME=$home "$compiler" $flags -o "$dir/z-$name" 2>err; then
		leave_out "$name" "$compiler: $(grep -m 1 -e error -e 'not found' -e cannot err || tail -n 1 err)"
		return 1
	fi
	cp "$dir/z-$name" "$dir/whole"
	! [ -f "$dir/libleaf.so" ] || cp "$dir/libleaf.so" "$dir/whole_lib"
	for step in $after; do
		"make_$step" "$dir/z-$name" "$dir" 2>err || {
			leave_out "$name" "$step: $(tail -n 1 err)"
			return 1
		}
	done
}

leave_out() {
	echo "left out: $1: $2"
	rm -r "case/$1"
}

make_strip() {
	strip "$1"
}

# Removes the table of sections.
make_strip_sections() {
	llvm-strip --strip-sections "$1"
}

# Fills the table of sections with zeros.
make_wipe_sections() {
	strip "$1"
	at=$(readelf -h "$1" | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')
	size=$(($(wc -c <"$1") - at))
	dd if=/dev/zero of="$1" bs=1 seek="$at" count=$size conv=notrunc
}

make_debuglink() {
	objcopy --only-keep-debug "$1" "$1.debug" && strip "$1" && objcopy --add-gnu-debuglink="$1.debug" "$1"
}

# The file named in .gnu_debuglink belongs to another program, so that its CRC differs.
make_debuglink_other() {
	make_debuglink "$1" && objcopy --only-keep-debug other "$1.debug"
}

# Like rpmbuild: symbols that are not in .dynsym go to a small compressed ELF file.
make_minidebug() {
	command -v xz >/dev/null || {
		echo "xz is not installed" >&2
		return 1
	}
	objcopy --only-keep-debug "$1" "$1.mini" &&
		objcopy -S --remove-section .gdb_index --remove-section .comment --remove-section .debug_info \
			--keep-symbol=hot_alpha --keep-symbol=hot_beta --keep-symbol=hot_gamma \
			--keep-symbol=main "$1.mini" &&
		xz "$1.mini" &&
		strip "$1" &&
		objcopy --add-section .gnu_debugdata="$1.mini.xz" "$1" &&
		rm "$1.mini.xz"
}

# id_path FILE: the path for its build-id below .build-id
id_path() {
	readelf -n "$1" | sed -n 's/.*Build ID: \(..\)\(.*\)/\1\/\2/p'
}

make_by_id() {
	place=home/.debug/.build-id/$(id_path "$1")
	mkdir -p "$place" && objcopy --only-keep-debug "$1" "$place/debug" && strip "$1"
}

# The program was moved (prelink) after its debug file was made.
make_by_id_moved() {
	make_by_id "$1" && objcopy --change-addresses 0x4000000 "$place/debug"
}

# The debug file at the path of its build-id is of another build.
make_by_id_other() {
	place=home/.debug/.build-id/$(id_path "$1")
	mkdir -p "$place" && objcopy --only-keep-debug other "$place/debug" && strip "$1"
}

# ---- running ------------------------------------------------------------------------

# runs CASE WORD: is WORD one of the words in the RUN column of CASE?  It starts no process: on a busy
# machine a process for each question would take longer than the recording.
runs() {
	read -r how <"case/$1/how" || :
	case " $how " in
	*" $2 "*) ;;
	*) return 1 ;;
	esac
}

# jail PROGRAM DIR: makes a root directory for it, with its libraries.  Outside, another program is at
# the same path.
jail() {
	root=$2/root path=$tmp/jailed/${1##*/}
	mkdir -p "$root$tmp/jailed" "$root/tmp" jailed
	cp "$1" "$root$path"
	cp decoy "$path"
	for lib in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
		mkdir -p "$root${lib%/*}"
		cp "$lib" "$root$lib"
	done
	! [ -f "$2/libleaf.so" ] || cp "$2/libleaf.so" "$root$tmp/jailed"
}

# prepare CASE: does the work that would take long on the busy machine
prepare() {
	if runs "$1" jailed || runs "$1" boxed; then
		jail "$tmp/case/$1/z-$1" "case/$1"
	fi
}

# start CASE: starts the program; its pid, as seen from outside, is in case/CASE/pid.  It begins to
# work when the gate is opened.
start() {
	name=$1
	dir=case/$name
	program=$tmp/$dir/z-$name
	if runs "$name" jailed; then
		set -- unshare --mount --pid --fork --kill-child chroot "$dir/root" "$tmp/jailed/z-$name"
	elif runs "$name" boxed; then
		# shellcheck disable=SC2016 # for the shell in there
		set -- unshare --mount --pid --fork --kill-child sh -c 'mount --bind "$1" "$1" && cd "$1" &&
			mkdir old && pivot_root . old && shift && exec "$@"' sh "$dir/root" "$tmp/jailed/z-$name"
	elif runs "$name" memfd; then
		set -- "$tmp/memfd_exec" "$program"
	else
		set -- "$program"
	fi
	! runs "$name" map || set -- "$@" map
	! runs "$name" dump || set -- "$@" dump "$tmp/$dir"
	! runs "$name" reuse || set -- "$@" reuse
	! runs "$name" loads || set -- "$@" "$tmp/libone.so" spin_one "$tmp/libtwo.so" spin_two
	: >"$dir/out"
	input=gate
	! runs "$name" late || input=/dev/null
	nice -n "$niceness" "$@" <$input >"$dir/out" 2>"$dir/err" 9>&- &
	echo $! >"$dir/pid"
	pids="$pids $!"
}

# is_ready CASE: has its program printed "ready"?
is_ready() {
	while read -r line; do
		[ "$line" != ready ] || return 0
	done <"case/$1/out"
	return 1
}

# wait_ready CASE: waits until its program is ready or has ended.
wait_ready() {
	name=$1
	dir=case/$name
	read -r pid <"$dir/pid"
	n=0
	until is_ready "$name"; do
		n=$((n + 1))
		if ! kill -0 "$pid" 2>/dev/null || [ $n -ge 1000 ]; then
			fail "$name does not start: $(cat "$dir/err")"
			return
		fi
		sleep 0.05
	done
	if runs "$name" jailed || runs "$name" boxed; then # what unshare forked
		read -r pid <"/proc/$pid/task/$pid/children"
		echo "$pid" >"$dir/pid"
	fi
	! runs "$name" deleted || rm "$dir/z-$name"
	! runs "$name" replaced || replace decoy "$dir/z-$name"
	! runs "$name" lib_replaced || replace libone.so "$dir/libleaf.so"
}

replace() {
	cp "$1" "$2.new" && mv "$2.new" "$2"
}

stop() {
	read -r pid <"case/$1/pid" || return 0
	kill -KILL "$pid" 2>/dev/null || :
}

# until_measuring PID: until that cyctop has opened its events and waits for what they write
until_measuring() {
	n=0
	until find "/proc/$1/fd" -lname '*perf_event*' 2>/dev/null | grep -q . && grep -q 'poll' "/proc/$1/wchan"; do
		n=$((n + 1))
		[ $n -lt 600 ] || fail "process $1 does not measure"
		[ $n -lt 600 ] || return
		sleep 0.1
	done
}

# wait_told: waits until the programs that tell when each function ran have told of all that ran until now: of the one
# that runs when its next line but one is there
wait_told() {
	for name in $names; do
		grep -c '^run ' "case/$name/out" >"case/$name/told"
	done
	for name in $names; do
		read -r told <"case/$name/told"
		n=0
		until [ "$told" = 0 ] || [ "$(grep -c '^run ' "case/$name/out")" -ge $((told + 2)) ]; do
			n=$((n + 1))
			[ $n -lt 600 ] || fail "$name does not go on: $(cat "case/$name/err")"
			[ $n -lt 600 ] || return
			sleep 0.1
		done
	done
}

# all_ran: has each program used enough CPU time for two thousand samples, or ended?  Short ones
# are stopped as soon as they have.
all_ran() {
	enough=0
	for name in $names; do
		read -r pid <"case/$name/pid" || continue
		read -r used_ns _ 2>/dev/null <"/proc/$pid/schedstat" || continue
		if [ "$used_ns" -lt 240000000 ]; then
			enough=1
		elif runs "$name" short; then
			stop "$name"
		fi
	done
	return $enough
}
