/* Chooses events while measuring, for the key C. */
#ifndef APP_PICKER_H
#define APP_PICKER_H

#include <cyctop/options.h>
#include <cyctop/session.h>

struct picker {
	struct known_events known; /* read when it is first wanted */
};
void picker_deinit(struct picker *p);
/* Reads the events of this machine, unless they are known. */
void picker_read(struct picker *p);
/* Measures the events that `words` stand for, in the syntax of -e, or stops measuring the one event of that name;
 * *text gets what was done, or why it was not. */
void picker_toggle(struct session *s, const char *words, char *text, size_t cap);

#endif
