/* One file at many paths, and many files at one path: real files, mapped by this process or by
 * records. */
#include "../lib/made_clock.h"
#include "../lib/resolver_stats.h"
#include "../lib/scratch.h"

#include <cyctop/resolve.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { BASE = 0x10000000, COPIES = 40 };

static struct resolver *make(void)
{
	struct resolver_config config = {.chain = &symbolizer_elf, .chain_n = 1, .proc = proc_none};
	struct resolver *r;
	struct error err;
	assert_int_equal(resolver_create(&config, &r, &err), 0);
	return r;
}

static off_t copy_file(const char *from, const char *to, const char *more)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	assert_true(in >= 0 && out >= 0);
	char buf[4096];
	for (ssize_t n; (n = read(in, buf, sizeof(buf))) > 0;)
		assert_int_equal(write(out, buf, (size_t)n), n);
	assert_int_equal(write(out, more, strlen(more)), strlen(more));
	struct stat st;
	assert_int_equal(fstat(out, &st), 0);
	close(in);
	close(out);
	return st.st_size;
}

static void apply_file(struct resolver *r, uint32_t pid, const struct stat *st, const char *path, uint32_t generation)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = pid,
		.start = BASE,
		.len = (uint64_t)st->st_size,
		.prot = 5,
		.filename = path,
		.maj = major(st->st_dev),
		.min = minor(st->st_dev),
		.ino = st->st_ino,
		.ino_generation = generation,
	};
	resolver_apply(r, &rec);
}

/* Finds the symbol of that name in the mapping of the file in process `pid`; otherwise the
 * symbol of the first byte. */
static uint32_t symbol_of(struct resolver *r, uint32_t pid, off_t size, const char *name)
{
	uint32_t task = resolver_task(r, pid, pid, 1);
	for (off_t at = 0; at < size; at += 4) {
		uint32_t sym = resolver_symbol(r, task, MISC_USER, BASE + (uint64_t)at, 0);
		sym = resolver_catalog(r)->syms[sym].resolved;
		if (strcmp(resolver_catalog(r)->syms[sym].name, name) == 0)
			return sym;
	}
	return resolver_symbol(r, task, MISC_USER, BASE, 0);
}

static const struct dso_info *dso_of(struct resolver *r, uint32_t sym)
{
	const struct catalog *cat = resolver_catalog(r);
	return &cat->dsos[cat->syms[sym].dso];
}

static const char *name_of(struct resolver *r, uint32_t sym)
{
	return resolver_catalog(r)->syms[sym].name;
}

struct place {
	char dir[SCRATCH_PATH], path[SCRATCH_PATH];
	off_t size;
	struct stat st;
};

static void make_place(struct place *p, const char *name, const char *more)
{
	scratch_dir(p->dir);
	scratch_path(p->path, "%s/%s", p->dir, name);
	p->size = copy_file(FIXTURE_DIR "/where_pie", p->path, more);
	assert_int_equal(stat(p->path, &p->st), 0);
}

static void remove_place(const struct place *p)
{
	scratch_remove(p->dir);
}

static uint32_t self(void)
{
	return (uint32_t)getpid();
}

static uint32_t process_that_is_gone(void)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return (uint32_t)pid;
}

static void *map_code(int fd, off_t size, int how)
{
	void *mapped = mmap(NULL, (size_t)size, PROT_READ | PROT_EXEC, how, fd, 0);
	assert_true(mapped != MAP_FAILED);
	return mapped;
}

/* Checks that the file's function has its name in process `pid`, and returns its symbol. */
static uint32_t assert_named(struct resolver *r, uint32_t pid, off_t size)
{
	uint32_t sym = symbol_of(r, pid, size, "fixture_function");
	assert_string_equal(name_of(r, sym), "fixture_function");
	return sym;
}

/* Checks that no address in the file has a name, and that `why` is the reason. */
static void assert_nameless(struct resolver *r, uint32_t pid, off_t size, const char *why)
{
	uint32_t sym = symbol_of(r, pid, size, "fixture_function");
	assert_int_equal(resolver_catalog(r)->syms[sym].state, SYM_UNRESOLVED);
	assert_non_null(dso_of(r, sym)->why);
	assert_non_null(strstr(dso_of(r, sym)->why, why));
}

