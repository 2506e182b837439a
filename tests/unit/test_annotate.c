/* Samples beside instructions: sums, shares, loops, arrows, and what is printed of them. */
#include "base/strbuf.h"

#include <cyctop/front.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A loop from 0x12 to 0x1a with a jump over 0x15, and a jump out of the function. */
static struct instruction body[] = {
	{0x10, 2, INSTRUCTION_PLAIN, 0, "xor %eax,%eax"},     {0x12, 1, INSTRUCTION_PLAIN, 0, "nop"},
	{0x13, 2, INSTRUCTION_JUMP, 0x17, "je 0x17 <f+0x7>"}, {0x15, 2, INSTRUCTION_CALL, 0x90, "call 0x90 <g>"},
	{0x17, 1, INSTRUCTION_PLAIN, 0, "dec %ecx"},	      {0x18, 2, INSTRUCTION_JUMP, 0x12, "jne 0x12 <f+0x2>"},
	{0x1a, 2, INSTRUCTION_JUMP, 0x80, "jmp 0x80 <h>"},    {0x1c, 1, INSTRUCTION_RETURN, 0, "ret"},
};
static uint8_t bytes[] = {0x31, 0xc0, 0x90, 0x74, 0x02, 0xeb, 0x79, 0x49, 0x75, 0xf8, 0xeb, 0x64, 0xc3};
static const struct code_sample samples[] = {
	{0x10, 0, {1, 100}}, {0x12, 0, {2, 200}}, {0x13, 0, {1, 100}}, {0x14, 1, {1, 7}},
	{0x17, 0, {4, 400}}, {0x17, 0, {1, 100}}, {0x1d, 0, {1, 100}}, {0x17, 9, {1, 1}},
};

struct made {
	struct function_code code;
	struct instructions in;
	struct code_places places;
	struct code_listing listing;
	struct annotate_event events[2];
	size_t branches;
	struct diff_notes notes;
	const struct annotate_changes *changes;
};

static struct made make(struct code_place *places)
{
	struct made m = {
		.code = {.addr = 0x10, .size = sizeof(bytes), .bytes = bytes, .n = sizeof(bytes)},
		.in = {.v = body, .n = ARRAY_LEN(body)},
		.places = {.v = places, .n = places ? ARRAY_LEN(body) : 0},
		.events = {{"cycles", 4000}, {"misses\n", 0}},
		.notes = {.text = {"a note"}, .n = 1},
	};
	return m;
}

static void list(struct made *m, struct source_texts *texts)
{
	code_listing_create(&m->in, &m->places, texts, samples, ARRAY_LEN(samples), 2, &m->listing);
}

static char *print(const struct made *m, const char *format, bool with_bytes)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	const struct annotate_output o = {.of = {"/bin/p\033", "f", &m->code, &m->listing, m->events},
					  .events_n = 2,
					  .changes = m->changes,
					  .branches = m->branches,
					  .bytes = with_bytes,
					  .notes = &m->notes};
	const struct batch_format *found = batch_format_find(format);
	assert_non_null(found);
	found->annotate(out, &o);
	fclose(out);
	return text;
}

static void samples_are_summed_up(void **state)
{
	(void)state;
	struct made m = make(NULL);
	list(&m, NULL);
	const struct code_listing *l = &m.listing;
	assert_int_equal(l->total[0].samples, 10);
	assert_int_equal(l->outside[0].samples, 1);
	assert_int_equal(l->counts[4 * 2].samples, 5);
	assert_int_equal(l->counts[2 * 2 + 1].samples, 1); /* within an instruction: its */
	assert_true(code_share(l, 4, 0) == 0.5);
	assert_int_equal(l->hottest, 4);
	static const uint8_t loops[] = {0, 1, 1, 1, 1, 1, 0, 0};
	assert_memory_equal(l->loops, loops, sizeof(loops));
	assert_int_equal(l->lines_n, ARRAY_LEN(body));
	code_listing_deinit(&m.listing);
}

static void a_function_without_samples(void **state)
{
	(void)state;
	struct made m = make(NULL);
	struct instructions none = {.n = 0};
	code_listing_create(&none, &m.places, NULL, NULL, 0, 1, &m.listing);
	assert_int_equal(m.listing.hottest, 0);
	assert_int_equal(m.listing.lines_n, 0);
	code_listing_deinit(&m.listing);
	code_listing_create(&m.in, &m.places, NULL, NULL, 0, 1, &m.listing);
	assert_int_equal(m.listing.hottest, m.in.n);
	assert_true(code_share(&m.listing, 0, 0) == 0);
	code_listing_deinit(&m.listing);
}

