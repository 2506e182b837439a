/* Adds and removes events while measuring, for the picker of the key C. */
#ifndef APP_PICKER_H
#define APP_PICKER_H

#include <cyctop/options.h>
#include <cyctop/session.h>

struct picker {
	struct known_events known; /* the events of this machine; empty until picker_read() */
};
void picker_deinit(struct picker *p);
/* Reads the events of this machine, unless they were read before. */
void picker_read(struct picker *p);
/* If the event named `words` is measured, stops measuring it; otherwise measures what `words` means in the syntax of
 * -e.  `text` gets a message: what was done, or why it was not done. */
void picker_toggle(struct session *s, const char *words, char *text, size_t cap);

#endif
