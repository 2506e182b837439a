/* Perf maps and jitdumps of running processes: which files are trusted, and how they are read
 * while they grow. */
#include "../lib/scratch.h"

#include "base/alloc.h"
#include "resolve/jit/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The root directory of all processes.  The linker sends the calls of open_plain_below() here (--wrap). */
static char root[SCRATCH_PATH];
int __real_open_plain_below(const char *of, const char *path);
int __wrap_open_plain_below(const char *of, const char *path);
int __wrap_open_plain_below(const char *of, const char *path)
{
	(void)of;
	return __real_open_plain_below(root, path);
}

static int set_up(void **state)
{
	char tmp[SCRATCH_PATH];
	(void)state;
	scratch_dir(root);
	scratch_path(tmp, "%s/tmp/", root);
	scratch_parents(tmp);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(root);
	return 0;
}

/* Reads the files of this process, and keeps the resulting table. */
struct reading {
	struct jit_key key;
	void *ctx, *reader;
	struct jit_table *table;
};

static const char *name_in(struct reading *g, uint64_t addr)
{
	static char name[64];
	struct jit_news news = {0};
	if (!g->ctx)
		g->ctx = jit_live.create();
	if (!g->key.max_bytes)
		g->key.max_bytes = LIMIT_JIT_PROCESS_BYTES;
	jit_live.read(g->ctx, &g->key, &g->reader, &news);
	if (news.table) {
		jit_table_destroy(g->table);
		g->table = news.table;
	}
	free(news.file);
	struct symtab_hit hit;
	if (!g->table || !jit_table_find(g->table, addr, UINT64_MAX, &hit))
		return NULL;
	snprintf(name, sizeof(name), "%s", hit.name);
	return name;
}

static void end_reading(struct reading *g)
{
	if (g->reader)
		jit_live.close(g->ctx, g->reader);
	jit_live.destroy(g->ctx);
	jit_table_destroy(g->table);
	*g = (struct reading){0};
}

static void map_path(char path[SCRATCH_PATH], int pid)
{
	scratch_path(path, "%s/tmp/perf-%d.map", root, pid);
}

