#!/bin/sh
# What 400,000 tasks and 256 CPUs cost: the first screen, and the CPU time of a refresh.
#   scale.sh BUILD-DIR [TASKS]
# Synthetic: a script with so many tasks and CPUs, each of them busy.  In a made /proc: so many processes, in a mount
# namespace of its own, which needs root, python3 and 1 GB of memory for 400,000.
set -eu
build=$(realpath "$1") tasks=${2:-400000}
cyctop=$build/src/app/cyctop
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C.UTF-8 cyctop tmp

# cpu FILE, wall FILE: of what spend wrote, in ms
cpu() { awk '$1 == "cpu_s" { print $2 * 1000 }' "$1"; }
wall() { awk '$1 == "wall_s" { print $2 * 1000 }' "$1"; }
# results NAME: of runs of 1 and of 11 refreshes
results() {
	awk -v name="$1" -v wall="$(wall "$tmp/1")" -v first="$(cpu "$tmp/1")" -v last="$(cpu "$tmp/11")" 'BEGIN {
		printf "%-12s first tables %6.0f ms (CPU %6.0f ms), a refresh %5.1f ms of CPU\n",
			name, wall, first, (last - first) / 10 }'
	sort -u "$tmp"/err.*
}

awk -v tasks="$tasks" 'BEGIN {
	print "cpus 256\nring 65536 sideband=67108864\nevent cycles freq=97\ndso app /usr/bin/app"
	print "sym app:main 0x1000 0x200\nsym app:hot 0x1200 0x80"
	for (i = 1; i <= tasks; i++)
		print "task", 1000 + i, "w" i % 97, (i > tasks - 256 ? "maps=app" : "")
	print "profile p\nrow app:hot 3\nrow app:main 1\nalways"
	for (c = 0; c < 256; c++)
		print "load cpu=" c, "task=" 1000 + tasks - c, "profile=p busy=80%"
	print "tick\nrepeat" }' >"$tmp/script"
for n in 1 11; do
	"$build/tests/bench/spend" "$tmp/out" "$cyctop" --demo="$tmp/script" -b -n $n -d 1 --top 30 \
		>"$tmp/$n" 2>"$tmp/err.$n"
done
results synthetic

cat >"$tmp/made.py" <<'PYTHON'
import os, sys
root, tasks = sys.argv[1], int(sys.argv[2])
zeros = " ".join(["0"] * 46)
os.chdir(root)
open("maps", "w").write("55d000000000-55d000010000 r-xp 00000000 08:01 42 /usr/bin/made\n")
open("cmdline", "w").write("made\0")
open("status", "w").write("Name:\tmade\nState:\tS (sleeping)\nTgid:\t0\nUid:\t0\t0\t0\t0\n")
for pid in range(10 ** 6, 10 ** 6 + tasks):
    name = str(pid)
    os.makedirs(f"{name}/task/{name}")
    with open(name + "/stat", "w") as f:
        f.write(f"{pid} (made) S 1 {pid} {pid} 0 -1 4194304 {zeros}\n")
    os.link(name + "/stat", f"{name}/task/{name}/stat")
    for file in "maps", "cmdline", "status":
        os.link(file, f"{name}/{file}")
PYTHON
# shellcheck disable=SC2016 # the inner shell expands it
unshare -m sh -c '
	mkdir "$tmp/real" "$tmp/made"
	mount --bind /proc "$tmp/real"
	mount -t tmpfs -o nr_inodes=0,size=2g made "$tmp/made"
	python3 "$tmp/made.py" "$tmp/made" "$1"
	for n in 1 11; do
		rm -f "$tmp/made/self"
		for entry in "$tmp"/real/*; do
			ln -sfn "$entry" "$tmp/made/${entry##*/}"
		done
		mount --bind "$tmp/made" /proc
		sh -c "rm -f /proc/self; ln -s \$\$ /proc/self; ln -sfn $tmp/real/\$\$ /proc/\$\$
			exec \"\$@\"" - env "$2" "$tmp/out" sh -c "
			rm -f /proc/self; ln -s \$\$ /proc/self; ln -sfn $tmp/real/\$\$ /proc/\$\$
			exec $cyctop -e cpu-clock -b -n $n -d 1 --top 30" >"$tmp/$n" 2>"$tmp/err.$n"
		umount /proc
	done' - "$tasks" "$build/tests/bench/spend"
results 'made /proc'
