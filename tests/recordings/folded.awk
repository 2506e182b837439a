# Compares folded stacks, the second file, with what perf script -F comm,event,ip,sym,dso lists, the first, of the event
# `first`: the functions of each sample, of which the kernel's are told apart from others.  Files of user code and commands
# are not compared: perf has those that a task had before its exec or its end.  Prints what differs by more than the
# samples whose chains perf discards because one of their addresses is no address.
function end() {
	if (chain == "" && counts)
		discarded++
	if (counts)
		perf[shape(chain)]++
	chain = ""
}
# A chain of one function is as none: perf leaves out one that has only begun.
function shape(chain) {
	return chain ~ /;.*;/ ? chain : ";one"
}
function add(line) {
	if (sub(/^[\t ]*[0-9a-f]+ .* \(/, "", line))
		chain = ";" (line ~ /^\[kernel\.kallsyms\]|vmlinux\)$|^\[guest.kernel/ ? "[kernel]" : "[other]") chain
}
FNR == NR && /^[^\t ]/ {
	end()
	at = index($0, " " first ":")
	counts = at > 0
	next
}
FNR == NR {
	add($0)
	next
}
{
	samples = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, part, ";")
	line = ""
	for (i = 2; i <= n; i++)
		line = line ";" (part[i] == "[kernel]" ? part[i] : "[other]")
	folded[shape(line)] += samples
}
END {
	end()
	for (key in perf)
		if (perf[key] != folded[key]) {
			list = list sprintf("%s: perf %d, folded %d\n", substr(key, 1, 200), perf[key], folded[key])
			missing += perf[key] > folded[key] ? perf[key] - folded[key] : 0
		}
	for (key in folded)
		if (!(key in perf))
			list = list sprintf("%s: perf 0, folded %d\n", substr(key, 1, 200), folded[key])
	if (missing > discarded)
		printf "%d samples differ, and perf discarded %d chains\n%s", missing, discarded, list
}
