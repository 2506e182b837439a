#!/bin/sh
# The screens on a machine with a PMU, in a terminal: ratios appear for rows with enough samples.
. "$(dirname "$0")/lib.sh"
vm_build arm64
guest --icount 1 <<'GUEST'
./probe spin 1000 &
tmux -u new-session -d -x 120 -y 35 './cyctop -e cycles,instructions; echo "status $?"; sleep 1000'
shows() { # PATTERN: waits until the screen has it, for two minutes at most
	i=0
	until tmux capture-pane -p | grep -qE "$1" || [ $i = 120 ]; do
		sleep 1
		i=$((i + 1))
	done
}
shows '0\.(4[89]|5[012]).*count_down'
tmux capture-pane -p >/out/screen
tmux send-keys h
shows 'cyctop help'
tmux capture-pane -p >/out/help
tmux send-keys q
shows 'count_down'
tmux send-keys '!'
shows 'cyctop itself .threads: [2-9]'
tmux capture-pane -p >/out/notices
tmux send-keys '!'
shows 'count_down'
tmux send-keys q
shows '^status '
tmux capture-pane -p >/out/after
tmux kill-server
GUEST
cat "$out/screen"
expect 'the function is on the screen' grep -q 'count_down' "$out/screen"
expect 'there is a column for IPC' grep -q 'IPC' "$out/screen"
expect 'the function has its IPC' grep -qE '0\.(4[89]|5[012]).*count_down' "$out/screen"
expect 'the task is there too' grep -qE 'probe' "$out/screen"
expect 'the trust line names the PMU' grep -q 'armv8_pmuv3' "$out/screen"
cat "$out/notices"
expect 'cyctop counts itself' \
	grep -qE 'itself .threads: [2-9].: [0-9.]+[kMG]? cycles and [0-9.]+[kMG]? instr' "$out/notices"
expect 'q ends it with status 0' grep -q 'status 0' "$out/after"
finish
