# Compares what perf script -F tid,time,ip lists (the first file) with what stacks.c lists (the second), frame by frame.
# Addresses of the kernel do not count, nor one further caller of perf's: what is behind the copy of the stack, or no
# address.  Where perf's last caller is no address (it ends in ffffffff), perf has lost its way, and further callers of
# cyctop's do not count either.
function keep() {
	if (key != "")
		perf[key] = chain
	key = ""
}
FNR == 1 { file++ }
file == 1 && /^[ \t]*[0-9]+ +[0-9]+\.[0-9]+:/ {
	keep()
	split($2, time, /[.:]/)
	key = time[1] time[2] " " $1
	chain = ""
	next
}
file == 1 {
	if (NF && $1 !~ /^ffffffff/)
		chain = chain " " $1
	next
}
{
	keep()
	key = ""
	chain = ""
	for (i = 3; i <= NF; i++)
		chain = chain " " $i
	theirs = perf[$1 " " $2]
	samples++
	if (sub(/ [0-9a-f]*ffffffff$/, "", theirs) && index(chain " ", theirs " ") == 1) {
		same++
		next
	}
	if (index(chain " ", theirs " ") == 1 && theirs != "")
		same++
	else if (index(theirs " ", chain " ") == 1 && split(theirs, words) - (NF - 2) == 1)
		same++
	else if (wrong++ < 3)
		print "perf:  " theirs "\ncyctop:" chain
}
END { print "samples " samples + 0 ", as perf " same + 0 ", not so " wrong + 0 }
