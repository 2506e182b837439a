/* Shared libraries that are loaded when they are needed. */
#include "os/library.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char soname[] = "libc.so.6"; /* is there wherever the test is */

static void functions_are_found_in_order(void **state)
{
	(void)state;
	static const char *const names[] = {"strlen", "getpid"};
	void *functions[2] = {0};
	void *handle = library_load(soname, names, functions, 2);
	assert_non_null(handle);
	assert_ptr_equal(functions[0], dlsym(handle, "strlen"));
	assert_ptr_equal(functions[1], dlsym(handle, "getpid"));
	assert_int_equal(dlclose(handle), 0);
}

static void what_is_missing_is_an_answer(void **state)
{
	(void)state;
	static const char *const names[] = {"getpid", "no_such_function"};
	void *functions[2];
	assert_null(library_load("libno-such-library.so.1", names, functions, 1));
	assert_null(library_load(soname, names, functions, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_in_order),
		cmocka_unit_test(what_is_missing_is_an_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
