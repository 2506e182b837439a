# shellcheck shell=sh
# Shared by the tests of cyctop diff, which source it: their first argument is the program; they work in $tmp.
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$(realpath "$1")
export HOME="$tmp"

# compare STATUS TEXT ARGS...: checks the exit status, and a text on stderr ('': any)
compare() {
	want=$1 text=$2
	shift 2
	"$cyctop" diff "$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "cyctop diff $*: exit status $got, not $want: $(cat err)"
	[ -z "$text" ] || grep -qF -- "$text" err || fail "cyctop diff $*: it does not say '$text' but: $(cat err)"
}

# field NAME DSO FILE: "SYMBOL VALUE" of each row of this DSO that has many samples
field() {
	awk -F, -v name="$1" -v dso="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["dso"] == dso && $at["samples_before"] > 30 { print $at["symbol"], $at[name] }' "$3" | sort
}

# has FORMAT: was cyctop built with it?
has() {
	"$cyctop" --demo -n 1 --format "$1" >/dev/null 2>err </dev/null
}
