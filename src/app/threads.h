/* Reads what the threads of a process do now, from /proc, without stopping them. */
#ifndef APP_THREADS_H
#define APP_THREADS_H

#include <cyctop/view.h>

struct threads {
	struct view_thread *data;
	size_t n, cap, more; /* more: how many threads are left out, beyond THREADS_SHOWN */
};
enum { THREADS_SHOWN = 256 };
/* Reads the threads of a process again; pid 0: empties the list. */
void threads_read(struct threads *t, uint32_t pid);
void threads_deinit(struct threads *t);

#endif
