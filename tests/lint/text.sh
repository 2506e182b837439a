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
for file in $texts; do
	case $file in
	*.md | *.1) cells=400 ;; # prose and tables wrap where they are shown
	*) cells=$line_cells ;;
	esac
	expand -t 8 "$file" | awk -v file="$file" -v cells="$cells" -v lines="$source_lines" '
		length($0) > cells { printf "%s:%d: %d cells, at most %d\n", file, NR, length($0), cells; bad = 1 }
		/[ \t]$/ && file !~ /\.md$/ { printf "%s:%d: blank at the end\n", file, NR; bad = 1 }
		END {
			if (NR > lines && file ~ /\.[ch]$/) {
				printf "%s: %d lines, at most %d: split it\n", file, NR, lines
				bad = 1
			}
			exit bad
		}' || status=1
	[ -z "$(tail -c 1 "$file")" ] || {
		echo "$file: no newline at the end"
		status=1
	}
done

# Paths in a home or scratch directory mean nothing to other people.
# (/tmp/perf-PID.map is an interface; tests make their files with mktemp.)
names='(^|[^a-zA-Z0-9_.$}"/-])/(home|root|work|Users)/[a-zA-Z0-9_.]+'
all=$(files ':!tests/lint/text.sh' ':!tests/data' ':!tests/golden' ':!tests/fuzz/corpus') || exit 1
if echo "$all" | xargs grep -nIE "$names" 2>/dev/null; then
	echo 'paths of one machine do not belong in the repository'
	status=1
fi
exit $status
