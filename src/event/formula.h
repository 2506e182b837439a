/* Parses the formulas of metrics, "stalled-cycles-frontend/cycles", into the steps of struct metric.  Pure. */
#ifndef EVENT_FORMULA_H
#define EVENT_FORMULA_H

#include <cyctop/event.h>

/* The names of events in all formulas of --metric, each once. */
struct formula_words {
	struct metric_word of[METRIC_WORDS_MAX];
	size_t n;
};
struct formula_title {
	char text[16]; /* "mpki" of "mpki=1000*cache-misses/instructions", "stall%" of "stall%=..." */
};

/* Parses "TITLE=FORMULA" or "TITLE%=FORMULA" into *ret and *title; appends new names of events to *words.  -EINVAL or
 * -E2BIG: *err says what is wrong, and at which character. */
CYC_MUST_CHECK int formula_parse(const char *text, struct metric *ret, struct formula_title *title,
				 struct formula_words *words, struct error *err);

#endif
