/* cyctop calls: runs a program with the library that counts its calls, and prints what that counted. */
#include "app/calls.h"
#include "app/diff.h"
#include "app/message.h"
#include "app/signals.h"
#include "base/alloc.h"
#include "os/clock.h"
#include "os/command.h"
#include "os/output.h"
#include "selfcount/selfcount.h"

#include <cyctop/calls.h>
#include <cyctop/front.h>

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char library[] = "libcyctop-calls.so";

/* Returns true if the library was put there by who put the executable there, or by root: what is preloaded must not be
 * what somebody else left beside a copy of cyctop. */
static bool is_ours(const char *path)
{
	struct stat exe, file;
	return stat("/proc/self/exe", &exe) == 0 && stat(path, &file) == 0 &&
	       (file.st_uid == exe.st_uid || file.st_uid == 0) && !(file.st_mode & (S_IWGRP | S_IWOTH));
}

/* Finds the library: where it is installed, or beside the executable as it was built. */
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

/* Makes the file that the program and this process share. */
static int make_tables(const struct calls_options *o, uint8_t **ret, struct error *err)
{
	int fd = memfd_create("cyctop-calls", MFD_ALLOW_SEALING); /* the program and what it executes inherit it */
	void *base = MAP_FAILED;
	if (fd >= 0 && ftruncate(fd, (off_t)CALLS_FILE_SIZE) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) == 0) /* a shorter file would end its readers */
		base = mmap(NULL, CALLS_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (base == MAP_FAILED)
		return error_set(err, errno, "no memory to share with the program: %s", strerror(errno));
	struct calls_head *head = base;
	memcpy(head->magic, CALLS_MAGIC, sizeof(head->magic));
	head->version = CALLS_VERSION;
	head->ticks = selfcount_has_ticks();
	head->used = (sizeof(*head) + 63) & ~UINT64_C(63);
	for (size_t e = 0; o->common.live.events_given && e < o->common.live.events_n; e++) {
		struct perf_attr attr;
		event_attr(&o->common.live.events[e], &(struct attr_policy){0}, &attr);
		attr.sample_type = attr.flags = 0;
		attr.flags |= o->common.live.events[e].exclude_kernel ? ATTR_EXCLUDE_KERNEL : 0;
		attr.flags |= o->common.live.events[e].exclude_user ? ATTR_EXCLUDE_USER : 0;
		_Static_assert(sizeof(attr) == CALLS_ATTR_SIZE, "the attr is handed over as bytes");
		memcpy(head->attrs[head->events_n++], &attr, sizeof(attr));
	}
	*ret = base;
	char number[16];
	snprintf(number, sizeof(number), "%d", fd);
	return setenv(CALLS_VARIABLE, number, 1) < 0 ? error_set(err, ENOMEM, "no memory") : 0;
}

/* Waits for the end of the program; a signal that would end cyctop ends the program instead, whose calls until then are
 * printed.  A second one has its usual effect. */
