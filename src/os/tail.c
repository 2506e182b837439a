#include "os/tail.h"

#include "base/alloc.h"
#include "os/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool tail_read(struct tail *t)
{
	struct stat st;
	uint64_t end = t->base + t->n;
	if (t->fd < 0 || fstat(t->fd, &st) < 0 || st.st_size < 0 || (uint64_t)st.st_size == end)
		return false;
	uint64_t size = (uint64_t)st.st_size, base = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
	if (!t->data)
		t->data = mem_realloc(NULL, TAIL_BYTES, 1);
	if (size < end || base >= end) /* the file became shorter, or grew by more than TAIL_BYTES: read it anew */
		end = base;
	size_t kept = (size_t)(end - base);
	if (kept)
		memmove(t->data, t->data + t->n - kept, kept);
	ssize_t got = os_pread(t->fd, t->data + kept, (size_t)(size - end), end);
	t->n = kept + (got > 0 ? (size_t)got : 0);
	t->base = base;
	return true;
}

void tail_deinit(struct tail *t)
{
	free(t->data);
	t->data = NULL;
	t->n = 0;
}
