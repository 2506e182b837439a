/* Debug files are found in all places where tools put them, and used only if they are of the
 * same build.  The program and its debug files were split by objcopy when this test was built. */
#include "../lib/scratch.h"
#include "base/alloc.h"
#include "resolve/elf/image.h"

#include <cyctop/resolve.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if HAVE_LZMA
#include <lzma.h>
#endif

#include <cmocka.h>

struct bench {
	char dir[SCRATCH_PATH];
	char id_path[128]; /* ".build-id/12/3456" */
	char why[160];	   /* why the last search found no names */
};

/* ---- files ------------------------------------------------------------------------------ */

struct bytes {
	uint8_t *data;
	size_t n;
};

static struct bytes fixture(const char *name)
{
	struct bytes b;
	char path[SCRATCH_PATH];
	scratch_path(path, FIXTURE_DIR "/%s", name);
	b.data = scratch_read(path, &b.n);
	return b;
}

/* The path of a file of the test; valid until the next call. */
static const char *at(const struct bench *b, const char *name)
{
	static char path[SCRATCH_PATH];
	scratch_path(path, "%s/%s", b->dir, name);
	return path;
}

static void copy(const struct bench *b, const char *name, const char *to)
{
	struct bytes file = fixture(name);
	scratch_write(at(b, to), file.data, file.n);
	free(file.data);
}

static int setup(void **state)
{
	struct bench *b = mem_calloc(1, sizeof(*b));
	*state = b;
	scratch_dir(b->dir);
	scratch_parents(at(b, "other/"));
	scratch_parents(at(b, "home/"));
	copy(b, "split_prog", "root/bin/prog");
	int fd = open(at(b, "root/bin/prog"), O_RDONLY | O_CLOEXEC);
	struct build_id id;
	elf_build_id_file(fd, NULL, &id);
	close(fd);
	if (id.size) {
		char path[sizeof(b->id_path) + 1];
		build_id_place(path, sizeof(path), "", &id, "");
		memcpy(b->id_path, path + 1, sizeof(b->id_path));
	}
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;
	scratch_remove(b->dir);
	free(b);
	return 0;
}

/* ---- searches ----------------------------------------------------------------------------- */

/* Loads root/bin/prog as for a process whose root directory is `root`. */
static void load(const struct bench *b, struct dso_image *ret)
{
	char path[SCRATCH_PATH], root[SCRATCH_PATH], other[SCRATCH_PATH], home[SCRATCH_PATH];
	scratch_path(path, "%s/root/bin/prog", b->dir);
	scratch_path(root, "%s/root", b->dir);
	scratch_path(other, "%s/other", b->dir);
	scratch_path(home, "%s/home", b->dir);
	struct debug_places places = {.path = "/bin/prog", .roots = {root, other}, .home = home};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*ret = (struct dso_image){0};
	assert_int_equal(elf_read_program(fd, (uint64_t)st.st_size, &places, ret), 0); /* the code is there, at least */
	close(fd);
}

/* Does the function have a name, from a file whose path ends with `file`? */
static bool finds_as(struct bench *b, const char *file, enum sym_origin origin)
{
	struct dso_image image;
	load(b, &image);
	bool found = false;
	for (size_t i = 0; i < image.segments_n; i++)
		for (uint64_t a = 0; a < image.segments[i].size && !found; a++) {
			struct symtab_hit hit;
			found = symtab_find(image.symtab, image.segments[i].vaddr + a, &hit) &&
				strcmp(hit.name, "fixture_function") == 0 && hit.addr == image.segments[i].vaddr + a &&
				hit.origin == origin;
		}
	if (found && !file) {
		assert_null(image.file);
	} else if (found) {
		assert_non_null(image.file);
		size_t n = strlen(image.file), m = strlen(file);
		assert_true(n > m && strcmp(image.file + n - m, file) == 0);
		assert_string_equal(image.why, "");
	} else {
		assert_null(image.file);
		snprintf(b->why, sizeof(b->why), "%s", image.why);
	}
	dso_image_deinit(&image);
	return found;
}

