# shellcheck shell=sh
# Shared by the tests of recordings, which source it and then process the files that `recordings`
# lists:
#   - tests of the gate: the small recordings of this directory, which README.md tells of, and stored ones: in
#     $CYCTOP_PERFDATA, or in ../shared/perfdata next to the project; $stored is their directory, empty if there
#     is none;
#   - if $RECORDINGS_MADE is set: only those in this directory, $made.  make.sh makes them there with $CYCTOP, if
#     that is set; the first test to run makes them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
export HOME="$tmp" # perf and cyctop look for programs below it
made=${RECORDINGS_MADE:-} stored=
if [ -z "$made" ]; then
	stored=${CYCTOP_PERFDATA-$here/../../../shared/perfdata}
	[ -d "$stored/ref" ] || stored=
elif [ -n "${CYCTOP:-}" ]; then
	sh "$here/make.sh" "$CYCTOP" "$made" || fail "make.sh"
fi

# Options of cyctop with which the names in a report do not depend on the files of this machine, in a test whose
# working directory is $tmp.
# shellcheck disable=SC2034 # the tests use it
elsewhere='--symfs nothing --kallsyms /dev/null'
mkdir "$tmp/nothing"

# shellcheck disable=SC2120 # the argument is optional
# recordings [LARGEST]: lists their paths, one per line; only files of at most LARGEST bytes
recordings() {
	for file in "${made:-$here}"/*.perf.data ${stored:+"$stored"/*.perf.data "$stored"/derived/*.perf.data*}; do
		if [ -f "$file" ] && [ "$(wc -c <"$file")" -le "${1:-999999999}" ]; then
			printf '%s\n' "$file"
		fi
	done
}

# damaged_recordings: lists the paths of recordings that are damaged; those of this directory are made now
damaged_recordings() {
	if [ -z "$made" ]; then
		sh "$here/damage.sh" "$tmp/corrupt" "$here"/*.perf.data || fail "damage.sh"
	fi
	for file in "${made:-$tmp}"/corrupt/* ${stored:+"$stored"/corrupt/*}; do
		[ ! -f "$file" ] || printf '%s\n' "$file"
	done
}

# unpacked FILE: the path of the file, decompressed if need be
unpacked() {
	case $1 in
	*.gz)
		gzip -dc "$1" >"$tmp/$(basename "$1" .gz)" && printf '%s\n' "$tmp/$(basename "$1" .gz)"
		;;
	*) printf '%s\n' "$1" ;;
	esac
}

# shellcheck disable=SC2119
recordings >"$tmp/recordings"
[ -s "$tmp/recordings" ] || skip "no recordings can be made here"
