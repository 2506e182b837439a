#include "base/proc_status.h"

#include <stdlib.h>
#include <string.h>

enum { SIGNAL_QUIT = 3 }; /* the same number on every architecture */

/* Returns the text after `key`, which begins a line; NULL if no line begins with `key`. */
static const char *field(const char *text, const char *key)
{
	size_t n = strlen(key);
	const char *end = text + strlen(text);
	for (const char *line = text; line; line = memchr(line, '\n', (size_t)(end - line))) {
		line += *line == '\n';
		if (strncmp(line, key, n) == 0)
			return line + n;
	}
	return NULL;
}

/* Skips blanks, parses a number and sets *end_ret to its end.  Returns false if no number follows in this line. */
static bool number(const char *s, int base, uint64_t *ret, const char **end_ret)
{
	char *end;
	s += strspn(s, " \t");
	if (!strchr("0123456789abcdef", *s) || !*s)
		return false;
	*ret = strtoull(s, &end, base);
	*end_ret = end;
	return end != s;
}

/* Parses the first two numbers of the line "Uid:" or "Gid:", the real and the effective id.  Returns false if `s` is
 * NULL or lacks a valid id. */
static bool two_ids(const char *s, uint32_t *real_ret, uint32_t *effective_ret)
{
	uint64_t real, effective;
	const char *end;
	if (!s || !number(s, 10, &real, &end) || !number(end, 10, &effective, &end) || real >= STATUS_NONE ||
	    effective >= STATUS_NONE)
		return false;
	*real_ret = (uint32_t)real;
	*effective_ret = (uint32_t)effective;
	return true;
}

/* Parses the last number of a line.  Returns false if `s` is NULL or the line has no number. */
static bool last_number(const char *s, uint32_t *ret)
{
	uint64_t n;
	bool any = false;
	while (s && number(s, 10, &n, &s) && n <= INT32_MAX) {
		*ret = (uint32_t)n;
		any = true;
	}
	return any;
}

void proc_status_parse(const char *text, struct proc_status *ret)
{
	struct proc_status st = {.uid = STATUS_NONE, .gid = STATUS_NONE, .real_uid = STATUS_NONE};
	uint64_t caught = 0, mode = 0;
	uint32_t real_gid;
	const char *state = field(text, "State:"), *signals = field(text, "SigCgt:"), *end;
	const char *capabilities = field(text, "CapEff:"), *seccomp = field(text, "Seccomp:");
	bool has_uid = two_ids(field(text, "Uid:"), &st.real_uid, &st.uid);
	bool has_gid = two_ids(field(text, "Gid:"), &real_gid, &st.gid);
	bool has_pids = last_number(field(text, "Tgid:"), &st.pid) && last_number(field(text, "NSpid:"), &st.own_pid);
	bool has_signals = signals && number(signals, 16, &caught, &end);
	if (capabilities)
		(void)!number(capabilities, 16, &st.cap_eff, &end);
	if (seccomp && number(seccomp, 10, &mode, &end))
		st.seccomp = (int)(mode & 3);
	state = state ? state + strspn(state, " \t") : "";
	st.stopped = *state == 'T' || *state == 't';
	st.ended = *state == 'Z' || *state == 'X';
	st.catches_quit = caught >> (SIGNAL_QUIT - 1) & 1;
	st.whole = *state && has_uid && has_gid && has_pids && st.pid && st.own_pid && has_signals;
	*ret = st;
}
