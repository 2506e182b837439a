/* Keys for names: raw names, the panel that explains missing names, downloads. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_selected(const struct fixture *f, const char *text)
{
	char *line = fixture_selected_line(f);
	assert_non_null(line);
	if (!strstr(line, text))
		fail_msg("selected: %s, without %s", line, text);
	free(line);
}

static void give_raw_name(struct fixture *f, size_t sym, const char *raw)
{
	f->w->syms[sym].pretty = f->w->syms[sym].name;
	f->w->syms[sym].name = raw;
	f->w->in.demangler = true;
}

static void raw_names_are_searched_and_filtered_as_shown(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	give_raw_name(f, 3, "_Z16heap_getnextslotv");
	fixture_press(f, 'm');
	assert_true(fixture_screen_has(f, "_Z16heap_getnextslotv"));
	fixture_type(f, "/_Z16");
	fixture_press(f, KEY_CYC_ENTER);
	assert_selected(f, "_Z16heap_getnextslotv");
	fixture_type(f, "\\_Z");
	fixture_press(f, KEY_CYC_ENTER);
	assert_true(fixture_screen_has(f, "1 row"));
	fixture_press(f, 'm');
	assert_true(fixture_screen_has(f, "Nothing here has \"_Z\""));
	fixture_press(f, KEY_CYC_ESC);
	fixture_press(f, 'm');
	/* sorted by name, raw names come first, because '_' precedes letters */
	table_sort_by(fixture_table(f, BY_SYMBOL), "symbol");
	fixture_press(f, KEY_CYC_HOME);
	assert_true(fixture_screen_has(f, "_Z16heap"));
	fixture_press(f, 'm');
	assert_true(fixture_screen_has(f, "Names: demangled"));
	fixture_destroy(f);
}

static void without_a_demangler_names_stay(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	give_raw_name(f, 3, "_Z16heap_getnextslotv");
	f->w->in.demangler = false;
	fixture_press(f, 'm');
	assert_false(f->st.raw_names);
	assert_true(fixture_screen_has(f, "no demangler"));
	fixture_destroy(f);
}

static const char *one_origin(enum sym_origin origin)
{
	return origin == ORIGIN_DYNSYM ? "what its file exports (.dynsym)" : "?";
}

static void the_panel_follows_the_selection(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	f->w->in.origin = one_origin;
	f->w->syms[1].origin = ORIGIN_DYNSYM;
	fixture_press(f, 'y');
	assert_true(fixture_screen_has(f, "The origin of the name ngx_http_parse_request_line"));
	fixture_press(f, KEY_CYC_DOWN);
	assert_true(fixture_screen_has(f, "aes_gcm_enc_128_kernel is named by what its file exports (.dynsym)."));
	for (int i = 0; i < 60; i++) { /* the panel never covers the selected row */
		char *line = fixture_selected_line(f);
		assert_non_null(line);
		free(line);
		fixture_press(f, KEY_CYC_DOWN);
	}
	assert_true(fixture_screen_has(f, "CPUs were idle"));
	fixture_press(f, KEY_CYC_BACKTAB);
	assert_true(fixture_screen_has(f, "Rows of CPUs are not functions"));
	fixture_press(f, KEY_CYC_ESC);
	assert_null(view_find(&f->st, &why_view));
	assert_false(fixture_screen_has(f, "Why this name?"));
	fixture_destroy(f);
}

#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
static const char *place_of(void *ctx, uint32_t sym)
{
	(void)ctx;
	return sym == 1 ? "/src/u/\x1b[31mmain.go:12" : sym ? "/src/u/" X50 X50 X50 X50 "/main.go:12" : NULL;
}

/* Where in the source a function begins is text that others chose. */
static void the_panel_shows_where_the_function_is(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	f->w->in.origin = one_origin;
	f->w->in.place = place_of;
	fixture_press(f, 'y');
	assert_false(fixture_screen_has(f, "Source:"));
	fixture_press(f, KEY_CYC_DOWN);
	assert_true(fixture_screen_has(f, "Source: /src/u/?[31mmain.go:12"));
	fixture_press(f, KEY_CYC_DOWN);
	assert_true(fixture_screen_has(f, "…xxx"));
	assert_true(fixture_screen_has(f, "xxx/main.go:12"));
	fixture_destroy(f);
}

static void the_panel_fits_any_screen(void **state)
{
	(void)state;
	for (int rows = 1; rows < 45; rows++)
		for (int cols = 1; cols < 90; cols += 11) {
			struct fixture *f = fixture_create(rows, cols, 4);
			f->w->in.origin = one_origin;
			fixture_press(f, 'y');
			fixture_press(f, KEY_CYC_DOWN);
			fixture_press(f, KEY_CYC_TAB);
			fixture_press(f, 'y');
			fixture_destroy(f);
		}
}

static void a_key_fetches_and_the_same_cancels(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	fixture_press(f, KEY_CYC_DOWN);
	assert_true(fixture_press(f, 'F') & REACT_FETCH);
	assert_int_equal(f->st.fetch_dso, f->w->syms[1].dso);
	f->w->in.fetch = (struct view_fetch){.possible = true, .running = true, .dso = f->w->syms[1].dso};
	assert_true(fixture_press(f, 'F') & REACT_FETCH);
	assert_int_equal(f->st.fetch_dso, CATALOG_NONE);
	assert_true(fixture_screen_has(f, "asking for libcrypto.so.3"));
	f->st.fetch_dso = 0;
	fixture_press(f, 'y');
	assert_true(fixture_press(f, KEY_CYC_ESC) & REACT_FETCH);
	assert_int_equal(f->st.fetch_dso, CATALOG_NONE);
	assert_non_null(view_find(&f->st, &why_view)); /* Esc only cancelled the download; the panel stays */
	f->w->in.fetch.running = false;
	assert_false(fixture_press(f, KEY_CYC_ESC) & REACT_FETCH);
	assert_null(view_find(&f->st, &why_view));
	fixture_press(f, KEY_CYC_TAB);
	fixture_press(f, KEY_CYC_DOWN);
	assert_true(fixture_press(f, 'F') & REACT_FETCH); /* for the DSO of the task's hottest function */
	assert_int_equal(f->st.fetch_dso, f->w->syms[3].dso);
	fixture_press(f, KEY_CYC_TAB);
	assert_false(fixture_press(f, 'F') & REACT_FETCH);
	assert_true(fixture_screen_has(f, "This row has no file"));
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_names_are_searched_and_filtered_as_shown),
		cmocka_unit_test(without_a_demangler_names_stay),
		cmocka_unit_test(the_panel_follows_the_selection),
		cmocka_unit_test(the_panel_fits_any_screen),
		cmocka_unit_test(the_panel_shows_where_the_function_is),
		cmocka_unit_test(a_key_fetches_and_the_same_cancels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
