/* The words of a list of events, before anybody knows what they name. */
#ifndef EVENT_WORD_H
#define EVENT_WORD_H

#include <cyctop/event.h>

/* A part of the list; not terminated. */
struct event_text {
	const char *s;
	size_t n;
};

/* NAME[:MODIFIERS], or NAME/TERMS/MODIFIERS. */
struct event_word {
	struct event_text all;	     /* as written */
	struct event_text name;	     /* before the slash; without one, all of the word, since names have colons, too */
	struct event_text terms;     /* between the slashes */
	struct event_text modifiers; /* after the second slash */
	bool has_terms;
	uint32_t group;			   /* 0: of no group; words of one pair of braces have the same number */
	struct event_text group_modifiers; /* behind its closing brace */
};

/* Splits a list into its words.  -EINVAL: *err says what is wrong and at which character. */
CYC_MUST_CHECK int event_words(const char *list, struct event_word ret[EVENTS_MAX], size_t *n_ret, struct error *err);

/* NAME, NAME=VALUE: a term. */
struct event_term {
	struct event_text name, value;
	bool has_value;
};
/* Takes the next term off a list; false: there is none. */
bool event_next_term(struct event_text *list, struct event_term *ret);
/* Decimal, or hexadecimal with 0x, as in perf; false: it is no number. */
bool event_number(struct event_text text, uint64_t *ret);

bool event_text_is(struct event_text text, const char *word); /* in any case */

#endif
