#!/bin/sh
# Makes a picture of cyctop's screen: runs it in tmux, captures the pane with its
# colours, and writes it as SVG.
#   doc/picture.sh OUT.svg COLSxROWS SECONDS KEYS CYCTOP [OPTIONS]
# KEYS: as for tmux send-keys ("Tab Enter"), or ''.
set -eu
out=$1 size=$2 seconds=$3 keys=$4
shift 4
export LC_ALL=C.UTF-8
cols=${size%x*} rows=${size#*x}
socket=cyctop-picture-$$
command='TERM=screen-256color exec'
for word; do command="$command '$word'"; done
tmux -L $socket -f /dev/null new-session -d -x "$cols" -y "$rows" "$command"
trap 'tmux -L $socket kill-server 2>/dev/null || :' EXIT
sleep "$seconds"
# shellcheck disable=SC2086 # several keys
[ -z "$keys" ] || { tmux -L $socket send-keys $keys && sleep 1; }
tmux -L $socket capture-pane -e -p -N |
	awk -v cols="$cols" -v rows="$rows" -f "$(dirname "$0")/picture.awk" >"$out"
