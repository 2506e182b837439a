#!/bin/sh
# Ten thousand damaged versions of the small recordings, each through all of a report.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
mutate=$1

set --
for file in "$data"/*.perf.data; do
	[ "$(wc -c <"$file")" -gt 65536 ] || set -- "$@" "$file"
done
"$mutate" "${CYCTOP_SEED:-1}" "${CYCTOP_MUTATIONS:-10000}" "$@"
