#!/bin/sh
# Stripped Go programs have the names that the symbol table of the same program names, as it was before.
#   go.sh CYCTOP NAMES_AT
set -u
cyctop=$(realpath "$1") names_at=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs go
needs nm
needs strip
cd "$tmp" || exit 1
export HOME="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off GOFLAGS='' LC_ALL=C
failed=0

# checks NAME: the functions of NAME-s, which has no symbol table, are those of NAME.  Go's own symbol table
# has the ABI of a function and the types of a generic one in its name; the runtime's has neither.
checks() {
	nm "$1" | awk '
		$3 == "runtime.text" { text = $1 }
		$3 == "runtime.etext" { end = $1 }
		$2 ~ /^[tT]$/ { addr[n++] = $1; name[n - 1] = $0 }
		END {
			for (i = 0; i < n; i++)
				if (addr[i] >= text && addr[i] < end)
					print name[i]
		}' | sed -E 's/\.abi(0|internal)$//; s/\[.*\]/[...]/' | awk '
		$3 !~ /^(runtime\.(text|etext)|go[:.]buildid|_fini)$/ { print $1, $3 }' | sort >wanted
	awk '{ print $1 }' wanted | sort -u | "$names_at" "$1-s" >given || {
		echo "FAIL $1: it has no names"
		failed=1
		return
	}
	# one of the names that an address has
	awk 'NR == FNR { names[$1] = names[$1] " " $2 " "; next }
		{ all++; go += $2 == "go" }
		!index(names[$1], " " $3 " ") { print "  " $1 ":" names[$1] "is called " $3; wrong++ }
		END {
			print all + 0 " functions, " wrong + 0 " with another name, " go + 0 " named by the Go table"
			exit !(all > 800 && wrong + 0 == 0 && go > 0.97 * all)
		}' wanted given >said || failed=1
	echo "$1: $(tail -n 1 said)"
	head -n 5 said | grep '^  '
}

# places NAME COMMAND: of the functions of NAME-s, the file and line are those that the command has of NAME.  Of the few
# whose first instruction is of another function that was inlined into them, cyctop has a place in the function itself.
places() {
	nm "$1" | awk '$2 ~ /^[tT]$/ { print "0x" $1 }' | sort -u >addresses
	"$names_at" -p "$1-s" <addresses | cut -d ' ' -f 2 >given
	$2 <addresses 2>err | sed -n 's|^\(\./\)\{0,1\}\([^ ]*:[0-9?]\{1,\}\)\( .*\)\{0,1\}$|\2|p' >wanted
	paste -d ' ' given wanted | awk -v name="$1" '
		$2 !~ /[?]/ { all++; other += $1 != $2; none += $1 == "-" }
		END {
			print name ": " all + 0 " places, " other + 0 " differ from addr2line, " none + 0 " are missing"
			exit !(all > 800 && other < 0.02 * all && none == 0)
		}' || failed=1
}

# Sets the position and number of section headers in a copy of a 64-bit ELF file to 0
without_sections() {
	cp "$1" "$2"
	head -c 8 /dev/zero | dd of="$2" bs=1 seek=40 conv=notrunc status=none
	head -c 4 /dev/zero | dd of="$2" bs=1 seek=60 conv=notrunc status=none
}

go build -o plain "$here/programs/go/spin.go" || exit 1
go build -ldflags='-s -w' -o plain-s "$here/programs/go/spin.go" || exit 1
go build -buildmode=pie -o pie "$here/programs/go/spin.go" || exit 1
strip -o pie-s pie || exit 1
for name in plain pie; do
	checks $name
	cp $name $name-bare
	without_sections $name-s $name-bare-s
	checks $name-bare
done
places plain "go tool addr2line plain"
places pie "addr2line -e pie" # which Go's own tool cannot read
if command -v gcc >/dev/null && CGO_ENABLED=1 go build -o cgo "$here/programs/go/cgo.go" 2>err; then
	strip -o cgo-s cgo
	checks cgo
	# the linker of the C compiler gives the table no section of its own
	CGO_ENABLED=1 go build -buildmode=pie -o cgo-pie "$here/programs/go/cgo.go" || exit 1
	strip -o cgo-pie-s cgo-pie
	checks cgo-pie
else
	echo "no cgo here: $(tail -n 1 err)"
fi

# another linker writes the addresses of a position-independent file only as relocations
if command -v ld.lld >/dev/null && [ -x cgo-pie ] && CGO_ENABLED=1 go build -buildmode=pie \
	-ldflags='-linkmode=external -extldflags=-fuse-ld=lld' -o lld "$here/programs/go/cgo.go" 2>err; then
	strip -o lld-s lld
	checks lld
fi

if ! "$cyctop" record -e cpu-clock --duration 0.1 -o try.data 2>err; then
	echo "running programs were not tried, because this machine cannot be sampled: $(tail -n 1 err)"
	exit $failed
fi

# shellcheck disable=SC2317 # eventually calls it
listed() { # PATTERN...: are there lines with each?
	for name; do
		grep -q "$name" tables || return 1
	done
}
# sampled WHAT PATTERN...: cyctop's table, whose options are in $options, comes to have lines with each
sampled() {
	what=$1
	shift
	# shellcheck disable=SC2086 # words
	"$cyctop" -b -d 1 --window total -e cpu-clock --format csv $options >tables 2>err &
	measuring=$!
	children="$children $measuring"
	eventually listed "$@" || {
		echo "FAIL: no samples of $what: $(tail -n 1 err)"
		cut -c 1-150 tables | tail -n 5
		failed=1
	}
	kill $measuring
	wait $measuring
}

# a running one
./plain-s &
spinning=$!
children="$children $spinning"
options="-p $spinning"
sampled 'its functions' 'main.plain' 'main.(\*worker).mix' 'main.fold\[\.\.\.\]'
kill $spinning

# one that a distribution packed
if command -v fzf >/dev/null; then
	seq 1000000 >numbers
	while :; do fzf -f '1 2 3' <numbers >/dev/null; done &
	spinning=$!
	children="$children $spinning"
	options='--sort comm,symbol'
	sampled "fzf's own functions" ',fzf,.*fzf/src/algo\.'
	kill $spinning
else
	echo "fzf is not installed: no packaged Go program"
fi

# A recording: Go's linker writes no build-id, so that only the file itself is certain to be the one that ran.
"$cyctop" record -e cpu-clock -F 999 -o spin.data -- timeout 5 ./plain-s 2>err
"$cyctop" -b -i spin.data >tables 2>err
grep -q 'main\.plain$' tables || {
	echo "FAIL: no names in a recording of this machine: $(tail -n 1 err)"
	failed=1
}
share=$("$cyctop" -b -i spin.data --sort dso,symbol --format csv 2>err | awk -F, '
	$4 ~ /plain-s$/ { all += $(NF - 2); named += $5 ~ /^"?(\[|0x)/ ? 0 : $(NF - 2) }
	END { printf "%d of %d", named, all; exit !(all > 100 && named >= 0.98 * all) }') || {
	echo "FAIL: too few samples of the stripped program have names: $share"
	failed=1
}
echo "$share samples of the stripped program have names"
chmod g+w plain-s
"$cyctop" -b -i spin.data >tables 2>err
if grep -q 'main\.plain$' tables || ! grep -q 'another one, or was changed' err; then
	echo "FAIL: names of a file that was changed: $(tail -n 1 err)"
	failed=1
fi
exit $failed
