/* What is said to .NET, and read of it: bytes that may be lies. */
#include "attach/dotnet.h"

#include <cyctop/runtime.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void libraries(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		enum runtime_library library;
		enum runtime_kind kind;
	} of[] = {
		{"/usr/share/dotnet/shared/Microsoft.NETCore.App/8.0.1/libcoreclr.so", LIBRARY_RUNTIME, RUNTIME_DOTNET},
		{"/opt/app/libcoreclr.so (deleted)", LIBRARY_RUNTIME, RUNTIME_DOTNET},
		{"/memfd:doublemapper (deleted)", LIBRARY_RUNTIME, RUNTIME_DOTNET},
		{"/memfd:doublemapper", LIBRARY_RUNTIME, RUNTIME_DOTNET},
		{"/memfd:doublemappers", LIBRARY_OTHER, RUNTIME_NONE},
		{"/opt/app/libcoreclrtraceptprovider.so", LIBRARY_OTHER, RUNTIME_NONE},
		{"/opt/app/libcoreclr.so/x", LIBRARY_OTHER, RUNTIME_NONE},
		{"/jdk/lib/server/libjvm.so", LIBRARY_OTHER, RUNTIME_JVM},
		{"/jdk/lib/default/libj9vm29.so", LIBRARY_OTHER, RUNTIME_NONE},
		{"", LIBRARY_OTHER, RUNTIME_NONE},
	};
	for (size_t i = 0; i < ARRAY_LEN(of); i++) {
		assert_int_equal(runtime_library(RUNTIME_DOTNET, of[i].path), of[i].library);
		assert_int_equal(runtime_of_library(of[i].path), of[i].kind);
	}
}

static void sockets(void **state)
{
	(void)state;
	static const struct {
		const char *vars;
		size_t n;
		const char *folder;
	} of[] = {
		{"HOME=/root\0TMPDIR=/var/tmp\0TMPDIR=/x\0", 37, "/var/tmp"},
		{"TMPDIR=\0TMPDIR=/x\0", 18, NULL},
		{"XTMPDIR=/x\0TMPDIRS=/y\0", 22, NULL},
		{"A=1\0TMPDIR=/v", 13, "/v"}, /* not ended by NUL */
		{"\0\0TMPDIR=/v\0", 12, "/v"},
		{"TMPDIR", 6, NULL},
		{"", 0, NULL},
	};
	char name[64];
	dotnet_socket_name(17, 18446744073709551615u, name, sizeof(name));
	assert_string_equal(name, "dotnet-diagnostic-17-18446744073709551615-socket");
	for (size_t i = 0; i < ARRAY_LEN(of); i++) {
		const char *folder = dotnet_folder(of[i].vars, of[i].n);
		if (!of[i].folder)
			assert_null(folder);
		else
			assert_string_equal(folder, of[i].folder);
	}
}

/* An answer: a header, whose bytes the cases change, and a result. */
static void assert_answer(size_t at, uint8_t byte, size_t n, int wanted)
{
	static const uint8_t ok[] = "DOTNET_IPC_V1\0\x18\0\xff\0\0\0\0\0\0\0";
	char bytes[sizeof(ok)], why[200] = "";
	memcpy(bytes, ok, sizeof(ok));
	if (at < n)
		bytes[at] = (char)byte;
	assert_int_equal(dotnet_answer_parse(bytes, n, why, sizeof(why)), wanted);
	assert_true(wanted == 0 ? !why[0] : why[0]);
}

static void answers(void **state)
{
	(void)state;
	enum { WHOLE = 24, HEADER = 20, SIZE_AT = 14, SET_AT = 16, ID_AT = 17, RESERVED_AT = 18, RESULT_AT = 20 };
	assert_answer(WHOLE, 0, WHOLE, 0);
	assert_answer(SIZE_AT, HEADER, HEADER, 0);
	assert_answer(RESERVED_AT, 9, WHOLE, 0); /* for what comes later */
	assert_answer(RESULT_AT, 1, WHOLE, -EIO);
	assert_answer(ID_AT, 0xff, WHOLE, -EIO);
	assert_answer(ID_AT, 1, WHOLE, -EBADMSG);
	assert_answer(SET_AT, 4, WHOLE, -EBADMSG);
	assert_answer(SIZE_AT, 25, WHOLE, -EBADMSG);
	assert_answer(SIZE_AT, 23, WHOLE, -EBADMSG);
	assert_answer(SIZE_AT + 1, 1, WHOLE, -EBADMSG);
	for (size_t i = 0; i < SIZE_AT; i++)
		assert_answer(i, 'x', WHOLE, -EBADMSG);
	for (size_t n = 0; n < WHOLE; n++)
		assert_answer(n, 0, n, -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries),
		cmocka_unit_test(sockets),
		cmocka_unit_test(answers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
