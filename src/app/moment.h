/* The keys `w`, `P` and `s`: write the records that the session remembers as a recording, the rows of the panes as
 * text, and the stretch that is shown as a snapshot, on a thread: the place where a file is written, and what a
 * recording describes, may be slow or never answer.  One file is written at a time. */
#ifndef APP_MOMENT_H
#define APP_MOMENT_H

#include "app/app.h"

struct moment;
struct moment *moment_create(void);
/* Begin to write a recording, or the rows that `in` shows; `text` gets what to show for that, or why they
 * do not. */
void moment_write(struct moment *m, const struct app *app, char *text, size_t cap);
void moment_print(struct moment *m, const struct view_input *in, char *text, size_t cap);
/* The same of a snapshot: of a stretch, or, without one, of what was measured since `since_ns`. */
void moment_save(struct moment *m, struct app *app, struct stretch stretch, uint64_t since_ns, bool hide_self,
		 const struct view_input *in, char *text, size_t cap);
/* Readable when moment_done() has something to say; -1: there will be nothing. */
int moment_fd(const struct moment *m);
/* If a file is finished: true, and `text` says where it is, or why it is not. */
bool moment_done(struct moment *m, char *text, size_t cap);
/* Waits two seconds at most for a file to be finished.  `text` is as of moment_done(), or "". */
void moment_destroy(struct moment *m, char *text, size_t cap);

#endif
