/* Fields of tracepoints: found in the kernel's descriptions, and read from samples of either byte order. */
#include <cyctop/event.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char description[] =
	"name: sched_switch\n"
	"ID: 372\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:long prev_state;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:void * where;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] near;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long args[2];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:u8 mac[3];\toffset:48;\tsize:3;\tsigned:0;\n"
	"\tfield:unsigned char vec;\toffset:51;\tsize:1;\tsigned:0;\n"
	"\tfield:s16 small;\toffset:52;\tsize:2;\tsigned:1;\n"
	"\n"
	"print fmt: \"%s %s\", (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\", "
	"{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x80, \"I\" }) : \"R\", "
	"__print_symbolic(REC->vec, { 0, \"HI\" }, { 1UL, \"TIMER\" })\n";

enum { SIZE = 64 };
static uint8_t raw[SIZE];

static void put(size_t at, uint64_t v, size_t n, bool big)
{
	for (size_t i = 0; i < n; i++)
		raw[big ? at + n - 1 - i : at + i] = (uint8_t)(v >> 8 * i);
}

static void make(uint64_t state, uint8_t vec, bool big)
{
	memset(raw, 0, sizeof(raw));
	memcpy(raw + 8, "worker/3", 8);
	put(24, state, 8, big);
	put(32, 0xffff888012345678, 8, big);
	put(40, 5 << 16 | 56, 4, big);
	memcpy(raw + 56, "/tmp", 5);
	put(44, 3 << 16 | 13, 4, big);
	memcpy(raw + 61, "ab", 3);
	memcpy(raw + 48, "\x01\x02\xff", 3);
	raw[51] = vec;
	put(52, (uint16_t)-7, 2, big);
}

static const char *value(const char *name, bool swap)
{
	static char text[FIELD_TEXT_MAX];
	struct event_field f;
	if (!event_field_find(description, name, &f))
		fail_msg("no field %s", name);
	return event_field_text(&f, raw, sizeof(raw), swap, text, sizeof(text)) ? text : NULL;
}

static void values(void **state)
{
	(void)state;
	const uint16_t one = 1;
	bool here_big = *(const uint8_t *)&one == 0;
	for (int big = 0; big < 2; big++) {
		bool swap = big != here_big;
		make(0, 1, big);
		assert_string_equal(value("prev_comm", swap), "worker/3");
		assert_string_equal(value("prev_state", swap), "R");
		assert_string_equal(value("where", swap), "0xffff888012345678");
		assert_string_equal(value("path", swap), "/tmp");
		assert_string_equal(value("near", swap), "ab");
		assert_string_equal(value("mac", swap), "1,2,255");
		assert_string_equal(value("args", swap), "0,0xffff888012345678");
		assert_string_equal(value("vec", swap), "TIMER");
		assert_string_equal(value("small", swap), "-7");
		make(0x83, 9, big);
		assert_string_equal(value("prev_state", swap), "S|D|I");
		assert_string_equal(value("vec", swap), "9");
		make(0x100, 0, big);
		assert_string_equal(value("prev_state", swap), "R+");
		make(0x102, 0, big);
		assert_string_equal(value("prev_state", swap), "D+");
	}
}

static void what_is_outside_is_no_value(void **state)
{
	(void)state;
	struct event_field f;
	char text[FIELD_TEXT_MAX];
	make(0, 0, false);
	assert_true(event_field_find(description, "prev_state", &f));
	for (size_t n = 0; n < 32; n++)
		assert_false(event_field_text(&f, raw, n, false, text, sizeof(text)));
	assert_true(event_field_text(&f, raw, 32, false, text, sizeof(text)));
	assert_true(event_field_find(description, "path", &f));
	assert_false(event_field_text(&f, raw, 60, false, text, sizeof(text))); /* its bytes end at 61 */
	assert_true(event_field_text(&f, raw, 61, false, text, sizeof(text)));
	put(40, UINT32_MAX, 4, false);
	assert_false(event_field_text(&f, raw, sizeof(raw), false, text, sizeof(text)));
	assert_false(event_field_find(description, "prev", &f));
	assert_false(event_field_find(description, "", &f));
	assert_false(event_field_find("", "prev_comm", &f));
}

static void lists_and_system_calls(void **state)
{
	(void)state;
	char list[200] = "";
	struct event_field f;
	event_field_list(description, list, sizeof(list));
	assert_string_equal(list, "prev_comm, prev_state, where, path, near, args, mac, vec, small");
	static const char enter[] =
		"name: sys_enter\nID: 1\nformat:\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n";
	assert_true(event_field_find(enter, "id", &f) && f.syscall);
	memset(raw, 0, sizeof(raw));
	put(8, 0xffffff, 8, *(const uint8_t *)&(const uint16_t){1} == 0);
	assert_true(event_field_text(&f, raw, sizeof(raw), false, list, sizeof(list)));
	assert_string_equal(list, "16777215"); /* no system call */
	bool read = false;
	for (uint64_t nr = 0; nr < 1000; nr++)
		read |= event_syscall_name(nr) && strcmp(event_syscall_name(nr), "read") == 0;
	assert_true(read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(what_is_outside_is_no_value),
		cmocka_unit_test(lists_and_system_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
