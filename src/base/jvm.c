#include "base/jvm.h"

#include "base/clean.h"
#include "base/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNAL_QUIT = 3 }; /* the same number on every architecture */

/* What follows `key` at the start of a line; NULL: no line begins so. */
static const char *field(const char *text, const char *key)
{
	size_t n = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) == 0)
			return line + n;
	}
	return NULL;
}

/* The number after blanks, within the line; the end of the number in *end_ret. */
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

/* The first two numbers of a line: of "Uid:" and "Gid:", the real and the effective one. */
static bool two_ids(const char *s, uint32_t *real_ret, uint32_t *effective_ret)
{
	uint64_t real, effective;
	const char *end;
	if (!s || !number(s, 10, &real, &end) || !number(end, 10, &effective, &end) || real > UINT32_MAX ||
	    effective > UINT32_MAX)
		return false;
	*real_ret = (uint32_t)real;
	*effective_ret = (uint32_t)effective;
	return true;
}

/* The last number of a line. */
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

int jvm_status_parse(const char *text, struct jvm_status *ret)
{
	struct jvm_status st = {0};
	uint64_t caught;
	uint32_t real_gid;
	const char *state = field(text, "State:"), *signals = field(text, "SigCgt:"), *end;
	if (!state || !signals || !number(signals, 16, &caught, &end) ||
	    !two_ids(field(text, "Uid:"), &st.real_uid, &st.uid) || !two_ids(field(text, "Gid:"), &real_gid, &st.gid) ||
	    !last_number(field(text, "NSpid:"), &st.own_pid) || !st.own_pid)
		return -EBADMSG;
	state += strspn(state, " \t");
	st.stopped = *state == 'T' || *state == 't';
	st.ended = *state == 'Z' || *state == 'X';
	st.catches_quit = caught >> (SIGNAL_QUIT - 1) & 1;
	*ret = st;
	return 0;
}

enum jvm_kind jvm_library(const char *path)
{
	static const char j9[] = "libj9vm";
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen("libjvm.so");
	if (strncmp(base, j9, sizeof(j9) - 1) == 0)
		return JVM_OTHER;
	bool is = strncmp(base, "libjvm.so", n) == 0 && (!base[n] || strcmp(base + n, " (deleted)") == 0);
	return is ? JVM_HOTSPOT : JVM_NONE;
}

bool jvm_is_closed(const char *cmdline, size_t n)
{
	/* of an option that is given twice, the JVM takes the last */
	bool closed = false;
	for (size_t at = 0; at < n; at += strnlen(cmdline + at, n - at) + 1) {
		size_t word = strnlen(cmdline + at, n - at);
		if (word == strlen("-XX:+DisableAttachMechanism") &&
		    memcmp(cmdline + at + 5, "DisableAttachMechanism", word - 5) == 0 &&
		    memcmp(cmdline + at, "-XX:", 4) == 0)
			closed = cmdline[at + 4] == '+';
	}
	return closed;
}

/* The first line of a text as the end of a sentence. */
static void quote(const char *text, size_t n, char *why, size_t cap)
{
	enum { QUOTED = 100 };
	char line[QUOTED + 1];
	struct strbuf clean = {0};
	size_t skip = 0;
	while (skip < n && (text[skip] == '\n' || text[skip] == ' '))
		skip++;
	size_t length = strcspn(text + skip, "\n");
	snprintf(line, sizeof(line), "%.*s", (int)(length < QUOTED ? length : QUOTED), text + skip);
	clean_add(&clean, line, CLEAN_LINE);
	if (line[0])
		snprintf(why, cap, "it says: %s", clean.data);
	else
		snprintf(why, cap, "it refused, and did not say why");
	strbuf_deinit(&clean);
}

int jvm_answer_parse(const char *bytes, size_t n, char *why, size_t cap)
{
	enum { ANSWER_MAX = 4096, DIGITS_MAX = 10 };
	char text[ANSWER_MAX + 1];
	n = n < ANSWER_MAX ? n : ANSWER_MAX;
	memcpy(text, bytes, n);
	text[n] = '\0';
	for (size_t i = 0; i < n; i++) /* what follows is text for C */
		text[i] = text[i] ? text[i] : ' ';
	size_t sign = text[0] == '-', digits = strspn(text + sign, "0123456789");
	if (!digits || digits > DIGITS_MAX || text[sign + digits] != '\n') {
		snprintf(why, cap, n ? "what it answered is no answer" : "it closed the connection without an answer");
		return -EBADMSG;
	}
	const char *said = text + sign + digits + 1;
	bool ok = strtoul(text + sign, NULL, 10) == 0;
	/* a JVM that knows the command and cannot write its map says so in the text alone */
	bool warned = strncmp(said, "Warning: ", 9) == 0;
	if (ok && !warned)
		return 0;
	if (strstr(said, "Unknown diagnostic command") || strstr(said, "not recognized")) {
		snprintf(why, cap, "it does not know Compiler.perfmap, which JDK 17 and later have");
		return -ENOTSUP;
	}
	quote(said, strlen(said), why, cap);
	return -EIO;
}
