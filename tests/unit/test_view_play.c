/* Keys for the playback of recordings: their requests to the source, and the text on the
 * screen. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static struct fixture *recording(uint64_t at_ns, uint64_t of_ns)
{
	struct fixture *f = fixture_create(24, 100, 4);
	f->w->info.playable = true;
	f->w->in.play_at_ns = at_ns;
	f->w->in.play_of_ns = of_ns;
	f->st.play.speed = 1;
	return f;
}

static void assert_goes_to(struct fixture *f, uint64_t ns)
{
	assert_true(f->st.play.seek);
	assert_true(f->st.play.to_ns == ns);
	f->st.play.seek = false;
}

static void space_plays_and_pauses(void **state)
{
	(void)state;
	struct fixture *f = recording(3 * SECOND, 600 * SECOND);
	assert_true(fixture_press(f, ' ') & REACT_PLAY);
	assert_true(f->st.play.paused);
	assert_false(f->st.frozen);
	assert_true(fixture_screen_has(f, "at 0:03 of 10:00  paused"));
	fixture_press(f, ' ');
	assert_false(f->st.play.paused);
	f->w->in.play_at_ns = 700 * SECOND; /* the last interval reaches beyond the end of the recording */
	assert_false(fixture_press(f, ' ') & REACT_PLAY);
	assert_false(f->st.play.paused);
	assert_true(fixture_screen_has(f, "end of the recording: [ goes back, : goes to a time"));
	assert_true(fixture_screen_has(f, "10:00 of 10:00  end of recording"));
	fixture_destroy(f);
}

static void steps_suit_the_length(void **state)
{
	(void)state;
	static const struct {
		uint64_t at, of, back, on; /* in tenths of a second */
	} t[] = {{300, 6000, 200, 400}, {50, 6000, 0, 150}, {50, 420, 8, 92}, {300, 0, 200, 400}, {9, 10, 8, 10}};
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct fixture *f = recording(t[i].at * SECOND / 10, t[i].of * SECOND / 10);
		fixture_press(f, '[');
		assert_goes_to(f, t[i].back * SECOND / 10);
		fixture_press(f, ']');
		assert_goes_to(f, t[i].on * SECOND / 10);
		fixture_destroy(f);
	}
	struct fixture *f = recording(420 * SECOND, 400 * SECOND);
	fixture_press(f, '[');
	assert_goes_to(f, 390 * SECOND); /* relative to the end of the recording, not to the end of the last interval */
	fixture_press(f, ']');
	assert_false(f->st.play.seek);
	fixture_destroy(f);
}

static void times_are_parsed(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t ms; /* UINT64_MAX: the text is refused */
	} t[] = {
		{"63", 63000},	       {"1:03", 63000},	      {"0:01:03.5", 63500},
		{"1:00:00", 3600000},  {"90%", 540000},	      {"0", 0},
		{",5", 500},	       {"12,25", 12250},      {"100%", 600000},
		{"101%", UINT64_MAX},  {"1:", UINT64_MAX},    {":1", UINT64_MAX},
		{"1.5:2", UINT64_MAX}, {"-1", UINT64_MAX},    {"x", UINT64_MAX},
		{"1%%", UINT64_MAX},   {".", UINT64_MAX},     {"1:2:3:4", UINT64_MAX},
		{"1 2", UINT64_MAX},   {"1.2.3", UINT64_MAX},
	};
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		uint64_t ns;
		bool valid = play_time_parse(t[i].text, 600 * SECOND, &ns);
		if (valid != (t[i].ms != UINT64_MAX) || (valid && ns != t[i].ms * 1000000))
			fail_msg("\"%s\"", t[i].text);
	}
	assert_false(play_time_parse("50%", 0, &(uint64_t){0})); /* the length is unknown */
}

static void a_typed_time_is_gone_to(void **state)
{
	(void)state;
	struct fixture *f = recording(30 * SECOND, 600 * SECOND);
	fixture_press(f, ':');
	assert_true(fixture_screen_has(f, "Go to"));
	fixture_type(f, "1:03");
	assert_true(fixture_press(f, KEY_CYC_ENTER) & REACT_PLAY);
	assert_goes_to(f, 63 * SECOND);
	fixture_press(f, ':');
	fixture_type(f, "1:x2:3:4"); /* the letter is ignored */
	assert_false(fixture_press(f, KEY_CYC_ENTER) & REACT_PLAY);
	assert_false(f->st.play.seek);
	assert_true(fixture_screen_has(f, "A time is written as"));
	fixture_press(f, ':');
	fixture_type(f, "5");
	fixture_press(f, KEY_CYC_ESC);
	assert_false(f->st.play.seek);
	fixture_destroy(f);
}

static void end_shows_the_whole(void **state)
{
	(void)state;
	struct fixture *f = recording(30 * SECOND, 600 * SECOND);
	assert_true(fixture_press(f, KEY_CYC_END) & REACT_PLAY);
	assert_goes_to(f, UINT64_MAX);
	assert_true(f->st.play.speed == 0);
	assert_int_equal(f->st.query.window, WINDOW_TOTAL);
	assert_true(fixture_screen_has(f, "All of the recording: [ ] show a part of it"));
	assert_false(fixture_press(f, '+') & REACT_PLAY); /* it has no speed */
	assert_true(fixture_screen_has(f, "Space plays it"));
	fixture_destroy(f);
}

/* A pause is of what is played: a whole that is to be read does not wait. */
static void the_whole_of_a_paused_recording_is_not_paused(void **state)
{
	(void)state;
	static const uint32_t keys[] = {KEY_CYC_END, '0'};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct fixture *f = recording(30 * SECOND, 600 * SECOND);
		fixture_press(f, 'p');
		assert_true(f->st.play.paused);
		assert_true(fixture_press(f, keys[i]) & REACT_PLAY);
		assert_goes_to(f, UINT64_MAX);
		assert_true(f->st.play.speed == 0 && !f->st.play.paused);
		assert_true(fixture_screen_has(f, "All of the recording: [ ] show a part of it"));
		fixture_destroy(f);
	}
}

static void live_the_keys_say_what_they_are_for(void **state)
{
	(void)state;
	static const uint32_t keys[] = {'+', '-', 'p'};
	struct fixture *f = fixture_create(24, 100, 4);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		assert_false(fixture_press(f, keys[i]) & REACT_PLAY);
		assert_true(fixture_screen_has(f, "works in recordings only"));
	}
	fixture_press(f, KEY_CYC_END);
	assert_false(f->st.play.seek);
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(space_plays_and_pauses),
		cmocka_unit_test(steps_suit_the_length),
		cmocka_unit_test(times_are_parsed),
		cmocka_unit_test(a_typed_time_is_gone_to),
		cmocka_unit_test(end_shows_the_whole),
		cmocka_unit_test(the_whole_of_a_paused_recording_is_not_paused),
		cmocka_unit_test(live_the_keys_say_what_they_are_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
