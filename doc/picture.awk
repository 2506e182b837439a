# A captured terminal pane with its colour codes -> SVG.  See picture.sh.
#   awk -v cols=120 -v rows=35 -f picture.awk
# Every run of cells of the same look is placed on its own, so that a font without the
# block characters does not shift what follows.

function escape(s) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	gsub(/ /, "\302\240", s) # no-break spaces, which no browser takes for fewer
	return s
}

function flush_run(   x, f, b, swap) {
	if (run == "")
		return
	x = start * cw
	f = fg == "" ? fore : fg
	b = bg
	if (inverse) {
		swap = f
		f = b == "" ? back : b
		b = swap
	}
	if (b != "")
		printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, n * cw, lh, b
	if (run !~ /^ *$/) {
		printf "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" fill=\"%s\"", x, y + lh * 0.76, n * cw, f
		printf "%s%s>%s</text>\n", bold ? " font-weight=\"bold\"" : "", dim ? " opacity=\"0.6\"" : "", escape(run)
	}
	run = ""
	start += n
	n = 0
}

function sgr(codes,   c, k, i) {
	k = split(codes == "" ? "0" : codes, c, ";")
	for (i = 1; i <= k; i++) {
		if (c[i] == 0) {
			fg = bg = ""
			bold = dim = inverse = 0
		} else if (c[i] == 1) {
			bold = 1
		} else if (c[i] == 2) {
			dim = 1
		} else if (c[i] == 7) {
			inverse = 1
		} else if (c[i] == 22) {
			bold = dim = 0
		} else if (c[i] == 27) {
			inverse = 0
		} else if (c[i] == 39) {
			fg = ""
		} else if (c[i] == 49) {
			bg = ""
		} else if (c[i] >= 30 && c[i] <= 37) {
			fg = palette[c[i] - 29]
		} else if (c[i] >= 90 && c[i] <= 97) {
			fg = palette[c[i] - 81]
		} else if (c[i] >= 40 && c[i] <= 47) {
			bg = palette[c[i] - 39]
		} else if (c[i] >= 100 && c[i] <= 107) {
			bg = palette[c[i] - 91]
		}
	}
}

BEGIN {
	cw = 8.4
	lh = 18
	fore = "#d0d0d0"
	back = "#16181d"
	split("#3b4048 #e06c75 #8cc265 #d9a343 #5aa5f0 #c678dd #42b3c2 #d0d0d0 " \
	      "#7f848e #ff7a85 #a5e075 #f0c674 #7cc0ff #de9bf0 #5fd7e0 #ffffff", palette, " ")
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" ", cols * cw + 16, rows * lh + 16
	print "font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\">"
	printf "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n", back
	print "<g transform=\"translate(8 8)\">"
}

{
	line = $0
	y = (NR - 1) * lh
	start = n = 0
	run = ""
	while (line != "") {
		if (match(line, /^\033\[[0-9;]*m/)) {
			flush_run()
			sgr(substr(line, 3, RLENGTH - 3))
			line = substr(line, RLENGTH + 1)
		} else if (match(line, /^\033[()][A-Z0-9]/) || match(line, /^[\016\017]/)) {
			line = substr(line, RLENGTH + 1)
		} else {
			ch = substr(line, 1, 1)
			line = substr(line, 2)
			run = run ch
			# an awk of bytes: only the first one of a character is a cell
			if (ch !~ /[\200-\277]/)
				n++
		}
	}
	flush_run()
}

END {
	print "</g>\n</svg>"
}
