# shellcheck shell=sh
# Sourced by zoo.sh: compares the names of samples with the expected ones.
# shellcheck disable=SC2154 # zoo.sh sets these

# samples: reads a dump, prints "PID ADDRESS TIME" for each sample in user space
samples() {
	grep -E '^record [^ ]* type=SAMPLE misc=0x[0-9a-f]*2 ' |
		sed -n 's/.*{ip=0x\([0-9a-f]*\) pid=\([0-9]*\) .* time=\([0-9]*\) .*/\2 \1 \3/p'
}

# rows FILE: reads JSON, prints "PID DSO SYMBOL SAMPLES" separated by tabs, without the kernel's rows
rows() {
	jq -r '.rows[] | select(.pid and .dso != "[kernel]") |
		[.pid, (.dso | sub(" [(]deleted[)]$"; "") | sub(".*/"; "")), .symbol, .events["cpu-clock"].samples] |
		@tsv' "$1"
}

# symbol_of FILE KEY: "ADDRESS SIZE NAME" of a function; KEY is its name, or a part of its mangled name
symbol_of() {
	nm -S --defined-only "$1" | awk -v key="$2" '
		NF == 4 && ($4 == key || ($4 ~ /^_(ZN|R)/ && key ~ /^[0-9]/ && index($4, key))) {
			print $1, $2, $4
			exit
		}'
}

hex() {
	printf '%x' "$1"
}

# label_of HOW FILE ADDRESS NAME: the name that samples of the function must have
label_of() {
	case $1:$4 in
	dyn:hot_gamma | dyn:hot_caller | group:*)
		printf '[%s+0x%s]' "$2" "$(hex "0x$3")"
		return
		;;
	esac
	[ "$demangles" = 1 ] || {
		printf '%s' "$4"
		return
	}
	case $4 in
	_ZN2ns6WidgetIiE4spinEl) printf 'ns::Widget<int>::spin(long)' ;;
	_ZN2ns6WidgetIiEclEmRKi) printf 'ns::Widget<int>::operator()(unsigned long, int const&)' ;;
	_*4spin*) printf 'zoo::beasts::spin' ;;
	_ZN*5dance*) printf 'zoo::beasts::Bear::dance' ;;
	_R*5dance*) printf '<zoo::beasts::Bear>::dance' ;;
	*) printf '%s' "$4" ;;
	esac
}

# file_of CASE FILE: its name, and the path of its copy with all symbols
file_of() {
	case $2 in
	'') echo "z-$1 case/$1/whole" ;;
	libleaf.so) echo "$2 case/$1/whole_lib" ;;
	*) echo "$2 $2" ;;
	esac
}

# truth CASE HOW: "FIRST END FROM TO LABEL" separated by tabs: samples at these addresses and times
# must have the name LABEL
truth() {
	name=$1 how=$2 bias=0
	while read -r verb key address what from to; do
		case $verb in
		at | run) ;;
		*) continue ;;
		esac
		size=0 file=
		case $verb:$key in
		at:*) file=$what from=0 to=0 ;;
		run:spin_one) file=libone.so ;;
		run:spin_two) file=libtwo.so ;;
		*) size=$what label=$key ;;
		esac
		if [ "$size" = 0 ]; then
			read -r file symbols <<-END
				$(file_of "$name" "$file")
			END
			read -r value size symbol <<-END
				$(symbol_of "$symbols" "$key")
			END
			[ -n "$value" ] || return 1
			label=$(label_of "$how" "$file" "$value" "$symbol")
			size=$((0x$size))
			[ "$symbols" != "case/$name/whole" ] || bias=$((address - 0x$value))
		fi
		printf '%s\t%s\t%s\t%s\t%s\n' "$(hex "$address")" "$(hex $((address + size)))" "$from" "$to" "$label"
	done <"case/$name/out"
	stubs "$name" "$bias"
}

# The PLT stub of the only hot function that is called through the PLT.
stubs() {
	[ -f "case/$1/whole_lib" ] || return 0
	readelf -SW "case/$1/whole" |
		awk '{ sub(/^ *\[[^]]*\]/, "") } $1 ~ /^\.plt/ && $2 == "PROGBITS" { print $1, $6 }' |
		while read -r section size; do
			value=$(objdump -d -j "$section" "case/$1/whole" | awk '$2 == "<zoo_leaf@plt>:" { print $1 }')
			[ -n "$value" ] || continue
			at=$(($2 + 0x$value))
			printf '%s\t%s\t0\t0\tzoo_leaf@plt\n' "$(hex $at)" "$(hex $((at + 0x$size)))"
		done
}

