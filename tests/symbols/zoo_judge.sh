# shellcheck shell=sh
# Sourced by zoo.sh: compares the names of samples with the expected ones.
# shellcheck disable=SC2154 # zoo.sh sets these

# samples: reads a dump, writes "TIME ADDRESS" for each sample in user space, in order of time, to a file for each
# process in the folder samples
samples() {
	mkdir samples
	grep -E '^record [^ ]* type=SAMPLE misc=0x[0-9a-f]*2 ' |
		sed -n 's/.*{ip=0x\([0-9a-f]*\) pid=\([0-9]*\) .* time=\([0-9]*\) .*/\2 \3 \1/p' |
		sort -k 1,1n -k 2,2n | awk '
			$1 != pid {
				close("samples/" pid)
				pid = $1
			}
			{ print $2, $3 >("samples/" pid) }'
}

# span_of WHEN: "FROM TO", the times of the samples that the table is about
span_of() {
	if [ "$1" = recorded ]; then
		echo 0 9e18
	else
		jq -r '"\(.start_ns) \(.end_ns)"' "$1.json"
	fi
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

# label_of HOW FILE ADDRESS NAME: the name that samples of the function must have
label_of() {
	case $1:$4 in
	dyn:hot_gamma | dyn:hot_caller | group:*)
		printf '[%s+0x%x]' "$2" "0x$3"
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

# look_up KEY: sets symbols, value, size and label of a function of $file; each is looked up once
look_up() {
	while read -r known symbols value size label; do
		[ "$known" != "$1" ] || return 0
	done <"case/$name/looked_up"
	read -r file symbols <<-END
		$(file_of "$name" "$file")
	END
	read -r value size symbol <<-END
		$(symbol_of "$symbols" "$1")
	END
	[ -n "$value" ] || return 1
	label=$(label_of "$how" "$file" "$value" "$symbol")
	echo "$1 $symbols $value $size $label" >>"case/$name/looked_up"
}

# truth CASE HOW: "FIRST END FROM TO LABEL" separated by tabs: samples at these addresses and times
# must have the name LABEL.  What has times is in order of them, and at one time there is one of it.
truth() {
	name=$1 how=$2 bias=0
	: >"case/$name/looked_up"
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
			look_up "$key" || return 1
			size=$((0x$size))
			[ "$symbols" != "case/$name/whole" ] || bias=$((address - 0x$value))
		fi
		printf '%x\t%x\t%s\t%s\t%s\n' "$address" $((address + size)) "$from" "$to" "$label"
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
			printf '%x\t%x\t0\t0\tzoo_leaf@plt\n' $at $((at + 0x$size))
		done
}

# expected TRUTH FROM TO <SAMPLES: "LABEL SAMPLES VARIANCE LARGEST" separated by tabs, of the samples from FROM
# to TO.  A run is a number of successive samples that all have this label, or all have another one; if runs were
# seen or missed, each with the same chance and independently, the samples of the label would vary by VARIANCE
# around its share of all that are seen, and no run would add more than LARGEST to that.  Compares addresses as
# text, because they have more digits than awk's numbers.
expected() {
	awk -v truth="$1" -v since="$2" -v till="$3" '
		function before(a, b) {
			return length(a) == length(b) ? "x" a < "x" b : length(a) < length(b)
		}
		BEGIN {
			FS = "\t"
			while ((getline <truth) > 0) {
				count[$5] += 0
				if ($3) {
					from[++runs] = $3
					to[runs] = $4
				} else {
					always++
				}
				i = $3 ? "run" runs : "always" always
				first[i] = $1
				end[i] = $2
				label[i] = $5
			}
			FS = " "
			run = 1
		}
		function is_in(i) {
			if (before($2, first[i]) || !before($2, end[i]))
				return 0
			count[label[i]]++
			seen[++all] = label[i]
			return 1
		}
		$1 >= since && $1 <= till {
			for (i = 1; i <= always; i++)
				if (is_in("always" i))
					next
			while (run <= runs && to[run] && to[run] < $1)
				run++
			if (run <= runs && $1 >= from[run])
				is_in("run" run)
		}
		END {
			for (l in count) {
				squares[0] = squares[1] = longest[0] = longest[1] = samples = 0
				for (i = 1; i <= all; i++) {
					samples++
					is = seen[i] == l
					if (i < all && (seen[i + 1] == l) == is)
						continue
					squares[is] += samples ^ 2
					longest[is] = samples > longest[is] ? samples : longest[is]
					samples = 0
				}
				p = all ? count[l] / all : 0
				a = (1 - p) * longest[1]
				b = p * longest[0]
				spread = (1 - p) ^ 2 * squares[1] + p ^ 2 * squares[0]
				print l "\t" count[l] "\t" spread "\t" (a > b ? a : b)
			}
		}'
}

# judge CASE: checks the names of a program's samples, live and recorded
judge() {
	name=$1
	dir=case/$name
	pid=$(tr -d ' ' <"$dir/pid")
	[ -f "samples/$pid" ] || : >"samples/$pid"
	nm "$dir/whole" | awk '$2 ~ /^[tT]$/ { print $3 }' >"$dir/own"
	for when in recorded live; do
		read -r since till <"$when.span"
		how=$(tr -d ' ' <"$dir/want.$when")
		truth "$name" "$how" >"$dir/truth" || {
			fail "$name: what it says of itself is not in its symbols"
			return
		}
		expected "$dir/truth" "$since" "$till" <"samples/$pid" >"$dir/expected"
		awk -F '\t' -v pid="$pid" '$1 == pid' $when.rows >"$dir/$when"
		if ! verdict $when "$how" "$name" "$dir" >"$dir/verdict"; then
			fail "$name, $when, must be '$how':"
			sed 's/^/     /' "$dir/verdict"
		fi
	done
}

# verdict WHEN HOW CASE DIR: prints what is wrong
verdict() {
	awk -F '\t' -v when="$1" -v how="$2" -v program="z-$3" -v expected="$4/expected" -v functions="$4/own" \
		-v whole="$whole" '
		function bad(text) {
			print text
			status = 1
		}
		# How far apart the shares may be that a label has of two samplings of the same time: further in one of
		# 10^5 runs at most, by the inequality of Bernstein, for at most 500 labels.  Either sampling
		# varies as if runs were seen or missed, the live one, which has fewer samples, at least as
		# if its samples were independent.  Those without a known name may all be of this label.
		function bound(l,    p, chance, each, v, b) {
			if (!known || !all)
				return 1
			chance = log(2 * 500 * 1e5)
			p = want[l] / all
			v = variance[l] / all ^ 2
			each = p * (1 - p) / known
			v += each > v ? each : v
			b = largest[l] / all
			b = 1 / known > b ? 1 / known : b
			b *= chance / 3
			return (sum - start - known) / (sum - start) + b + (b ^ 2 + 2 * v * chance) ^ 0.5
		}
		# Is it the text for a sample without a name?  A group counts as a name.
		function nameless(symbol) {
			return symbol ~ /^0x|^\[.*\]$/ && symbol !~ /\+0x/
		}
		BEGIN {
			while ((getline <expected) > 0) {
				want[$1] = $2
				variance[$1] = $3
				largest[$1] = $4
				all += $2
			}
			while ((getline <functions) > 0)
				own[$1]
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
			else if (!nameless($3) && $4 > most + 0 &&
			    !(how == "any" && index($3, "[" program "+0x") == 1) && !(how == "name" && $3 in own))
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
				for (l in want) {
					if (!whole)
						continue
					apart = known && all ? got[l] / known - want[l] / all : 0
					limit = bound(l)
					if (apart > limit || -apart > limit)
						bad(l ": " got[l] + 0 " of " known + 0 " live, not " want[l] " of " \
							all ", which may be " limit " apart")
				}
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
