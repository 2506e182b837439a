#!/bin/sh
# Every limit of base/limits.h is held somewhere, and somewhere noted when it is reached: otherwise
# its sentence never reaches the user.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0
names=$(mktemp) || exit 1
trap 'rm -f "$names"' EXIT
sed -n 's/^[[:space:]]*X(\([A-Z_]*\),.*/\1/p' src/base/limits.h >"$names"
[ -s "$names" ] || {
	echo 'base/limits.h: no limit was found in it'
	exit 1
}
while read -r name; do
	for use in "LIMIT_$name" "REACHED_$name"; do
		grep -rqw --include='*.c' -- "$use" src && continue
		case $use in
		LIMIT_*) # by its row: image_read_limited(), and read_either() that calls it
			grep -rqE --include='*.c' -- "(image_read_limited|read_either)\(.*REACHED_$name" src && continue
			;;
		esac
		echo "base/limits.h: $name: no file uses $use"
		status=1
	done
done <"$names"
exit $status