/* Forty containers have a copy of a library: it is read once, and its function is one row. */
static void one_library_in_many_places(void **state)
{
	(void)state;
	struct resolver *r = make();
	struct place p[COPIES + 3];
	uint32_t first = 0;
	for (uint32_t i = 0; i < COPIES; i++) {
		make_place(&p[i], "libsame.so", "");
		apply_file(r, 100 + i, &p[i].st, p[i].path, 0);
		uint32_t sym = symbol_of(r, 100 + i, p[i].size, "fixture_function");
		assert_string_equal(name_of(r, sym), "fixture_function");
		first = i ? first : sym;
		assert_int_equal(sym, first);
	}
	struct resolver_stats stats;
	resolver_stats_get(r, &stats);
	assert_int_equal(stats.tables, 1);
	assert_int_equal(stats.shared, COPIES - 1);
	size_t bytes = stats.symtab_bytes;
	assert_string_equal(dso_of(r, first)->name, "libsame.so");

	/* a copy with another file name is another row, but shares the table */
	make_place(&p[COPIES], "libother.so", "");
	apply_file(r, 200, &p[COPIES].st, p[COPIES].path, 0);
	uint32_t other = symbol_of(r, 200, p[COPIES].size, "fixture_function");
	assert_int_not_equal(other, first);
	assert_string_equal(dso_of(r, other)->name, "libother.so");
	/* a copy with the same build-id but another size, for example stripped, is read */
	make_place(&p[COPIES + 1], "libsame.so", "more");
	apply_file(r, 201, &p[COPIES + 1].st, p[COPIES + 1].path, 0);
	assert_int_not_equal(symbol_of(r, 201, p[COPIES + 1].size, "fixture_function"), first);
	resolver_stats_get(r, &stats);
	assert_int_equal(stats.tables, 2);
	assert_int_equal(stats.shared, COPIES);
	assert_true(stats.symtab_bytes <= 3 * bytes);

	for (uint32_t i = 0; i < COPIES + 2; i++)
		remove_place(&p[i]);
	resolver_destroy(r);
}

/* A deleted file that two processes mapped: one has ended, so the file is opened through the
 * other. */
static void another_process_has_the_file(void **state)
{
	(void)state;
	struct place p;
	make_place(&p, "prog", "");
	int fd = open(p.path, O_RDONLY | O_CLOEXEC);
	void *mapped = map_code(fd, p.size, MAP_PRIVATE);
	remove_place(&p);
	uint32_t gone = process_that_is_gone();
	struct resolver *r = make();
	apply_file(r, gone, &p.st, p.path, 0);
	apply_file(r, self(), &p.st, p.path, 0);
	uint32_t sym = assert_named(r, gone, p.size);
	assert_true(dso_of(r, sym)->deleted);
	assert_string_equal(dso_of(r, sym)->name, "prog");
	munmap(mapped, (size_t)p.size);
	close(fd);
	resolver_destroy(r);
}

/* A file that no process has any more has no names; when a process maps it again, it has. */
static void a_file_comes_back(void **state)
{
	(void)state;
	struct place p;
	make_place(&p, "prog", "");
	int fd = open(p.path, O_RDONLY | O_CLOEXEC);
	remove_place(&p);
	uint32_t gone = process_that_is_gone();
	struct resolver *r = make();
	apply_file(r, gone, &p.st, p.path, 0);
	assert_nameless(r, gone, p.size, "");
	void *mapped = map_code(fd, p.size, MAP_PRIVATE);
	apply_file(r, self(), &p.st, p.path, 0);
	uint32_t sym = assert_named(r, self(), p.size);
	assert_null(dso_of(r, sym)->why);
	munmap(mapped, (size_t)p.size);
	close(fd);
	resolver_destroy(r);
}

/* The path now names another file: its names are not used, and `why` says so. */
static void a_replaced_file_names_nothing(void **state)
{
	(void)state;
	struct place p;
	make_place(&p, "prog", "");
	char kept[SCRATCH_PATH], new[SCRATCH_PATH];
	scratch_path(kept, "%s.kept", p.path);
	scratch_path(new, "%s.new", p.path);
	assert_int_equal(link(p.path, kept), 0); /* keeps the inode in use */
	copy_file(FIXTURE_DIR "/where_pie", new, "");
	assert_int_equal(rename(new, p.path), 0);
	struct resolver *r = make();
	apply_file(r, self(), &p.st, p.path, 0);
	assert_nameless(r, self(), p.size, "replaced");
	remove_place(&p);
	resolver_destroy(r);
}

