/* Writes the files of the keys `w`, `P`, `s` and `E`: the records that the session remembers, as a recording; the rows
 * of the panes, as text; the time range that is shown, as a snapshot, or in a format of --format.  A thread writes
 * them, because file systems, and /proc, which a recording describes, may be slow or never answer.  One file is written
 * at a time. */
#ifndef APP_MOMENT_H
#define APP_MOMENT_H

#include "app/app.h"

#include <cyctop/front.h>

struct moment;
struct moment *moment_create(void);
/* moment_write() begins to write a recording, moment_print() the rows that `in` shows.  Here and below, `text` gets a
 * message: that writing has begun, or why it cannot. */
void moment_write(struct moment *m, const struct app *app, char *text, size_t cap);
void moment_print(struct moment *m, const struct view_input *in, char *text, size_t cap);
/* Begins to write what is shown in a format of export_formats. */
void moment_export(struct moment *m, struct app *app, const struct view_state *st, const struct view_input *in,
		   const struct batch_format *format, char *text, size_t cap);
/* Begins to write a snapshot: of the time range `stretch` or, if this is empty, of all since `since_ns`. */
void moment_save(struct moment *m, struct app *app, struct stretch stretch, uint64_t since_ns, bool hide_self,
		 const struct view_input *in, char *text, size_t cap);
/* Returns an fd that is readable when moment_done() has a message; -1: there will be none. */
int moment_fd(const struct moment *m);
/* Returns true if a file is finished; `text` says where it is, or why it failed. */
bool moment_done(struct moment *m, char *text, size_t cap);
/* Waits two seconds at most for a file to be finished.  `text`: as that of moment_done(), or "". */
void moment_destroy(struct moment *m, char *text, size_t cap);

#endif
