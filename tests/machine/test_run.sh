#!/bin/sh
# run.sh with made tests: one that passes, one that fails, one that fails every second time, one that
# hangs with a child outside of its process group, and one that is skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs meson jq setsid
cd "$tmp" || exit 1

project() { # TIMEOUT
	rm -rf project build
	mkdir project
	cat >project/meson.build <<-END
		project('made')
		foreach t : ['passes', 'fails', 'turns', 'hangs', 'skipped']
		  test(t, find_program(t), suite: 'machine', timeout: t == 'hangs' ? $1 : 600)
		endforeach
		test('of the gate', find_program('fails'))
	END
	printf '#!/bin/sh\nexit 0\n' >project/passes
	printf '#!/bin/sh\necho this is why\nexit 1\n' >project/fails
	printf '#!/bin/sh\nif [ -e "%s/turn" ]; then rm "%s/turn"; else >"%s/turn"; exit 1; fi\n' \
		"$tmp" "$tmp" "$tmp" >project/turns
	printf '#!/bin/sh\nsetsid sleep 4242 & echo $! >>"%s/left"\nwait\n' "$tmp" >project/hangs
	printf '#!/bin/sh\necho there is no machine\nexit 77\n' >project/skipped
	chmod +x project/*s project/skipped
	meson setup build project >log 2>&1 || skip "no project can be made: $(tail -n 1 log)"
}

project 2
sh "$here/run.sh" 600 counts build >out 2>&1 && fail 'a failed test is no failure'
want='passed 1, unsteady 1 (turns), failed 2 (fails, hangs), skipped 1, not run 0'
[ "$(tail -n 1 out)" = "of this machine: $want" ] ||
	fail "the totals: $(tail -n 1 out)"
[ "$(cat counts)" = '2 2 1' ] || fail "the counts: $(cat counts)"
[ "$(grep -c '^FAIL: build: fails, try [123] ' out)" = 3 ] || fail "three tries: $(cat out)"
[ "$(cat build/failed/fails.3.txt)" = 'this is why' ] || fail "the output of a failed test is not kept"
[ -e build/failed/turns.1.txt ] || fail "the output of an unsteady test is not kept"
grep -q '^skipped: build: skipped: there is no machine$' out ||
	fail "it does not say why a test was skipped: $(cat out)"
none_left() {
	[ ! -e left ] || while read -r pid; do
		is_gone "$pid" || fail "process $pid of $1 still runs"
	done <left
}
none_left 'a test that hung'

# All have five seconds, and one hangs for ten minutes.
rm -f turn left
project 600
sh "$here/run.sh" 5 counts build >out 2>&1
tail -n 1 out | grep -q '^of this machine: .*, not run [1-5]$' || fail "the totals: $(tail -n 1 out)"
grep -q '^not run: \(.*, \)\{0,1\}hangs\(,.*\)\{0,1\}$' out || fail "it does not say what was not run: $(cat out)"
none_left 'a test that had no time left'

# A change of the view: tests of the terminal come first.  Without one, the order is drawn from the commit.
if command -v git >/dev/null; then
	rm -rf project build
	mkdir -p project/src/view
	cat >project/meson.build <<-END
		project('made')
		foreach i : range(18)
		  test('other@0@'.format(i), find_program('passes'), suite: ['live', 'machine'])
		endforeach
		foreach i : range(12)
		  test('pty@0@'.format(i), find_program('passes'), suite: ['pty', 'machine'])
		endforeach
	END
	printf '#!/bin/sh\nexit 0\n' >project/passes
	chmod +x project/passes
	cd project || exit 1
	commit() {
		git add -A
		git -c user.name=n -c user.email=e commit -q -m "$1" || fail "no commit can be made"
	}
	order() { # the tests as meson names them, in the order of the parts that they were run in
		rm -rf build
		meson setup build >log 2>&1 || fail "no project can be made: $(tail -n 1 log)"
		sh "$here/run.sh" never ../counts build 2>&1 |
			sed -n 's,.*made:\([a-z]*\)[^/]*/ \([a-z0-9]*\) .*,\1 \2,p'
	}
	git init -q -b main && printf 'build\nlog\n' >.gitignore && commit first
	git switch -q -c work && echo changed >src/view/file && commit second
	order >../order1
	[ "$(head -n 12 ../order1 | cut -d ' ' -f 1 | sort -u)" = pty ] ||
		fail "tests of the terminal are not the first after a change of the view: $(cat ../order1)"
	[ "$(sort -u ../order1 | wc -l)" = 30 ] || fail "not all tests were run once: $(cat ../order1)"
	git switch -q main && echo changed >other && commit third
	order >../order2
	[ "$(head -n 12 ../order2 | cut -d ' ' -f 1 | sort -u | wc -l)" = 2 ] ||
		fail "the order is not drawn: $(cat ../order2)"
	cd .. || exit 1
fi
finish