static void text_for_people(void **state)
{
	(void)state;
	static const char file[] = "/src/none/f.c", inlined[] = "g2";
	struct code_place places[ARRAY_LEN(body)] = {
		{file, 3, NULL}, {file, 4, NULL}, {file, 4, NULL}, {file, 9, inlined},
		{file, 4, NULL}, {file, 4, NULL}, {NULL, 0, NULL}, {file, 4, NULL},
	};
	struct made m = make(places);
	struct source_texts *texts = source_texts_create();
	list(&m, texts);
	char *text = print(&m, "text", false);
	static const char expected[] = "f in /bin/p?: 10 samples of cycles (25.0% of all), 1 sample of misses?\n"
				       "cycles%  SAMPLES  misses?%  SAMPLES           ADDRESS  INSTRUCTION\n"
				       "                                                       f.c:3\n"
				       "  10.00        1                                   10    xor    %eax,%eax\n"
				       "                                                       f.c:4\n"
				       "  20.00        2                        ,-->       12    nop\n"
				       "  10.00        1    100.00        1     |,--       13    je     0x17 <f+0x7>\n"
				       "                                                       f.c:9 in g2\n"
				       "                                        ||         15    call   0x90 <g>\n"
				       "                                                       f.c:4\n"
				       "  50.00        5                     => |`->       17    dec    %ecx\n"
				       "                                        `---       18    jne    0x12 <f+0x2>\n"
				       "                                                   1a    jmp    0x80 <h>\n"
				       "                                                       f.c:4\n"
				       "                                                   1c    ret\n"
				       "Note: at addresses of no instruction of the function: 1 sample of cycles.\n"
				       "Note: a note.\n";
	assert_string_equal(text, expected);
	free(text);
	text = print(&m, "text", true);
	assert_non_null(strstr(text, "eb 79  "));
	free(text);
	source_texts_destroy(texts);
	code_listing_deinit(&m.listing);
}

/* The function with another register, without the call, and with an instruction more at its end. */
static struct instruction body_after[] = {
	{0x20, 2, INSTRUCTION_PLAIN, 0, "xor %edx,%edx"},
	{0x22, 1, INSTRUCTION_PLAIN, 0, "nop"},
	{0x23, 2, INSTRUCTION_JUMP, 0x25, "je 0x25 <f+0x5>"},
	{0x25, 1, INSTRUCTION_PLAIN, 0, "dec %ecx"},
	{0x26, 2, INSTRUCTION_JUMP, 0x22, "jne 0x22 <f+0x2>"},
	{0x28, 2, INSTRUCTION_JUMP, 0x80, "jmp 0x80 <h>"},
	{0x2a, 1, INSTRUCTION_RETURN, 0, "ret"},
	{0x2b, 1, INSTRUCTION_PLAIN, 0, "hlt"},
};

struct two {
	struct made before, after;
	struct annotate_changes changes;
};

/* 100 samples of the first event before, 200 after, all of weight 10; each in two of the instructions. */
static void compare(struct two *t)
{
	static const struct code_sample before[] = {{0x10, 0, {50, 500, 0, 0, 5000}}, {0x17, 0, {50, 500, 0, 0, 5000}}};
	static const struct code_sample after[] = {{0x20, 0, {98, 980, 0, 0, 9800}},
						   {0x2b, 0, {102, 1020, 0, 0, 10200}}};
	*t = (struct two){.before = make(NULL), .after = make(NULL)};
	struct made *b = &t->before, *a = &t->after;
	a->code.addr = 0x20;
	a->in = (struct instructions){.v = body_after, .n = ARRAY_LEN(body_after)};
	code_listing_create(&b->in, &b->places, NULL, before, ARRAY_LEN(before), 2, &b->listing);
	code_listing_create(&a->in, &a->places, NULL, after, ARRAY_LEN(after), 2, &a->listing);
	const struct code_build builds[CODE_BUILDS] = {{&b->code, &b->in}, {&a->code, &a->in}};
	const struct code_listing *const listings[CODE_BUILDS] = {&b->listing, &a->listing};
	struct annotate_changes *c = &t->changes;
	c->before = (struct annotate_side){"/bin/old", "f", &b->code, &b->listing, b->events};
	c->fdr = 0.05;
	code_pairs_create(builds, &c->pairs);
	c->changes = calloc(2 * c->pairs.n, sizeof(*c->changes));
	for (size_t e = 0; e < 2; e++)
		c->real += code_changes(listings, &c->pairs, e, c->fdr, c->changes + e * c->pairs.n);
	code_listing_add_gone(&a->listing, &c->pairs, &b->in);
	a->changes = c;
}

