/* The files in which processes tell of code they make: which are believed, and what is read
 * of them while they grow. */
#include "base/alloc.h"
#include "resolve/jit/jit.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What this process's own files say of an address. */
struct reading {
	struct jit_key key;
	void *reader;
	struct jit_table *table;
};

static const char *name_in(struct reading *g, uint64_t addr)
{
	static char name[64];
	struct jit_news news = {0};
	jit_live.read(NULL, &g->key, &g->reader, &news);
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
		jit_live.close(NULL, g->reader);
	jit_table_destroy(g->table);
	*g = (struct reading){0};
}

static void map_path(char path[64], int pid)
{
	snprintf(path, 64, "/tmp/perf-%d.map", pid);
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
	char path[64];
	map_path(path, getpid());
	struct reading g = {.key = {.pid = getpid(), .uid = geteuid()}};
	unlink(path);
	assert_null(name_in(&g, 0x1000));
	put(path, "w", "1000 100 one\n1100 10");
	assert_string_equal(name_in(&g, 0x10ff), "one");
	assert_null(name_in(&g, 0x1100));
	put(path, "a", "0 two\n1000 80 newer\n");
	assert_string_equal(name_in(&g, 0x1100), "two");
	assert_string_equal(name_in(&g, 0x1000), "newer");
	assert_string_equal(name_in(&g, 0x1080), "one");
	struct symtab_hit hit; /* what was seen before that is what was there before */
	assert_true(jit_table_find(g.table, 0x1000, 1, &hit));
	assert_string_equal(hit.name, "one");
	/* Written anew, it is read anew: shorter, longer, and as another file. */
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
	unlink(path); /* what was read stays */
	assert_string_equal(name_in(&g, 0x4000), "new file");
	end_reading(&g);
}

/* Files that anybody may have put there: none is believed, and none is waited for. */
static void maps_that_are_not_believed(void **state)
{
	(void)state;
	char path[64], elsewhere[] = "/tmp/cyctop-test-XXXXXX";
	map_path(path, getpid());
	unlink(path);
	int fd = mkstemp(elsewhere);
	assert_true(fd >= 0);
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
	/* Of a process that is long over: older than this one. */
	put(path, "w", "1000 100 stale\n");
	struct timespec old[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_null(name_in(&g, 0x1000));
	if (geteuid() == 0) { /* of somebody else */
		put(path, "w", "1000 100 foreign\n");
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_null(name_in(&g, 0x1000));
		assert_int_equal(chown(path, 0, 0), 0);
	} else {
		put(path, "w", "1000 100 own\n");
	}
	assert_non_null(name_in(&g, 0x1000));
	unlink(path);
	unlink(elsewhere);
	close(fd);
	end_reading(&g);
}

/* The process ends between two reads: what it wrote until then is read. */
static void a_process_that_ends(void **state)
{
	(void)state;
	int go[2];
	assert_int_equal(pipe(go), 0);
	pid_t pid = fork();
	char path[64], c;
	if (pid == 0) {
		map_path(path, getpid());
		FILE *f = fopen(path, "w");
		fputs("1000 100 early\n", f);
		fflush(f);
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		fputs("2000 100 late\n", f);
		fflush(f);
		_exit(0);
	}
	map_path(path, pid);
	struct reading g = {.key = {.pid = pid, .uid = geteuid()}};
	for (int tries = 0; tries < 1000 && !name_in(&g, 0x1000); tries++)
		usleep(10000);
	assert_string_equal(name_in(&g, 0x1000), "early");
	close(go[1]);
	waitpid(pid, NULL, 0);
	unlink(path);
	g.key.gone = true;
	assert_string_equal(name_in(&g, 0x2000), "late");
	close(go[0]);
	end_reading(&g);
}

/* The marker leads to the dump, which is found though it was deleted. */
static void a_dump_by_its_marker(void **state)
{
	(void)state;
	char dir[] = "/tmp/cyctop-test-XXXXXX", path[64];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
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
	load.size = sizeof(load) + (1 << 20); /* the code itself is passed over */
	assert_int_equal(write(fd, &load, sizeof(load)), sizeof(load));
	struct stat st;
	assert_int_equal(fstat(fd, &st), 0);
	void *marker = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(marker != MAP_FAILED);
	unlink(path);
	struct reading g = {.key = {.pid = getpid(), .uid = geteuid()}};
	g.key.marker = (struct dso_key){.path = path, .pid = getpid(), .ino = st.st_ino};
	assert_string_equal(name_in(&g, 0x50ff), "dumped");
	assert_int_equal(lseek(fd, 40 + (off_t)load.size, SEEK_SET), 40 + (off_t)load.size);
	load.addr = 0x6000, load.index = 2, load.size = sizeof(load);
	memcpy(load.name, "later", 6);
	assert_int_equal(write(fd, &load, sizeof(load)), sizeof(load));
	assert_string_equal(name_in(&g, 0x6000), "later");
	assert_string_equal(name_in(&g, 0x5000), "dumped");
	end_reading(&g);
	/* A child has its parent's mappings; the code is not its own. */
	g.key = (struct jit_key){.pid = getppid(), .marker = {.path = path, .pid = getpid(), .ino = st.st_ino}};
	assert_null(name_in(&g, 0x5000));
	end_reading(&g);
	munmap(marker, 4096);
	close(fd);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_that_grows),
		cmocka_unit_test(maps_that_are_not_believed),
		cmocka_unit_test(a_process_that_ends),
		cmocka_unit_test(a_dump_by_its_marker),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