/* A file is overwritten in place after its program ended: the next program has its own names. */
static void an_overwritten_file(void **state)
{
	(void)state;
	struct place p;
	make_place(&p, "prog", "");
	made_clock_stop();
	struct resolver *r = make();
	apply_file(r, self(), &p.st, p.path, 0);
	assert_string_equal(name_of(r, symbol_of(r, self(), p.size, "fixture_function")), "fixture_function");
	made_clock_advance(1000000000); /* files are compared a few times a second */
	int fd = open(p.path, O_WRONLY | O_TRUNC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "no program", 10), 10);
	close(fd);
	struct record rec = {.type = RECORD_COMM, .misc = MISC_COMM_EXEC};
	rec.u.comm.pid = rec.u.comm.tid = self();
	rec.u.comm.comm = "prog";
	resolver_apply(r, &rec);
	apply_file(r, self(), &p.st, p.path, 0);
	assert_nameless(r, self(), p.size, "ELF");
	remove_place(&p);
	resolver_destroy(r);
}

/* Another link to a file changes its time of change, and it is not read again for the next program. */
static void a_linked_file(void **state)
{
	(void)state;
	struct place p;
	char other[sizeof(p.path) + 8];
	make_place(&p, "prog", "");
	made_clock_stop();
	struct resolver *r = make();
	apply_file(r, self(), &p.st, p.path, 0);
	assert_string_equal(name_of(r, symbol_of(r, self(), p.size, "fixture_function")), "fixture_function");
	snprintf(other, sizeof(other), "%s.link", p.path);
	struct stat now = p.st;
	while (memcmp(&now.st_ctim, &p.st.st_ctim, sizeof(now.st_ctim)) == 0) { /* the clock of files goes in steps */
		unlink(other);
		assert_int_equal(link(p.path, other), 0);
		assert_int_equal(stat(p.path, &now), 0);
	}
	made_clock_advance(1000000000); /* files are compared a few times a second */
	struct record rec = {.type = RECORD_COMM, .misc = MISC_COMM_EXEC};
	rec.u.comm.pid = rec.u.comm.tid = self();
	rec.u.comm.comm = "prog";
	resolver_apply(r, &rec);
	apply_file(r, self(), &p.st, p.path, 0);
	assert_string_equal(name_of(r, symbol_of(r, self(), p.size, "fixture_function")), "fixture_function");
	struct resolver_stats stats;
	resolver_stats_get(r, &stats);
	assert_int_equal(stats.tables + stats.shared, 1);
	unlink(other);
	remove_place(&p);
	resolver_destroy(r);
}

/* A reused inode number: an inode of another generation is another file. */
static void an_inode_number_is_reused(void **state)
{
	(void)state;
	struct place p;
	make_place(&p, "prog", "");
	struct resolver *r = make();
	uint32_t dso[4];
	static const uint32_t generations[] = {7, 7, 8, 8};
	for (uint32_t i = 0; i < 4; i++) {
		apply_file(r, 300 + i, &p.st, "/nowhere/prog", generations[i]);
		uint32_t task = resolver_task(r, 300 + i, 300 + i, 1);
		uint32_t sym = resolver_symbol(r, task, MISC_USER, BASE, 0);
		dso[i] = resolver_catalog(r)->syms[sym].dso;
	}
	assert_int_equal(dso[0], dso[1]);
	assert_int_not_equal(dso[1], dso[2]);
	assert_int_equal(dso[2], dso[3]);
	remove_place(&p);
	resolver_destroy(r);
}

/* A program in a memfd: found through its mapping, or among the open files. */
static void a_program_in_memory(void **state)
{
	(void)state;
	int fd = memfd_create("code", MFD_CLOEXEC);
	assert_true(fd >= 0);
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	off_t size = copy_file(FIXTURE_DIR "/where_pie", path, "");
	struct stat st;
	assert_int_equal(fstat(fd, &st), 0);
	void *mapped = map_code(fd, size, MAP_SHARED);
	struct resolver *r = make();
	apply_file(r, self(), &st, "/memfd:code (deleted)", 0);
	uint32_t sym = assert_named(r, self(), size);
	assert_string_equal(dso_of(r, sym)->name, "memfd:code");
	assert_false(dso_of(r, sym)->deleted);
	munmap(mapped, (size_t)size);
	close(fd);
	resolver_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_library_in_many_places), cmocka_unit_test(another_process_has_the_file),
		cmocka_unit_test(a_file_comes_back),	      cmocka_unit_test(a_replaced_file_names_nothing),
		cmocka_unit_test(an_overwritten_file),	      cmocka_unit_test(a_linked_file),
		cmocka_unit_test(an_inode_number_is_reused),  cmocka_unit_test(a_program_in_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
