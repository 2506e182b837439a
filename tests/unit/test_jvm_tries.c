/* A JVM in which no code is found at first is looked at again: this program loads a library that looks like a JVM's,
 * and is looked at before and after that. */
#include "../lib/made_clock.h"

#include "base/limits.h"
#include "resolve/jit/jit.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

enum { TRIES = 7 };
static const uint64_t second_ns = 1000000000;

struct world {
	struct jit_key key;
	void *ctx, *reader, *library;
	char why[sizeof(((struct jit_news *)NULL)->why)]; /* of the last look */
};

static int set_up(void **state)
{
	struct world *w = mem_calloc(1, sizeof(*w));
	made_clock_stop();
	w->key = (struct jit_key){
		.pid = (int32_t)getpid(), .uid = geteuid(), .max_bytes = LIMIT_JIT_PROCESS_BYTES, .lacks = true};
	w->ctx = jit_live.create();
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	if (w->reader)
		jit_live.close(w->ctx, w->reader);
	jit_live.destroy(w->ctx);
	if (w->library)
		dlclose(w->library);
	free(w);
	return 0;
}

/* Some containers let no process read memory this way, not even its own. */
static void needs_reading(void)
{
	char from = 1, to = 0;
	struct iovec local = {&to, 1}, remote = {&from, 1};
	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1)
		skip();
}

static void load(struct world *w)
{
	w->library = dlopen(LIBJVM, RTLD_NOW | RTLD_LOCAL);
	if (!w->library)
		fail_msg("%s", dlerror());
	w->key.is_jvm = true; /* as the record of the mapping tells */
}

static void *function(const struct world *w, const char *name)
{
	void *f = dlsym(w->library, name);
	assert_non_null(f);
	return f;
}

static void start(const struct world *w)
{
	void *at = function(w, "made_jvm_start");
	void (*f)(void);
	memcpy(&f, &at, sizeof(f));
	f();
}

static uint64_t compile(const struct world *w, const char *name)
{
	void *at = function(w, "made_jvm_compile");
	void *(*f)(const char *);
	memcpy(&f, &at, sizeof(f));
	return (uint64_t)(uintptr_t)f(name);
}

/* The name of the code there in the next look's table; "": there is no table. */
static const char *look(struct world *w, uint64_t addr)
{
	static char name[64];
	struct jit_news news = {0};
	struct symtab_hit hit;
	jit_live.read(w->ctx, &w->key, &w->reader, &news);
	memcpy(w->why, news.why, sizeof(w->why));
	name[0] = '\0';
	if (news.table && jit_table_find(news.table, addr, UINT64_MAX, &hit))
		snprintf(name, sizeof(name), "%s", hit.name);
	jit_table_destroy(news.table);
	free(news.file);
	return name;
}

static void one_that_has_just_started(void **state)
{
	struct world *w = *state;
	needs_reading();
	assert_string_equal(look(w, 0), "");
	assert_string_equal(w->why, ""); /* nothing shows that it is a JVM */
	load(w);
	look(w, 0);
	assert_string_equal(w->why, ""); /* not at once */
	made_clock_advance(second_ns);
	look(w, 0);
	assert_non_null(strstr(w->why, "are not of a version that is known; it is looked at again"));
	start(w);
	made_clock_advance(2 * second_ns);
	look(w, 0);
	assert_non_null(strstr(w->why, "and no code with a name was found in"));
	uint64_t at = compile(w, "Interpreter");
	made_clock_advance(4 * second_ns - 1);
	assert_string_equal(look(w, at), "");
	assert_string_not_equal(w->why, "");
	made_clock_advance(1);
	assert_string_equal(look(w, at), "Interpreter");
	assert_string_equal(w->why, "");
	/* from then on as often as it has news */
	made_clock_advance(second_ns);
	at = compile(w, "more");
	assert_string_equal(look(w, at), "more");
}

/* After a minute it is left alone, and the last reason remains. */
static void one_that_stays_unreadable(void **state)
{
	struct world *w = *state;
	needs_reading();
	load(w);
	uint64_t waited_ns = 0, pause_ns = second_ns;
	for (unsigned i = 1; i < TRIES; i++) {
		look(w, 0);
		assert_non_null(strstr(w->why, "; it is looked at again"));
		made_clock_advance(pause_ns);
		waited_ns += pause_ns;
		pause_ns *= 2;
	}
	assert_int_equal(waited_ns / second_ns, 63);
	look(w, 0);
	assert_non_null(strstr(w->why, "are not of a version that is known"));
	assert_null(strstr(w->why, "again"));
	start(w);
	uint64_t at = compile(w, "late");
	made_clock_advance(1000 * second_ns);
	assert_string_equal(look(w, at), "");
	assert_string_not_equal(w->why, "");
}

/* A process that maps no library of a JVM is looked at once, whatever it maps later unseen. */
static void one_that_is_no_jvm(void **state)
{
	struct world *w = *state;
	needs_reading();
	assert_string_equal(look(w, 0), "");
	load(w);
	w->key.is_jvm = false;
	start(w);
	uint64_t at = compile(w, "unseen");
	made_clock_advance(1000 * second_ns);
	assert_string_equal(look(w, at), "");
	assert_string_equal(w->why, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_that_has_just_started),
		TEST(one_that_stays_unreadable),
		TEST(one_that_is_no_jvm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
