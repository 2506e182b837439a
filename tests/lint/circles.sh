#!/bin/sh
# Finds circles of files within a room: files whose objects need one another, directly or by others.  Between rooms, and
# between the folders of resolve, there are none (see layers.sh and the order in which libraries are linked).
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0

# Prints "USER DEFINER" for each object in the directory that needs a symbol of another one, or of no other.
uses() { # DIRECTORY
	nm -A "$1"/*.o | awk '{
		object = $1
		sub(/:.*/, "", object)
		sub(/.*\//, "", object)
		print object, object
		if ($(NF - 1) == "U")
			needs[object " " $NF]
		else if ($(NF - 1) ~ /^[TDBRVW]$/)
			defined[$NF] = object
	}
	END {
		for (n in needs) {
			split(n, part, " ")
			if (part[2] in defined && defined[part[2]] != part[1])
				print part[1], defined[part[2]]
		}
	}' | sort -u
}

checked=0
for dir in $(find build/src -name 'lib*.a.p' 2>/dev/null | sort); do
	ls "$dir"/*.o >/dev/null 2>&1 || continue
	checked=$((checked + 1))
	circles=$(uses "$dir" | tsort 2>&1 >/dev/null | sed 's/.*input contains a loop:/a circle:/; s/^tsort: /  /')
	[ -z "$circles" ] || {
		printf '%s: %s\n' "$dir" "$circles"
		status=1
	}
done
[ $checked -gt 0 ] || {
	echo 'no object file was checked, because there is none'
	status=1
}
exit $status
