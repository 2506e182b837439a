#include "event/word.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool event_text_is(struct event_text text, const char *word)
{
	return strlen(word) == text.n && strncasecmp(word, text.s, text.n) == 0;
}

bool event_number(struct event_text text, uint64_t *ret)
{
	char buf[32], *end;
	if (!text.n || text.n >= sizeof(buf) || !(*text.s >= '0' && *text.s <= '9'))
		return false;
	memcpy(buf, text.s, text.n);
	buf[text.n] = '\0';
	errno = 0;
	bool hex = buf[0] == '0' && (buf[1] == 'x' || buf[1] == 'X');
	*ret = strtoull(buf, &end, hex ? 16 : 10);
	return !*end && !errno;
}

bool event_next_term(struct event_text *list, struct event_term *ret)
{
	if (!list->n)
		return false;
	size_t n = 0, equals = list->n;
	for (; n < list->n && list->s[n] != ','; n++)
		if (list->s[n] == '=' && equals == list->n)
			equals = n;
	size_t name_n = equals < n ? equals : n;
	*ret = (struct event_term){.name = {list->s, name_n}, .has_value = equals < n};
	if (ret->has_value)
		ret->value = (struct event_text){list->s + equals + 1, n - equals - 1};
	size_t used = n < list->n ? n + 1 : n;
	*list = (struct event_text){list->s + used, list->n - used};
	return true;
}

/* ---- splitting a list ------------------------------------------------------------------------ */

struct splitter {
	const char *list, *at;
	struct event_word *words;
	size_t n;
	uint32_t groups;
	struct error *err;
};

static int wrong(const struct splitter *s, const char *what)
{
	return error_set(s->err, EINVAL, "%s, at character %zu of '%.80s'", what, (size_t)(s->at - s->list) + 1,
			 s->list);
}

/* Takes the word at s->at, and moves s->at behind it.  A slash after a colon does not begin terms: it belongs to a path
 * ("uprobe:/PATH:..."). */
static int take_word(struct splitter *s, uint32_t group)
{
	if (s->n == EVENTS_MAX)
		return error_set(s->err, E2BIG, "more than %d events: so many are measured at once", EVENTS_MAX);
	struct event_word *w = &s->words[s->n];
	const char *begin = s->at;
	*w = (struct event_word){.group = group};
	size_t name_n = strcspn(begin, ",{}/:");
	if (begin[name_n] != '/') {
		name_n = strcspn(begin, ",{}");
		s->at = begin + name_n;
	} else {
		const char *terms = begin + name_n + 1, *end = strchr(terms, '/');
		if (!end) {
			s->at = begin + name_n;
			return wrong(s, "the terms of an event have no second slash");
		}
		size_t modifiers = strcspn(end + 1, ",{}");
		w->has_terms = true;
		w->terms = (struct event_text){terms, (size_t)(end - terms)};
		w->modifiers = (struct event_text){end + 1, modifiers};
		if (modifiers && end[1] == ':')
			w->modifiers = (struct event_text){end + 2, modifiers - 1};
		s->at = end + 1 + modifiers;
	}
	if (s->at == begin)
		return wrong(s, "an event name is empty (-e cycles,instructions is a list)");
	w->name = (struct event_text){begin, name_n};
	w->all = (struct event_text){begin, (size_t)(s->at - begin)};
	s->n++;
	return *s->at == '{' ? wrong(s, "a brace stands within a name") : 0;
}

static int take_group(struct splitter *s)
{
	size_t first = s->n;
	s->groups++;
	do {
		s->at++; /* skips the brace or the comma */
		int rc = take_word(s, s->groups);
		if (rc < 0)
			return rc;
	} while (*s->at == ',');
	if (*s->at != '}')
		return wrong(s, "a group has no closing brace");
	s->at++;
	struct event_text modifiers = {s->at, 0};
	if (*s->at == ':') {
		modifiers = (struct event_text){s->at + 1, strcspn(s->at + 1, ",{}")};
		s->at += 1 + modifiers.n;
	}
	for (size_t i = first; i < s->n; i++)
		s->words[i].group_modifiers = modifiers;
	return 0;
}

int event_words(const char *list, struct event_word ret[EVENTS_MAX], size_t *n_ret, struct error *err)
{
	struct splitter s = {.list = list, .at = list, .words = ret, .err = err};
	for (;; s.at++) {
		int rc = *s.at == '{' ? take_group(&s) : take_word(&s, 0);
		if (rc < 0)
			return rc;
		if (!*s.at)
			break;
		if (*s.at != ',')
			return wrong(&s, "a comma is missing between events");
	}
	*n_ret = s.n;
	return 0;
}
