#!/bin/sh
# An emulated machine whose PMU counts, overflows and multiplexes, for tests on
# machines that have none.  QEMU translates, so neither KVM nor a PMU is needed.
#
#   guest.sh prepare ARCH             fill the cache; print the guest's root, which
#                                     has headers too and serves as a sysroot
#   guest.sh run ARCH [OPTIONS] JOB OUT
#       Boots the guest, unpacks the directory JOB at /job, runs /job/run there as
#       root, and brings what it left in /out to the directory OUT: stdout, stderr,
#       status and the files it wrote itself.  Exits with the job's status; 124:
#       time limit; 125: the guest failed.  Options:
#         --icount N   exact, repeatable counting on one CPU: an instruction takes
#                      2^N nanoseconds, and so 2^N cycles
#         --cpus N     default 2 (1 with --icount)
#         --limit SEC  until a guest that hangs is ended; default 800
#
# ARCH is arm64 (Debian 12) or riscv64 (Debian 13).  The guest is made of Debian
# packages in a private apt root, as a disk image that no run changes: the job
# travels as a tar file on a second disk, its results as one through a port.
# Exits with 77, after a sentence why, where the guest cannot be had.
set -eu
PATH=$PATH:/usr/sbin:/sbin # mke2fs

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/cyctop-vm
recipe=4 # add one to have every cache made anew

skip() {
	echo "no emulated machine: $*"
	exit 77
}

choose() {
	arch=$1
	dir=$cache/$arch
	libs='libc-bin ncurses-base libncursesw6 libpfm4 libjansson4 libzstd1'
	case $arch in
	arm64) cpu=aarch64 qemu=qemu-system-aarch64 machine='-M virt -cpu cortex-a57' console=ttyAMA0 ;;
	riscv64) cpu=riscv64 qemu=qemu-system-riscv64 machine='-M virt -cpu rv64,sscofpmf=true' console=ttyS0 ;;
	*)
		echo "guest.sh: no guest '$arch'" >&2
		exit 125
		;;
	esac
}

# ---- making the guest -----------------------------------------------------------

make_packages() {
	foreign_choose "$cpu"
	foreign_begin "$dir/apt"
	kernel=$(foreign apt-cache depends "linux-image-$arch" | awk '/Depends: linux-image/ { print $2; exit }')
	(cd "$dir/new" && foreign apt-get download "$kernel")
	dpkg -x "$dir/new/"linux-image*.deb "$dir/new/kernel"
	rm "$dir/new/"linux-image*.deb
	# shellcheck disable=SC2086
	foreign_unpack "$dir/new/root" busybox-static linux-perf tmux libcmocka-dev $libs $foreign_headers
	foreign_end
}

make_root() {
	root=$dir/new/root
	rm -rf "$root/usr/share/doc" "$root/usr/share/locale" "$root/usr/share/man" "$root/usr/share/info"
	for d in proc sys dev tmp run root job out etc usr/local/bin; do
		mkdir -p "$root/$d"
	done
	[ -e "$root/bin/sh" ] || ln -s busybox "$root/bin/sh"
	echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
	echo 'root:x:0:' >"$root/etc/group"
	size=$(du -sm "$root" | cut -f1)
	mke2fs -q -t ext4 -O '^has_journal,^metadata_csum' -m 0 -d "$root" \
		"$dir/new/root.img" $((size + size / 4 + 32))M
}

# add_module NAME: adds the module and its dependencies to the initrd; does nothing if it is built into
# the kernel
add_module() {
	case " $modules " in
	*" $1 "*) return 0 ;;
	esac
	modules="$modules $1"
	set -- "$(find "$dir/new/kernel" -name "$(echo "$1" | sed 's/_/[-_]/g').ko*" | head -n 1)"
	[ -n "$1" ] || return 0
	case $1 in
	*.xz) xz -dc "$1" >"$ird/lib/m.ko" ;;
	*) cp "$1" "$ird/lib/m.ko" ;;
	esac
	set -- "$(basename "$1" .xz)" "$ird/lib/$(basename "$1" .xz).new"
	mv "$ird/lib/m.ko" "$2"
	for dep in $(tr '\0' '\n' <"$2" | sed -n 's/^depends=//p' | tr , ' '); do
		add_module "$dep"
	done
	# use positional parameters, because in sh other variables are not local to a call
	mv "$2" "$ird/lib/$1"
	echo "/lib/$1" >>"$ird/modules"
}

