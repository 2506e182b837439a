/* The events that this machine has, for `cyctop list` and the screen. */
#ifndef APP_KNOWN_H
#define APP_KNOWN_H

#include <cyctop/source.h>

struct event_world_here {
	struct event_files pmus, tracepoints;
	struct event_world world; /* refers to both */
};
/* Fills in where names of -e are looked up on this machine. */
void known_world(struct event_world_here *ret);

/* The events and metrics of --preset topdown for this machine's CPU; NULL: none are known. */
const struct event_topdown *known_topdown(void);
/* The name of the preset that depends on the CPU. */
#define PRESET_TOPDOWN "topdown"
/* The events of a preset on this machine; NULL: there is no preset of that name. */
const char *known_preset(const char *name);
/* Adds the event of --off-cpu, if it was given; to a recording (`keep`) that of context switches. */
CYC_MUST_CHECK int known_off_cpu(struct live_config *config, struct error *err);

/* Events, whose texts belong to the list. */
struct known_events {
	struct event_known *data;
	size_t n, cap;
};
/* Lists the events that have a pattern of the shell in their name or description, or are of that source; NULL: all. */
void known_read(struct event_world_here *here, const char *pattern, struct known_events *ret);
/* Adds a copy of an event to the list. */
void known_add(struct known_events *to, const struct event_known *e);
void known_free(struct known_events *events);

#endif
