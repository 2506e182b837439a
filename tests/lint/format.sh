#!/bin/sh
# The layout of the C files is clang-format's; version 14's, since others differ.
set -u
cd "$(dirname "$0")/../.." || exit 1
tool=
for t in clang-format-14 clang-format; do
	case $($t --version 2>/dev/null) in
	*'version 14.'*)
		tool=$t
		break
		;;
	esac
done
if [ -z "$tool" ]; then
	echo 'format: not checked, there is no clang-format 14 here'
	exit 0
fi
status=0
for file in $(git ls-files -co --exclude-standard -- '*.c' '*.h'); do
	"$tool" --dry-run -Werror "$file" 2>/dev/null || {
		echo "$file: not as $tool -i lays it out"
		status=1
	}
done
exit $status
