#include "app/picker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void picker_deinit(struct picker *p)
{
	known_free(&p->known);
}

void picker_read(struct picker *p)
{
	struct event_world_here here;
	const struct event_topdown *topdown = known_topdown();
	if (p->known.n)
		return;
	for (size_t i = 0; i < event_presets_n; i++)
		known_add(&p->known, &(struct event_known){"preset", event_presets[i].name, event_presets[i].events});
	if (topdown)
		known_add(&p->known, &(struct event_known){"preset", PRESET_TOPDOWN, topdown->events});
	known_world(&here);
	known_read(&here, NULL, &p->known);
}

/* Returns the index of the event that is measured under this name; info->events_n: there is none. */
static size_t measured(const struct source_info *info, const char *name)
{
	size_t e = 0;
	while (e < info->events_n && !(info->events[e].available && strcmp(info->events[e].spec.name, name) == 0))
		e++;
	return e;
}

static void stop(struct session *s, size_t event, char *text, size_t cap)
{
	const char *name = session_info(s)->events[event].spec.name;
	if (!event) {
		snprintf(text, cap, "%s is the first event: the shares are its, so it stays.", name);
		return;
	}
	session_close_event(s, event);
	snprintf(text, cap, "%s is not measured any more.", name);
}

void picker_toggle(struct session *s, const char *words, char *text, size_t cap)
{
	struct event_spec specs[EVENTS_MAX];
	struct event_world_here here;
	struct error err, why = {.text = ""};
	const char *preset = known_preset(words);
	size_t n = 0, opened = 0, now = measured(session_info(s), words);
	if (now < session_info(s)->events_n) {
		stop(s, now, text, cap);
		return;
	}
	known_world(&here);
	if (event_parse_list(preset ? preset : words, &here.world, specs, &n, &err) < 0) {
		snprintf(text, cap, "%.300s", err.text);
		return;
	}
	uint32_t groups = 0;
	for (size_t e = 0; e < session_info(s)->events_n; e++)
		if (session_info(s)->events[e].spec.group > groups)
			groups = session_info(s)->events[e].spec.group;
	for (size_t i = 0; i < n; i++) {
		specs[i].group += specs[i].group ? groups : 0;
		bool is_open = measured(session_info(s), specs[i].name) < session_info(s)->events_n;
		if (is_open)
			error_set(&err, EEXIST, "%s is measured already, and stays as it is.", specs[i].name);
		if (!is_open && session_open_event(s, &specs[i], &err) >= 0)
			opened++;
		else if (!*why.text)
			why = err;
	}
	if (n == 1 && opened)
		snprintf(text, cap, "%s is measured from now on.", specs[0].name);
	else if (!opened)
		snprintf(text, cap, "%.300s", why.text);
	else
		snprintf(text, cap, "%zu event%s measured from now on.%s%.300s", opened, opened == 1 ? " is" : "s are",
			 *why.text ? "  " : "", why.text);
}