static int wait_for(struct command *c, const char *name, struct error *err)
{
	sigset_t before;
	int quit_fd = -1;
	sigprocmask(SIG_BLOCK, NULL, &before);
	int signals = signals_open(&quit_fd);
	int rc =
		signals < 0 ? error_set(err, -signals, "signals: %s", strerror(-signals)) : command_start(c, name, err);
	if (rc == 0 && !command_finish(c, false, quit_fd))
		message("%s ignores SIGTERM and runs on", name);
	if (signals >= 0) {
		(void)signals_take(quit_fd);
		close(signals);
		close(quit_fd);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* Runs the program to its end, with the library before its own ones. */
static int run_program(const struct calls_options *o, int *status_ret, struct error *err)
{
	struct command c = {.go = -1, .failed = -1, .fd = -1};
	char path[500], preload[1000];
	const char *before = getenv("LD_PRELOAD");
	int rc = find_library(path, sizeof(path), err);
	if (rc < 0)
		return rc;
	snprintf(preload, sizeof(preload), "%s%s%.480s", path, before && *before ? ":" : "", before ? before : "");
	setenv("LD_PRELOAD", preload, 1);
	rc = command_prepare(&c, o->command, NULL, NULL, err);
	if (rc == 0)
		rc = wait_for(&c, o->command[0], err);
	*status_ret = c.status < 0 ? EXIT_FAILED : c.status;
	command_close(&c);
	unsetenv("LD_PRELOAD");
	return rc;
}

/* ---- printing --------------------------------------------------------------------------------------- */

struct order_by {
	enum calls_order order;
};

static double measure_of(const struct calls_line *l, enum calls_order order)
{
	switch (order) {
	case CALLS_BY_TOTAL:
		return l->total_ns;
	case CALLS_BY_CALLS:
		return (double)l->calls;
	case CALLS_BY_CALL:
		return l->call_ns;
	default:
		return l->self_ns;
	}
}

static int compare_lines(const void *pa, const void *pb, void *ctx)
{
	const struct calls_line *a = *(const struct calls_line *const *)pa, *b = *(const struct calls_line *const *)pb;
	const struct order_by *by = ctx;
	double x = measure_of(a, by->order), y = measure_of(b, by->order);
	return x > y ? -1 : x < y ? 1 : strcmp(a->symbol, b->symbol);
}

static void note(struct diff_notes *notes, const char *fmt, ...) CYC_PRINTF(2, 3);
static void note(struct diff_notes *notes, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(notes->text[notes->n++], sizeof(notes->text[0]), fmt, args);
	va_end(args);
}

/* Notes what is missing from the numbers. */
static void note_limits(const struct calls_counts *c, struct diff_notes *ret)
{
	if (c->stop == CALLS_NO_MEMORY)
		note(ret, "the tables are full: functions and threads that came later were not counted");
	if (c->stop == CALLS_NO_EVENTS)
		note(ret, "the events were not counted (%.100s): cyctop list says which can be opened",
		     strerror(c->code));
	if (c->too_deep + c->interrupted + c->unmatched + c->no_room)
		note(ret,
		     "not counted: %llu calls deeper than 100,000, %llu by signal handlers within the counting, %llu "
		     "without room, and %llu returns without a call",
		     (unsigned long long)c->too_deep, (unsigned long long)c->interrupted,
		     (unsigned long long)c->no_room, (unsigned long long)c->unmatched);
	if (c->damaged)
		note(ret, "%llu parts of the tables say what cannot be: the program has overwritten them",
		     (unsigned long long)c->damaged);
	note(ret, "counting took %.0f ns a call, which is subtracted", c->cost_ns);
}

static bool is_called(const char *symbol, const char *name)
{
	size_t n = strlen(name);
	return strncmp(symbol, name, n) == 0 && (!symbol[n] || symbol[n] == '('); /* C++: with its parameters */
}

static bool is_like(const char *symbol, const char *pattern)
{
	return fnmatch(pattern, symbol, 0) == 0;
}

static size_t choose(const struct calls_table *t, const char *name,
		     bool (*matches)(const char *symbol, const char *name), const struct calls_line **ret)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (!name || matches(t->lines[i].symbol, name))
			ret[n++] = &t->lines[i];
	return n;
}

/* Writes to the file of -o, or standard output. */
static int print(const struct calls_options *o, const struct calls_table *t, struct output *to, struct error *err)
{
	const struct calls_line **lines = mem_calloc(t->n + 1, sizeof(*lines));
	size_t n = choose(t, o->function, is_called, lines);
	if (!n)
		n = choose(t, o->function, is_like, lines);
	if (!n && o->function) {
		free(lines);
		return error_set(err, ENOENT, "no call of a function '%.200s' was counted", o->function);
	}
	qsort_r(lines, n, sizeof(lines[0]), compare_lines, &(struct order_by){o->order});
	size_t top = o->common.output.top && o->common.output.top < n ? o->common.output.top : n;
	const struct calls_output output = {.lines = lines,
					    .n = top,
					    .more = n - top,
					    .chosen = o->function,
					    .events = t->events,
					    .events_n = t->events_n,
					    .self_ns = t->self_ns,
					    .pairs = t->pairs,
					    .pairs_n = t->pairs_n,
					    .notes = &t->notes,
					    .bucket_ns = t->bucket_ns,
					    .min_percent = o->min_percent};
	FILE *out = o->common.save_path ? output_file(to) : stdout;
	if (!out)
		mem_exhausted();
	o->write(out, &output);
	free(lines);
	for (size_t i = 0; i < t->notes.n; i++)
		message("%s", t->notes.text[i]);
	return o->common.save_path ? output_close(to, err) : 0;
}

static void say_nothing(const struct calls_options *o, const struct calls_counts *c)
{
	if (c->damaged)
		message("%s has overwritten the tables of its calls", o->command[0]);
	else if (!c->processes)
		message("%s did not load the library that counts calls: programs that are static, setuid or of another "
			"architecture or C library do not",
			o->command[0]);
	else
		message("%s made no call of a function built with -finstrument-functions: build it, and its libraries, "
			"with that option of gcc and clang",
			o->command[0]);
}

/* Runs the program, and gives its functions their names.  The table is empty if no call was counted. */
static int count(const struct calls_options *o, struct calls_table *ret, int *status_ret, struct error *err)
{
	struct calls_counts counts = {.n = 0};
	uint8_t *tables = NULL;
	int rc = make_tables(o, &tables, err);
	uint64_t ticks = selfcount_ticks(), ns = clock_ns(CLOCK_MONOTONIC);
	if (rc == 0)
		rc = run_program(o, status_ret, err);
	ticks = selfcount_ticks() - ticks;
	double tick_ns = ticks ? (double)(clock_ns(CLOCK_MONOTONIC) - ns) / (double)ticks : 1;
	if (rc == 0 && calls_counts_read(tables, CALLS_FILE_SIZE, tick_ns, &counts) < 0)
		rc = error_set(err, EBADMSG, "the program has overwritten the tables of its calls");
	if (rc == 0 && !counts.n)
		say_nothing(o, &counts);
	if (rc == 0)
		rc = calls_table_create(&counts, ret, err);
	if (rc == 0) {
		note_limits(&counts, &ret->notes);
		ret->events_n = counts.events_n;
		for (size_t e = 0; e < counts.events_n; e++)
			ret->events[e] = o->common.live.events[e].name;
	}
	calls_counts_free(&counts);
	return rc;
}

int calls_load(const char *path, struct calls_table *ret, struct error *err)
{
	char *bytes = NULL;
	ssize_t n = diff_load_bytes(path, (size_t)CALLS_KEPT_BYTES + 1, &bytes, err);
	int rc = n < 0 ? (int)n : calls_read(path, bytes, (size_t)n, ret, err);
	free(bytes);
	return rc;
}

int calls_main(int argc, char **argv)
{
	struct calls_options o;
	struct calls_table t = {.n = 0};
	struct output to = {.fd = -1};
	struct error err = {0};
	int status = 0, rc = 0;
	signals_usual();
	if (calls_options_parse(argc, argv, &o, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	if (o.common.help) {
		calls_options_help(stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
	}
	if (o.common.save_path) /* a file that cannot be written is known before the program runs */
		rc = output_open(o.common.save_path, OUTPUT_REPLACE, &to, &err);
	if (rc == 0)
		rc = o.common.input ? calls_load(o.common.input, &t, &err) : count(&o, &t, &status, &err);
	if (rc == 0 && (t.n || o.common.input))
		rc = print(&o, &t, &to, &err);
	else if (rc == 0)
		status = status ? status : EXIT_FAILED;
	output_drop(&to);
	calls_table_deinit(&t);
	if (rc < 0)
		message("%s", err.text);
	return rc < 0 && !status ? EXIT_FAILED : status;
}
