# Shared by the tests of the emulated machine.  They source this file; their argument is the build
# directory.
# shellcheck shell=sh
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build_root=$(realpath "$1")
job=$(mktemp -d) || exit 1
out=$job.out
trap 'rm -rf "$job" "$out"' EXIT
failures=0

say() {
	printf '%s\n' "$*"
}

# vm_build ARCH [--units | TARGETS...]: builds cyctop, probe, and the unit tests or other targets for the
# guest, in $cross; skips the test if there is no guest or no compiler for it.  If several tests run at the same time,
# one builds and the others wait.
vm_build() {
	arch=$1
	cross=$build_root/vm-$arch
	sysroot=$(sh "$here/guest.sh" prepare "$arch") || {
		status=$?
		say "$sysroot"
		exit $status
	}
	case $arch in
	arm64) cpu=aarch64 ;;
	*) cpu=$arch ;;
	esac
	for tool in clang $cpu-linux-gnu-ld meson ninja jq; do
		command -v "$tool" >/dev/null || {
			say "no build for the emulated machine: there is no $tool here (./dev deps machine)"
			exit 77
		}
	done
	exec 8>"$cross.lock"
	flock 8
	machine=$build_root/vm-$arch.machine
	printf '%s\n' "# $(cat "$sysroot/../state")" '[constants]' "sysroot = '$sysroot'" \
		"triple = '$cpu-linux-gnu'" "cpu = '$cpu'" >"$machine.new"
	if ! cmp -s "$machine.new" "$machine" || [ ! -f "$cross/build.ninja" ]; then
		rm -rf "$cross"
		mv "$machine.new" "$machine"
		meson setup "$cross" "$top" --cross-file "$machine" --cross-file "$top/tests/lib/foreign.cross" \
			>"$job.log" 2>&1 ||
			fail_with "$job.log" "cannot configure the build for $arch"
	fi
	if [ "${2:-}" = --units ]; then
		ninja -C "$cross" build.ninja >"$job.log" 2>&1 || # its tests may have other names now
			fail_with "$job.log" "cannot configure the build for $arch"
		# shellcheck disable=SC2046 # words
		set -- tests/unit/libjvm.so \
			$(ninja -C "$cross" -t targets all | sed -n 's,^\(tests/unit/test_[a-z_0-9]*\): .*,\1,p')
	else
		shift
	fi
	set -- "$@" src/app/cyctop tests/vm/probe
	ninja -C "$cross" "$@" >"$job.log" 2>&1 || fail_with "$job.log" "the build for $arch failed"
	rm -f "$job.log" "$machine.new" # whoever waits makes its own
	exec 8>&-
	cp "$cross/src/app/cyctop" "$cross/tests/vm/probe" "$job"
}

fail_with() {
	tail -n 40 "$1"
	rm -f "$1"
	say "$2"
	exit 1
}

# guest OPTIONS... < script: runs the script in the guest with cyctop and probe in its directory; what
# it writes to /out is in $out afterwards.
guest() {
	cat >"$job/run"
	status=0
	sh "$here/guest.sh" run "$arch" "$@" "$job" "$out" || status=$?
	[ "$status" != 77 ] || exit 77
	[ "$status" = 0 ] || {
		say "the guest's job ended with status $status; its console, output and errors:"
		tail -n 20 "$out/console" "$out/stdout" "$out/stderr" 2>/dev/null || :
		exit 1
	}
}

# Functions for the jq programs below.
jq_lib='
def near($want; $tolerance): . != null and ((. - $want) | fabs) <= $tolerance * $want;
def comm($c): first(.tasks[] | select(.comm == $c));
def symbol($s): first(.symbols[] | select(.symbol == $s));
def task_rate($c; $e): (comm($c).events[$e].weight) / (.end_ns - .start_ns);
def weight($e; $s): [.symbols[] | select(.symbol == $s) | .events[$e].weight] | add // 0;
def event($e): first(.events[] | select(.name == $e));
def within_error($want; $sigmas): . != null and ((.value - $want) | fabs) <= $sigmas * .error;
'

# check WHAT FILE JQ-CONDITION [JQ-ARGS]: checks a condition for the last refresh in the file; prints
# the refresh if it is false.
check() {
	what=$1 file=$out/$2 condition=$3
	shift 3
	if [ -s "$file" ] && tail -n 1 "$file" | jq -e "$@" "$jq_lib $condition" >/dev/null 2>"$job/jq.err"; then
		say "ok: $what"
		return 0
	fi
	say "FAILED: $what: $condition $*"
	cat "$job/jq.err" 2>/dev/null || :
	if [ "$failures" = 0 ]; then
		tail -n 3 "$out/stderr"
		tail -n 1 "$file" | jq -c 'del(.. | nulls) | .trust, .events[:3][], .symbols[:2][], .tasks[:3][]' || :
	fi
	failures=$((failures + 1))
}

# Prints a value of the last refresh, for the log.
show() {
	say "$1: $(tail -n 1 "$out/$2" | jq -c "$jq_lib $3" 2>&1)"
}

# expect WHAT COMMAND...: checks that the command succeeds.
expect() {
	what=$1
	shift
	if "$@"; then
		say "ok: $what"
	else
		say "FAILED: $what"
		failures=$((failures + 1))
	fi
}

finish() {
	[ "$failures" = 0 ] || {
		tail -n 20 "$out/stderr" 2>/dev/null || :
		exit 1
	}
}
