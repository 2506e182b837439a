#!/bin/sh
# Makes damaged copies of recordings:
#   damage.sh DIRECTORY RECORDING...
# A copy of NAME.perf.data is DIRECTORY/NAME+DAMAGE.perf.data.
set -eu
dir=$1
shift
mkdir -p "$dir"

# copy WHAT: makes the copy NAME+WHAT, which is to be damaged, at $copy
copy() {
	copy=$dir/$name+$1.perf.data
	cat <"$from" >"$copy" # writable, in contrast to a copy by cp of a file that is not
}

# put OFFSET BYTES: overwrites bytes of the copy; BYTES are octal escapes for printf
put() {
	# shellcheck disable=SC2059 # the format is the bytes
	printf "$2" | dd of="$copy" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

zero='\000\000\000\000\000\000\000\000' ones='\377\377\377\377\377\377\377\377' large='\377\377\377\377\377\377\377\177'
for from; do
	name=$(basename "$from" .perf.data)
	bytes=$(wc -c <"$from")
	case $(od -A n -t u8 -j 8 -N 8 "$from" | tr -d ' ') in # the size of the header
	16)
		is_stream=y
		cuts="7 16 40 $((bytes / 2)) $((bytes - 20))"
		;;
	*)
		is_stream=
		cuts="7 60 104 200 $((bytes / 2)) $((bytes - 20))"
		;;
	esac
	for size in $cuts; do
		copy "cut-to-$size"
		truncate -s "$size" "$copy"
	done
	# in the middle of the records
	copy zeros
	dd if=/dev/zero of="$copy" bs=8 seek=$((bytes / 16)) count=16 conv=notrunc 2>/dev/null
	if [ -n "$is_stream" ]; then
		copy first-size-zero
		put 16 "$zero"
		copy first-size-ones
		put 16 "$ones"
		continue
	fi
	copy ones
	put $((bytes / 2)) "$ones$ones$ones$ones"
	# fields of the header: its size, the size of an attr, positions of attrs, records and features
	for field in 8 16 24 32 40 48 72; do
		copy "field-$field-zero"
		put $field "$zero"
		copy "field-$field-ones"
		put $field "$ones"
		copy "field-$field-large"
		put $field "$large"
	done
done
