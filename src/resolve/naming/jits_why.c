/* Tells the user why JIT code has no names. */
#include "resolve/naming/jits_own.h"

#include <inttypes.h>
#include <stdio.h>

static const uint64_t second_ns = 1000000000;

void jits_take_why(struct jits *js, struct jit *j, const struct jit_news *news)
{
	const char *why = news->why[0] ? news->why : NULL;
	for (size_t i = 0; (why || j->blamed) && i < j->wait.n; i++)
		dsos_set_why_unnamed(js->dsos, j->wait.data[i].dso, why);
	j->blamed = why;
}

void jits_say_age(struct jits *js, struct jit *j, uint64_t written_ns)
{
	char why[200];
	const struct jit_wait *newest = NULL;
	for (size_t i = 0; i < j->wait.n; i++)
		if (jits_shown(js, &j->wait.data[i])->state != SYM_NAMED &&
		    (!newest || j->wait.data[i].time_ns > newest->time_ns))
			newest = &j->wait.data[i];
	const char *file = js->names->cat.dsos[j->dso].file;
	if (!newest || !file || !written_ns || newest->time_ns <= written_ns)
		return;
	uint64_t age_ns = newest->time_ns - written_ns;
	if (age_ns >= j->why_age_ns && age_ns - j->why_age_ns <= j->why_age_ns / 8)
		return; /* the text changes rarely, because a new one each second would fill the memory for strings */
	j->why_age_ns = age_ns;
	snprintf(why, sizeof(why), "and its perf map is older: %.80s was written %" PRIu64 " s before it ran", file,
		 age_ns / second_ns);
	dsos_set_why_unnamed(js->dsos, newest->dso, why);
}