# expected PID TRUTH <SAMPLES: "LABEL SAMPLES" separated by a tab; compares addresses as text, because
# they have more digits than awk's numbers
expected() {
	awk -v pid="$1" -v truth="$2" '
		function before(a, b) {
			return length(a) == length(b) ? "x" a < "x" b : length(a) < length(b)
		}
		BEGIN {
			FS = "\t"
			while ((getline <truth) > 0) {
				first[++n] = $1; end[n] = $2; from[n] = $3; to[n] = $4; label[n] = $5
				count[$5] += 0
			}
			FS = " "
		}
		$1 == pid {
			for (i = 1; i <= n; i++)
				if (!before($2, first[i]) && before($2, end[i]) &&
				    (!from[i] || $3 >= from[i] && $3 <= to[i])) {
					count[label[i]]++
					break
				}
		}
		END {
			for (l in count)
				print l "\t" count[l]
		}'
}

# judge CASE: checks the names of a program's samples, live and recorded
judge() {
	name=$1
	dir=case/$name
	pid=$(tr -d ' ' <"$dir/pid")
	for when in recorded live; do
		how=$(tr -d ' ' <"$dir/want.$when")
		truth "$name" "$how" >"$dir/truth" || {
			fail "$name: what it says of itself is not in its symbols"
			return
		}
		expected "$pid" "$dir/truth" <zoo.samples >"$dir/expected"
		awk -F '\t' -v pid="$pid" '$1 == pid' $when.rows >"$dir/$when"
		if ! verdict $when "$how" "$name" "$dir" >"$dir/verdict"; then
			fail "$name, $when, must be '$how':"
			sed 's/^/     /' "$dir/verdict"
		fi
	done
}

# verdict WHEN HOW CASE DIR: prints what is wrong
verdict() {
	awk -F '\t' -v when="$1" -v how="$2" -v program="z-$3" -v expected="$4/expected" '
		function bad(text) {
			print text
			status = 1
		}
		# Is it the text for a sample without a name?  A group counts as a name.
		function nameless(symbol) {
			return symbol ~ /^0x|^\[.*\]$/ && symbol !~ /\+0x/
		}
		BEGIN {
			while ((getline <expected) > 0) {
				want[$1] = $2
				all += $2
			}
			if (all < 30)
				bad("only " all + 0 " samples: too few to say anything")
		}
		{
			sum += $4
			# a program that started meanwhile was a shell, which forked, and then loaded its libraries
			if (when == "live" && $2 ~ /^(ld-|libc[.])/ && !nameless($3) && !($3 in want)) {
				start += $4
				next
			}
			got[$3] += $4
			if ($3 in want)
				known += $4
			else if (!nameless($3) && $4 > most + 0 && !(how == "any" && index($3, "[" program "+0x") == 1))
				most = $4 " in " $3 " of " $2
			if (nameless($3) && $4 > nobody + 0)
				nobody = $4 " in " $3 " of " $2
			if ($3 ~ /decoy|out_of_date/)
				bad("a wrong name: " $3)
		}
		END {
			if (how == "none" || how == "any") {
				for (l in want)
					if (got[l] && (how == "none" || when == "recorded" && got[l] != want[l]))
						bad(l ": " got[l] " samples, where it may be none or " want[l])
				if (most + 0 > sum / 50 + 8)
					bad("a name that cannot be right: " most)
				exit status
			}
			if (when == "recorded") {
				for (l in want)
					if (got[l] + 0 != want[l])
						bad(l ": " got[l] + 0 " samples, not " want[l])
			} else {
				if (start > sum * 0.25 + 8)
					bad(start " of " sum " samples are in the libraries that a program starts with")
				if (known < (sum - start) * 0.95 - 8)
					bad("only " known + 0 " of " sum " samples in user space have an expected name")
				for (l in want)
					if (known > 100 &&
					    (got[l] / known - want[l] / all) ^ 2 > (0.05 + 2 / known ^ 0.5) ^ 2)
						bad(l ": " got[l] + 0 " of " known + 0 " live, not " want[l] " of " all)
			}
			if (status) {
				if (most)
					print "another name: " most
				if (nobody)
					print "no name: " nobody
			}
			exit status
		}' "$4/$1"
}
