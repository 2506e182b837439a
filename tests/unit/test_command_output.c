/* What a measured command prints: the last part of its file, and the text of its lines on the screen. */
#include "../lib/view_fixture.h"
#include "os/tail.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the last part of a file ---------------------------------------------------------------- */

static void put(FILE *f, const char *text, size_t times)
{
	while (times--)
		fputs(text, f);
	assert_int_equal(fflush(f), 0);
}

static void the_end_of_a_file_is_kept(void **state)
{
	(void)state;
	FILE *f = tmpfile();
	assert_non_null(f);
	struct tail t = {.fd = fileno(f)};
	assert_false(tail_read(&t)); /* empty, as before */
	put(f, "one\n", 1);
	assert_true(tail_read(&t));
	assert_false(tail_read(&t));
	assert_int_equal(t.base, 0);
	assert_memory_equal(t.data, "one\n", 4);
	put(f, "0123456789abcde\n", TAIL_BYTES / 16); /* four bytes too many */
	assert_true(tail_read(&t));
	assert_int_equal(t.n, TAIL_BYTES);
	assert_int_equal(t.base, 4);
	assert_memory_equal(t.data, "0123456789abcde\n0", 17);
	put(f, "0123456789abcde\n", TAIL_BYTES / 8); /* twice as much as is kept */
	put(f, "last\n", 1);
	assert_true(tail_read(&t));
	assert_int_equal(t.base + t.n, 4 + 16 * (TAIL_BYTES / 16 + TAIL_BYTES / 8) + 5);
	assert_int_equal(t.n, TAIL_BYTES);
	assert_memory_equal(t.data + t.n - 6, "\nlast\n", 6);
	assert_int_equal(ftruncate(t.fd, 0), 0); /* as `: > FILE` does */
	rewind(f);
	assert_true(tail_read(&t));
	assert_int_equal(t.n, 0);
	put(f, "new\n", 1);
	assert_true(tail_read(&t));
	assert_int_equal(t.n, 4);
	assert_memory_equal(t.data, "new\n", 4);
	tail_deinit(&t);
	fclose(f);
	t = (struct tail){.fd = -1};
	assert_false(tail_read(&t));
}

/* ---- lines as text -------------------------------------------------------------------------- */

static void lines_are_harmless(void **state)
{
	(void)state;
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{"plain", "plain"},
		{"", ""},
		{"\033[1;31mred\033[0m", "red"},
		{"\033]0;title\aafter", "after"},
		{"\033]0;title\033\\after", "after"},
		{"\033c\033[2J\033[Hcleared", "cleared"},
		{"\033", ""},
		{"\033[", ""},
		{"\033[12", ""},
		{"\033]never ends", ""},
		{"10%\r50%\r100%", "100%"},
		{"dos\r", "dos"},
		{"\r\r", ""},
		{"a\tb\tc", "a       b       c"},
		{"12345678\tx", "12345678        x"},
		{"bell\a back\b nul", "bell? back? nul"},
		{"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc2\x9b 31m", "? 31m"}, /* CSI as one character */
		{"\xe2\x80\xae reversed", "? reversed"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = {0};
		strbuf_add(&b, "");
		output_line(cases[i].bytes, strlen(cases[i].bytes), &b);
		if (strcmp(b.data, cases[i].text) != 0)
			fail_msg("case %zu is '%s'", i, b.data);
		strbuf_deinit(&b);
	}
	struct strbuf b = {0};
	output_line("a\0b", 3, &b);
	assert_string_equal(b.data, "a?b");
	strbuf_deinit(&b);
}

static void long_lines_are_cut(void **state)
{
	(void)state;
	enum { LONG = 1 << 20 };
	char *line = malloc(LONG);
	assert_non_null(line);
	for (const char *c = "x\t\033\r"; *c; c++) {
		struct strbuf b = {0};
		strbuf_add(&b, "");
		memset(line, *c, LONG);
		output_line(line, LONG, &b);
		assert_true(b.n <= 8 * 4096);
		strbuf_deinit(&b);
	}
	free(line);
}

/* ---- the pane ------------------------------------------------------------------------------- */

static char numbers[200 * 10];

/* A screen with the pane, which has the focus, and lines "line N" from `from` on. */
static struct fixture *screen_of(unsigned lines, const char *state)
{
	struct fixture *f = fixture_create(24, 100, 4);
	size_t n = 0;
	for (unsigned i = 1; i <= lines; i++)
		n += (size_t)snprintf(numbers + n, sizeof(numbers) - n, "line %03u\n", i);
	f->w->in.output = (struct view_output){numbers, n, 0, "job.out", state};
	view_add_output(&f->st);
	for (int i = 0; i < 3; i++)
		fixture_press(f, KEY_CYC_TAB);
	return f;
}

