# Sums up what perf script -F comm,event,ip lists, "COMM EVENT:" and the addresses of a chain, the innermost first:
# lines EVENT, COMM, ADDRESS, and the samples in whose chain it is, each once.
function add(ip) {
	if (ip == "") return
	sub(/^0+/, "", ip)
	ip = ip == "" ? "[unknown]" : "0x" ip
	if (!(ip in seen)) {
		seen[ip] = 1
		total[event "\t" comm "\t" ip]++
	}
}
/^[^\t ]/ {
	split("", seen)
	event = $0
	sub(/[ \t]+$/, "", event)
	sub(/:$/, "", event)
	sub(/^.*[ \t]/, "", event)
	sub(/:[a-zA-Z]*$/, "", event)
	comm = $0
	sub(/[ \t]+[^ \t]*[ \t]*$/, "", comm)
	next
}
NF { add($1) }
END {
	for (key in total)
		print key "\t" total[key]
}
