/* Debug files are found in all places where tools put them, and used only if they are of the
 * same build.  The tests link a program and split its debug file with objcopy. */
#include "base/alloc.h"
#include "resolve/elf/image.h"

#include <cyctop/resolve.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct bench {
	char dir[64];
	char id_path[128]; /* ".build-id/12/3456" */
	char why[160];	   /* why the last search found no names */
};

/* Runs a shell command in the directory of the test. */
static bool run(const struct bench *b, const char *command)
{
	char line[4096];
	int n = snprintf(line, sizeof(line), "cd '%s' && { %s; } >log 2>&1", b->dir, command);
	assert_true(n > 0 && (size_t)n < sizeof(line));
	return system(line) == 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int setup(void **state)
{
	struct bench *b = mem_calloc(1, sizeof(*b));
	strcpy(b->dir, "/tmp/cyctop-test-XXXXXX");
	*state = b;
	if (!mkdtemp(b->dir))
		return -1;
	if (!run(b, "mkdir -p root/bin other home && cp '" FIXTURE_DIR "/where_pie' whole && "
		    "objcopy --only-keep-debug whole apart && objcopy --strip-all whole root/bin/prog"))
		return 0; /* there is no objcopy, so prog is missing */
	char path[128];
	snprintf(path, sizeof(path), "%s/root/bin/prog", b->dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct build_id id;
	elf_build_id_file(fd, NULL, &id);
	close(fd);
	if (id.size) {
		build_id_place(path, sizeof(path), "", &id, "");
		snprintf(b->id_path, sizeof(b->id_path), "%s", path + 1);
	}
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;
	nftw(b->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(b);
	return 0;
}

/* Loads root/bin/prog as for a process whose root directory is `root`. */
static void load(const struct bench *b, struct dso_image *ret)
{
	char path[128], root[80], other[80], home[80];
	snprintf(path, sizeof(path), "%s/root/bin/prog", b->dir);
	snprintf(root, sizeof(root), "%s/root", b->dir);
	snprintf(other, sizeof(other), "%s/other", b->dir);
	snprintf(home, sizeof(home), "%s/home", b->dir);
	struct debug_places places = {.path = "/bin/prog", .roots = {root, other}, .home = home};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		skip(); /* no objcopy here */
	struct stat st;
	assert_int_equal(fstat(fd, &st), 0);
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

/* Copies the debug file to `place`, and checks that it is found. */
static bool finds_at(struct bench *b, const char *place)
{
	char command[2048];
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\" && cp apart '%s'", place, place);
	assert_true(run(b, command));
	bool found = finds(b, place);
	snprintf(command, sizeof(command), "rm '%s'", place);
	assert_true(run(b, command));
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
		assert_true(finds_at(b, place));
	}
	assert_true(finds_at(b, "root/bin/prog.debug"));
	assert_true(finds_at(b, "root/bin/.debug/prog.debug"));
	assert_true(finds_at(b, "other/usr/lib/debug/bin/prog.debug"));
	assert_missing(b, "no debug file");
}

static void of_another_build(void **state)
{
	struct bench *b = *state;
	char place[512], command[2048];
	assert_missing(b, "no debug file");
	if (!b->id_path[0])
		skip();
	snprintf(place, sizeof(place), "root/usr/lib/debug/%s.debug", b->id_path);
	snprintf(command, sizeof(command),
		 "mkdir -p $(dirname %s) && echo 'int main(void) { return 0; } int fixture_function(void) { return 1; "
		 "}' >o.c &&"
		 "cc -g -Wl,--build-id -o %s o.c",
		 place, place);
	if (!run(b, command))
		skip(); /* no compiler */
	assert_missing(b, "another build");
}

/* Without a build-id, the checksum in .gnu_debuglink decides. */
static void by_debuglink_alone(void **state)
{
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	assert_true(run(b, "objcopy --remove-section=.note.gnu.build-id whole w && objcopy --only-keep-debug w apart &&"
			   "objcopy --strip-all w root/bin/prog && cp apart linked.dbg &&"
			   "objcopy --add-gnu-debuglink=linked.dbg root/bin/prog"));
	assert_missing(b, "no debug file");
	assert_false(finds_at(b, "root/bin/prog.debug") && "it has another name");
	assert_true(finds_at(b, "root/bin/linked.dbg"));
	assert_true(finds_at(b, "root/bin/.debug/linked.dbg"));
	assert_true(finds_at(b, "root/usr/lib/debug/bin/linked.dbg"));
	assert_true(finds_at(b, "other/usr/lib/debug/bin/linked.dbg"));
	assert_true(run(b, "printf x >>apart && cp apart root/bin/linked.dbg"));
	assert_missing(b, "another build");
}

/* After prelink, the program's sections have other addresses than those in its debug file. */
static void moved_after_it_was_split(void **state)
{
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	if (!b->id_path[0])
		skip();
	assert_true(run(b, "objcopy --change-addresses=0x200000 apart moved && mv moved apart"));
	assert_true(finds_at(b, "root/bin/prog.debug"));
}

/* A file that is not regular is not opened, and links do not lead out of the root. */
static void irregular_files_are_skipped(void **state)
{
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	assert_true(run(b, "mkfifo root/bin/prog.debug"));
	assert_missing(b, "no debug file");
	assert_true(run(b, "rm root/bin/prog.debug; ln -s /dev/zero root/bin/prog.debug"));
	assert_missing(b, "no debug file");
	assert_true(run(b, "rm root/bin/prog.debug; ln -s \"$PWD/apart\" root/bin/prog.debug"));
	assert_missing(b, "no debug file");
	if (!b->id_path[0])
		skip();
	assert_true(run(b, "cp apart root/apart; rm root/bin/prog.debug; ln -s ../../../../apart root/bin/prog.debug"));
	assert_true(finds(b, "/prog.debug"));
}

/* ---- symbols packed into the file ---------------------------------------------------- */

/* Packs symbols as Fedora's tools do. */
static const char pack[] =
	"nm whole --format=posix --defined-only | awk '$2 == \"t\" || $2 == \"T\" { print $1 }' >keep;"
	"objcopy -S --keep-symbols=keep apart mini && xz -f mini &&"
	"objcopy --add-section .gnu_debugdata=mini.xz root/bin/prog";

static void packed_into_the_file(void **state)
{
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	if (!run(b, pack))
		skip(); /* no xz */
	if (!HAVE_LZMA) {
		assert_missing(b, "without liblzma");
		return;
	}
	assert_true(finds_as(b, NULL, ORIGIN_MINIDEBUG));
	/* the debug file has more symbols than the packed ones */
	if (b->id_path[0])
		assert_true(finds_at(b, "root/bin/prog.debug"));
	assert_true(run(b, "objcopy --change-addresses=0x100000 root/bin/prog"));
	assert_true(finds_as(b, NULL, ORIGIN_MINIDEBUG));
}

static void packed_and_damaged(void **state)
{
	struct bench *b = *state;
	assert_missing(b, "no debug file");
	if (!run(b, pack))
		skip();
	const char *why = HAVE_LZMA ? "damaged" : "without liblzma";
	static const char *const ways[] = {
		"head -c 100 mini.xz >bad",
		"tail -c 100 mini.xz >bad",
		"echo no xz at all >bad",
		"echo no ELF file at all | xz >bad",
		"head -c 3000000 /dev/zero | xz >bad", /* a small input that unpacks to too much */
	};
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		assert_true(run(b, ways[i]));
		assert_true(run(b, "objcopy --update-section .gnu_debugdata=bad root/bin/prog"));
		assert_missing(b, why);
	}
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
