/* Writes the files of the keys `w` (a recording of the records that the session remembers), `P` (the rows of the panes
 * as text), `s` (a snapshot of the time range that is shown) and `E` (the same in a format of --format).  A thread
 * writes them, one at a time, because file systems, and /proc for a recording, may be slow or never answer. */
#ifndef APP_MOMENT_H
#define APP_MOMENT_H

#include "app/app.h"

#include <cyctop/front.h>

struct moment;
struct moment *moment_create(void);
/* moment_write() begins to write a recording, moment_print() begins to write the rows that `in` shows.  Here and below,
 * `text` gets a message: that writing has begun, or why it cannot begin. */
void moment_write(struct moment *m, const struct app *app, char *text, size_t cap);
void moment_print(struct moment *m, const struct view_input *in, char *text, size_t cap);
/* Begins to write what is shown, in `format`, which is one of struct export_formats. */
void moment_export(struct moment *m, struct app *app, const struct view_state *st, const struct view_input *in,
		   const struct batch_format *format, char *text, size_t cap);
/* Begins to write a snapshot of the time range `stretch`; if that is empty, of all since `since_ns`. */
void moment_save(struct moment *m, struct app *app, struct stretch stretch, uint64_t since_ns, bool hide_self,
		 const struct view_input *in, char *text, size_t cap);
/* Returns an fd that becomes readable when moment_done() has a message; -1: it will have none. */
int moment_fd(const struct moment *m);
/* Returns true if a file is finished; `text` then says where it is, or why writing failed. */
bool moment_done(struct moment *m, char *text, size_t cap);
/* Waits up to two seconds until the file is finished.  `text` gets the message of moment_done(), or "". */
void moment_destroy(struct moment *m, char *text, size_t cap);

#endif
