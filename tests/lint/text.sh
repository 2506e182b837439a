#!/bin/sh
# Checks all text files: length of lines and files, no blanks at line ends, no paths of a developer's
# machine.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh
status=0
source_lines=600 line_cells=120

texts=$(files '*.c' '*.h' '*.sh' '*.build' '*.md' '*.1' '*.cross' dev .ci/run) || exit 1
# shellcheck disable=SC2086 # no path has a blank
awk -v line_cells=$line_cells -v source_lines=$source_lines '
	function report(place, what) { print place ": " what; bad = 1 }
	function cells_of(line,   parts, i, n, cells) { # a tab goes to the next multiple of 8
		n = split(line, parts, "\t")
		for (i = 1; i < n; i++)
			cells += length(parts[i]) + 8 - (cells + length(parts[i])) % 8
		return cells + length(parts[n])
	}
	FNR == 1 {
		prose = FILENAME ~ /\.(md|1)$/ # prose and tables wrap where they are shown
		most = prose ? 400 : line_cells
	}
	{
		cells = cells_of($0)
		if (cells > most)
			report(FILENAME ":" FNR, cells " cells, at most " most)
	}
	/[ \t]$/ && FILENAME !~ /\.md$/ { report(FILENAME ":" FNR, "blank at the end") }
	FNR == source_lines + 1 && FILENAME ~ /\.[ch]$/ {
		report(FILENAME, "more than " source_lines " lines: split it")
	}
	END { exit bad }' $texts || status=1
# shellcheck disable=SC2086
if [ "$(tail -qc 1 $texts | tr -d '\n' | wc -c)" != 0 ]; then
	for file in $texts; do
		[ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at the end"
	done
	status=1
fi

# Paths in a home or scratch directory mean nothing to other people.
# (/tmp/perf-PID.map is an interface; tests make their files with mktemp.)
names='(^|[^a-zA-Z0-9_.$}"/-])/(home|root|work|Users)/[a-zA-Z0-9_.]+'
all=$(files ':!tests/lint/text.sh' ':!tests/data' ':!tests/golden' ':!tests/fuzz/corpus') || exit 1
if echo "$all" | xargs grep -nIE "$names" 2>/dev/null; then
	echo 'paths of one machine do not belong in the repository'
	status=1
fi
exit $status
