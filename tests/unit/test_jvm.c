/* What a JVM says of itself, and answers: parsers of texts that may be lies. */
#include "attach/jvm.h"
#include "base/proc_status.h"

#include <cyctop/runtime.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char status_text[] = "Name:\tjava\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4711\nPid:\t4711\n"
				  "Uid:\t1000\t1001\t1001\t1001\nGid:\t2000\t2001\t2001\t2001\nNStgid:\t4711\t7\n"
				  "NSpid:\t4711\t33\t7\nSigQ:\t0/1\nSigCgt:\t2000000181005ccf\nCapInh:\t0\n"
				  "CapEff:\t0000004400080000\nSeccomp:\t2\n";

static void status_of_a_jvm(void **state)
{
	(void)state;
	struct proc_status st;
	proc_status_parse(status_text, &st);
	assert_true(st.whole);
	assert_int_equal(st.pid, 4711);
	assert_int_equal(st.cap_eff, 0x4400080000);
	assert_int_equal(st.seccomp, 2);
	assert_int_equal(st.real_uid, 1000);
	assert_int_equal(st.uid, 1001);
	assert_int_equal(st.gid, 2001);
	assert_int_equal(st.own_pid, 7);
	assert_true(st.catches_quit);
	assert_false(st.stopped || st.ended);
}

/* The text with `from` replaced. */
static int parse_with(const char *from, const char *to, struct proc_status *st)
{
	char text[1024];
	const char *at = strstr(status_text, from);
	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - status_text), status_text, to, at + strlen(from));
	proc_status_parse(text, st);
	return st->whole ? 0 : -EBADMSG;
}

static void status_of_others(void **state)
{
	(void)state;
	struct proc_status st;
	assert_int_equal(parse_with("2000000181005ccf", "2000000181005ccb", &st), 0);
	assert_false(st.catches_quit);
	assert_int_equal(parse_with("S (sleeping)", "T (stopped)", &st), 0);
	assert_true(st.stopped);
	assert_int_equal(parse_with("S (sleeping)", "t (tracing stop)", &st), 0);
	assert_true(st.stopped);
	assert_int_equal(parse_with("S (sleeping)", "Z (zombie)", &st), 0);
	assert_true(st.ended);
	static const char *const lines[][2] = {
		{"State:", "Stage:"},
		{"SigCgt:\t2000000181005ccf", "SigCgt:\t"},
		{"SigCgt:", "SigCgx:"},
		{"Uid:\t1000\t1001", "Uid:\t1000\n"},
		{"Uid:", "uid:"},
		{"\nGid:\t2000\t2001", "\nGid:\t2000\t4294967296"},
		{"NSpid:\t4711\t33\t7", "NSpid:"},
		{"NSpid:\t4711\t33\t7", "NSpid:\t0"},
		{"NSpid:\t4711\t33\t7", "NSpid:\t-7"},
		{"NSpid:\t4711\t33\t7", "NSpid:\t4294967303"},
	};
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		assert_int_equal(parse_with(lines[i][0], lines[i][1], &st), -EBADMSG);
	proc_status_parse("", &st);
	assert_true(!st.whole && !st.pid && st.uid == STATUS_NONE && st.real_uid == STATUS_NONE);
}

static void libraries(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		enum runtime_library library;
	} of[] = {
		{"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", LIBRARY_RUNTIME},
		{"/opt/jdk/lib/server/libjvm.so (deleted)", LIBRARY_RUNTIME},
		{"libjvm.so", LIBRARY_RUNTIME},
		{"/opt/jdk/lib/default/libj9vm29.so", LIBRARY_FOREIGN},
		{"/x/libjvm.so.1", LIBRARY_OTHER},
		{"/x/libjvm.so/data", LIBRARY_OTHER},
		{"/x/mylibjvm.so", LIBRARY_OTHER},
		{"/usr/lib/libc.so.6", LIBRARY_OTHER},
		{"", LIBRARY_OTHER},
	};
	for (size_t i = 0; i < ARRAY_LEN(of); i++)
		assert_int_equal(runtime_library(RUNTIME_JVM, of[i].path), of[i].library);
}

static void closed_jvms(void **state)
{
	(void)state;
	static const char open[] = "java\0-XX:+DisableAttachMechanism\0-XX:-DisableAttachMechanism\0Main\0";
	static const char closed[] = "java\0-Xmx1g\0-XX:+DisableAttachMechanism\0Main\0";
	static const char other[] = "java\0-XX:+DisableAttachMechanisms\0";
	assert_false(jvm_is_closed(open, sizeof(open) - 1));
	assert_true(jvm_is_closed(closed, sizeof(closed) - 1));
	assert_false(jvm_is_closed(other, sizeof(other) - 1));
	assert_true(jvm_is_closed(closed + 12, strlen(closed + 12))); /* not ended by NUL */
	assert_false(jvm_is_closed("", 0));
}

static void assert_answer(const char *text, size_t n, int wanted, const char *why)
{
	char said[200] = "";
	assert_int_equal(jvm_answer_parse(text, n, said, sizeof(said)), wanted);
	assert_string_equal(said, why);
}

static void answers(void **state)
{
	(void)state;
	static const char nul[] = "1\nA\0B\nC";
	assert_answer("0\n", 2, 0, "");
	assert_answer("0\nsome text\n", 12, 0, "");
	assert_answer("", 0, -EBADMSG, "it closed the connection without an answer");
	static const char *const lies[] = {"0",	   "\n", "-\n",	   "x\n", "0x0\n", " 0\n", "00000000000\n",
					   "0 \n", "1",	 "\x1b[2J"};
	for (size_t i = 0; i < ARRAY_LEN(lies); i++)
		assert_answer(lies[i], strlen(lies[i]), -EBADMSG, "its answer is malformed");
	static const char unknown[] = "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n";
	assert_answer(unknown, sizeof(unknown) - 1, -ENOTSUP,
		      "it does not know Compiler.perfmap, which JDK 17 and later have");
	assert_answer("-1\nno room\nat all\n", 18, -EIO, "it says: no room");
	assert_answer("0\nWarning: Failed to create /tmp/x\n", 35, -EIO, "it says: Warning: Failed to create /tmp/x");
	assert_answer("101\n", 4, -EIO, "it refused, and did not say why");
	assert_answer("1\n\n  \n", 6, -EIO, "it refused, and did not say why");
	assert_answer("1\n\x1b]0;x\x07", 8, -EIO, "it says: ?]0;x?");
	assert_answer(nul, sizeof(nul) - 1, -EIO, "it says: A B");
}

/* Any length: nothing is read beyond it, and the reason is never longer than its room. */
static void answers_of_any_length(void **state)
{
	(void)state;
	char why[64];
	for (size_t n = 3; n < 9000; n += 171) {
		char *text = malloc(n);
		memset(text, 'x', n);
		memcpy(text, "7\n", 2);
		memset(why, 1, sizeof(why));
		assert_int_equal(jvm_answer_parse(text, n, why, 32), -EIO);
		assert_true(memchr(why, 0, 32) && why[32] == 1);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_of_a_jvm), cmocka_unit_test(status_of_others),
		cmocka_unit_test(libraries),	   cmocka_unit_test(closed_jvms),
		cmocka_unit_test(answers),	   cmocka_unit_test(answers_of_any_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
