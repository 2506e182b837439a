/* Whose frame pointers count if a script, or what is no program, is to be run. */
#include <cyctop/resolve.h>

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/cyctop-test-XXXXXX";

static const char *in_dir(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	return path;
}

/* Writes a script whose first line is `line`, with `path` in the place of %s. */
static const char *script(char ret[PATH_MAX], const char *name, const char *line, const char *path)
{
	FILE *f = fopen(in_dir(ret, name), "w");
	assert_non_null(f);
	while (*line)
		if (line[0] == '%') {
			fputs(path, f);
			line += 2;
		} else {
			fputc(*line++, f);
		}
	assert_int_equal(fclose(f), 0);
	return ret;
}

static bool is_same(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

static void scripts_are_as_their_interpreters(void **state)
{
	(void)state;
	char self[PATH_MAX] = "", one[PATH_MAX], two[PATH_MAX];
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	double framed = program_framed(self);
#ifdef __x86_64__
	assert_true(framed >= 0 && framed <= 1);
#endif
	script(one, "one", "#! \t%s with an argument\nexit 1\n", self);
	script(two, "two", "#!%s", one);
	assert_true(is_same(program_framed(one), framed));
	assert_true(is_same(program_framed(two), framed));
	unlink(one);
	unlink(two);
}

/* None of these makes it wait, or opens a device. */
static void what_is_no_program_is_unknown(void **state)
{
	(void)state;
	char fifo[PATH_MAX], path[PATH_MAX];
	assert_int_equal(mkfifo(in_dir(fifo, "fifo"), 0600), 0);
	const struct {
		const char *line, *path;
	} rows[] = {
		{"", ""},
		{"#!", ""},
		{"#! \n", ""},
		{"#!%s\n", fifo},
		{"#!%s\n", dir},
		{"#!/dev/zero\n", ""},
		{"#!/proc/kmsg\n", ""},
		{"#!%s/it\n", dir},
		{"#!/no/such/program\n", ""},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(isnan(program_framed(script(path, "it", rows[i].line, rows[i].path))));
	assert_true(isnan(program_framed(fifo)));
	assert_true(isnan(program_framed(dir)));
	assert_true(isnan(program_framed("/dev/null")));
	unlink(path);
	unlink(fifo);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripts_are_as_their_interpreters),
		cmocka_unit_test(what_is_no_program_is_unknown),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return failed;
}