static void put(const char *path, const char *how, const char *text)
{
	FILE *f = fopen(path, how);
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void a_map_that_grows(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	map_path(path, getpid());
	struct reading g = {.key = {.pid = getpid(), .uid = geteuid()}};
	assert_null(name_in(&g, 0x1000));
	put(path, "w", "1000 100 one\n1100 10");
	assert_string_equal(name_in(&g, 0x10ff), "one");
	assert_null(name_in(&g, 0x1100));
	put(path, "a", "0 two\n1000 80 newer\n");
	assert_string_equal(name_in(&g, 0x1100), "two");
	assert_string_equal(name_in(&g, 0x1000), "newer");
	assert_string_equal(name_in(&g, 0x1080), "one");
	struct symtab_hit hit; /* the earliest known code at an address is assumed to have been there before */
	assert_true(jit_table_find(g.table, 0x1000, 1, &hit));
	assert_string_equal(hit.name, "one");
	/* a file that is rewritten (shorter, longer, as another file) is read again from its
	 * start */
	put(path, "w", "1000 100 again\n");
	assert_string_equal(name_in(&g, 0x1080), "again");
	assert_null(name_in(&g, 0x1100));
	put(path, "w", "2000 100 other\n3000 100 longer than before\n");
	assert_string_equal(name_in(&g, 0x2000), "other");
	assert_null(name_in(&g, 0x1080));
	unlink(path);
	put(path, "w", "4000 100 new file\n");
	assert_string_equal(name_in(&g, 0x4000), "new file");
	assert_null(name_in(&g, 0x2000));
	unlink(path); /* entries that were read stay after the file was removed */
	assert_string_equal(name_in(&g, 0x4000), "new file");
	end_reading(&g);
}

/* Files that anybody may have put into /tmp are neither trusted nor waited for. */
static void untrusted_maps_are_ignored(void **state)
{
	(void)state;
	char path[SCRATCH_PATH], elsewhere[SCRATCH_PATH];
	map_path(path, getpid());
	scratch_path(elsewhere, "%s/elsewhere", root);
	put(elsewhere, "w", "1000 100 linked\n");
	assert_int_equal(symlink(elsewhere, path), 0);
	struct reading g = {.key = {.pid = getpid(), .uid = geteuid()}};
	assert_null(name_in(&g, 0x1000));
	unlink(path);
	assert_int_equal(mkfifo(path, 0666), 0);
	assert_null(name_in(&g, 0x1000));
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(name_in(&g, 0x1000));
	rmdir(path);
	/* a map of an earlier process with this pid: older than this process */
	put(path, "w", "1000 100 stale\n");
	struct timespec old[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_null(name_in(&g, 0x1000));
	put(path, "w", "1000 100 own\n");
	if (chown(path, 12345, 12345) == 0) { /* owned by another user */
		assert_null(name_in(&g, 0x1000));
		assert_int_equal(chown(path, geteuid(), getegid()), 0);
	} else {
		print_message("this user cannot give files away\n");
	}
	assert_non_null(name_in(&g, 0x1000));
	end_reading(&g);
}

/* The process ends between two reads: everything that it wrote is read. */
static void a_process_that_ends(void **state)
{
	(void)state;
	int go[2], written[2];
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(written), 0);
	pid_t pid = fork();
	char path[SCRATCH_PATH], c;
	if (pid == 0) {
		map_path(path, getpid());
		FILE *f = fopen(path, "w");
		if (!f)
			_exit(1);
		fputs("1000 100 early\n", f);
		fflush(f);
		close(go[1]);
		if (write(written[1], "", 1) != 1 || read(go[0], &c, 1) < 0)
			_exit(1);
		fputs("2000 100 late\n", f);
		fflush(f);
		_exit(0);
	}
	map_path(path, pid);
	struct reading g = {.key = {.pid = pid, .uid = geteuid(), .keep_open = true}};
	close(written[1]);
	assert_int_equal(read(written[0], &c, 1), 1);
	close(written[0]);
	assert_string_equal(name_in(&g, 0x1000), "early");
	close(go[1]);
	waitpid(pid, NULL, 0);
	unlink(path);
	g.key.gone = true;
	assert_string_equal(name_in(&g, 0x2000), "late");
	close(go[0]);
	end_reading(&g);
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;
	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Hundreds of processes may have a map each, so no descriptor is kept between reads.  A map
 * that could not be opened because descriptors ran out is read later. */
static void maps_without_descriptors(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	struct rlimit before, none;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	int lowest = dup(STDOUT_FILENO); /* all descriptors below are in use */
	assert_true(lowest >= 0);
	close(lowest);
	none = (struct rlimit){(rlim_t)lowest, before.rlim_max};
	map_path(path, (int)getpid());
	put(path, "w", "1000 100 first\n");
	struct reading g = {.key = {.pid = (int32_t)getpid(), .uid = geteuid()}};
	int at_first = descriptors();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_null(name_in(&g, 0x1000));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	/* /proc could not be read at that time either, so the uid of the key was used */
	assert_string_equal(name_in(&g, 0x1000), "first");
	assert_int_equal(descriptors(), at_first);
	put(path, "a", "2000 100 second\n");
	assert_string_equal(name_in(&g, 0x2000), "second");
	assert_string_equal(name_in(&g, 0x1000), "first");
	assert_int_equal(descriptors(), at_first);
	unlink(path);
	put(path, "w", "2000 100 other\n"); /* a new file of that name */
	assert_string_equal(name_in(&g, 0x2000), "other");
	assert_null(name_in(&g, 0x1000));
	end_reading(&g);
}

/* The memory for a map is limited for any size of the file; the newest names are kept. */
static void a_map_that_is_too_large(void **state)
{
	(void)state;
	char path[SCRATCH_PATH], name[64];
	map_path(path, (int)getpid());
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (unsigned i = 1; i <= 400000; i++)
		fprintf(f, "%x0 10 function_number_%u_of_a_large_map\n", i, i);
	fclose(f);
	struct reading g = {.key = {.pid = (int32_t)getpid(), .uid = geteuid(), .max_bytes = 4 << 20}};
	for (int i = 0; i < 10; i++)
		name_in(&g, 400000 * 16);
	snprintf(name, sizeof(name), "function_number_%u_of_a_large_map", 400000);
	assert_string_equal(name_in(&g, 400000 * 16), name);
	assert_null(name_in(&g, 16));
	assert_true(jit_table_bytes(g.table) < 8 << 20);
	end_reading(&g);
}

/* Processes with one file share its table, and what is read once is not read again. */
static void one_map_of_two_processes(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	map_path(path, (int)getpid());
	put(path, "w", "1000 100 one\n");
	struct reading a = {.key = {.pid = (int32_t)getpid(), .uid = geteuid()}}, b = a;
	assert_string_equal(name_in(&a, 0x1000), "one");
	b.ctx = a.ctx;
	assert_string_equal(name_in(&b, 0x1000), "one");
	put(path, "a", "2000 100 two\n");
	assert_string_equal(name_in(&b, 0x2000), "two");
	assert_null(jit_table_find(a.table, 0x2000, UINT64_MAX, &(struct symtab_hit){0}) ? "two" : NULL);
	assert_string_equal(name_in(&a, 0x2000), "two");
	assert_ptr_equal(a.table, b.table);
	/* a table that was dropped comes again, and in the size that is asked for */
	const struct jit_table *before = b.table;
	assert_string_equal(name_in(&b, 0x2000), "two");
	assert_ptr_equal(b.table, before);
	jit_table_destroy(b.table);
	b.table = NULL;
	b.key.again = true;
	assert_string_equal(name_in(&b, 0x2000), "two");
	unlink(path);
	b.ctx = NULL;
	jit_live.close(a.ctx, b.reader);
	b.reader = NULL;
	assert_string_equal(name_in(&a, 0x1000), "one");
	jit_table_destroy(b.table);
	end_reading(&a);
}

/* All code that was read takes bounded memory.  Who has most loses most: another user's small file loses
 * nothing. */
static void code_of_many_files_is_bounded(void **state)
{
	(void)state;
	char path[SCRATCH_PATH], small_path[SCRATCH_PATH];
	int large = scratch_file(path), small = scratch_file(small_path);
	FILE *f = fdopen(dup(large), "w");
	assert_non_null(f);
	for (unsigned i = 1; i <= 60000; i++)
		fprintf(f, "%x0 10 function_number_%u_of_a_large_map\n", i, i);
	fclose(f);
	put(small_path, "w", "1000 100 oldest\n2000 100 newest\n");
	struct jit_store *s = jit_store_create();
	struct jit_file *files[21];
	struct stat st;
	assert_int_equal(fstat(large, &st), 0);
	for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
		uint64_t budget = UINT64_MAX;
		st.st_ino = i + 1; /* as many files with the same text */
		st.st_uid = i > 0;
		files[i] = jit_file_get(s, JIT_FILE_MAP, &st, true);
		jit_file_read(files[i], i ? large : small, &budget);
		assert_true(jit_store_bytes(s) <= LIMIT_JIT_BYTES);
	}
	for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
		uint64_t given = 0;
		struct jit_table *t = jit_file_table(files[i], LIMIT_JIT_PROCESS_BYTES, false, &given);
		struct symtab_hit hit;
		struct limit_set limits = {0};
		assert_non_null(t);
		assert_true(jit_table_find(t, i ? 60000 * 16 : 0x1000, UINT64_MAX, &hit));
		assert_string_equal(hit.name, i ? "function_number_60000_of_a_large_map" : "oldest");
		assert_null(jit_file_table(files[i], LIMIT_JIT_PROCESS_BYTES, false, &given));
		jit_file_limits(files[i], &limits);
		assert_true(limit_is_reached(&limits, REACHED_JIT_BYTES) == (i > 0));
		jit_table_destroy(t);
		jit_file_put(files[i]);
	}
	assert_int_equal(jit_store_bytes(s), 0);
	jit_store_destroy(s);
	close(large);
	close(small);
	unlink(path);
	unlink(small_path);
}

