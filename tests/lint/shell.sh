#!/bin/sh
# Checks the shell scripts with shellcheck and, if there is one, with dash.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
status=0
scripts=$(files dev .ci/run '*.sh') || exit 1
echo "$scripts" | xargs -P "$(nproc)" -n 8 shellcheck -x || status=1
if command -v dash >/dev/null; then
	for file in $scripts; do
		dash -n "$file" || status=1
	done
fi
exit $status