static void compare_end(struct two *t)
{
	code_pairs_deinit(&t->changes.pairs);
	free(t->changes.changes);
	code_listing_deinit(&t->before.listing);
	code_listing_deinit(&t->after.listing);
}

/* A share of 0.5 of 100 samples has the error 0.05; one of 0.49 of 200 0.0353; of none one sample is supposed. */
static void changes_have_errors(void **state)
{
	(void)state;
	struct two t;
	compare(&t);
	const struct code_change *c = t.changes.changes;
	assert_int_equal(t.changes.pairs.n, 9);
	assert_true(c[0].known && !c[0].real);
	assert_true(fabs(c[0].change + 0.01) < 1e-9);
	assert_true(fabs(c[0].error - sqrt(0.0025 + 0.49 * 0.51 / 200)) < 1e-9);
	assert_false(c[1].known);						/* neither side has samples there */
	assert_true(c[4].known && c[4].real && fabs(c[4].change + 0.5) < 1e-9); /* dec */
	assert_true(fabs(c[4].error - sqrt(0.0025 + 1 / 200.0 / 200)) < 1e-9);
	assert_true(c[8].real && fabs(c[8].error - sqrt(0.51 * 0.49 / 200)) < 1e-9); /* only after */
	assert_false(c[9].known);						     /* no samples of that event */
	assert_int_equal(t.changes.real, 2);
	assert_true(fabs(code_share_error(&t.before.listing, 0, 0) - 0.05) < 1e-9);
	assert_true(fabs(code_share_error(&t.before.listing, 1, 0) - 0.01) < 1e-9); /* as of one sample of 100 */
	assert_true(code_share_error(&t.before.listing, 0, 1) < 1e-9);		    /* the event has none */
	compare_end(&t);
}

/* The listing of a build has what only the other one has, in the order of the pairs, with and without the source. */
static void a_listing_has_what_is_gone(void **state)
{
	(void)state;
	static const char file[] = "/src/none/f.c";
	struct code_place places[ARRAY_LEN(body)] = {{file, 3, NULL}, {NULL, 0, NULL}, {file, 4, NULL}};
	struct made m = make(places);
	struct source_texts *texts = source_texts_create();
	struct instruction old[] = {{0x90, 1, .text = "first"}, {0x91, 1, .text = "middle"}, {0x92, 1, .text = "last"}};
	const struct instructions before = {.v = old, .n = ARRAY_LEN(old)};
	struct code_pair rows[] = {{{0, SIZE_MAX}}, {{SIZE_MAX, 0}}, {{SIZE_MAX, 1}}, {{1, SIZE_MAX}},
				   {{SIZE_MAX, 2}}, {{SIZE_MAX, 3}}, {{SIZE_MAX, 4}}, {{SIZE_MAX, 5}},
				   {{SIZE_MAX, 6}}, {{SIZE_MAX, 7}}, {{2, SIZE_MAX}}};
	const struct code_pairs pairs = {.rows = rows, .n = ARRAY_LEN(rows)};
	list(&m, texts);
	size_t had = m.listing.lines_n;
	code_listing_add_gone(&m.listing, &pairs, &before);
	const struct code_line *l = m.listing.lines;
	assert_int_equal(m.listing.lines_n, had + ARRAY_LEN(old));
	assert_true(l[0].gone && l[0].instruction == 0 && l[0].pair == 0 && strcmp(l[0].text, "first") == 0);
	assert_true(l[1].source && l[1].instruction == 0 && l[1].pair == 1);
	assert_true(!l[2].source && !l[2].gone && l[2].instruction == 0 && l[2].pair == 1);
	assert_true(!l[3].source && l[3].instruction == 1 && l[3].pair == 2);
	assert_true(l[4].gone && l[4].instruction == 2 && strcmp(l[4].text, "middle") == 0);
	assert_true(l[5].source && l[5].instruction == 2 && l[5].pair == 4);
	l += m.listing.lines_n - 1;
	assert_true(l->gone && l->instruction == m.in.n && l->pair == 10 && strcmp(l->text, "last") == 0);
	source_texts_destroy(texts);
	code_listing_deinit(&m.listing);
}

