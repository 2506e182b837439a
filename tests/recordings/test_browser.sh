#!/bin/sh
# The picture of --format svg in Chromium: its script runs without an error, a search marks and counts what it finds, a
# click zooms and Escape ends the zoom.  Of a picture whose numbers are known, and of all recordings with call chains.
#   test_browser.sh CYCTOP
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
cyctop=$(realpath "$1")
cd "$tmp" || exit 1
browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
	browser=$(command -v $name) && break
done
[ -n "$browser" ] || skip 'there is no Chromium here (./dev deps machine)'

# What a user does, as a script that follows the picture's own; what comes of it is written into the picture's root.
cat >does <<'END'
<script>//<![CDATA[
window.addEventListener('load', function () {
	var boxes = Array.prototype.slice.call(document.querySelectorAll('#frames svg'));
	function hidden() { return boxes.filter(function (b) { return b.style.display === 'none'; }).length; }
	function found() { return document.getElementById('found').textContent; }
	function name(b) { return b.querySelector('title').textContent.split('\n')[0]; }
	var wanted = WANTED || name(boxes[boxes.length - 1]).replace(/[^\w]/g, '.');
	var box = boxes.filter(function (b) { return name(b) === ZOOMED; })[0] || boxes[1];
	var said = {boxes: boxes.length};
	said.named = boxes.filter(function (b) { /* a long name is cut */
		return name(b).indexOf(b.querySelector('text').textContent || 'none') === 0;
	}).length;
	window.prompt = function () { return wanted; };
	document.getElementById('search').dispatchEvent(new MouseEvent('click'));
	said.marked = document.querySelectorAll('#frames .found').length;
	said.found = found().split(' in ')[0];
	box.dispatchEvent(new MouseEvent('mouseenter'));
	said.told = document.getElementById('about').textContent.indexOf(name(box)) === 0;
	box.dispatchEvent(new MouseEvent('click'));
	said.width = box.getAttribute('width');
	said.hidden = hidden();
	said.inside = found().split(' in ')[0];
	window.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
	said.back = hidden();
	said.failed = failed;
	document.documentElement.setAttribute('data-said', JSON.stringify(said).replace(/"/g, "'"));
});
//]]></script>
END

# seen PICTURE [WANTED ZOOMED]: what a user sees who searches and zooms, as JSON in the file `said`
seen() {
	{
		head -n 1 "$1"
		echo '<script>var failed = []; onerror = function (text) { failed.push(text); };</script>'
		sed '1d;/^<\/svg>$/{$d}' "$1"
		sed "s/WANTED/'${2:-}'/; s/ZOOMED/'${3:-}'/" does
		echo '</svg>'
	} >page.svg
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/user" --dump-dom \
		"file://$tmp/page.svg" >dom 2>err || fail "$1: Chromium: $(tail -3 err)"
	sed -n "s/.*data-said=\"\([^\"]*\)\".*/\1/p" dom | tr \' '"' | head -n 1 >said
	[ -s said ] || fail "$1: the script did not come to its end: $(head -c 300 dom)"
}
# shows WHAT CONDITION
shows() {
	jq -e "$2" said >/dev/null || fail "$1: $(cat said)"
}
needs jq

seen "$here/../golden/batch/chains.svg" memcpy shopd
cat said
shows 'no error, and every box has its name' '.failed == [] and .named == .boxes and .boxes == 12'
shows 'both calls of memcpy are marked, a third of all' '.marked == 2 and .found == "33.33 %"'
shows 'a box under the mouse is told of' .told
shows 'a click zooms to 13 of 30 parts, in which memcpy has 5' \
	'.width == "100%" and .hidden == 7 and .inside == "38.46 %"'
shows 'Escape shows all again' '.back == 0'

n=0
while read -r file; do
	# shellcheck disable=SC2086 # words
	"$cyctop" $elsewhere -i "$file" --format svg >picture.svg 2>/dev/null </dev/null || continue
	seen picture.svg
	shows "$(basename "$file")" '.failed == [] and .named == .boxes and .boxes > 1 and .marked > 0 and .told and
		.width == "100%" and .back == 0'
	n=$((n + 1))
done <"$tmp/recordings"
echo "$n recordings"
[ "$n" -gt 0 ] || fail 'no recording has call chains'
finish
