/* Files of a recording that was made here, and files that were replaced while it was made. */
#include "test_resolve_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char *name_of(struct stage *s, const struct program *p)
{
	return stage_sym(s, MISC_USER, p->ip)->name;
}

static void assert_no_name(struct stage *s, const struct program *p, const char *why)
{
	const struct sym_info *sym = stage_sym(s, MISC_USER, p->ip);
	assert_int_equal(sym->state, SYM_UNRESOLVED);
	assert_non_null(strstr(stage_why(s, sym), why));
}

static int64_t now_of(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static int64_t changed_ns(const struct stat *st)
{
	return st->st_ctim.tv_sec * (int64_t)1000000000 + st->st_ctim.tv_nsec;
}

/* Opens a recording of this machine that ended now, in which this file was mapped. */
static void maps_file(struct stage *s, const char *path, const struct stat *st, uint64_t generation)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){.pid = STAGE_PID,
					  .tid = STAGE_PID,
					  .start = STAGE_AT,
					  .len = 0x1000000,
					  .prot = 5,
					  .maj = major(st->st_dev),
					  .min = minor(st->st_dev),
					  .ino = st->st_ino,
					  .ino_generation = generation,
					  .filename = path};
	resolver_apply(s->r, &rec);
}

static void open_here(struct stage *s, struct utsname *u, const char *path, const struct stat *st)
{
	assert_int_equal(uname(u), 0);
	s->info.hostname = u->nodename;
	s->info.osrelease = u->release;
	s->info.last_ns = (uint64_t)now_of(CLOCK_MONOTONIC);
	s->config.written_ns = now_of(CLOCK_REALTIME);
	stage_open(s);
	maps_file(s, path, st, 0);
}

/* Without a build-id, only the file itself has the names: the same inode, not changed since. */
static void the_mapped_file_of_this_machine(void **state)
{
	struct stage *s = *state;
	struct program p;
	struct utsname u;
	struct stat st;
	char path[SCRATCH_PATH];
	program_load(&p);
	stage_write(s, "/files/prog", p.bytes, p.n);
	scratch_path(path, "%s", stage_path(s, "/files/prog"));
	assert_int_equal(stat(path, &st), 0);
	open_here(s, &u, path, &st);
	assert_string_equal(name_of(s, &p), "fixture_function");
	stage_close(s);

	struct stat other = st;
	other.st_ino++;
	open_here(s, &u, path, &other);
	assert_no_name(s, &p, "another one, or was changed");
	stage_close(s);
	other = st;
	other.st_dev = makedev(major(st.st_dev) + 1, minor(st.st_dev));
	open_here(s, &u, path, &other);
	assert_no_name(s, &p, "another one, or was changed");
	stage_close(s);

	open_here(s, &u, path, &st);
	do /* the clock of the file system may lag */
		assert_int_equal(chmod(path, 0700), 0);
	while (stat(path, &st) == 0 && changed_ns(&st) < s->config.written_ns + 1000000);
	assert_no_name(s, &p, "another one, or was changed");
	stage_close(s);
	open_here(s, &u, path, &st);
	assert_int_equal(unlink(path), 0);
	assert_no_name(s, &p, "not here any more");
	stage_close(s);
	s->info.hostname = s->info.osrelease = NULL; /* of the stack */
	free(p.bytes);
}

