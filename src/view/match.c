/* Matches the pattern of a search or filter: a text, several ("a|b"), or a regular expression between slashes
 * ("/^tcp_.*lock/").  Special characters in texts have no meaning, because names contain most of them. */
#include "view/internal.h"

#include <stdio.h>
#include <string.h>

static unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Returns true if `text` contains `part`; upper and lower case of ASCII letters count as equal. */
static bool text_has(const char *text, const char *part, size_t part_n)
{
	for (; *text; text++) {
		size_t i = 0;
		while (i < part_n && text[i] && lower((unsigned char)text[i]) == lower((unsigned char)part[i]))
			i++;
		if (i == part_n)
			return true;
	}
	return part_n == 0;
}

static bool has_part(const char *text, const char *parts)
{
	bool any = false;
	while (*parts) {
		size_t n = strcspn(parts, "|");
		if (n && text_has(text, parts, n))
			return true;
		any |= n > 0;
		parts += n + (parts[n] == '|');
	}
	return !any;
}

/* Returns true if `wanted` is a regular expression, "/^tcp_/". */
static bool match_is_expression(const char *wanted)
{
	size_t n = strlen(wanted);
	return n > 2 && wanted[0] == '/' && wanted[n - 1] == '/';
}

/* Returns true if a regular expression may be costly.  Repetitions by number ("{9}") may take any amount of memory, and
 * so may + after a group or repetition, which the C library copies.  Back references may take any amount of time. */
static bool is_costly(const char *expression)
{
	char before = 0; /* the previous character, unless it was escaped */
	for (const char *s = expression; *s; s++) {
		bool escaped = *s == '\\' && s[1];
		s += escaped;
		if (escaped ? *s >= '0' && *s <= '9' : *s == '{' || (*s == '+' && before && strchr(")*+?", before)))
			return true;
		before = escaped ? 0 : *s;
	}
	return false;
}

bool match_init(struct match *m, const char *wanted, char *why, size_t cap)
{
	char expression[FILTER_MAX];
	size_t n = strlen(wanted);
	*m = (struct match){.parts = wanted};
	why[0] = '\0';
	if (!match_is_expression(wanted))
		return true;
	if (n - 2 >= sizeof(expression)) {
		snprintf(why, cap, "it is too long");
		return false;
	}
	memcpy(expression, wanted + 1, n - 2);
	expression[n - 2] = '\0';
	if (is_costly(expression)) {
		snprintf(why, cap, "it must not have { }, \\1, or + behind ) * + ?");
		return false;
	}
	int rc = regcomp(&m->compiled, expression, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (rc)
		regerror(rc, NULL, why, cap);
	m->is_expression = rc == 0;
	return rc == 0;
}

void match_deinit(struct match *m)
{
	if (m->is_expression)
		regfree(&m->compiled);
	m->is_expression = false;
}

bool match_has(const struct match *m, const char *text)
{
	return m->is_expression ? regexec(&m->compiled, text, 0, NULL, 0) == 0 : has_part(text, m->parts);
}

bool text_matches(const char *text, const char *wanted)
{
	char why[80];
	struct match m;
	if (!match_init(&m, wanted, why, sizeof(why)))
		return false;
	bool has = match_has(&m, text);
	match_deinit(&m);
	return has;
}

bool view_filter_is_wrong(const char *wanted, char *why, size_t cap)
{
	struct match m;
	bool ok = match_init(&m, wanted, why, cap);
	if (ok)
		match_deinit(&m);
	return !ok;
}