/* Events of one sample on each side say nothing, however large the change is. */
static void single_samples(void **state)
{
	(void)state;
	static const struct code_sample one[CODE_BUILDS] = {{0x10, 0, {1, 7, 0, 0, 49}}, {0x17, 0, {1, 9, 0, 0, 81}}};
	struct made m[CODE_BUILDS] = {make(NULL), make(NULL)};
	struct code_pairs pairs;
	struct code_change changes[ARRAY_LEN(body)];
	for (size_t i = 0; i < CODE_BUILDS; i++)
		code_listing_create(&m[i].in, &m[i].places, NULL, &one[i], 1, 1, &m[i].listing);
	const struct code_build builds[CODE_BUILDS] = {{&m[0].code, &m[0].in}, {&m[1].code, &m[1].in}};
	const struct code_listing *const listings[CODE_BUILDS] = {&m[0].listing, &m[1].listing};
	code_pairs_create(builds, &pairs);
	assert_int_equal(pairs.paired, ARRAY_LEN(body));
	assert_int_equal(code_changes(listings, &pairs, 0, 0.05, changes), 0);
	assert_true(changes[0].known && changes[0].change <= -1 && changes[0].error > 1);
	code_pairs_deinit(&pairs);
	for (size_t i = 0; i < CODE_BUILDS; i++)
		code_listing_deinit(&m[i].listing);
}

static void comparison_for_people(void **state)
{
	(void)state;
	struct two t;
	compare(&t);
	char *text = print(&t.after, "text", false);
	static const char expected[] =
		"before: f in /bin/old: 100 samples of cycles (25.0% of all), 0 samples of misses?\n"
		"after:  f in /bin/p?: 200 samples of cycles (50.0% of all), 0 samples of misses?\n"
		"7 instructions in both builds, of which 1 with other registers (~), 1 only before (-), 1 only after "
		"(+)\n"
		"2 shares changed (*; at most 5% of them by chance); errors are those of sampling alone, not of a load "
		"that "
		"varies\n"
		"   cycles%  AFTER  CHANGE  ERROR            ADDRESS  INSTRUCTION\n"
		"     50.00  49.00   -1.00   6.12     ~           20    xor    %edx,%edx\n"
		"                                      ,-->       22    nop\n"
		"                                      |,--       23    je     0x25 <f+0x5>\n"
		"                                     -           15    call   0x90 <g>\n"
		"*    50.00         -50.00   5.02      |`->       25    dec    %ecx\n"
		"                                      `---       26    jne    0x22 <f+0x2>\n"
		"                                                 28    jmp    0x80 <h>\n"
		"                                                 2a    ret\n"
		"*           51.00  +51.00   3.53  => +           2b    hlt\n"
		"Note: a note.\n";
	assert_string_equal(text, expected);
	free(text);
	t.changes.same = true;
	text = print(&t.after, "text", true);
	assert_non_null(strstr(text, "\nThe same build on both sides\n2 shares changed"));
	free(text);
	compare_end(&t);
}

static void comparison_for_programs(void **state)
{
	(void)state;
#if HAVE_JANSSON
	struct two t;
	compare(&t);
	char *text = print(&t.after, "json", false);
	assert_non_null(strstr(text,
			       ",\"before\":{\"dso\":\"/bin/old\",\"symbol\":\"f\",\"address\":\"0x10\",\"size\":13,"
			       "\"same_build\":false,\"events\":{\"cycles\":{\"samples\":100,\"weight\":1000,"
			       "\"share\":0.25,\"outside\":0}"));
	assert_non_null(strstr(text, "\"build\":\"both\",\"same_registers\":false,\"address_before\":\"0x10\","
				     "\"changes\":{\"cycles\":{\"before\":0.5,\"after\":0.49,\"change\":-0.01"));
	assert_non_null(strstr(text, "\"text\":\"call 0x90 <g>\""));
	assert_non_null(strstr(text, "\"build\":\"before\",\"same_registers\":null,\"address_before\":\"0x15\","));
	assert_non_null(strstr(text, "\"build\":\"after\",\"same_registers\":null,\"address_before\":null,"));
	free(text);
	compare_end(&t);
#endif
}

