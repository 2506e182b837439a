#!/bin/sh
# The static executable where there is nothing else: in a root of /proc and /sys alone, as root and as another user,
# in batch and on the screen, on each kind of terminal.  The mounts are in a namespace of this script's own.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${1:-}" != inside ]; then
	command -v tmux >/dev/null || {
		echo 'no terminal here: there is no tmux'
		exit 77
	}
	unshare --mount true 2>/dev/null || {
		echo 'no root can be made here: mounting is not allowed'
		exit 77
	}
	"$top/dev" static || exit 1
	exec unshare --mount --propagation private sh "$0" inside
fi
tmp=$(mktemp -d) || exit 1
socket=$tmp/tmux
trap 'tmux -S "$socket" kill-server 2>/dev/null; umount "$tmp/root/proc" "$tmp/root/sys"; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$tmp/root/proc" "$tmp/root/sys"
chmod 755 "$tmp" "$tmp/root"
mount --bind /proc "$tmp/root/proc" && mount --bind /sys "$tmp/root/sys" || exit 1
cp "$top/build-static/cyctop-$(uname -m)" "$tmp/root/cyctop"
bad=0
# a server that stays when a session ends
LANG=C.UTF-8 TERM=xterm-256color tmux -S "$socket" -u -f /dev/null new-session -d -s stays sh

# in_root USER VARIABLES... -- ARGS: prints the command line that runs cyctop there
in_root() {
	user=$1 variables=
	shift
	while [ "$1" != -- ]; do
		variables="$variables $1"
		shift
	done
	shift
	echo "env -i$variables $(command -v chroot) --userspec=$user '$tmp/root' /cyctop $*"
}

capture() {
	tmux -S "$socket" capture-pane -p -t s
}

# sees WHAT PATTERN: waits until the screen has it
sees() {
	for _ in $(seq 100); do
		! capture | grep -q -- "$2" || return 0
		sleep 0.1
	done
	echo "FAILED: $1: no '$2' in:"
	capture
	bad=1
}

# on_screen USER TERM LANG PATTERNS...
on_screen() {
	user=$1 term=$2 lang=$3
	shift 3
	tmux -S "$socket" new-session -d -s s -x 110 -y 30 sh
	tmux -S "$socket" send-keys -t s "PS1='ready> '; clear; $(in_root "$user" "TERM=$term" "LANG=$lang" --)" Enter
	for pattern; do
		sees "$user on $term with $lang" "$pattern"
	done
	shown=$(capture)
	tmux -S "$socket" send-keys -t s q
	sees "$user on $term, after q" '^ready> *q*$'
	tmux -S "$socket" kill-session -t s
}

for user in 0:0 65534:65534; do
	for args in '-b -n 2 -d 0.5' '--demo -b -n 1' '--format json -n 1'; do
		if eval "$(in_root "$user" -- "$args")" >"$tmp/out" 2>"$tmp/err" && [ -s "$tmp/out" ]; then
			echo "ok: $user: $args: $(wc -l <"$tmp/out") lines"
		else
			echo "FAILED: $user: $args"
			cat "$tmp/err"
			bad=1
		fi
	done
	for term in xterm-256color xterm tmux-256color screen-256color screen linux vt100 vt220 rxvt-unicode-256color \
		alacritty foot xterm-kitty xterm-ghostty; do
		on_screen "$user" $term de_DE.UTF-8 'Tasks' '│'
		case $shown in
		*'is not known'*)
			echo "FAILED: $term is not known"
			bad=1
			;;
		esac
	done
	on_screen "$user" wezterm C.UTF-8 'TERM=wezterm is not known here: drawn as on xterm'
done
on_screen 0:0 xterm-256color C 'Tasks' 'CPU0 *#'
on_screen 0:0 dumb C.UTF-8 'TERM=dumb cannot place its cursor'
on_screen 0:0 xterm-256color ja_JP.utf8 'Tasks' '│'
printf '%s\n' "$shown"
[ $bad = 0 ] && echo 'ok: on each kind of terminal'
exit $bad