/* Several files were at one path: the build-id that the recording has for the path is that of the last one. */
static void files_that_were_replaced(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_write(s, "/files/prog", p.bytes, p.n);
	char path[SCRATCH_PATH];
	scratch_path(path, "%s", stage_path(s, "/files/prog"));
	static const struct {
		struct stat st;
		uint64_t generation;
	} before[] = {{{.st_dev = 1, .st_ino = 2}, 3},
		      {{.st_dev = 9, .st_ino = 2}, 3},
		      {{.st_dev = 1, .st_ino = 9}, 3},
		      {{.st_dev = 1, .st_ino = 2}, 9}};
	stage_says(s, MISC_USER, path, &p.id);
	for (size_t i = 0; i < ARRAY_LEN(before); i++) {
		stage_open(s);
		maps_file(s, path, &before[i].st, before[i].generation);
		uint32_t first = resolver_symbol(s->r, s->task, MISC_USER, p.ip, 0);
		assert_string_equal(name_of(s, &p), "fixture_function");
		maps_file(s, path, &before[0].st, 0); /* told by /proc, which has no generations */
		assert_string_equal(name_of(s, &p), "fixture_function");
		maps_file(s, path, &before[0].st, before[0].generation);
		assert_string_equal(name_of(s, &p), "fixture_function");
		const struct catalog *cat = resolver_catalog(s->r);
		const struct sym_info *sym = &cat->syms[cat->syms[first].resolved];
		assert_int_equal(sym->state, i ? SYM_UNRESOLVED : SYM_NAMED);
		if (i)
			assert_non_null(strstr(stage_why(s, sym), "another file was at its path later"));
		maps_file(s, path, &before[i].st, 0);
		if (i == 1 || i == 2) /* mapped once more: nobody knows which one the build-id is of */
			assert_no_name(s, &p, "another file was at its path later");
		stage_close(s);
	}
	free(p.bytes);
}

/* cyctop has an entry for each file that was at a path: the last is that of the last file, and equal ones are those of
 * all.  In a recording of perf they are what was there at its end. */
static void entries_of_replaced_files(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_write(s, "/files/prog", p.bytes, p.n);
	char path[SCRATCH_PATH], own[] = "cyctop 1", perf[] = "6.1";
	struct build_id other = p.id;
	other.bytes[3] ^= 1;
	scratch_path(path, "%s", stage_path(s, "/files/prog"));
	const struct stat first = {.st_dev = 1, .st_ino = 2}, second = {.st_dev = 1, .st_ino = 3};
	for (unsigned i = 0; i < 4; i++) {
		bool equal = i & 1, by_perf = i & 2;
		s->info.version = by_perf ? perf : own;
		while (s->info.build_ids_n)
			free(s->ids[--s->info.build_ids_n].path);
		stage_says(s, MISC_USER, path, equal ? &p.id : &other);
		stage_says(s, MISC_USER, path, &p.id);
		stage_open(s);
		maps_file(s, path, &first, 0);
		uint32_t id = resolver_symbol(s->r, s->task, MISC_USER, p.ip, 0);
		maps_file(s, path, &second, 0);
		const struct sym_info *now = stage_sym(s, MISC_USER, p.ip);
		assert_int_equal(now->state == SYM_NAMED, equal || !by_perf);
		const struct catalog *cat = resolver_catalog(s->r);
		assert_int_equal(cat->syms[cat->syms[id].resolved].state == SYM_NAMED, equal && !by_perf);
		stage_close(s);
	}
	s->info.version = NULL;
	free(p.bytes);
}

/* The build-id of a path is read when the recording ends: if the file came there meanwhile, it is that file's. */
static void a_file_that_was_replaced_while_it_ran(void **state)
{
	struct stage *s = *state;
	struct program p;
	struct utsname u;
	struct stat st;
	char path[SCRATCH_PATH];
	program_load(&p);
	stage_write(s, "/files/prog", p.bytes, p.n);
	scratch_path(path, "%s", stage_path(s, "/files/prog"));
	assert_int_equal(stat(path, &st), 0);
	stage_says(s, MISC_USER, path, &p.id);
	struct stat other = st;
	other.st_ino++;
	s->info.first_ns = 1;
	open_here(s, &u, path, &other);
	assert_no_name(s, &p, "replaced while it was recorded");
	stage_close(s);
	open_here(s, &u, path, &st);
	assert_string_equal(name_of(s, &p), "fixture_function");
	stage_close(s);
	/* it was there long before: a container has another one */
	s->info.first_ns = (uint64_t)now_of(CLOCK_MONOTONIC) + 60000000000;
	open_here(s, &u, path, &other);
	assert_string_equal(name_of(s, &p), "fixture_function");
	stage_close(s);
	s->info.hostname = s->info.osrelease = NULL; /* of the stack */
	free(p.bytes);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, stage_setup, stage_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_mapped_file_of_this_machine),
		TEST(files_that_were_replaced),
		TEST(entries_of_replaced_files),
		TEST(a_file_that_was_replaced_while_it_ran),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
