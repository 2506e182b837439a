#!/bin/sh
# Prints the directory of a sysroot to build cyctop for another CPU in: sysroot.sh x86_64|aarch64|riscv64
# It is made of Debian's packages, the first time; later ones find it in the cache.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/foreign.sh
. "$here/foreign.sh"
recipe=1 # add one to have every sysroot made anew
cpu=$1
dir=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/cyctop-sysroot/$cpu
foreign_choose "$cpu" || {
	echo "sysroot.sh: no sysroot for '$cpu'" >&2
	exit 2
}
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9
if [ "$(cat "$dir/made/recipe" 2>/dev/null)" != $recipe ]; then
	echo "getting Debian's packages for $cpu into $dir" >&2
	rm -rf "$dir/new" "$dir/made" "$dir/apt"
	mkdir -p "$dir/new/root"
	foreign_begin "$dir/apt" >&2
	# shellcheck disable=SC2086 # words
	foreign_unpack "$dir/new/root" $foreign_headers >&2
	foreign_end
	echo $recipe >"$dir/new/recipe"
	mv "$dir/new" "$dir/made"
fi
echo "$dir/made/root"
