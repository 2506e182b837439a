/* Compares doc/cyctop.1 with the help texts of the program: a changed key, column, word or option must
 * be changed in the manual, too. */
#include "base/strbuf.h"
#include "options/rows.h"
#include "view/columns.h"
#include "view/screen.h"

#include <cyctop/options.h>

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

/* Escapes the backslash and characters beyond ASCII for roff. */
static void add_escaped(struct strbuf *b, const char *s)
{
	while (*s) {
		const char *from = s;
		uint32_t ch = text_next(&s);
		if (ch == '\\')
			strbuf_add(b, "\\e");
		else if (ch > 126)
			strbuf_addf(b, "\\[u%04X]", ch);
		else
			strbuf_add_bytes(b, from, 1);
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
	const struct binding *b;
	for (size_t i = 0; (b = binding_at(&screen_keys, i)); i++)
		assert_entry(page, "Ic", b->names, NULL, b->help);
	free(page);
}

static void columns_are_in_the_manual(void **state)
{
	(void)state;
	char *page = page_read();
	for (size_t table = 0; table < view_tables_n; table++) {
		struct columns cols;
		view_columns(NULL, &view_tables[table], &cols);
		assert_true(cols.n > 0);
		for (size_t i = 0; i < cols.n; i++)
			assert_entry(page, "Li", cols.v[i].title, cols.v[i].id, cols.v[i].help);
	}
	for (size_t i = 0; i < column_table_n; i++)
		if (column_table[i].out & OUT_REPORT)
			assert_entry(page, "Li", column_table[i].col.title, column_table[i].col.id,
				     column_table[i].col.help);
	free(page);
}

static void panes_and_words_are_in_the_manual(void **state)
{
	(void)state;
	char *page = page_read();
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++)
		assert_entry(page, "Li", dimensions[d].name, NULL, dimensions[d].help);
	for (size_t i = 0; i < screen_words_n; i++)
		assert_entry(page, "Li", screen_words[i].word, NULL, screen_words[i].help);
	assert_entry(page, "Li", "NAME/s", NULL, role_info(ROLE_OTHER)->help);
	free(page);
}

/* ---- the other way round: what the screen shows ----------------------------------------------- */

/* A session whose events are all that have a role, and one more. */
static void all_events(struct source_info *info, enum event_role roles[EVENTS_MAX], bool clock)
{
	*info = (struct source_info){.scope = SCOPE_SYSTEM};
	for (enum event_role r = ROLE_OTHER + 1; r <= ROLE_COUNT; r++) {
		struct source_event *ev = &info->events[info->events_n];
		roles[info->events_n] = ev->spec.role = r == ROLE_COUNT ? ROLE_OTHER : clock ? ROLE_CLOCK : r;
		strcpy(ev->spec.name, r == ROLE_COUNT ? "page-faults" : role_info(r)->name);
		ev->available = true;
		info->events_n++;
	}
}

static const char *no_command(void *ctx, uint32_t leader)
{
	(void)ctx, (void)leader;
	return NULL;
}

/* The sentence stands in help and manual behind the heading, or behind one that names it. */
static void assert_explained(const char *help, const char *page, const struct column *col)
{
	struct strbuf line = {0}, text = {0};
	bool other = strcmp(col->help, role_info(ROLE_OTHER)->help) == 0;
	strbuf_addf(&line, "\n  %s\t%s\n", other ? "NAME/s" : col->title, col->help);
	strbuf_addf(&text, "\t%s\n", col->help);
	if (!strstr(help, line.data) && !(strstr(help, text.data) && strstr(col->help, col->title)))
		fail_msg("the help does not explain the heading %s", col->title);
	text.n = 0;
	add_escaped(&text, col->help + 1);
	if (!strstr(page, text.data))
		fail_msg("doc/cyctop.1 does not explain the heading %s", col->title);
	strbuf_deinit(&line);
	strbuf_deinit(&text);
}

static void every_heading_of_every_pane_is_explained(void **state)
{
	(void)state;
	char *page = page_read(), *help = help_text(&screen_keys);
	for (int clock = 0; clock < 2; clock++) {
		struct source_info info;
		enum event_role roles[EVENTS_MAX];
		all_events(&info, roles, clock);
		info.has_owners = true;
		struct view_input in = {.info = &info, .roles = roles, .command = no_command};
		for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++) {
			struct pivot_query query = {.dims = {d}, .dims_n = 1};
			struct columns cols;
			if (dimensions[d].part == PART_TASK)
				query.top = DIM_SYMBOL;
			view_columns(&in, &query, &cols);
			assert_true(cols.n > 1);
			for (size_t i = 0; i < cols.n; i++) {
				assert_non_null(cols.v[i].help);
				assert_explained(help, page, &cols.v[i]);
			}
		}
	}
	free(help);
	free(page);
}

/* -name and blanks as roff has them. */
static void add_flag(struct strbuf *b, const char *name)
{
	strbuf_add(b, "Fl ");
	for (const char *s = name; *s; s++)
		strbuf_addf(b, "%s%c", *s == '-' ? "\\" : "", *s);
}

static void add_value(struct strbuf *b, const char *arg, bool by_name)
{
	size_t n = arg ? strlen(arg) : 0;
	if (n && arg[0] == '[')
		strbuf_addf(b, " Ns Op Ns %sAr %.*s", by_name ? "= Ns " : "", (int)n - 2, arg + 1);
	else if (n)
		strbuf_addf(b, " Ar %s", arg);
}

/* The entry of an option: its letter and name, and the words of --help. */
static void assert_option(const char *page, const struct option_row *row)
{
	struct strbuf b = {0}, help = {0};
	char letter[2] = {row->letter, '\0'}, name[40];
	strbuf_add(&b, "\n.It ");
	if (row->letter) {
		add_flag(&b, letter);
		if (!row->arg || row->arg[0] != '[')
			add_value(&b, row->arg, false);
		strbuf_add(&b, " , ");
	}
	snprintf(name, sizeof(name), "-%s", row->name);
	add_flag(&b, name);
	add_value(&b, row->arg, true);
	strbuf_add(&b, "\n");
	size_t first = b.n;
	option_row_help(row, &help);
	add_escaped(&b, help.data);
	b.data[first] = (char)toupper((unsigned char)b.data[first]);
	strbuf_add(&b, ".\n");
	if (!strstr(page, b.data))
		fail_msg("doc/cyctop.1 lacks this entry:%s", b.data);
	strbuf_deinit(&help);
	strbuf_deinit(&b);
}

static void options_are_in_the_manual(void **state)
{
	(void)state;
	static const struct command *const told[] = {&show_command,    &record_command, &dump_command,	  &diff_command,
						     &compare_command, &probe_command,	&annotate_command};
	char *page = page_read();
	for (size_t c = 0; c < ARRAY_LEN(told); c++) {
		struct option_row rows[OPTION_ROWS_MAX];
		size_t n = told[c]->rows(rows);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++)
			assert_option(page, &rows[i]);
	}
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_in_the_manual),
		cmocka_unit_test(columns_are_in_the_manual),
		cmocka_unit_test(panes_and_words_are_in_the_manual),
		cmocka_unit_test(every_heading_of_every_pane_is_explained),
		cmocka_unit_test(options_are_in_the_manual),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
