/* Parses and checks bounds on a comparison: VALUE [of PATTERN] > PERCENT% */
#include <cyctop/diff.h>

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char grammar[] = "--fail-if takes 'VALUE [of PATTERN] > PERCENT%', or <, as in 'cycles > +3%' or 'ipc of "
			      "parse* < -5%'";

static const char *skip(const char *s)
{
	return s + strspn(s, " \t");
}

static bool copy(char *to, size_t cap, const char *from, size_t n)
{
	while (n && strchr(" \t", from[n - 1]))
		n--;
	if (!n || n >= cap)
		return false;
	memcpy(to, from, n);
	to[n] = '\0';
	return true;
}

/* Parses the text before the operator: VALUE, or VALUE of PATTERN. */
static bool parse_left(const char *s, size_t n, struct diff_bound *ret)
{
	size_t value = strcspn(s, " \t");
	value = value < n ? value : n;
	if (!copy(ret->value, sizeof(ret->value), s, value))
		return false;
	const char *rest = skip(s + value), *end = s + n;
	if (rest >= end)
		return true;
	if (strncmp(rest, "of", 2) != 0 || !strchr(" \t", rest[2]))
		return false;
	rest = skip(rest + 2);
	return rest < end && copy(ret->pattern, sizeof(ret->pattern), rest, (size_t)(end - rest));
}

int diff_bound_parse(const char *text, struct diff_bound *ret, struct error *err)
{
	struct diff_bound b = {.pattern = ""};
	const char *s = skip(text), *op = s + strlen(s);
	while (op > s && *op != '<' && *op != '>') /* the last < or >: C++ names may contain earlier ones */
		op--;
	char *end;
	b.above = *op == '>';
	bool found = *op == '<' || *op == '>';
	if (!found || !parse_left(s, (size_t)(op - s), &b))
		return error_set(err, EINVAL, "%s, not '%.80s'", grammar, text);
	const char *number = skip(op + 1);
	b.bound = strtod(number, &end) / 100;
	end = (char *)(uintptr_t)skip(end);
	if (end == number || *end != '%' || *skip(end + 1) || !isfinite(b.bound))
		return error_set(err, EINVAL, "%s, not '%.80s'", grammar, text);
	if (b.above ? b.bound < 0 : b.bound > 0 || b.bound <= -1)
		return error_set(err, EINVAL,
				 "--fail-if: > takes a growth, from 0%% on, and < a decline, above -100%%, not '%.80s'",
				 text);
	*ret = b;
	return 0;
}

int diff_bound_find(const struct diff_bound *b, const struct diff *d, const struct diff_event *event, size_t *ret,
		    struct error *err)
{
	char known[160] = "";
	size_t at = 0, n = strcspn(event->name, ":");
	bool role = event->role != ROLE_OTHER && strcmp(role_info(event->role)->name, b->value) == 0;
	if (strcmp(event->name, b->value) == 0 || role ||
	    (strlen(b->value) == n && strncmp(event->name, b->value, n) == 0)) {
		*ret = DIFF_ON_EVENT;
		return 0;
	}
	for (size_t m = 0; m < d->set->n; m++) {
		if (!d->has_metric[m])
			continue;
		if (strcmp(d->set->v[m].id, b->value) == 0) {
			*ret = m;
			return 0;
		}
		if (at < sizeof(known))
			at += (size_t)snprintf(known + at, sizeof(known) - at, ", %s", d->set->v[m].id);
	}
	return error_set(err, ENOENT, "--fail-if: '%.40s' is not compared here; there is %.40s%s", b->value,
			 event->name, known);
}

static bool matches(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, 0) == 0;
}

bool diff_bound_is_on(const struct diff_bound *b, const struct diff *d, const struct diff_row *row)
{
	return !*b->pattern || diff_row_matches(d, row, b->pattern, matches);
}

bool diff_bound_exceeded(const struct diff_bound *b, const struct compare_change *c)
{
	return c->real && (b->above ? c->change > 1 + b->bound : c->change < 1 + b->bound);
}
