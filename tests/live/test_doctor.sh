#!/bin/sh
# cyctop doctor says what a live run says, with and without privileges, files, namespaces and perf events.
#   test_doctor.sh CYCTOP REFUSED
# shellcheck disable=SC2016 # inner shells expand what is in single quotes
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs jq
cp "$1" "$2" "$tmp" && chmod 755 "$tmp" || exit 1 # where every user may run it
cd "$tmp" || exit 1
cyctop=$tmp/${1##*/} refused=$tmp/${2##*/}
export cyctop

# get KEY CHECK: of the last answer
get() {
	jq -r --arg check "$2" "select(.check == \$check) | .$1" json
}
# said TEXT: a live run said so
said() {
	case $(cat live) in
	*"$1"*) ;;
	*) false ;;
	esac
}
has_lines() { # WHAT
	[ "$(jq -r .kind json | sort | uniq -c | awk '{ printf "%s%s ", $2, $1 }')" = 'check19 doctor1 ' ] ||
		fail "$1: $(cat json)"
	jq -es 'all(.[1:][];
		(.check, .name, .state, .what, .evidence | length) > 0 and (.remedy | type) == "string" and
		(.limits == 0 or .limits == 1) and (.state | IN("ok", "limited", "no", "unknown")))' json >/dev/null ||
		fail "$1: keys: $(cat json)"
}
# agrees WHAT COMMAND...: the command runs its argument as a shell's command.  What limits a live run is on a line, in
# the same words, and the other way round.
agrees() {
	what=$1
	shift
	"$@" '"$cyctop" doctor --json' >json 2>err
	status=$?
	"$@" '"$cyctop" doctor' >text 2>>err
	[ $? = $status ] || fail "$what: exit statuses differ"
	"$@" '"$cyctop" -b -n 1 -d 0.1' 2>live.err >/dev/null
	[ ! -s err ] || fail "$what: $(cat err)"
	has_lines "$what"
	jq -es --argjson status $status '(if any(.[]; .limits == 1) then 1 else 0 end) == $status' json >/dev/null ||
		fail "$what: status $status: $(cat text)"
	# a line of standard error for each clause
	sed 's/^cyctop: //; /^limit: /d' live.err | paste -sd '|' | sed 's/|/; /g' >live
	[ -s live ] || echo nothing >live
	[ "$(get evidence run)" = "a live run says: $(cat live)" ] ||
		fail "$what: not what a live run says ($(cat live)): $(get evidence run)"
	for check in paranoid seccomp files pid_namespace proc; do
		[ "$(get limits $check)" = 0 ] || said "$(get what $check): $(get remedy $check)" ||
			excused "$what" $check || fail "$what: only the doctor says: $(get what $check)"
	done
	for check in paranoid:perf_event_paranoid seccomp:seccomp files:RLIMIT_NOFILE pid_namespace:--pid=host \
		pmu:hardware.counters; do
		! grep -q -- "${check#*:}" live || [ "$(get limits "${check%:*}")" = 1 ] ||
			fail "$what: only a live run says: $(cat live)"
	done
	LC_ALL=C.UTF-8 awk -v what="$what" 'length($0) > 80 && NF > 1 { print what ": wide: " $0; bad = 1 }
		!/^ / && !/^(ok|limited|no|unknown) +[A-Za-z\/]/ { print what ": mark: " $0; bad = 1 }
		END { exit bad }' text || failed=1
}
# Of two reasons a live run says the last that it met.
excused() { # WHAT CHECK
	case $1:$2 in
	*files:paranoid | *files:files) said RLIMIT_NOFILE ;;
	*) false ;;
	esac
}

agrees 'as it is' sh -c
agrees 'few files' sh -c 'ulimit -n 64; eval "$0"'
for n in 12 5; do # where a live run does not even begin
	sh -c 'ulimit -n $0; exec "$cyctop" doctor --json' $n >json 2>err || :
	has_lines "$n files"
	[ "$(get state files)" = limited ] || fail "$n files: $(cat json)"
	! grep -q 'Linux 4.1' json || fail "$n files: $(get evidence run)"
done
# a filter, as containers have
for code in 1 38; do
	if "$refused" $code true 2>/dev/null; then
		agrees "refused with $code" "$refused" $code sh -c
		[ "$(get state run)" = no ] || fail "errno $code: $(cat text)"
		[ $code = 38 ] || [ "$(get state seccomp)" = no ] || fail "a filter: $(cat text)"
	fi
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	# shellcheck disable=SC2016,SC2086 # words
	{
		agrees 'nobody' $nobody sh -c
		agrees 'nobody, few files' $nobody sh -c 'ulimit -n 64; eval "$0"'
		[ "$(get state run)" = limited ] || fail "a few threads can be measured with 64 files: $(cat text)"
		agrees 'nobody, very few files' $nobody sh -c 'ulimit -n 14; eval "$0"'
		agrees 'nobody, no locked memory' $nobody sh -c 'ulimit -l 0; eval "$0"'
		agrees 'nobody, refused' "$refused" 13 $nobody sh -c
	}
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	if [ "$paranoid" = 2 ]; then
		$nobody sh -c '"$cyctop" doctor --json' >json
		[ "$(get state paranoid)" = limited ] || fail "paranoid 2: $(cat json)"
		[ "$(get state capabilities)" = limited ] || fail "no capabilities: $(cat json)"
	fi
	if unshare -pfm --mount-proc true 2>/dev/null; then
		agrees 'pid namespace' unshare -pfm --mount-proc sh -c
		[ "$(get state pid_namespace)" = limited ] || fail "pid namespace: $(cat text)"
		agrees 'the /proc of another' unshare -pf sh -c
		[ "$(get state proc)" = limited ] || fail "another /proc: $(cat text)"
	fi
	if unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc' 2>/dev/null; then
		unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc
			exec setpriv --reuid=65534 --regid=65534 --clear-groups "$cyctop" doctor --json' >json
		[ "$(get state proc)" = limited ] || fail "hidepid: $(cat json)"
	fi
	if unshare -m mount -t tmpfs none /proc 2>/dev/null; then
		unshare -m sh -c 'mount -t tmpfs none /proc; exec "$cyctop" doctor --json' >json
		[ "$(get state proc)" = no ] || fail "no /proc: $(cat json)"
	fi
fi

# It changes nothing.
settings() {
	grep -rs '' /proc/sys/kernel/perf* /proc/sys/kernel/kptr_restrict /proc/sys/kernel/nmi_watchdog
	sh -c 'ulimit -n'
}
settings >before
"$cyctop" doctor >/dev/null
settings | diff before - >changed || fail "changed: $(cat changed)"

"$cyctop" doctor 2>err | true
[ ! -s err ] || fail "a reader that goes away: $(cat err)"
finish
