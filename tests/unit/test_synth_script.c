/* Errors in scripts, and their messages. */
#include "test_synth_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void errors_name_the_line(void **state)
{
	(void)state;
	static const struct {
		const char *script, *error;
	} cases[] = {
		{"", "test:0: the script has no event"},
		{"cpus 0\n", "test:1: the number of CPUs"},
		{"cpus 5000\n", "test:1: the number of CPUs"},
		{"event cycles\ncpus 2\n", "test:2: 'cpus' comes before"},
		{"# fine\n\nnonsense 1\n", "test:3: 'nonsense' is no statement"},
		{"event cycles freq=1 period=1\n", "test:1: an event has freq= or period="},
		{"event cycles freq=0\n", "test:1: the rate is"},
		{"event cycles freq=9999999999\n", "test:1: the rate is"},
		{"event cycles mux=101%\n", "test:1: '101%' is not a part"},
		{"event cycles mux=7\n", "test:1: '7' is not a part"},
		{"event cycles\nevent cycles\n", "test:2: the event 'cycles' is declared twice"},
		{"event x role=y\n", "test:1: no role 'y'"},
		{"event cycles speed\n", "test:1: 'event' does not take 'speed'"},
		{"event cycles colour=red\n", "test:1: 'event' does not take 'colour'"},
		{"event cycles freq=1 freq=2\n", "test:1: 'freq' is given twice"},
		{"event\n", "test:1: 'event' needs more values"},
		{"host \"open\n", "test:1: a quote is not closed"},
		{"key=value\n", "test:1: a line begins with"},
		{"interval 5\n", "test:1: '5' is not a time"},
		{"interval 10ns\n", "test:1: an interval lasts"},
		{"start 0\n", "test:1: the start is"},
		{"ring 5000\n", "test:1: a ring is a power of two"},
		{"ring 99999999999999999999\n", "test:1: '99999999999999999999' is not a number"},
		{"dso a:b /x\n", "test:1: a DSO's short name"},
		{"dso a /x\ndso a /y\n", "test:2: the DSO 'a' is declared twice"},
		{"dso a /x\ndso b /x\n", "test:2: the path '/x' is declared twice"},
		{"sym a:b 0 1\n", "test:1: no DSO 'a'"},
		{"dso a /x\nsym a:b 0 0\n", "test:2: a symbol has a size"},
		{"dso a /x\nsym ab 0 1\n", "test:2: 'ab' is no symbol"},
		{"dso a /x\nsym a:b 0 1\nsym a:b 0 1\n", "test:3: the symbol 'a:b' is declared twice"},
		{"task x name\n", "test:1: 'x' is no task"},
		{"task 1:2:3 name\n", "test:1: '1:2:3' is no task"},
		{"task 99999999999 name\n", "test:1: '99999999999' is no task"},
		{"task 1 name maps=a\n", "test:1: no DSO 'a'"},
		{"row a:b 1\n", "test:1: no DSO 'a'"},
		{"event cycles\nsample cpu=0\n", "test:2: 'sample' comes behind a 'tick'"},
		{"event cycles\ntick\nhost x\n", "test:3: 'host' comes before the first tick"},
		{"event cycles\ntick 0\n", "test:2: a tick that happens 0 times"},
		{"event cycles\nrepeat\n", "test:2: there is no tick to repeat"},
		{"event cycles\ntick\nrepeat\ntick\n", "test:4: nothing may follow"},
		{"event cycles\ntick\nrepeat frozen\n", "test:3: only a replay is frozen"},
		{"event cycles\ntick\nalways\n", "test:3: 'always' comes once"},
		{"event cycles\ntick\nthrottle cpu=1 event=cycles\n", "test:3: CPU 1 is beyond the last, 0"},
		{"event cycles\ntick\nthrottle cpu=0-x event=cycles\n", "test:3: '0-x' is no range"},
		{"event cycles\ntick\nthrottle cpu=0 event=x\n", "test:3: no event 'x'"},
		{"event cycles\ntick\nthrottle event=cycles\n", "test:3: 'throttle' needs cpu="},
		{"event cycles\ntick\nthrottle cpu=0 event=cycles at=2s\n", "test:3: '2s' is beyond"},
		{"event cycles\ntick\nraw cpu=0 123\n", "test:3: '123' is not hexadecimal"},
		{"event cycles\ntick\nraw cpu=0 zz\n", "test:3: 'zz' is not hexadecimal"},
		{"event cycles\ntick\nload cpu=0 task=1 profile=p busy=1%\n", "test:3: no profile 'p'"},
		{"event cycles\nprofile p\ntick\nload cpu=0 task=1 profile=p busy=1%\n",
		 "test:4: the profile 'p' has no row"},
		{"event cycles\n" APP "tick\nsample cpu=0 task=1 event=cycles\n", "test:9: a sample is at sym= or"},
		{"event cycles\n" APP "tick\nsample cpu=0 task=1 event=cycles sym=app:hot\n",
		 "test:9: a sample of an event"},
		{"event cycles\n" APP "tick\nsample cpu=0 task=1 event=cycles sym=app:hot period=1 off=64\n",
		 "test:9: off= is beyond"},
		{"event cycles\n" APP "tick\nsample cpu=0 task=1 event=cycles sym=app:hot period=1 n=2M\n",
		 "test:9: n= is at most"},
		{"event cycles\n" APP "profile p\nrow app:hot 1 cycles=2\n", "test:9: ratios are to the first event"},
		{"cpus 4096\nring 1Gi\nevent cycles\n", "test:3: the rings would take"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct source *src;
		struct error err = {0};
		assert_true(synth_open(cases[i].script, strlen(cases[i].script), "test", false, &src, &err) < 0);
		if (strncmp(err.text, cases[i].error, strlen(cases[i].error)) != 0)
			fail_msg("'%s' instead of '%s'", err.text, cases[i].error);
		assert_true(synth_open(cases[i].script, strlen(cases[i].script), "test", false, &src, NULL) < 0);
	}
}

static void a_script_may_be_any_bytes(void **state)
{
	(void)state;
	const char script[] = "event cycles\0\ntick\n";
	struct source *src;
	struct error err;
	assert_true(synth_open(script, sizeof(script) - 1, "test", false, &src, &err) < 0);
	assert_non_null(strstr(err.text, "test:1: the line has a NUL"));
	char *line = malloc(70000);
	assert_non_null(line);
	memset(line, 'x', 70000);
	assert_true(synth_open(line, 70000, "test", false, &src, &err) < 0);
	assert_non_null(strstr(err.text, "longer than"));
	free(line);
}

/* The script of --demo, cut off or changed anywhere, is parsed or refused without a crash. */
static void a_damaged_script_is_survived(void **state)
{
	(void)state;
	size_t len = strlen(synth_demo_script);
	char *copy = malloc(len);
	assert_non_null(copy);
	uint64_t random = 1;
	for (size_t round = 0; round < 400; round++) {
		memcpy(copy, synth_demo_script, len);
		size_t cut = len;
		for (size_t k = 0; k < 3; k++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			copy[(random >> 33) % len] = "0x=:\"#%\n -9"[(random >> 20) % 11];
		}
		if (round % 2)
			cut = (random >> 40) % len;
		struct source *src;
		struct error err = {0};
		if (synth_open(copy, cut, "test", false, &src, &err) == 0)
			src->ops->close(src);
		else
			assert_true(strncmp(err.text, "test:", 5) == 0);
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(a_script_may_be_any_bytes),
		cmocka_unit_test(a_damaged_script_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
