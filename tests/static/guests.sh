#!/bin/sh
# The static executable on kernels and CPUs of others, each emulated, with a root of busybox and nothing else:
#   x86_64 on Linux 4.11, the oldest that distributions still have, and on the newest one of Debian;
#   aarch64 and riscv64 with a PMU, whose cycles and instructions it counts.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/lib/foreign.sh
. "$here/../lib/foreign.sh"
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/cyctop-kernels
old=linux-image-4.11.0-1009-azure_4.11.0-1009.9_amd64.deb
old_from=http://archive.ubuntu.com/ubuntu/pool/main/l/linux-azure
old_sum=a000e45b13c20e983a78d9cca18e343f60665d93a53d4a215f310b2340545469
tmp=$(mktemp -d) || exit 1
socket=$tmp/tmux
trap 'tmux -S "$socket" kill-server 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
bad=0 tried=0

left_out() {
	echo "left out: $*"
}

fail() {
	echo "FAILED: $*"
	bad=1
}

# ---- x86_64 on a console ------------------------------------------------------------

# kernel old|new: has its package unpacked in $cache
kernel() {
	[ ! -d "$cache/$1" ] || return 0
	mkdir -p "$tmp/get"
	if [ "$1" = old ]; then
		curl -sf -m 300 -o "$tmp/get/$old" "$old_from/$old" || return 1
		echo "$old_sum  $tmp/get/$old" | sha256sum -c --quiet || return 1
	else
		# linux-image-amd64 -> linux-image-VERSION -> linux-binary-VERSION, which has the kernel
		image=$(foreign apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ { print $2; exit }')
		binary=$(foreign apt-cache depends "$image" | awk '/Depends: linux-binary/ { print $2; exit }')
		(cd "$tmp/get" && foreign apt-get download "${binary:-$image}") || return 1
	fi
	dpkg -x "$tmp/get/"linux-*.deb "$tmp/unpacked" && rm -rf "$tmp/get"
	mkdir -p "$cache" && mv "$tmp/unpacked" "$cache/$1"
}

# Has the list of packages, and busybox unpacked in $cache.
busybox() {
	foreign_begin "$tmp/apt" || return 1
	[ ! -d "$cache/busybox" ] || return 0
	mkdir -p "$cache"
	(cd "$tmp" && foreign apt-get download busybox-static) && dpkg -x "$tmp/"busybox-static*.deb "$cache/busybox"
}

# The first process of the guest: batch, then the screen on its console.
make_initrd() {
	mkdir -p "$tmp/initrd/bin" "$tmp/initrd/proc" "$tmp/initrd/sys" "$tmp/initrd/dev"
	cp "$cache/busybox/usr/bin/busybox" "$tmp/initrd/bin/"
	cp "$top/build-static/cyctop-x86_64" "$tmp/initrd/cyctop"
	cat >"$tmp/initrd/init" <<-'INIT'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		setsid cttyhack sh -c '
			stty rows 30 cols 110
			while :; do :; done &
			/cyctop -b -n 2 >/batch 2>/errors
			echo "batch: status $?, $(grep -c . /batch) lines"
			cat /errors
			read -r go
			TERM=xterm-256color LANG=de_DE.UTF-8 /cyctop
			echo "screen: status $?"
			sleep 5'
		poweroff -f
	INIT
	chmod +x "$tmp/initrd/init"
	(cd "$tmp/initrd" && find . | cpio -o -H newc -R 0:0 2>/dev/null | gzip -1) >"$tmp/initrd.gz"
}

# sees WHAT PATTERN SECONDS
sees() {
	for _ in $(seq "$3"); do
		! tmux -S "$socket" capture-pane -p -t s | grep -q -- "$2" || return 0
		sleep 1
	done
	fail "$1: no '$2' in:"
	tmux -S "$socket" capture-pane -p -t s
	return 1
}

on_console() { # old|new
	set -- "$1" "$(find "$cache/$1" -name 'vmlinuz*' | head -n 1)"
	tmux -S "$socket" -u -f /dev/null new-session -d -s s -x 110 -y 30 "qemu-system-x86_64 -cpu max -m 512 -smp 2 \
		-nographic -no-reboot -net none -kernel '$2' -initrd '$tmp/initrd.gz' \
		-append 'console=ttyS0 quiet panic=-1'; sleep 1000"
	if sees "$1: batch" '^batch: status 0, [1-9][0-9]' 120 && tmux -S "$socket" send-keys -t s Enter &&
		sees "$1: screen" 'Tasks' 60 && sees "$1: bars" '█' 60; then
		tmux -S "$socket" capture-pane -p -t s
		tmux -S "$socket" send-keys -t s q
		sees "$1: q" '^screen: status 0' 60 && echo "ok: x86_64 on the $1 kernel"
	fi
	tmux -S "$socket" kill-server
	tried=$((tried + 1))
}

x86() {
	for tool in qemu-system-x86_64 cpio tmux curl dpkg apt-get; do
		command -v $tool >/dev/null || {
			left_out "x86_64: there is no $tool here (./dev deps machine)"
			return
		}
	done
	"$top/dev" static x86_64 || {
		bad=1
		return
	}
	foreign_choose x86_64
	# shellcheck disable=SC2034 # for foreign_begin
	foreign_suite=sid
	busybox >"$tmp/log" 2>&1 || {
		left_out "x86_64: its packages cannot be had: $(tail -n 1 "$tmp/log")"
		return
	}
	make_initrd
	for which in old new; do
		if kernel $which >"$tmp/log" 2>&1; then
			on_console $which
		else
			left_out "x86_64 on the $which kernel, which cannot be had: $(tail -n 1 "$tmp/log")"
		fi
	done
}

# ---- with a PMU -----------------------------------------------------------------------

with_pmu() { # CPU ARCH-OF-GUEST
	sh "$here/../vm/guest.sh" prepare "$2" >"$tmp/log" || {
		left_out "$1: $(tail -n 1 "$tmp/log")"
		return
	}
	"$top/dev" static "$1" || {
		bad=1
		return
	}
	rm -rf "$tmp/job"
	mkdir "$tmp/job"
	cp "$top/build-static/cyctop-$1" "$tmp/job/cyctop"
	cat >"$tmp/job/run" <<-'RUN'
		mkdir -p root/proc root/sys root/dev
		for d in proc sys; do mount --bind /$d root/$d; done
		cp cyctop root
		while :; do :; done &
		chroot root /cyctop -V
		chroot root /cyctop --format json -n 2 -e cycles,instructions >/out/json
		cat >screen <<-SCREEN
			env -i TERM=foot LANG=de_DE.UTF-8 $(command -v chroot) root /cyctop -e cycles,instructions
			echo status \$?
			sleep 1000
		SCREEN
		tmux -u new-session -d -x 110 -y 30 sh screen
		i=0
		until tmux capture-pane -p | grep -q '█' || [ $i = 60 ]; do
			sleep 1
			i=$((i + 1))
		done
		sleep 2
		tmux capture-pane -p
		tmux send-keys q
		sleep 3
		tmux capture-pane -p | grep '^status'
	RUN
	if ! sh "$here/../vm/guest.sh" run "$2" --icount 1 "$tmp/job" "$tmp/out" >"$tmp/log" 2>&1; then
		fail "$1: $(tail -n 5 "$tmp/log")"
		return
	fi
	tried=$((tried + 1))
	cat "$tmp/out/stdout"
	tail -n 1 "$tmp/out/json" | jq -e '[.events[] | select(.name == "cycles" or .name == "instructions") |
		select(.count > 0)] | length == 2' >/dev/null || {
		fail "$1: cycles and instructions are not counted"
		tail -n 1 "$tmp/out/json" | jq -c .events
	}
	grep -q '█' "$tmp/out/stdout" || fail "$1: no screen"
	grep -q '^status 0' "$tmp/out/stdout" || fail "$1: it does not end with q"
	echo "ok: $1"
}

x86
with_pmu aarch64 arm64
with_pmu riscv64 riscv64
[ $bad = 0 ] || exit 1
[ $tried -gt 0 ] || exit 77
