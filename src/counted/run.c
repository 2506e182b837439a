/* Runs a program with the library that counts its calls, and reads the counts from memory shared with it. */
#include "os/clock.h"
#include "selfcount/selfcount.h"

#include <cyctop/counted.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char library[] = "libcyctop-calls.so";

/* Returns true if the library may be preloaded: only the owner of the executable, or root, could have written it.
 * Somebody else may have put a library beside a copy of cyctop. */
static bool is_ours(const char *path)
{
	struct stat exe, file;
	return stat("/proc/self/exe", &exe) == 0 && stat(path, &file) == 0 &&
	       (file.st_uid == exe.st_uid || file.st_uid == 0) && !(file.st_mode & (S_IWGRP | S_IWOTH));
}

/* Finds the library: in the place where it is installed, or in the build directory of the executable. */
static int find_library(char *buf, size_t cap, struct error *err)
{
	char exe[400];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	const char *const places[] = {"/../" CYCTOP_LIBDIR "/cyctop/", "/../lib/cyctop/", "/../calls/"};
	for (size_t i = 0; slash && i < ARRAY_LEN(places); i++) {
		snprintf(buf, cap, "%s%s%s", exe, places[i], library);
		if (!is_ours(buf))
			continue;
		return strpbrk(buf, ": ")
			       ? error_set(err, EINVAL, "%s cannot be preloaded: its path has a blank or colon", buf)
			       : 0;
	}
	return error_set(err, ENOENT,
			 "%s, which counts the calls, is neither in " CYCTOP_LIBDIR
			 "/cyctop nor beside this cyctop: install it",
			 library);
}

/* Makes the shared memory in which the program counts. */
static int make_tables(struct calls_run *run, struct error *err)
{
	int fd = memfd_create("cyctop-calls", MFD_ALLOW_SEALING); /* inherited by the program and what it executes */
	void *base = MAP_FAILED;
	if (fd >= 0 && ftruncate(fd, (off_t)CALLS_FILE_SIZE) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) == 0) /* a truncated file would kill its readers */
		base = mmap(NULL, CALLS_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (base == MAP_FAILED)
		return error_set(err, errno, "no memory to share with the program: %s", strerror(errno));
	struct calls_head *head = base;
	memcpy(head->magic, CALLS_MAGIC, sizeof(head->magic));
	head->version = CALLS_VERSION;
	head->ticks = selfcount_has_ticks();
	head->used = (sizeof(*head) + 63) & ~UINT64_C(63);
	for (size_t e = 0; e < run->events_n; e++) {
		const struct event_spec *event = &run->events[e];
		struct perf_attr attr;
		event_attr(event, &(struct attr_policy){0}, &attr);
		attr.sample_type = attr.flags = 0;
		attr.flags |= event->exclude_kernel ? ATTR_EXCLUDE_KERNEL : 0;
		attr.flags |= event->exclude_user ? ATTR_EXCLUDE_USER : 0;
		_Static_assert(sizeof(attr) == CALLS_ATTR_SIZE, "the attr is handed over as bytes");
		memcpy(head->attrs[head->events_n++], &attr, sizeof(attr));
	}
	run->tables = base;
	char number[16];
	snprintf(number, sizeof(number), "%d", fd);
	return setenv(CALLS_VARIABLE, number, 1) < 0 ? error_set(err, ENOMEM, "no memory") : 0;
}

int calls_run_open(const struct event_spec *events, size_t events_n, struct calls_run *ret, struct error *err)
{
	char path[500], preload[1000];
	const char *before = getenv("LD_PRELOAD");
	*ret = (struct calls_run){.events = events, .events_n = events_n};
	int rc = find_library(path, sizeof(path), err);
	if (rc == 0)
		rc = make_tables(ret, err);
	if (rc == 0)
		rc = calls_names_create(&ret->names, err);
	if (rc < 0)
		return rc;
	snprintf(preload, sizeof(preload), "%s%s%.480s", path, before && *before ? ":" : "", before ? before : "");
	setenv("LD_PRELOAD", preload, 1);
	return 0;
}

void calls_run_made(struct calls_run *run)
{
	unsetenv("LD_PRELOAD");
	run->began_ticks = selfcount_ticks();
	run->began_ns = clock_ns(CLOCK_MONOTONIC);
}

void calls_run_close(struct calls_run *run)
{
	calls_names_destroy(run->names);
	if (run->tables)
		munmap(run->tables, CALLS_FILE_SIZE);
}

/* ---- reading what was counted ------------------------------------------------------------------------- */

/* Notes which calls or events could not be counted. */
static void note_limits(const struct calls_counts *c, struct diff_notes *ret)
{
	if (c->stop == CALLS_NO_MEMORY)
		diff_note(ret, "the tables are full: functions and threads that came later were not counted");
	if (c->stop == CALLS_NO_EVENTS)
		diff_note(ret, "the events were not counted (%.100s): cyctop list says which can be opened",
			  strerror(c->code));
	if (c->too_deep + c->interrupted + c->unmatched + c->no_room)
		diff_note(ret,
			  "not counted: %llu calls deeper than 100,000, %llu by signal handlers within the counting, "
			  "%llu "
			  "without room, and %llu returns without a call",
			  (unsigned long long)c->too_deep, (unsigned long long)c->interrupted,
			  (unsigned long long)c->no_room, (unsigned long long)c->unmatched);
	if (c->damaged)
		diff_note(ret, "%llu parts of the tables say what cannot be: the program has overwritten them",
			  (unsigned long long)c->damaged);
	diff_note(ret, "counting took %.0f ns a call, which is subtracted", c->cost_ns);
}

/* Notes why no calls were counted. */
static void note_nothing(const char *program, const struct calls_counts *c, struct diff_notes *ret)
{
	if (c->damaged)
		diff_note(ret, "%.100s has overwritten the tables of its calls", program);
	else if (c->stop == CALLS_NO_MEMORY)
		diff_note(ret,
			  "%.60s could not be counted: the memory that it may have (ulimit -v) has no room for the "
			  "tables, "
			  "%llu MiB",
			  program, (unsigned long long)(CALLS_FILE_SIZE >> 20));
	else
		diff_note(ret, "%.60s %s; cyctop probe needs nothing of it", program,
			  calls_why_uncounted(program, c->processes));
}

int calls_run_read(struct calls_run *run, const char *program, int settle_ms, struct calls_table *ret,
		   struct error *err)
{
	struct calls_counts counts = {.n = 0};
	uint64_t ticks = selfcount_ticks() - run->began_ticks, ns = clock_ns(CLOCK_MONOTONIC) - run->began_ns;
	if (calls_counts_read(run->tables, CALLS_FILE_SIZE, ticks ? (double)ns / (double)ticks : 1, &counts) < 0)
		return error_set(err, EBADMSG, "the program has overwritten the tables of its calls");
	calls_table_create(run->names, &counts, settle_ms, ret);
	if (ret->n)
		note_limits(&counts, &ret->notes);
	else
		note_nothing(program, &counts, &ret->notes);
	ret->events_n = counts.events_n;
	for (size_t e = 0; e < counts.events_n; e++)
		ret->events[e] = run->events[e].name;
	calls_counts_free(&counts);
	return 0;
}
