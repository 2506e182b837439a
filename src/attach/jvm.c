#include "attach/jvm.h"

#include "base/clean.h"
#include "base/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool jvm_is_closed(const char *cmdline, size_t n)
{
	/* if the option is given twice, the JVM uses the last */
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

/* Writes the first line of the JVM's text into `why`, as the end of a sentence. */
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
	for (size_t i = 0; i < n; i++) /* NUL bytes become blanks, so that the text is one C string */
		text[i] = text[i] ? text[i] : ' ';
	size_t sign = text[0] == '-', digits = strspn(text + sign, "0123456789");
	if (!digits || digits > DIGITS_MAX || text[sign + digits] != '\n') {
		snprintf(why, cap, n ? "its answer is malformed" : "it closed the connection without an answer");
		return -EBADMSG;
	}
	const char *said = text + sign + digits + 1;
	bool ok = strtoul(text + sign, NULL, 10) == 0;
	/* a JVM that cannot write its map has status 0 all the same, but begins its text with "Warning: " */
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
