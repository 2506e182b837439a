#!/bin/sh
# Prints the events that perf opens for each line "TREE WORD" of standard input, as "TREE WORD = ATTR; ATTR": of each
# the fields that the word decides, other than 0 and perf's 4000 Hz.  Not exclude_guest: it depends on perf's version.
# perf sees the tree in place of this machine's: root is needed.
#   attrs_by_perf.sh TREES <words
# perf record ends at the first event that it cannot open, which here is all there is of a word with one event; of
# words with several, perf stat goes on, but has no sampling.
set -u
trees=$(realpath "$1") tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
devices=/sys/bus/event_source/devices
for tree in "$trees"/*.tree; do
	name=$(basename "$tree" .tree)
	grep -v '^#' "$tree" | while read -r path content; do
		mkdir -p "$tmp/$name/${path%/*}"
		printf '%s\n' "$content" >"$tmp/$name/$path"
	done
done

# attrs MOST COMMAND...: the first MOST attrs that perf prints
attrs() {
	most=$1
	shift
	# shellcheck disable=SC2016 # of the inner shell
	unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$tmp/$name" "$devices" "$@" \
		>"$tmp/out" 2>&1 </dev/null
	awk -v most="$most" '
		/^perf_event_attr:/ { on = 1; line = "type=0"; next }
		/^---/ && on {
			on = 0
			sub(" rate=4000", "", line) && sub(" freq=1", "", line)
			if (!seen[line]++ && n < most) printf "%s%s", n++ ? "; " : "", line
			next
		}
		!on { next }
		$1 == "type" { line = "type=" $2 }
		$1 ~ /^(config[123]?|exclude_(user|kernel|hv|idle|host)|precise_ip|pinned|exclusive|bp_type)$/ {
			line = line " " $1 "=" $2
		}
		/bp_addr/ { line = line " config1=" $NF }
		/bp_len/ { line = line " config2=" $NF }
		/sample_period/ { line = line " rate=" $NF }
		$1 == "freq" { line = line " freq=1" }
	' "$tmp/out"
}

while read -r name word; do
	all=$(attrs 32 perf stat -vv -e "$word" -- true)
	case $all in
	*';'*) ;;
	*) all=$(attrs 1 perf record -vv -o /dev/null -e "$word" -- true) ;;
	esac
	printf '%s %s = %s\n' "$name" "$word" "$all"
done
