/* Splits a list of events into words; what a word names is not looked up. */
#ifndef EVENT_WORD_H
#define EVENT_WORD_H

#include <cyctop/event.h>

/* A part of the list's text: s[0..n), not NUL-terminated. */
struct event_text {
	const char *s;
	size_t n;
};

/* A word of the list: NAME[:MODIFIERS], or NAME/TERMS/MODIFIERS. */
struct event_word {
	struct event_text all; /* the whole word */
	/* the text before the first slash; without terms the whole word, as a name may contain colons */
	struct event_text name;
	struct event_text terms;     /* between the slashes */
	struct event_text modifiers; /* after the second slash */
	bool has_terms;
	uint32_t group;			   /* 0: in no group; words in the same braces have the same number */
	struct event_text group_modifiers; /* after the closing brace of the group */
};

/* Splits a list into words.  -EINVAL: *err says what is wrong, and at which character. */
CYC_MUST_CHECK int event_words(const char *list, struct event_word ret[EVENTS_MAX], size_t *n_ret, struct error *err);

/* A term: NAME or NAME=VALUE. */
struct event_term {
	struct event_text name, value;
	bool has_value;
};
/* Removes the next term from the list; returns false if the list is empty. */
bool event_next_term(struct event_text *list, struct event_term *ret);
/* Parses a decimal number, or a hexadecimal one after 0x; returns false if `text` is no number. */
bool event_number(struct event_text text, uint64_t *ret);

bool event_text_is(struct event_text text, const char *word); /* ignores case */

#endif
