#!/bin/sh
# A command that is measured on the screen: its output is in a pane and in a file, not across the screen; how it ended
# is said, and is the exit status.
#
#   command.sh CYCTOP
set -u

cyctop=$(realpath "$1")
case=commands
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"

"$cyctop" -b -n 1 -d 0.2 -e cpu-clock >/dev/null 2>"$dir/err" || {
	echo "skipped: $(cat "$dir/err")"
	exit 77
}
mkfifo "$dir/go"
trap 'mux kill-server 2>/dev/null; kill $(cat "$dir/pid") 2>/dev/null; rm -rf "$dir"' EXIT
cat >"$dir/job" <<'END'
#!/bin/sh
echo $$ >pid
read -r line && echo "it read $line"
printf '\033[2J\033[31mred\033[0m\033]0;title\a\n'
i=0
while [ $i -lt 100 ]; do
	i=$((i + 1))
	echo "step $i of 100"
done
echo "one on stderr" >&2
read -r how <go
[ "$how" = kill ] && kill -9 $$
echo "and goes"
exit 7
END
chmod +x "$dir/job"

for size in '35 120' '24 80' '15 60'; do
	# shellcheck disable=SC2086 # two words
	open_terminal $size
	# shellcheck disable=SC2016 # for the shell in there
	type_line 'cd $DIR && $CYCTOP -e cpu-clock -d 0.2 -- ./job; echo "status $?"'
	wait_for 'job runs as process [0-9]*; Tab goes to'
	[ "$size" = '15 60' ] && continue # too low for tabs of all panes
	wait_for 'Output'
	keys Tab Tab Tab
	wait_for '\[Output\]'
	wait_for 'one on stderr'
	wait_for 'step 100 of 100'
	shows 'it read' && fail 'it read something'
	shows '^cyctop ' || fail 'what it printed is across the screen'
	keys Home
	wait_for '^red$'
	wait_for 'scrolled back: End goes to its end'
	keys Down
	wait_gone '^red$'
	keys End
	wait_for 'one on stderr'
	keys '<'
	wait_for 'Tab goes on to the tables'
	how=go
	[ "$size" = '24 80' ] && how="kill"
	echo $how >"$dir/go"
	if [ $how = go ]; then
		wait_for 'job ended with status 7; Tab goes to its output, which is in .*job.*\.out'
		wait_for 'and goes'
		status=7
	else
		wait_for 'job was ended by signal 9 (Killed)'
		status=137
	fi
	keys Tab
	wait_for 'by SHARE%'
	wait_for ' ended  last'
	shows '▶ Output' && fail 'Tab does not leave the pane'
	keys q
	wait_for "status $status"
	wait_for 'the output of ./job is in job.*\.out'
done
[ "$(stat -c %a "$dir/job.out")" = 600 ] || fail "others can read it: $(ls -l "$dir")"
grep -qx 'step 100 of 100' "$dir/job.out" || fail "its output is not in the file: $(cat "$dir/job.out")"
echo go >"$dir/go" # the last one
exit 0
