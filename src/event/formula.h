/* Formulas of metrics, "stalled-cycles-frontend/cycles": text -> steps of struct metric.  Pure. */
#ifndef EVENT_FORMULA_H
#define EVENT_FORMULA_H

#include <cyctop/event.h>

/* The events that the formulas of a session name. */
struct formula_words {
	struct metric_word of[METRIC_WORDS_MAX];
	size_t n;
};
struct formula_title {
	char text[16]; /* "mpki" of "mpki=1000*cache-misses/instructions", "stall%" of "stall%=..." */
};

/* Parses "TITLE=FORMULA" or "TITLE%=FORMULA" into the operands, steps and format of a metric, its title, and the words
 * that are new.  -EINVAL or -E2BIG: *err says what is wrong and at which character. */
CYC_MUST_CHECK int formula_parse(const char *text, struct metric *ret, struct formula_title *title,
				 struct formula_words *words, struct error *err);

#endif
