# shellcheck shell=sh
# Sourced by zoo.sh: building the zoo's programs, and running them.
# shellcheck disable=SC2154 # what zoo.sh sets

failed=0
fail() {
	printf 'FAIL %s\n' "$*"
	failed=$((failed + 1))
}

# ---- building ---------------------------------------------------------------------

build_commons() {
	cc -O1 -Wl,--build-id -o decoy "$here/programs/decoy.c" &&
		cc -D_GNU_SOURCE -O1 -o memfd_exec "$here/programs/memfd_exec.c" &&
		cc -O1 -g -Wl,--build-id -o other "$here/programs/decoy.c" &&
		cc -O1 -Wl,--build-id -shared -fPIC -DSPIN=spin_one -o libone.so "$here/programs/spin.c" &&
		cc -O1 -Wl,--build-id -shared -fPIC -DSPIN=spin_two -o libtwo.so "$here/programs/spin.c"
}

# build CASE AFTER COMPILER FLAGS...: the program in case/CASE, as it was before it was made
# what it must be in case/CASE/whole.  What this machine cannot build is left out.
build() {
	name=$1 after=$2
	dir=case/$name
	mkdir "$dir"
	# shellcheck disable=SC2086 # words
	set -- $3
	compiler=$1
	shift
	# an id of its own: two of these programs may be the same but for what is made of them
	flags='-O1 -Wl,--build-id=uuid'
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

# Not even a table of sections is left.
make_strip_sections() {
	llvm-strip --strip-sections "$1"
}

# There is a table of sections, and it says nothing.
make_wipe_sections() {
	strip "$1"
	at=$(readelf -h "$1" | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')
	size=$(($(wc -c <"$1") - at))
	dd if=/dev/zero of="$1" bs=1 seek="$at" count=$size conv=notrunc
}

make_debuglink() {
	objcopy --only-keep-debug "$1" "$1.debug" && strip "$1" && objcopy --add-gnu-debuglink="$1.debug" "$1"
}

# The file of that name is another's, so that its CRC differs.
make_debuglink_other() {
	make_debuglink "$1" && objcopy --only-keep-debug other "$1.debug"
}

# Like rpmbuild: what .dynsym does not have is in a small ELF file, packed.
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

# id_path FILE: where the files of its build-id are, below .build-id
id_path() {
	readelf -n "$1" | sed -n 's/.*Build ID: \(..\)\(.*\)/\1\/\2/p'
}

make_by_id() {
	place=home/.debug/.build-id/$(id_path "$1")
	mkdir -p "$place" && objcopy --only-keep-debug "$1" "$place/debug" && strip "$1"
}

# The program was prelinked after its debug file was made, as it were.
make_by_id_moved() {
	make_by_id "$1" && objcopy --change-addresses 0x4000000 "$place/debug"
}

# In its place lies what belongs to another build.
make_by_id_other() {
	place=home/.debug/.build-id/$(id_path "$1")
	mkdir -p "$place" && objcopy --only-keep-debug other "$place/debug" && strip "$1"
}

# ---- running ------------------------------------------------------------------------

runs() { # CASE WORD: is it one of how it runs?
	case " $(cat "case/$1/how") " in
	*" $2 "*) ;;
	*) return 1 ;;
	esac
}

# jail PROGRAM DIR: a root for it with the libraries it needs.  At its path there
# another program is outside.
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

# prepare CASE: what need not be done while the machine is busy
prepare() {
	if runs "$1" jailed || runs "$1" boxed; then
		jail "$tmp/case/$1/z-$1" "case/$1"
	fi
}

# start CASE: its process id goes to case/CASE/pid, as we see it.  It begins when the
# gate is opened.
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

wait_ready() {
	name=$1
	dir=case/$name
	n=0
	until grep -qx ready "$dir/out"; do
		n=$((n + 1))
		[ $n -lt 200 ] || {
			fail "$name does not start: $(cat "$dir/err")"
			return
		}
		sleep 0.05
	done
	if runs "$name" jailed || runs "$name" boxed; then # what unshare forked
		pid=$(cat "$dir/pid")
		cat "/proc/$pid/task/$pid/children" >"$dir/pid"
	fi
	! runs "$name" deleted || rm "$dir/z-$name"
	! runs "$name" replaced || replace decoy "$dir/z-$name"
	! runs "$name" lib_replaced || replace libone.so "$dir/libleaf.so"
}

replace() {
	cp "$1" "$2.new" && mv "$2.new" "$2"
}

stop() {
	kill -KILL "$(cat "case/$1/pid")" 2>/dev/null || :
}
