/* What the threads of a process do now, from /proc; none of them is stopped for that. */
#ifndef APP_THREADS_H
#define APP_THREADS_H

#include <cyctop/view.h>

struct threads {
	struct view_thread *data;
	size_t n, cap, more; /* more: threads beyond THREADS_SHOWN */
};
enum { THREADS_SHOWN = 256 };
/* Reads the threads of a process anew; 0: there are none. */
void threads_read(struct threads *t, uint32_t pid);
void threads_deinit(struct threads *t);

#endif
