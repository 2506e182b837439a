/* Parses the formulas of metrics, by recursive descent. */
#include "event/formula.h"
#include "event/internal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 16, TITLE_MAX = 11 };

struct formula_operand {
	enum event_role role;
	bool own; /* the name in the formula has modifiers for modes, "cycles:u" */
	uint8_t modes;
};

/* ---- parsing a formula --------------------------------------------------------------------------- */

struct parser {
	const char *text, *at;
	struct metric *m;
	struct formula_words *words;
	struct error *err;
	unsigned depth;
};

static int wrong(const struct parser *p, int code, const char *what)
{
	return error_set(p->err, code, "'%.60s': %s at character %zu", p->text, what, (size_t)(p->at - p->text) + 1);
}

static void skip_spaces(struct parser *p)
{
	while (*p->at == ' ')
		p->at++;
}

static int add_step(struct parser *p, struct metric_step step)
{
	if (p->m->steps_n == METRIC_STEPS_MAX)
		return wrong(p, E2BIG, "the formula is too long");
	p->m->steps[p->m->steps_n++] = step;
	return 0;
}

static bool in_word(const char *s)
{
	return isalnum((unsigned char)*s) || strchr("_.:", *s) || (*s == '-' && isalnum((unsigned char)s[1]));
}

/* Reads the name of an event into buf[cap], with "@" replaced by "/", which would be a division in a formula:
 * cpu@event=0xc4@u is cpu/event=0xc4/u, uprobe:@bin@sh:main is uprobe:/bin/sh:main.  Returns 0 or -errno. */
static int read_word(struct parser *p, char *buf, size_t cap)
{
	size_t n = 0;
	bool terms = false;
	for (; *p->at && (terms || *p->at == '@' || in_word(p->at)); p->at++) {
		if (n == cap - 1)
			return wrong(p, E2BIG, "the event's name is too long");
		terms ^= *p->at == '@' &&
			 strncmp(buf, "uprobe:", n < sizeof("uprobe:") - 1 ? n : sizeof("uprobe:") - 1) != 0;
		buf[n++] = *p->at == '@' ? '/' : *p->at;
	}
	buf[n] = '\0';
	return terms ? wrong(p, EINVAL, "an '@' is missing") : 0;
}

/* Returns the index of an event's name in p->words, or -errno.  A new name is added, with its role (the kind of event,
 * such as cycles). */
static int find_word(struct parser *p, const char *name)
{
	struct formula_words *w = p->words;
	size_t i = 0;
	while (i < w->n && strcmp(w->of[i].name, name) != 0)
		i++;
	if (i == METRIC_WORDS_MAX)
		return wrong(p, E2BIG, "the formulas have too many events");
	if (i < w->n)
		return (int)i;
	bool clock = strcmp(name, "cpu-clock") == 0 || strcmp(name, "task-clock") == 0;
	enum event_role role = clock ? ROLE_CLOCK : event_role_of(ABI_TYPE_RAW, 0, name);
	if (role_has_name(role) && strchr(name, '/') && strncmp(name, "cpu/", 4) != 0)
		return wrong(p, ENOTSUP,
			     "a formula adds up this event over all kinds of cores: name it without its PMU");
	snprintf(w->of[i].name, sizeof(w->of[i].name), "%s", name);
	w->of[i].role = role_has_name(role) ? role : (enum event_role)(ROLE_COUNT + i);
	w->n++;
	return (int)i;
}

/* Reads an event of a formula: its role (the kind of event) and, if its name has modifiers, the modes that it
 * excludes. */
static int read_operand(struct parser *p, struct formula_operand *ret)
{
	char name[sizeof(p->words->of[0].name)];
	struct event_spec spec = {.precise = 0};
	int rc = read_word(p, name, sizeof(name));
	int word = rc < 0 ? rc : find_word(p, name);
	if (word < 0)
		return word;
	const char *colon = strrchr(name, ':');
	struct event_text letters = {colon ? colon + 1 : "", colon ? strlen(colon + 1) : 0};
	ret->role = p->words->of[word].role;
	ret->own = event_is_modifiers(letters);
	rc = ret->own ? event_modify(letters, &spec, 0, p->err) : 0;
	ret->modes = event_modes(&spec);
	return rc;
}