/* Branches have columns with what of them was mispredicted, and the cycles of the block that each ends. */
static void branches(void **state)
{
	(void)state;
	static const struct code_sample of_branches[] = {
		{0x18, 0, {8, 8, 4, 50}}, {0x18, 1, {2, 2, 0, 0}}, {0x13, 0, {4, 4, 0, 0}}};
	struct made m = make(NULL);
	code_listing_create(&m.in, &m.places, NULL, of_branches, ARRAY_LEN(of_branches), 2, &m.listing);
	m.branches = 1;
	char *text = print(&m, "text", false);
	assert_non_null(strstr(text, "  SAMPLES  CYCLES  misses?%  SAMPLES  MISPREDICT%  "));
	assert_non_null(strstr(text, " 33.33        4                                     0.0     |,--       13"));
	assert_non_null(strstr(text, " 66.67        8    12.5    100.00        2         25.0  => "));
	free(text);
	m.branches = 0;
	text = print(&m, "text", false);
	assert_null(strstr(text, "MISPREDICT%"));
	assert_non_null(strstr(text, "  SAMPLES  WEIGHT  "));
	free(text);
	code_listing_deinit(&m.listing);
}

/* Events without samples in the function have no columns. */
static void events_without_samples(void **state)
{
	(void)state;
	struct made m = make(NULL);
	code_listing_create(&m.in, &m.places, NULL, samples, 2, 2, &m.listing);
	char *text = print(&m, "text", false);
	assert_non_null(strstr(text, "0 samples of misses?\ncycles%  SAMPLES           ADDRESS  INSTRUCTION\n"));
	free(text);
	code_listing_deinit(&m.listing);
}

static void json_for_programs(void **state)
{
	(void)state;
#if HAVE_JANSSON
	struct code_place places[ARRAY_LEN(body)] = {{"/src/f.c", 3, "g2"}};
	struct made m = make(places);
	list(&m, NULL);
	char *text = print(&m, "json", false);
	assert_non_null(strstr(text, "{\"schema\":\"cyctop-annotate/1\",\"dso\":\"/bin/p"));
	assert_non_null(strstr(text, "\"hottest\":\"0x17\""));
	assert_non_null(strstr(text, "\"cycles\":{\"samples\":10,\"weight\":1000,\"share\":0.25,\"outside\":1}"));
	assert_non_null(strstr(
		text, "{\"address\":\"0x10\",\"bytes\":\"31c0\",\"text\":\"xor %eax,%eax\",\"target\":null,"
		      "\"loops\":0,\"source\":{\"file\":\"/src/f.c\",\"line\":3,\"inlined\":\"g2\"},"
		      "\"events\":{\"cycles\":{\"samples\":1,\"weight\":100,\"share\":0.1,\"share_error\":0}}}"));
	assert_non_null(strstr(text, "\"target\":\"0x12\",\"loops\":1,\"source\":null,\"events\":{}}"));
	free(text);
	code_listing_deinit(&m.listing);
#endif
	assert_null(batch_format_find("csv")->annotate);
}

/* Jumps that need more lanes than there are, and jumps of any length, are bounded work and stay within their row. */
static void arrows_of_any_jumps(void **state)
{
	(void)state;
	enum { N = 50000 };
	struct instruction *v = calloc(N, sizeof(*v));
	for (size_t i = 0; i < N; i++)
		v[i] = (struct instruction){i, 1, INSTRUCTION_JUMP, 1 + (i * 2654435761u) % (i % 3 ? N : i + 9), ""};
	struct instructions in = {.v = v, .n = N};
	struct code_arrows a;
	code_arrows_draw(&in, &a);
	assert_int_equal(a.width, ARROWS_MAX);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(strspn(a.rows[i], " |-+,`>"), a.width);
	free(a.rows);
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_summed_up),   cmocka_unit_test(a_function_without_samples),
		cmocka_unit_test(text_for_people),	   cmocka_unit_test(json_for_programs),
		cmocka_unit_test(changes_have_errors),	   cmocka_unit_test(a_listing_has_what_is_gone),
		cmocka_unit_test(single_samples),	   cmocka_unit_test(comparison_for_people),
		cmocka_unit_test(comparison_for_programs), cmocka_unit_test(branches),
		cmocka_unit_test(events_without_samples),  cmocka_unit_test(arrows_of_any_jumps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