static bool finds(struct bench *b, const char *file)
{
	return finds_as(b, file, ORIGIN_DEBUG_FILE);
}

static void assert_missing(struct bench *b, const char *why)
{
	assert_false(finds(b, ""));
	assert_non_null(strstr(b->why, why));
}

/* Copies the debug file `name` to `place`, and checks that it is found. */
static bool finds_at(struct bench *b, const char *name, const char *place)
{
	copy(b, name, place);
	bool found = finds(b, place);
	assert_int_equal(unlink(at(b, place)), 0);
	return found;
}

static void by_its_build_id(void **state)
{
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	if (!b->id_path[0])
		skip(); /* this linker writes no build-id */
	static const char *const places[][2] = {
		{"root/usr/lib/debug/", ".debug"},
		{"other/usr/lib/debug/", ".debug"},
		{"home/.debug/", "/debug"},
		{"home/.debug/", "/elf"},
	};
	char place[512];
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		snprintf(place, sizeof(place), "%s%s%s", places[i][0], b->id_path, places[i][1]);
		assert_true(finds_at(b, "split_apart", place));
	}
	assert_true(finds_at(b, "split_apart", "root/bin/prog.debug"));
	assert_true(finds_at(b, "split_apart", "root/bin/.debug/prog.debug"));
	assert_true(finds_at(b, "split_apart", "other/usr/lib/debug/bin/prog.debug"));
	assert_missing(b, "no debug file");
}

static void of_another_build(void **state)
{
	struct bench *b = *state;
	char place[512];
	assert_missing(b, "no debug file");
	if (!b->id_path[0])
		skip();
	snprintf(place, sizeof(place), "root/usr/lib/debug/%s.debug", b->id_path);
	copy(b, "other_build", place);
	assert_missing(b, "another build");
}

/* Without a build-id, the checksum in .gnu_debuglink decides. */
static void by_debuglink_alone(void **state)
{
	static const char apart[] = "split_linked_apart";
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	copy(b, "split_linked", "root/bin/prog");
	assert_missing(b, "no debug file");
	assert_false(finds_at(b, apart, "root/bin/prog.debug") && "it has another name");
	assert_true(finds_at(b, apart, "root/bin/linked.dbg"));
	assert_true(finds_at(b, apart, "root/bin/.debug/linked.dbg"));
	assert_true(finds_at(b, apart, "root/usr/lib/debug/bin/linked.dbg"));
	assert_true(finds_at(b, apart, "other/usr/lib/debug/bin/linked.dbg"));
	struct bytes longer = fixture(apart);
	longer.data = mem_realloc(longer.data, longer.n + 1, 1);
	longer.data[longer.n] = 'x';
	scratch_write(at(b, "root/bin/linked.dbg"), longer.data, longer.n + 1);
	free(longer.data);
	assert_missing(b, "another build");
}

/* After prelink, the program's sections have other addresses than those in its debug file. */
static void moved_after_it_was_split(void **state)
{
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	if (!b->id_path[0])
		skip();
	assert_true(finds_at(b, "split_moved", "root/bin/prog.debug"));
}

static void link_to(const struct bench *b, const char *target)
{
	unlink(at(b, "root/bin/prog.debug"));
	assert_int_equal(symlink(target, at(b, "root/bin/prog.debug")), 0);
}

/* A file that is not regular is not opened, and links do not lead out of the root. */
static void irregular_files_are_skipped(void **state)
{
	struct bench *b = *state;
	char outside[SCRATCH_PATH];
	assert_missing(b, "no debug file");
	assert_int_equal(mkfifo(at(b, "root/bin/prog.debug"), 0600), 0);
	assert_missing(b, "no debug file");
	link_to(b, "/dev/zero");
	assert_missing(b, "no debug file");
	copy(b, "split_apart", "apart");
	scratch_path(outside, "%s/apart", b->dir);
	link_to(b, outside);
	assert_missing(b, "no debug file");
	if (!b->id_path[0])
		skip();
	copy(b, "split_apart", "root/apart");
	link_to(b, "../../../../apart");
	assert_true(finds(b, "/prog.debug"));
}