/* The dump is found through its mapping although it was deleted. */
/* The device of a mapping of this process, as the kernel names it there.  Inodes of other devices may have the
 * same number. */
static void device_of_mapping(const void *at, struct dso_key *key)
{
	char line[512];
	unsigned long start;
	unsigned maj, min;
	bool found = false;
	FILE *f = fopen("/proc/self/maps", "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%*x %*s %*x %x:%x", &start, &maj, &min) == 3 && start == (uintptr_t)at) {
			key->maj = maj;
			key->min = min;
			found = true;
		}
	fclose(f);
	assert_true(found);
}

static void a_dump_by_its_marker(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	scratch_path(path, "%s/jit-%d.dump", root, (int)getpid());
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	const uint32_t head[10] = {0x4a695444, 1, 40, 0, 0, (uint32_t)getpid()};
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, bytes, index;
		char name[8];
	} load = {0, 0, 1, 1, 1, 0x5000, 0x5000, 0x100, 1, "dumped"};
	load.size = sizeof(load) + (1 << 20); /* the machine code in the file is skipped */
	assert_int_equal(write(fd, &load, sizeof(load)), sizeof(load));
	struct stat st;
	assert_int_equal(fstat(fd, &st), 0);
	void *marker = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(marker != MAP_FAILED);
	unlink(path);
	struct reading g = {.key = {.pid = getpid(), .uid = geteuid()}};
	g.key.marker = (struct dso_key){.path = path, .pid = getpid(), .ino = st.st_ino};
	device_of_mapping(marker, &g.key.marker);
	assert_string_equal(name_in(&g, 0x50ff), "dumped");
	assert_int_equal(lseek(fd, 40 + (off_t)load.size, SEEK_SET), 40 + (off_t)load.size);
	load.addr = 0x6000, load.index = 2, load.size = sizeof(load);
	memcpy(load.name, "later", 6);
	assert_int_equal(write(fd, &load, sizeof(load)), sizeof(load));
	assert_string_equal(name_in(&g, 0x6000), "later");
	assert_string_equal(name_in(&g, 0x5000), "dumped");
	end_reading(&g);
	/* a child inherits the mapping of its parent's dump, but the dump is not the child's */
	g.key = (struct jit_key){.pid = getppid(), .marker = {.path = path, .pid = getpid(), .ino = st.st_ino}};
	assert_null(name_in(&g, 0x5000));
	end_reading(&g);
	munmap(marker, 4096);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_map_that_grows),
		TEST(untrusted_maps_are_ignored),
		TEST(a_process_that_ends),
		TEST(maps_without_descriptors),
		TEST(a_map_that_is_too_large),
		TEST(one_map_of_two_processes),
		TEST(code_of_many_files_is_bounded),
		TEST(a_dump_by_its_marker),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
