/* Adds and removes events while measuring, for the picker of the key C. */
#ifndef APP_PICKER_H
#define APP_PICKER_H

#include <cyctop/options.h>
#include <cyctop/session.h>

struct picker {
	struct known_events known; /* events of this machine; empty until picker_read() */
};
void picker_deinit(struct picker *p);
/* Reads the events of this machine, unless that was done before. */
void picker_read(struct picker *p);
/* Stops measuring the event named `words`, if there is one; else measures the events that `words` mean in the syntax of
 * -e.  `text` gets a message: what was done, or why it was not. */
void picker_toggle(struct session *s, const char *words, char *text, size_t cap);

#endif