make_initrd() {
	ird=$dir/new/initrd modules=
	mkdir -p "$ird/bin" "$ird/lib" "$ird/dev" "$ird/proc" "$ird/sys" "$ird/root"
	cp "$dir/new/root/bin/busybox" "$ird/bin/busybox"
	for m in virtio_pci virtio_blk virtio_console crc32c_generic ext4; do
		add_module "$m"
	done
	cp "$here/init" "$ird/init"
	chmod +x "$ird/init"
	(cd "$ird" && find . | cpio -o -H newc -R 0:0 2>/dev/null | gzip -1) >"$dir/new/initrd.gz"
	rm -rf "$ird"
	# some architectures boot only the unpacked kernel
	cp "$dir/new/kernel/boot/vmlinu"[xz]-* "$dir/new/vmlinux"
	rm -rf "$dir/new/kernel"
}

prepare() {
	for tool in $qemu cpio xz mke2fs dpkg apt-get; do
		command -v "$tool" >/dev/null || skip "there is no $tool here (./dev deps machine)"
	done
	mkdir -p "$dir"
	exec 9>"$dir/lock"
	flock 9
	state="$recipe $(cksum <"$here/init")"
	if [ "$(cat "$dir/made/state" 2>/dev/null)" != "$state" ]; then
		echo "making the $arch guest in $dir" >&2
		rm -rf "$dir/new" "$dir/apt"
		mkdir -p "$dir/new/root"
		if ! sh "$here/guest.sh" make "$arch" >"$dir/log" 2>&1; then # a process, for its set -e
			tail -n 3 "$dir/log" >&2
			! grep -qE 'Mirror sync in progress|has unexpected size|Hash Sum mismatch' "$dir/log" ||
				skip "the mirror of the distribution is in the middle of an update (see $dir/log)"
			skip "the guest's packages cannot be had (see $dir/log)"
		fi
		echo "$state" >"$dir/new/state"
		rm -rf "$dir/made" # only now, when there is another
		mv "$dir/new" "$dir/made"
	fi
	exec 9>&-
}

# ---- running it -----------------------------------------------------------------

run() {
	icount='' cpus='' limit=800
	while [ $# -gt 2 ]; do
		case $1 in
		--icount) icount=$2 ;;
		--cpus) cpus=$2 ;;
		--limit) limit=$2 ;;
		*)
			echo "guest.sh: no option $1" >&2
			exit 125
			;;
		esac
		shift 2
	done
	job=$1 out=$2
	: "${cpus:=$([ -n "$icount" ] && echo 1 || echo 2)}"
	tmp=$(mktemp -d) || exit 1
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT TERM
	tar -C "$job" -cf "$tmp/job.tar" .
	status=0
	# shellcheck disable=SC2086 # $machine is a list of words
	timeout -k 5 "$limit" "$qemu" $machine -smp "$cpus" -m 1G ${icount:+-icount shift=$icount} \
		-display none -monitor none -nodefaults -no-reboot \
		-kernel "$dir/made/vmlinux" -initrd "$dir/made/initrd.gz" \
		-append "console=$console loglevel=4 panic=-1" -serial "file:$tmp/console" \
		-drive "file=$dir/made/root.img,format=raw,if=none,id=root,snapshot=on" \
		-device virtio-blk-pci,drive=root \
		-drive "file=$tmp/job.tar,format=raw,if=none,id=job,readonly=on" \
		-device virtio-blk-pci,drive=job \
		-device virtio-serial-pci -chardev "file,id=out,path=$tmp/out.tar" \
		-device virtserialport,chardev=out,name=out </dev/null >"$tmp/qemu.log" 2>&1 || status=$?
	rm -rf "$out"
	mkdir -p "$out"
	cp "$tmp/console" "$out/console" 2>/dev/null || :
	if tar -C "$out" -xf "$tmp/out.tar" 2>/dev/null && [ -s "$out/status" ]; then
		return "$(cat "$out/status")"
	fi
	if grep -q 'Property .* not found' "$tmp/qemu.log"; then
		skip "this QEMU is too old: $(head -n 1 "$tmp/qemu.log")"
	fi
	tail -n 15 "$tmp/qemu.log" "$tmp/console" >&2 2>/dev/null || :
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		echo "guest.sh: not done after $limit s" >&2
		return 124
	fi
	echo 'guest.sh: the guest ended without a result' >&2
	return 125
}

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/foreign.sh
. "$here/../lib/foreign.sh"
verb=${1:-}
[ $# -ge 2 ] || {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 125
}
choose "$2"
shift 2
[ "$verb" = make ] || prepare
case $verb in
make)
	make_packages
	make_root
	make_initrd
	;;
prepare) echo "$dir/made/root" ;;
run) run "$@" ;;
*)
	echo "guest.sh: no verb $verb" >&2
	exit 125
	;;
esac