/* ---- symbols packed into the file ---------------------------------------------------- */

static struct bytes copied(const void *data, size_t n)
{
	return (struct bytes){memcpy(mem_calloc(n + 1, 1), data, n), n};
}

/* As xz does.  Without liblzma, nothing reads the result. */
static struct bytes compressed(const void *data, size_t n)
{
#if HAVE_LZMA
	size_t cap = lzma_stream_buffer_bound(n);
	struct bytes ret = {mem_calloc(cap, 1), 0};
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, data, n, ret.data, &ret.n, cap), LZMA_OK);
	return ret;
#else
	return copied(data, n);
#endif
}

/* Makes root/bin/prog of the fixture `name`, with these contents of its section .gnu_debugdata. */
static void pack(const struct bench *b, const char *name, struct bytes contents)
{
	struct bytes file = fixture(name);
	ElfW(Ehdr) eh;
	ElfW(Shdr) names, sh;
	bool found = false;
	memcpy(&eh, file.data, sizeof(eh));
	memcpy(&names, file.data + eh.e_shoff + eh.e_shstrndx * sizeof(names), sizeof(names));
	for (size_t i = 0; i < eh.e_shnum && !found; i++) {
		uint8_t *header = file.data + eh.e_shoff + i * sizeof(sh);
		memcpy(&sh, header, sizeof(sh));
		found = strcmp((char *)file.data + names.sh_offset + sh.sh_name, ".gnu_debugdata") == 0;
		sh.sh_offset = file.n;
		sh.sh_size = contents.n;
		if (found)
			memcpy(header, &sh, sizeof(sh));
	}
	assert_true(found);
	file.data = mem_realloc(file.data, file.n + contents.n, 1);
	memcpy(file.data + file.n, contents.data, contents.n);
	scratch_write(at(b, "root/bin/prog"), file.data, file.n + contents.n);
	free(file.data);
}

static struct bytes packed_symbols(void)
{
	struct bytes mini = fixture("split_mini"), ret = compressed(mini.data, mini.n);
	free(mini.data);
	return ret;
}

static void packed_into_the_file(void **state)
{
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	struct bytes symbols = packed_symbols();
	pack(b, "split_packed", symbols);
	if (HAVE_LZMA) {
		assert_true(finds_as(b, NULL, ORIGIN_MINIDEBUG));
		/* the debug file has more symbols than the packed ones */
		if (b->id_path[0])
			assert_true(finds_at(b, "split_apart", "root/bin/prog.debug"));
		pack(b, "split_packed_moved", symbols);
		assert_true(finds_as(b, NULL, ORIGIN_MINIDEBUG));
	} else {
		assert_missing(b, "without liblzma");
	}
	free(symbols.data);
}

static void packed_and_damaged(void **state)
{
	enum { MUCH = 3000000 };
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	static const char no_elf[] = "no ELF file at all\n", no_xz[] = "no xz at all\n";
	struct bytes symbols = packed_symbols(), zeros = {mem_calloc(MUCH, 1), MUCH};
	assert_true(symbols.n > 200);
	const struct bytes bad[] = {
		copied(symbols.data, 100),	 copied(symbols.data + symbols.n - 100, 100),
		copied(no_xz, strlen(no_xz)),	 compressed(no_elf, strlen(no_elf)),
		compressed(zeros.data, zeros.n), /* a small input that unpacks to too much */
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		pack(b, "split_packed", bad[i]);
		assert_missing(b, HAVE_LZMA ? "damaged" : "without liblzma");
		free(bad[i].data);
	}
	free(symbols.data);
	free(zeros.data);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_its_build_id),
		TEST(of_another_build),
		TEST(by_debuglink_alone),
		TEST(moved_after_it_was_split),
		TEST(irregular_files_are_skipped),
		TEST(packed_into_the_file),
		TEST(packed_and_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
