#!/bin/sh
# The instructions of large functions are those of objdump: the same addresses, bytes and texts, which are written a
# little differently (suffixes of mnemonics, scales of 1, displacements of 0).
#   test_vs_objdump.sh DISASM
disasm=$(realpath "$1")
project=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs objdump awk cc
cd "$tmp" || exit 1

# theirs OBJDUMP FILE: "ADDRESS<tab>BYTES<tab>TEXT" of the functions in "ours"
theirs() {
	sed -n 's/^FUNCTION \([^ ]*\) \([^ ]*\)$/\1 \2/p' ours | while read -r start end; do
		"$1" -d -w --start-address="$start" --stop-address="$end" "$2" | awk -F '\t' -v OFS='\t' '
			$1 ~ /^ *[0-9a-f]+:$/ {
				gsub(/[ :]/, "", $1)
				gsub(/ /, "", $2)
				print $1, $2, $3 (NF > 3 ? " " $4 : "")
			}'
	done
}

# same WHAT UNKNOWN: "ours" and "wanted" are the same; of ours at most UNKNOWN in a thousand are unknown to capstone
same() {
	grep -v '^FUNCTION' ours | awk -F '\t' -v what="$1" -v may="$2" '
		# a text as both would write it; of arm64 numbers are decimal, and those of jumps hexadecimal without 0x
		function plain(s) {
			if (what == "arm64") { # which has two names for some conditions, and for moves of constants
				sub(/^movz /, "mov ", s)
				gsub(/\.lo /, ".cc ", s)
				gsub(/\.hs /, ".cs ", s)
				gsub(/, *lo$/, ",cc", s)
				gsub(/, *hs$/, ",cs", s)
				if (s ~ /^ushll/ && sub(/, *#(0x)?0$/, "", s))
					sub(/^ushll/, "uxtl", s)
				if (s ~ /^orr [xw][0-9]+, *[xw]zr,/ && sub(/[xw]zr, */, "", s))
					sub(/^orr/, "mov", s)
				sub(/#(0x)?0+$/, "0", s)
				if (match(s, /0xf[0-9a-f]+$/) && RLENGTH == 18 && s ~ /\]/)
					s = substr(s, 1, RSTART - 1) "-" decimal(negative(substr(s, RSTART + 2)))
				if (s ~ /^fmov .*, *#-?[0-9]/)
					s = substr(s, 1, index(s, "#") - 1) sprintf("%g", substr(s, index(s, "#") + 1))
				if (match(s, /[ ,][0-9a-f]+ </))
					s = substr(s, 1, RSTART) "0x" substr(s, RSTART + 1)
				while (match(s, /0x[0-9a-f]+/) && RLENGTH < 14)
					s = substr(s, 1, RSTART - 1) decimal(substr(s, RSTART + 2, RLENGTH - 2)) \
						substr(s, RSTART + RLENGTH)
			}
			sub(/ *(#|\/\/) .*/, "", s)
			sub(/^(cs|data16|notrack|bnd) +/, "", s)
			gsub(/<[^>]*>|0x|%[cde]s:|#/, "", s)
			gsub(/,1\)/, ")", s)
			gsub(/[ \t]+/, " ", s)
			gsub(/, /, ",", s)
			gsub(/ \{/, "{", s)
			sub(/ 0\(/, " (", s)
			gsub(/,0\(/, ",(", s)
			gsub(/\*0\(/, "*(", s)
			sub(/^movd /, "movq ", s)
			if (s ~ /^(sh|sa|ro|rc)[lr][bwlq]? \$1,/)
				sub(/\$1,/, "", s)
			if (match(s, /\$[89a-f][0-9a-f]+/) && (RLENGTH == 5 || RLENGTH == 9 || RLENGTH == 17))
				s = substr(s, 1, RSTART) "-" negative(substr(s, RSTART + 1, RLENGTH - 1)) \
					substr(s, RSTART + RLENGTH)
			sub(/ $/, "", s)
			return s
		}
		function decimal(digits, n, i) {
			for (i = 1; i <= length(digits); i++)
				n = 16 * n + index("0123456789abcdef", substr(digits, i, 1)) - 1
			return sprintf("%d", n)
		}
		# the number of which these hexadecimal digits are the negative one
		function negative(digits, ret, i, d, carry) {
			carry = 1
			for (i = length(digits); i; i--) {
				d = 16 - index("0123456789abcdef", substr(digits, i, 1)) + carry
				carry = d > 15
				ret = substr("0123456789abcdef", d % 16 + 1, 1) ret
			}
			sub(/^0+/, "", ret)
			return ret
		}
		function is_same(a, b, a_word, b_word, a_rest, b_rest) {
			if (a == b)
				return 1
			if (a ~ /^movn |^mov .*,lsl /) # parts of a constant, which objdump computes
				return b ~ /^mov / && substr(a, index(a, " "), 4) == substr(b, index(b, " "), 4)
			a_word = a; sub(/ .*/, "", a_word)
			b_word = b; sub(/ .*/, "", b_word)
			a_rest = substr(a, length(a_word) + 1)
			b_rest = substr(b, length(b_word) + 1)
			if (a_word ~ /^(rep[nz]*|lock|nop)$/)
				return is_same(substr(a_rest, 2), substr(b_rest, 2)) || b == "xchg %ax,%ax"
			if (a_rest == b_rest && (a_word == b_word "b" || a_word == b_word "w" || a_word == b_word "l" ||
			    a_word == b_word "q"))
				return 1
			return 0
		}
		FILENAME == "wanted" { text[$1] = $3; bytes[$1] = $2; next }
		{
			n++
			if (!($1 in text)) {
				bad++
				print "FAIL " what ": no instruction is at " $1 ": " $3
			} else if ($3 == "(unknown)") {
				unknown++
			} else if (!is_same(plain($3), plain(text[$1]))) {
				bad++
				if (bad < 40)
					print "FAIL " what ", " $1 ": " plain($3) " is " plain(text[$1]) " for objdump"
			}
			delete text[$1]
		}
		END {
			for (a in text) {
				bad++
				print "FAIL " what ": objdump has an instruction at " a ": " text[a]
			}
			print what ": " n " instructions, of which capstone does not know " unknown + 0
			exit bad > 0 || unknown * 1000 > n * may || n < 1000
		}' wanted - || failed=1
}

check() { # WHAT OBJDUMP FILE UNKNOWN
	"$disasm" "$3" 10 >ours 2>err
	status=$?
	[ $status != 77 ] || skip "$(cat err)"
	[ $status = 0 ] || fail "$1: $(cat err)"
	theirs "$2" "$3" >wanted
	same "$1" "$4"
}

check "this program" objdump "$disasm" 5
libc=$(ldd "$disasm" | sed -n 's/.*libc.so.6 => \([^ ]*\) .*/\1/p')
[ -z "$libc" ] || check "the C library" objdump "$libc" 20

# the same sources for arm64, from the host's headers
arm=$(command -v aarch64-linux-gnu-objdump || command -v llvm-objdump) || finish
command -v clang >/dev/null || finish
for file in view/past.c app/option_table.c resolve/elf/frames.c resolve/jit/hotspot.c record/decode.c \
	source/synth/value.c calls/tables.c compare/spread.c; do
	clang -E -P -D_GNU_SOURCE -DHAVE_JANSSON=0 -DHAVE_IBERTY=0 -DCYCTOP_STATIC=0 \
		-I"$project/src" -I"$project/include" \
		"$project/src/$file" >"$(basename "$file" .c).i"
done
clang --target=aarch64-linux-gnu -w -O2 -fPIC -shared -nostdlib -fuse-ld=lld -x cpp-output ./*.i -o lib.so 2>err || {
	echo "clang makes no library for arm64: $(tail -n 1 err)"
	finish
}
check "arm64" "$arm" lib.so 5
finish
