/* Tells whether a program has frame pointers, before it runs. */
#include "os/file.h"
#include "resolve/elf/image.h"
#include "resolve/elf/open.h"
#include "resolve/elf/reader.h"

#include <cyctop/unwind.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Puts the path of the interpreter that a script names in its first line into `ret`.  Returns false if the file is not
 * a script. */
static bool interpreter_of(int fd, char ret[PATH_MAX])
{
	char line[PATH_MAX];
	ssize_t n = os_pread(fd, line, sizeof(line) - 1, 0);
	if (n < 2 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	const char *path = line + 2 + strspn(line + 2, " \t");
	snprintf(ret, PATH_MAX, "%.*s", (int)strcspn(path, " \t\r\n"), path);
	return true;
}

/* Opens what the kernel executes for a path: an interpreter, if the file is a script.  Returns an fd or -errno. */
static int open_program(const char *path, uint64_t *size_ret)
{
	enum { NESTED_MAX = 5 }; /* the kernel's limit of scripts that interpret scripts */
	char interpreter[PATH_MAX];
	int fd = open_executable(path, size_ret);
	for (int i = 0; fd >= 0 && interpreter_of(fd, interpreter); i++) {
		close(fd);
		fd = i < NESTED_MAX ? open_executable(interpreter, size_ret) : -ELOOP;
	}
	return fd;
}

/* Returns true if the compiler's name is in .comment, where compilers leave their versions. */
static bool is_compiled_by(const struct image *im, const char *compiler)
{
	char comment[4096];
	size_t i = image_section(im, ".comment");
	uint64_t size = i ? im->sections.data[i].sh_size : 0;
	size_t n = size < sizeof(comment) ? (size_t)size : sizeof(comment);
	return n && image_read(im, im->sections.data[i].sh_offset, comment, n) &&
	       memmem(comment, n, compiler, strlen(compiler));
}

/* What is known of a program's frame pointers beside its unwind tables. */
enum language { LANGUAGE_OTHER, LANGUAGE_GO, LANGUAGE_RUST };

static enum language language_of(int fd, uint64_t size)
{
	struct image im;
	struct dso_image from = {0};
	enum language ret = LANGUAGE_OTHER;
	if (image_open_file(&im, fd, size, false, &from) == 0) {
		bool go = image_section(&im, ".gopclntab") || image_section(&im, ".data.rel.ro.gopclntab");
		ret = go ? LANGUAGE_GO : is_compiled_by(&im, "rustc") ? LANGUAGE_RUST : LANGUAGE_OTHER;
	}
	image_close(&im);
	return ret;
}

static double framed_by_tables(int fd, uint64_t size)
{
	struct limit_set limits = {0};
	struct unwind *u = elf_unwind_file(fd, size, &limits);
	double ret = u ? unwind_framed(u) : NAN;
	unwind_destroy(u);
	return ret;
}

double program_framed(const char *path)
{
	uint64_t size;
	int fd = open_program(path, &size);
	if (fd < 0)
		return NAN;
	double ret = 0;
	switch (language_of(fd, size)) {
	case LANGUAGE_GO: /* has frame pointers; the unwind tables are for its C code alone */
		ret = 1;
		break;
	case LANGUAGE_RUST: /* has none; most of the file is the standard library, which has them */
		ret = 0;
		break;
	case LANGUAGE_OTHER:
		ret = framed_by_tables(fd, size);
	}
	close(fd);
	return ret;
}
