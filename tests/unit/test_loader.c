/* In which order the threads that read take what is wanted of them. */
#include "resolve/elf/image.h"
#include "resolve/load/loader.h"

#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What was done, a letter each; the first file waits until all is requested. */
struct world {
	int begun[2], go[2];
	char done[16]; /* the thread's, until it has ended */
	size_t n;
};

static void note(struct world *w, char what)
{
	char c;
	w->done[w->n++] = what;
	if (w->n == 1 && (write(w->begun[1], "", 1) != 1 || read(w->go[0], &c, 1) != 1))
		abort();
}

static int load(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	(void)ret;
	note(ctx, key->path[0]);
	return -ENOENT;
}

static void read_code(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	(void)reader;
	(void)ret;
	note(ctx, (char)key->pid);
}

static const struct jit_ops ops = {.read = read_code};

static void want_code(struct loader *l, struct world *w, char name)
{
	struct jit_read *r = mem_calloc(1, sizeof(*r));
	*r = (struct jit_read){.ops = &ops, .ctx = w, .key = {.pid = name}};
	loader_read_jit(l, r);
}

/* Code does not wait for all files that were wanted before it, nor files for all code. */
static void files_and_code_take_turns(void **state)
{
	struct world w = {.n = 0};
	(void)state;
	assert_int_equal(pipe(w.begun), 0);
	assert_int_equal(pipe(w.go), 0);
	const struct symbolizer chain[] = {{.name = "test", .load = load, .ctx = &w}};
	struct loader *l;
	assert_int_equal(loader_create(chain, 1, true, &l, NULL), 0);
	char c;
	loader_request(l, 0, &(struct dso_key){.path = "a"});
	assert_int_equal(read(w.begun[0], &c, 1), 1);
	for (const char *path = "bcdef"; *path; path++)
		loader_request(l, 0, &(struct dso_key){.path = (char[]){*path, '\0'}});
	for (const char *name = "XYZ"; *name; name++)
		want_code(l, &w, *name);
	assert_int_equal(write(w.go[1], "", 1), 1);
	for (size_t taken = 0; taken < 9;) {
		assert_int_equal(poll(&(struct pollfd){.fd = loader_fd(l), .events = POLLIN}, 1, -1), 1);
		for (struct load_job *job = loader_take(l), *after; job; job = after, taken++) {
			after = job->next;
			load_job_free(job);
		}
	}
	assert_true(loader_destroy(l));
	assert_string_equal(w.done, "aXbYcZdef");
	for (int i = 0; i < 2; i++) {
		close(w.begun[i]);
		close(w.go[i]);
	}
}

static struct unwind *unwind(void *ctx, const struct dso_key *key, struct limit_set *limits)
{
	const struct world *w = ctx;
	(void)key;
	(void)limits;
	if (write(w->go[1], "", 1) != 1)
		abort();
	return NULL;
}

/* Unwind rules are read while a file is, which here waits for them. */
static void rules_do_not_wait_for_files(void **state)
{
	struct world w = {.n = 0};
	(void)state;
	assert_int_equal(pipe(w.begun), 0);
	assert_int_equal(pipe(w.go), 0);
	const struct symbolizer chain[] = {{.name = "test", .load = load, .unwind = unwind, .ctx = &w}};
	struct loader *l;
	assert_int_equal(loader_create(chain, 1, true, &l, NULL), 0);
	char c;
	loader_request(l, 0, &(struct dso_key){.path = "a"});
	assert_int_equal(read(w.begun[0], &c, 1), 1);
	loader_unwind(l, 1, &(struct dso_key){.path = "b"});
	for (size_t taken = 0; taken < 2;) {
		assert_int_equal(poll(&(struct pollfd){.fd = loader_fd(l), .events = POLLIN}, 1, -1), 1);
		for (struct load_job *job = loader_take(l), *after; job; job = after, taken++) {
			after = job->next;
			assert_int_equal(job->unwinds, job->dso == 1);
			load_job_free(job);
		}
	}
	assert_true(loader_destroy(l));
	for (int i = 0; i < 2; i++) {
		close(w.begun[i]);
		close(w.go[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(files_and_code_take_turns),
					   cmocka_unit_test(rules_do_not_wait_for_files)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
