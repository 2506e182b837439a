#!/bin/sh
# Opens a flame graph in a browser: a click on a box zooms into it, and a search says how much was found.
#   test_flame.sh CYCTOP
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
cyctop=$(realpath "$1")
cd "$tmp" || exit 1
needs chromium xmllint

# shellcheck disable=SC2086 # words
"$cyctop" $elsewhere -i "$here/perf-callgraph.perf.data" --format svg >flame.svg 2>err </dev/null || fail "$(cat err)"
xmllint --noout flame.svg || fail "no XML"
cat >drive.js <<'EOF'
window.addEventListener('load', function () {
	var boxes = Array.from(document.querySelectorAll('#frames svg'));
	var title = function (box) { return box.querySelector('title').textContent; };
	var width = function (box) { return Math.round(parseFloat(box.getAttribute('width'))); };
	var hidden = function () { return boxes.some(function (box) { return box.style.display === 'none'; }); };
	var child = boxes.find(function (box) { return title(box).indexOf('child\n') === 0; });
	var said = [width(child)];
	child.dispatchEvent(new MouseEvent('mouseenter'));
	said.push(document.getElementById('about').textContent === title(child).split('\n').join('  |  '));
	child.dispatchEvent(new MouseEvent('click'));
	said.push(width(child), hidden());
	window.prompt = function () { return '^.kernel.$'; };
	document.getElementById('search').dispatchEvent(new MouseEvent('click'));
	said.push(width(child), !hidden(), document.getElementById('found').textContent);
	said.push(boxes.every(function (box) { return box.querySelector('text'); }));
	document.getElementById('title').textContent = said.join(' ');
});
EOF
{
	sed '$d' flame.svg
	echo '<script>//<![CDATA['
	cat drive.js
	printf '//]]></script>\n</svg>\n'
} >driven.svg
timeout 100 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" --dump-dom \
	"file://$tmp/driven.svg" >dom 2>err </dev/null || fail "chromium: $(tail -n 3 err)"
said=$(sed -n 's/.*<text id="title"[^>]*>\([^<]*\)<.*/\1/p' dom)
# the command has 10 of 27 samples, the kernel's code 11
[ "$said" = '37 true 100 true 37 true 40.74 % in ^.kernel.$ true' ] || fail "said: $said"
finish
