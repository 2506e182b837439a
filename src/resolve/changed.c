/* A file that was written over since its table was read has the same name and inode, and
 * other code: whoever maps it now must not get the old names. */
#include "resolve/dso.h"

#include "resolve/elf/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { AGAIN_MS = 10 }; /* between two looks at one file */

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What cannot be seen has not changed; another inode is another file. */
static bool is_changed(const struct dso *dso, int32_t pid)
{
	char path[4200];
	struct stat st;
	int n = snprintf(path, sizeof(path), "/proc/%d/root%s", pid, dso->key.path);
	if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &st) != 0 || st.st_ino != dso->stamp.ino)
		return false;
	return (uint64_t)st.st_size != dso->stamp.size || file_time_ns(&st) != dso->stamp.changed_ns;
}

static void forget(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	dsos_settle_kept(d, id);
	dso->kept_none = false;
	dso->syms_from = d->names->cat.syms_n;
	dsos_drop_image(d, dso);
	symtab_destroy(dso->fetched);
	dso->fetched = NULL;
	dso->id = (struct file_id){0};
	dso->build_id = (struct build_id){0};
	dso->lost_pid = 0;
	dso->state = DSO_NEW;
}

void dsos_check(struct dsos *d, uint32_t id, int32_t pid)
{
	struct dso *dso = &d->dso.data[id];
	int64_t now = now_ms();
	if (d->dso.data[dso->same].state == DSO_LOADING || now < dso->checked_ms + AGAIN_MS)
		return;
	dso->check = false;
	dso->checked_ms = now;
	if (!dso->stamp.ino || !is_changed(dso, pid))
		return;
	dso->stamp = (struct file_stamp){0};
	if (dso->same == id) {
		forget(d, id);
		for (uint32_t i = 0; i < d->dso.n; i++)
			if (d->dso.data[i].same == id)
				d->dso.data[i].same = i; /* the others are what they were */
	}
	dso->same = id;
}
