#!/bin/sh
# Recording a command that ignores SIGTERM: the recorder ends within two seconds, and says that the
# command still runs.
#   command.sh CYCTOP BOUNDED
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$1 bounded=$2

cat >"$tmp/stubborn" <<'END'
#!/bin/sh
trap '' TERM INT
echo $$ >"$1"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 5; done
END
chmod +x "$tmp/stubborn"

for signal in INT TERM; do
	rm -f "$tmp/pid"
	for try in 1 2 3; do
		"$bounded" -s $signal -a 2 "$cyctop" record -o "$tmp/x.data" -- "$tmp/stubborn" "$tmp/pid" \
			>"$tmp/out" 2>"$tmp/err"
		rc=$?
		[ -s "$tmp/pid" ] && children="$children $(cat "$tmp/pid")"
		[ $rc = 3 ] || break
	done
	if grep -q 'nothing can be recorded' "$tmp/err"; then
		echo "SKIP: perf events are refused here"
		exit 77
	fi
	[ "$rc" = 0 ] || fail "$signal: $(cat "$tmp/out") (try $try)"
	grep -q 'ignores SIGTERM' "$tmp/err" || fail "$signal: no word of the command: $(cat "$tmp/err")"
	[ -s "$tmp/x.data" ] || fail "$signal: no recording"
	rm -f "$tmp/x.data"
done
# shellcheck disable=SC2086 # process ids
kill -9 $children 2>/dev/null
children=
finish
