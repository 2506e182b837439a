/* doc/cyctop.1 says what the program's help says, in the same words: a change of a
 * key, a column or a trust item is a change of a line there. */
#include "base/strbuf.h"
#include "view/internal.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *page_read(void)
{
	FILE *in = fopen(MANUAL, "re");
	char *text = NULL;
	size_t n = 0;
	assert_non_null(in);
	assert_true(getdelim(&text, &n, '\0', in) > 0);
	fclose(in);
	return text;
}

/* roff's own backslash, and the plus-minus sign. */
static void add_escaped(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\')
			strbuf_add(b, "\\e");
		else
			strbuf_add_bytes(b, s, 1);
	}
}

static void assert_entry(const char *page, const char *macro, const char *word, const char *id, const char *help)
{
	struct strbuf b = {0};
	strbuf_addf(&b, "\n.It %s \"", macro);
	add_escaped(&b, word);
	strbuf_add(&b, "\"");
	if (id)
		strbuf_addf(&b, " Pq Cm %s", id);
	strbuf_add(&b, "\n");
	size_t first = b.n;
	add_escaped(&b, help);
	b.data[first] = (char)toupper((unsigned char)b.data[first]);
	strbuf_add(&b, ".\n");
	if (!strstr(page, b.data))
		fail_msg("doc/cyctop.1 lacks this entry:%s", b.data);
	strbuf_deinit(&b);
}

static void keys_are_in_the_manual(void **state)
{
	(void)state;
	char *page = page_read();
	for (size_t i = 0; i < bindings_n; i++)
		assert_entry(page, "Ic", bindings[i].names, NULL, bindings[i].help);
	free(page);
}

static void columns_are_in_the_manual(void **state)
{
	(void)state;
	char *page = page_read();
	for (enum pane pane = 0; pane < PANE_COUNT; pane++) {
		struct columns cols;
		view_columns(pane, NULL, &cols);
		assert_true(cols.n > 0);
		for (size_t i = 0; i < cols.n; i++)
			if (cols.v[i].help)
				assert_entry(page, "Li", cols.v[i].title, cols.v[i].id, cols.v[i].help);
	}
	free(page);
}

static void trust_items_are_in_the_manual(void **state)
{
	(void)state;
	char *page = page_read();
	for (size_t i = 0; i < trust_help_n; i++)
		assert_entry(page, "Li", trust_help[i].word, NULL, trust_help[i].help);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_in_the_manual),
		cmocka_unit_test(columns_are_in_the_manual),
		cmocka_unit_test(trust_items_are_in_the_manual),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
