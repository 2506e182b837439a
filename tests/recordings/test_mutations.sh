#!/bin/sh
# Makes a report of thousands of damaged versions of the small recordings.
#   test_mutations.sh MUTATE NUMBER [DEFERRED]
# With the program DEFERRED also of one with call chains that come later.
# $CYCTOP_SEED and $CYCTOP_MUTATIONS choose other damage and another number.
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
mutate=$1 number=$2 deferred=${3:-}

set --
if [ -n "$deferred" ]; then
	"$deferred" "$here/perf-callgraph.perf.data" "$tmp/later" whole >/dev/null || fail "$deferred"
	set -- "$tmp/later"
fi
while IFS= read -r file; do
	case $file in
	*.gz) ;;
	*) set -- "$@" "$file" ;;
	esac
done <<END
$(recordings 65536)
END
"$mutate" "${CYCTOP_SEED:-1}" "${CYCTOP_MUTATIONS:-$number}" "$@"
