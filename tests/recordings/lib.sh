# shellcheck shell=sh
# Shared by the tests of recordings, which source it and then process the files that `recordings`
# lists:
#   - stored ones: in $CYCTOP_PERFDATA, or in ../shared/perfdata next to the project; $stored is
#     their directory, empty if there is none;
#   - ones that make.sh makes with $CYCTOP in $RECORDINGS_MADE; $made is their directory.  The first
#     test to run makes them.
# Both directories have damaged files in corrupt/.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
stored=${CYCTOP_PERFDATA-$here/../../../shared/perfdata}
[ -d "$stored/ref" ] || stored=
made=${RECORDINGS_MADE:-}
if [ -n "${CYCTOP:-}" ] && [ -n "$made" ]; then
	sh "$here/make.sh" "$CYCTOP" "$made" || fail "make.sh"
fi

# shellcheck disable=SC2120 # the argument is optional
# recordings [LARGEST]: lists their paths, one per line; only files of at most LARGEST bytes
recordings() {
	for file in "$here"/*.perf.data ${stored:+"$stored"/*.perf.data "$stored"/derived/*.perf.data*} \
		${made:+"$made"/*.perf.data}; do
		if [ -f "$file" ] && [ "$(wc -c <"$file")" -le "${1:-999999999}" ]; then
			printf '%s\n' "$file"
		fi
	done
}

damaged_recordings() {
	for file in ${stored:+"$stored"/corrupt/*} ${made:+"$made"/corrupt/*}; do
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
[ -s "$tmp/recordings" ] || skip "there are no recordings, and none can be made here"
