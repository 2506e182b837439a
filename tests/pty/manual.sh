#!/bin/sh
# Every option in --help is in the manual, in the same words.
#
#   manual.sh CYCTOP PAGE
set -eu
cyctop=$1
page=$2
bad=$("$cyctop" --help | awk -v page="$page" '
	BEGIN { while ((getline line < page) > 0) {text[++n] = line; gsub(/\\-/, "-", text[n])} }
	/^  (-.,|   ) --/ {
		match($0, /--[a-z-]+/)
		name = substr($0, RSTART + 1, RLENGTH - 1) # mdoc prints the first dash
		help = $0
		sub(/^.*--[^ ]+( [A-Z]+)?  +/, "", help)
		help = toupper(substr(help, 1, 1)) substr(help, 2) "."
		found = 0
		for (i = 1; i < n; i++)
			if (text[i] ~ "^\\.It .*Fl " name "( |$)" && text[i + 1] == help)
				found = 1
		if (!found)
			print "-" name ": " help
		options++
	}
	END { if (options < 10) print "--help lists no options" }')
if [ -n "$bad" ]; then
	printf 'not in %s, or in other words:\n%s\n' "$page" "$bad"
	exit 1
fi
