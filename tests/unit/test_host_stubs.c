/* PLT stubs of programs that this machine's compilers and linkers make, compared with what its objdump says. */
#include "../lib/scratch.h"
#include "resolve/elf/image.h"

#include <cyctop/resolve.h>

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char source[] = "#include <stdio.h>\n"
			     "#include <stdlib.h>\n"
			     "int main(int c, char **v) { void *p = malloc(c); free(p);\n"
			     "return printf(v[0], p) + atoi(v[0]) + puts(v[0]) + (p == (void *)free); }\n";

static bool load(const char *path, struct dso_image *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*ret = (struct dso_image){0};
	int r = elf_read_program(fd, (uint64_t)st.st_size, NULL, ret);
	close(fd);
	return r == 0;
}

/* Runs a line of a shell in the directory. */
static int shell(const char *dir, const char *line, char *out, size_t cap)
{
	const char *const argv[] = {"sh", "-c", line, NULL};
	return scratch_run(dir, argv, out, cap);
}

/* Compares the name of each stub of the file with objdump's.  Returns the number of stubs; -1: there is no
 * objdump. */
static int compare_stubs(const char *objdump, const char *dir, const char *file)
{
	enum { LISTING = 8 << 20 };
	char line[4096], path[SCRATCH_PATH], *listing = malloc(LISTING);
	struct dso_image image;
	scratch_path(path, "%s/%s", dir, file);
	assert_non_null(listing);
	assert_true(load(path, &image));
	const char *const argv[] = {objdump, "-d", path, NULL};
	int n = 0;
	bool ran = scratch_run(NULL, argv, listing, LISTING) == 0;
	for (char *at = listing; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		char name[512], *end;
		uint64_t addr;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
		end = strstr(line, "@plt>:");
		if (!end || sscanf(line, "%" SCNx64 " <%500[^>]>", &addr, name) != 2)
			continue;
		struct symtab_hit hit = {0};
		assert_true(symtab_find(image.symtab, addr, &hit));
		assert_string_equal(hit.name, name);
		assert_int_equal(hit.origin, ORIGIN_PLT);
		assert_int_equal(hit.addr, addr);
		assert_true(hit.size >= 8 && hit.size <= 32);
		n++;
	}
	free(listing);
	dso_image_deinit(&image);
	return ran ? n : -1;
}

static void programs_linked_in_several_ways(void **state)
{
	(void)state;
	static const char *const ways[] = {
		"-no-pie -Wl,-z,lazy",
		"-fPIE -pie -Wl,-z,now",
		"-fPIE -pie -Wl,-z,lazy -fcf-protection=full -Wl,-z,ibtplt",
		"-fPIE -pie -Wl,-z,now -fcf-protection=full -Wl,-z,ibt",
		"-fno-plt -fPIE -pie",
		"-s -fPIE -pie",
		"-m32 -no-pie",
		"-m32 -fPIE -pie",
		"-m32 -fPIE -pie -Wl,-z,now",
		"-fuse-ld=lld -fPIE -pie",
		"-fuse-ld=lld -m32 -fPIE -pie",
	};
	char dir[SCRATCH_PATH], path[SCRATCH_PATH], command[512];
	scratch_dir(dir);
	scratch_path(path, "%s/prog.c", dir);
	scratch_text(path, source);
	int most = -1;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		snprintf(command, sizeof(command), "cc -O1 %s -o prog prog.c", ways[i]);
		if (shell(dir, command, NULL, 0) != 0)
			continue; /* this linker does not support the flags */
		int n = compare_stubs("objdump", dir, "prog");
		most = n > most ? n : most;
	}
	scratch_remove(dir);
	if (most < 0) {
		print_message("no compiler cc, or no objdump\n");
		skip();
	}
	assert_true(most >= 4);
}

/* Real files of another machine, if there is an assembler and a linker for it. */
static void an_arm_library(void **state)
{
	(void)state;
	static const char *const linkers[] = {"ld", "ld --long-plt"};
	static const char text[] = ".globl f\n.type f, %function\nf: push {lr}\nbl first(PLT)\n"
				   "bl second(PLT)\npop {pc}\n.size f, .-f\n";
	int built = 0;
	char dir[SCRATCH_PATH], path[SCRATCH_PATH], command[512];
	scratch_dir(dir);
	scratch_path(path, "%s/a.s", dir);
	scratch_text(path, text);
	for (size_t i = 0; i < ARRAY_LEN(linkers); i++) {
		snprintf(command, sizeof(command),
			 "arm-linux-gnueabihf-as -o a.o a.s && arm-linux-gnueabihf-%s -shared -o a.so a.o", linkers[i]);
		if (shell(dir, command, NULL, 0) == 0) {
			assert_int_equal(compare_stubs("arm-linux-gnueabihf-objdump", dir, "a.so"), 2);
			built++;
		}
	}
	scratch_remove(dir);
	if (!built) {
		print_message("no assembler and linker for ARM\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_linked_in_several_ways),
		cmocka_unit_test(an_arm_library),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
