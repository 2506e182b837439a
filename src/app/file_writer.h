/* Writes the files of the keys `w` (a recording of the records that the session remembers), `P` (the rows of the panes
 * as text), `s` (a snapshot of the time range that is shown) and `E` (the same in a format of --format).  A thread
 * writes them, one at a time, because file systems, and /proc for a recording, may be slow or never answer. */
#ifndef APP_FILE_WRITER_H
#define APP_FILE_WRITER_H

#include "app/app.h"

#include <cyctop/front.h>

struct file_writer;
struct file_writer *file_writer_create(void);
/* file_writer_record() begins to write a recording, file_writer_print() begins to write the rows that `in` shows.  Here
 * and below, `text` gets a message: that writing has begun, or why it cannot begin. */
void file_writer_record(struct file_writer *m, const struct app *app, char *text, size_t cap);
void file_writer_print(struct file_writer *m, const struct view_input *in, char *text, size_t cap);
/* Begins to write what is shown, in `format`, which is one of struct export_formats. */
void file_writer_export(struct file_writer *m, struct app *app, const struct view_state *st,
			const struct view_input *in, const struct batch_format *format, char *text, size_t cap);
/* Begins to write a snapshot of the time range `stretch`; if that is empty, of all since `since_ns`. */
void file_writer_snapshot(struct file_writer *m, struct app *app, struct stretch stretch, uint64_t since_ns,
			  bool hide_self, const struct view_input *in, char *text, size_t cap);
/* Returns an fd that becomes readable when file_writer_done() has a message; -1: it will have none. */
int file_writer_fd(const struct file_writer *m);
/* Returns true if a file is finished; `text` then says where it is, or why writing failed. */
bool file_writer_done(struct file_writer *m, char *text, size_t cap);
/* Waits up to two seconds until the file is finished.  `text` gets the message of file_writer_done(), or "". */
void file_writer_destroy(struct file_writer *m, char *text, size_t cap);

#endif
