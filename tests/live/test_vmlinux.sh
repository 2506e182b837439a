#!/bin/sh
# --vmlinux with a hand-made file: it has the build-id of the running kernel, one function that spans
# all code, and other addresses.
#   test_vmlinux.sh CYCTOP LOAD
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs as ld od
[ -r /sys/kernel/notes ] || skip "the kernel does not tell its build-id"
grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* T _text$' /proc/kallsyms || skip "kernel addresses are hidden"
needs_root "sees the kernel's code"

# The note with the build-id: two sizes, type 3, "GNU", 20 bytes.
id=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' |
	sed -n 's/.*040000001400000003000000474e5500\(.\{40\}\).*/\1/p')
[ -n "$id" ] || skip "the kernel has no build-id of 20 bytes"
cat >vmlinux.s <<-'END'
	.section .vmtext,"ax",%nobits
	.globl _text, _end, all_of_the_kernel
	.type all_of_the_kernel,%function
	_text:
	all_of_the_kernel:
	.skip 0x4000000
	.size all_of_the_kernel, .-all_of_the_kernel
	_end:
END
cat >vmlinux.lds <<-'END'
	SECTIONS {
		.vmtext 0x40000000 : { *(.vmtext) }
		.note.gnu.build-id : { *(.note.gnu.build-id) }
	}
END
made() { # FILE BUILD-ID
	as -o vmlinux.o vmlinux.s && ld "--build-id=0x$2" -T vmlinux.lds -e _text -o "$1" vmlinux.o
}
{ made vmlinux "$id" && made other "$(printf '%s' "$id" | tr 0-9a-f 1-9a-f0)"; } 2>ld.err ||
	skip "no such file can be made here: $(tail -n 1 ld.err)"

start "$load" 3600 >/dev/null
start "$cyctop" -b -d 1 -e cpu-clock --vmlinux vmlinux --format csv >out 2>err </dev/null
eventually grep -qF 'all_of_the_kernel' out ||
	fail "no name is from the file: $(grep -F '[kernel]' out | head -n 3) $(cat err)"
interrupt "$pid"
refused() { # FILE PATTERN
	! "$cyctop" -b -n 1 -d 1 -e cpu-clock --vmlinux "$1" >out 2>err </dev/null || fail "$1 is used"
	grep -q "$2" err || fail "$1: it does not say why: $(cat err)"
}
refused other 'build-id differs'
refused nowhere 'vmlinux.*nowhere'
refused /proc/self/exe 'build-id'
finish
