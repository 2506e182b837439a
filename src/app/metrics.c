#include "app/metrics.h"

#include <string.h>

/* Returns true if the source has every event that the metric `text` names. */
static bool has_events(const struct source_info *info, const char *text)
{
	struct metric_set *set = NULL;
	struct error err;
	bool all = metric_set_create(&text, 1, &set, &err) == 0;
	for (size_t w = 0; all && w < set->words_n; w++) {
		size_t e = 0;
		while (e < info->events_n && !metric_word_is(&set->words[w], &info->events[e].spec))
			e++;
		all = e < info->events_n;
	}
	metric_set_destroy(set);
	return all;
}

int metrics_make(struct app *app, const struct source_info *info, struct error *err)
{
	const struct options *o = app->options;
	bool live = !o->batch && !o->input && !o->demo;
	const struct event_topdown *topdown = info   ? event_topdown_recorded(info->cpuid)
					      : live ? known_topdown()
						     : NULL;
	const char *texts[METRICS_MAX];
	size_t n = o->metrics_n;
	memcpy(texts, o->metrics, sizeof(texts));
	if (info && !topdown)
		return 0;
	metric_set_destroy(app->metrics);
	app->metrics = NULL;
	if (o->branches && n < METRICS_MAX)
		texts[n++] = "mispredict%=mispredicts/taken-branches";
	for (size_t i = 0; topdown && topdown->metrics[i] && n < METRICS_MAX; i++)
		if (!info || has_events(info, topdown->metrics[i]))
			texts[n++] = topdown->metrics[i];
	if (metric_set_create(texts, n, &app->metrics, err) == 0)
		return 0;
	return metric_set_create(o->metrics, o->metrics_n, &app->metrics,
				 err); /* only the user's: titles of the CPU's may collide */
}