static int parse_event(struct parser *p)
{
	struct metric *m = p->m;
	struct formula_operand o = {.own = false};
	int rc = read_operand(p, &o);
	size_t e = 0;
	if (rc < 0)
		return rc;
	while (e < m->operands_n &&
	       (m->operands[e] != o.role || (m->own_modes >> e & 1) != o.own || m->modes[e] != o.modes))
		e++;
	if (e == METRIC_OPERANDS_MAX)
		return wrong(p, E2BIG, "there are too many events");
	if (e == m->operands_n) {
		m->operands_n++;
		m->operands[e] = o.role;
		m->modes[e] = o.modes;
		m->own_modes |= (uint8_t)(o.own << e);
	}
	return add_step(p, (struct metric_step){.kind = STEP_COUNT, .operand = (uint8_t)e});
}

/* Parses "1000", "0.5" or "1e9", without strtod(), which depends on the locale. */
static int parse_number(struct parser *p)
{
	double number = 0, unit = 1;
	int exponent = 0;
	while (isdigit((unsigned char)*p->at))
		number = number * 10 + (*p->at++ - '0');
	if (*p->at == '.')
		for (p->at++; isdigit((unsigned char)*p->at); p->at++)
			number = number * 10 + (*p->at - '0'), unit *= 10;
	if (*p->at == 'e')
		for (p->at++; isdigit((unsigned char)*p->at) && exponent < 1000; p->at++)
			exponent = exponent * 10 + (*p->at - '0');
	number = number / unit * pow(10, exponent);
	return isfinite(number) ? add_step(p, (struct metric_step){.kind = STEP_NUMBER, .number = number})
				: wrong(p, EINVAL, "the number is too large");
}

static int parse_sum(struct parser *p);

static int parse_operand(struct parser *p)
{
	skip_spaces(p);
	if (isdigit((unsigned char)*p->at))
		return parse_number(p);
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return parse_event(p);
	if (*p->at != '(')
		return wrong(p, EINVAL, "a number or an event is missing");
	if (++p->depth > DEPTH_MAX)
		return wrong(p, E2BIG, "there are too many parentheses");
	p->at++;
	int rc = parse_sum(p);
	skip_spaces(p);
	if (rc == 0 && *p->at != ')')
		return wrong(p, EINVAL, "a ')' is missing");
	p->at += rc == 0;
	p->depth--;
	return rc;
}

/* Parses operands joined by left-associative operators of one precedence.  first_kind: the step (enum) of operators[0];
 * operators[1] has the next step, and so on. */
static int parse_chain(struct parser *p, const char *operators, int (*operand)(struct parser *p), int first_kind)
{
	int rc = operand(p);
	for (const char *op; rc == 0;) {
		skip_spaces(p);
		if (!*p->at || !(op = strchr(operators, *p->at)))
			break;
		p->at++;
		rc = operand(p);
		if (rc == 0)
			rc = add_step(p, (struct metric_step){.kind = first_kind + (int)(op - operators)});
	}
	return rc;
}

static int parse_product(struct parser *p)
{
	return parse_chain(p, "*/", parse_operand, STEP_MULTIPLY);
}

static int parse_sum(struct parser *p)
{
	return parse_chain(p, "+-", parse_product, STEP_ADD);
}

static int parse_title(struct parser *p, struct formula_title *title)
{
	size_t n = 0;
	while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '-' || (n && *p->at == '%')) {
		if (n == TITLE_MAX)
			return wrong(p, E2BIG, "the title is too long");
		title->text[n++] = *p->at;
		if (*p->at++ == '%')
			break;
	}
	title->text[n] = '\0';
	bool percent = n && title->text[n - 1] == '%';
	p->m->format = percent ? METRIC_PERCENT : METRIC_PLAIN;
	p->m->decimals = percent ? 1 : 2;
	if (!n || *p->at != '=')
		return wrong(p, EINVAL, "TITLE= is missing");
	p->at++;
	return 0;
}

int formula_parse(const char *text, struct metric *ret, struct formula_title *title, struct formula_words *words,
		  struct error *err)
{
	struct parser p = {.text = text, .at = text, .m = ret, .words = words, .err = err};
	*ret = (struct metric){.operands_n = 0};
	int rc = parse_title(&p, title);
	if (rc == 0)
		rc = parse_sum(&p);
	if (rc == 0 && *p.at)
		rc = wrong(&p, EINVAL, "an operator is missing");
	if (rc == 0 && !ret->operands_n)
		rc = wrong(&p, EINVAL, "an event is missing");
	return rc;
}
