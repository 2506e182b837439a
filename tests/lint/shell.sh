#!/bin/sh
# Checks the shell scripts with shellcheck and, if there is one, with dash.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
status=0
scripts=$(files dev .ci/run '*.sh') || exit 1
for file in $scripts; do
	shellcheck -x "$file" || status=1
	! command -v dash >/dev/null || dash -n "$file" || status=1
done
exit $status
