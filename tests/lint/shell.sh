#!/bin/sh
# Checks the shell scripts with shellcheck and, if there is one, with dash.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0
for file in dev .ci/run $(git ls-files -co --exclude-standard -- '*.sh'); do
	shellcheck -x "$file" || status=1
	! command -v dash >/dev/null || dash -n "$file" || status=1
done
exit $status