static void it_follows_the_end_and_scrolls(void **state)
{
	(void)state;
	struct fixture *f = screen_of(100, "runs as process 7");
	struct view_output *o = &f->w->in.output;
	assert_true(fixture_screen_has(f, "[Output]") && fixture_screen_has(f, "runs as process 7   in job.out"));
	assert_true(fixture_screen_has(f, "line 100") && !fixture_screen_has(f, "line 050"));
	fixture_press(f, KEY_CYC_UP);
	assert_true(fixture_screen_has(f, "line 099") && !fixture_screen_has(f, "line 100"));
	assert_true(fixture_screen_has(f, "End goes to its end"));
	o->n = (size_t)snprintf(numbers + o->n, sizeof(numbers) - o->n, "more\n") + o->n;
	fixture_press(f, KEY_CYC_RIGHT + 1000);						  /* nothing */
	assert_true(fixture_screen_has(f, "line 099") && !fixture_screen_has(f, "more")); /* it stays */
	fixture_press(f, KEY_CYC_END);
	assert_true(fixture_screen_has(f, "more") && !fixture_screen_has(f, "End goes to its end"));
	fixture_press(f, KEY_CYC_HOME);
	assert_true(fixture_screen_has(f, "line 001") && fixture_screen_has(f, "line 002"));
	fixture_press(f, KEY_CYC_PGDN);
	assert_false(fixture_screen_has(f, "line 001"));
	for (int i = 0; i < 20; i++)
		fixture_press(f, KEY_CYC_PGDN);
	assert_true(fixture_screen_has(f, "more") && !fixture_screen_has(f, "End goes to its end"));
	fixture_press(f, KEY_CYC_HOME); /* what it shows is then no longer kept */
	o->base += 400;
	o->data += 400;
	o->n -= 400;
	fixture_press(f, KEY_CYC_DOWN);
	assert_false(fixture_screen_has(f, "line 002") || fixture_screen_has(f, "line 045"));
	assert_true(fixture_screen_has(f, "line 047"));
	fixture_destroy(f);
}

static void other_keys_keep_their_meaning_or_say_where_it_is(void **state)
{
	(void)state;
	static const char of_tables[] = "<>r/nN\\F*fAWXvoayxu";
	struct fixture *f = screen_of(3, "ended with status 7");
	for (const char *c = of_tables; *c; c++) {
		assert_int_equal(fixture_press(f, (uint32_t)*c), REACT_REDRAW);
		if (!fixture_screen_has(f, "Tab goes on to the tables"))
			fail_msg("the key %c", *c);
	}
	fixture_press(f, KEY_CYC_ENTER);
	assert_true(fixture_screen_has(f, "Tab goes on to the tables"));
	assert_int_equal(fixture_press(f, 'q') & REACT_QUIT, REACT_QUIT);
	assert_int_equal(fixture_press(f, 'i') & REACT_QUERY, REACT_QUERY);
	fixture_press(f, 'h');
	assert_true(fixture_screen_has(f, "what the command after -- has printed"));
	fixture_press(f, KEY_CYC_ESC);
	assert_true(fixture_screen_has(f, "ended with status 7"));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(focused(&f->st)->ops == &table_view);
	fixture_press(f, KEY_CYC_BACKTAB);
	assert_true(focused(&f->st)->ops != &table_view);
	fixture_destroy(f);
}

/* Any bytes, any size of the screen, all keys. */
static void nothing_breaks_it(void **state)
{
	(void)state;
	char bytes[5000];
	uint32_t seed = 12345;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = seed >> 28 ? (char)(seed >> 20) : '\n';
	}
	for (int rows = 1; rows < 40; rows += 6) {
		struct fixture *f = screen_of(0, "ended");
		f->w->in.output.data = bytes;
		grid_destroy(f->g);
		f->g = grid_create(rows, 3 * rows);
		for (size_t n = 0; n <= sizeof(bytes); n += 250) {
			f->w->in.output.n = n;
			f->w->in.output.base = n > 2000 ? n : 0;
			fixture_press(f, n % 3 ? KEY_CYC_UP : KEY_CYC_PGUP);
			fixture_press(f, n % 4 ? KEY_CYC_LEFT : KEY_CYC_RIGHT);
			fixture_event(f,
				      (struct input_event){.key = KEY_CYC_MOUSE, .row = rows / 2, .wheel_up = n % 2});
			assert_int_equal(f->g->rows, rows);
		}
		fixture_destroy(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_of_a_file_is_kept),
		cmocka_unit_test(lines_are_harmless),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(it_follows_the_end_and_scrolls),
		cmocka_unit_test(other_keys_keep_their_meaning_or_say_where_it_is),
		cmocka_unit_test(nothing_breaks_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
