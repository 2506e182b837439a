/* JIT code in a recording of a process that was there before it began, and has ended since: whose the
 * files are that it left. */
#include "base/alloc.h"
#include "resolve/jit/jit.h"
#include "test_resolve_recording_world.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define S 1000000000ll
#define RANDOM_AT 0x7f0c3f7c3000ull

/* The root directory.  The linker sends the calls of open_plain_below() here (--wrap). */
static const char *root;
int __real_open_plain_below(const char *of, const char *path);
int __wrap_open_plain_below(const char *of, const char *path);
int __wrap_open_plain_below(const char *of, const char *path)
{
	(void)of;
	return __real_open_plain_below(root, path);
}

static int64_t now_of(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return t.tv_sec * S + t.tv_nsec;
}

/* A recording of this machine and boot, from 5 s before the test to 3 s before it. */
struct ended {
	struct stage *s;
	struct utsname u;
	int32_t pid; /* of a process that has ended */
	struct jit_key key;
	struct jit_news news;
};

static void begin(struct ended *e, struct stage *s)
{
	*e = (struct ended){.s = s};
	root = s->dir;
	assert_int_equal(uname(&e->u), 0);
	e->pid = fork();
	if (!e->pid)
		_exit(0);
	assert_int_equal(waitpid(e->pid, NULL, 0), e->pid);
	int64_t now = now_of(CLOCK_MONOTONIC);
	s->info.hostname = e->u.nodename;
	s->info.osrelease = e->u.release;
	s->info.first_ns = (uint64_t)(now - 5 * S);
	s->info.last_ns = (uint64_t)(now - 3 * S);
	s->config.written_ns = now_of(CLOCK_REALTIME) - 3 * S;
	s->names = recording_names_create(&s->config);
	e->key = (struct jit_key){.pid = e->pid, .uid = CATALOG_NONE, .max_bytes = LIMIT_JIT_PROCESS_BYTES};
}

/* Writes a file that was last written that long ago. */
static void leave(struct ended *e, const char *name, const void *bytes, size_t n, int64_t ago_ns)
{
	int64_t at = now_of(CLOCK_REALTIME) - ago_ns;
	const struct timespec times[] = {{at / S, at % S}, {at / S, at % S}};
	stage_write(e->s, name, bytes, n);
	assert_int_equal(utimensat(AT_FDCWD, stage_path(e->s, name), times, 0), 0);
}

/* The name at an address; NULL: there is none. */
static const char *name_at(struct ended *e, uint64_t addr)
{
	static struct symtab_hit hit;
	struct resolver_config config;
	void *reader = NULL;
	recording_names_use(e->s->names, &config);
	jit_table_destroy(e->news.table);
	free(e->news.file);
	e->news = (struct jit_news){0};
	config.jit->read(config.jit->ctx, &e->key, &reader, &e->news);
	bool found = e->news.table && jit_table_find(e->news.table, addr, e->s->info.last_ns, &hit);
	return found ? hit.name : NULL;
}

static void finish(struct ended *e)
{
	jit_table_destroy(e->news.table);
	free(e->news.file);
}

static void leave_map(struct ended *e, int64_t ago_ns)
{
	char name[64], map[128];
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", e->pid);
	snprintf(map, sizeof(map), "%llx 40 hot\n400000 40 fixed\n", RANDOM_AT);
	leave(e, name, map, strlen(map), ago_ns);
}

/* It was written before the recording, or after it: what was put at random is the process's. */
static void a_map_of_code_at_random(void **state)
{
	static const int64_t ago[] = {9 * S, 0};
	struct ended e;
	begin(&e, *state);
	for (size_t i = 0; i < ARRAY_LEN(ago); i++) {
		leave_map(&e, ago[i]);
		assert_string_equal(name_at(&e, RANDOM_AT + 4), "hot");
		assert_null(name_at(&e, 0x400004)); /* another one may have had other code there */
	}
	leave_map(&e, 4 * S); /* while it was recorded */
	assert_string_equal(name_at(&e, RANDOM_AT + 4), "hot");
	assert_string_equal(name_at(&e, 0x400004), "fixed");
	e.key.since_ns = e.s->info.first_ns; /* it is known when the program began: the map is older */
	leave_map(&e, 9 * S);
	assert_null(name_at(&e, RANDOM_AT + 4));
	assert_non_null(strstr(e.news.why, "older than the process"));
	finish(&e);
}

static void a_map_of_fixed_places_alone(void **state)
{
	char name[64];
	struct ended e;
	begin(&e, *state);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", e.pid);
	leave(&e, name, "400000 40 fixed\n", 16, 9 * S);
	assert_null(name_at(&e, 0x400004));
	assert_non_null(strstr(e.news.why, "before the recording began"));
	assert_non_null(strstr(e.news.why, "--symfs / uses it"));
	finish(&e);
}

struct dump {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t made, flags;
	struct {
		uint32_t type, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, len, index;
		char name[4];
		uint32_t code;
	} load;
};

static void leave_dump(struct ended *e, int64_t made_ns, int64_t ago_ns)
{
	static char name[64];
	struct stat st;
	struct dump d = {0x4A695444, 1, 40, 62, 0, (uint32_t)e->pid, UINT64_MAX, 0, {0}};
	d.load.size = sizeof(d.load);
	d.load.time = (uint64_t)made_ns;
	d.load.pid = d.load.tid = (uint32_t)e->pid;
	d.load.vma = d.load.addr = RANDOM_AT;
	d.load.len = sizeof(d.load.code);
	memcpy(d.load.name, "hot", 4);
	snprintf(name, sizeof(name), "/home/jit-%d.dump", e->pid);
	leave(e, name, &d, sizeof(d), ago_ns);
	assert_int_equal(stat(stage_path(e->s, name), &st), 0);
	e->key.marker = (struct dso_key){.path = name, .ino = st.st_ino};
}

/* The very file that the process mapped is its, unless a later process with its pid began it anew. */
static void the_jitdump_that_was_mapped(void **state)
{
	struct ended e;
	begin(&e, *state);
	int64_t before = (int64_t)e.s->info.first_ns - S, after = (int64_t)e.s->info.last_ns + S;
	leave_dump(&e, before, 9 * S);
	assert_string_equal(name_at(&e, RANDOM_AT + 1), "hot");
	leave_dump(&e, before, 0); /* it went on after the recording */
	assert_string_equal(name_at(&e, RANDOM_AT + 1), "hot");
	leave_dump(&e, after, 0);
	assert_null(name_at(&e, RANDOM_AT + 1));
	assert_non_null(strstr(e.news.why, "jit-")); /* not that there is no map, either */
	assert_non_null(strstr(e.news.why, "after the recording ended"));
	leave_dump(&e, before, 0);
	e.key.marker.ino++;
	assert_null(name_at(&e, RANDOM_AT + 1));
	assert_non_null(strstr(e.news.why, "not the one that the process mapped"));
	finish(&e);
}

static int tear_down(void **state)
{
	struct stage *s = *state;
	s->info.hostname = s->info.osrelease = NULL;
	return stage_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_setup, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_map_of_code_at_random),
		TEST(a_map_of_fixed_places_alone),
		TEST(the_jitdump_that_was_mapped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
