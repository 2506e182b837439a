/* Samples beside instructions: sums, shares, loops, arrows, and what is printed of them. */
#include "base/strbuf.h"

#include <cyctop/front.h>

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
	const struct annotate_output o = {.dso = "/bin/p\033",
					  .symbol = "f",
					  .code = &m->code,
					  .listing = &m->listing,
					  .events = m->events,
					  .events_n = 2,
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
	assert_non_null(strstr(text,
			       "{\"address\":\"0x10\",\"bytes\":\"31c0\",\"text\":\"xor %eax,%eax\",\"target\":null,"
			       "\"loops\":0,\"source\":{\"file\":\"/src/f.c\",\"line\":3,\"inlined\":\"g2\"},"
			       "\"events\":{\"cycles\":{\"samples\":1,\"weight\":100,\"share\":0.1}}}"));
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
		cmocka_unit_test(samples_are_summed_up),
		cmocka_unit_test(a_function_without_samples),
		cmocka_unit_test(text_for_people),
		cmocka_unit_test(json_for_programs),
		cmocka_unit_test(branches),
		cmocka_unit_test(events_without_samples),
		cmocka_unit_test(arrows_of_any_jumps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
