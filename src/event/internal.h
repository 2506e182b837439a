/* Functions shared by the files of src/event. */
#ifndef EVENT_INTERNAL_H
#define EVENT_INTERNAL_H

#include "event/word.h"

/* modifier.c: returns true if the text consists of perf's modifier letters; other text may be modifiers of libpfm4. */
bool event_is_modifiers(struct event_text text);
/* Applies modifier letters to an event; the letter P sets precise = most_precise.  -EINVAL: *err says which letter is
 * wrong. */
CYC_MUST_CHECK int event_modify(struct event_text letters, struct event_spec *spec, uint8_t most_precise,
				struct error *err);

/* cache.c: parses the name of a generic cache event; returns false if `name` is none. */
bool event_parse_cache(struct event_text name, struct event_spec *ret);

/* Calls fn() for each generic cache event, with one of its names. */
void event_each_cache(void (*fn)(void *ctx, const char *name), void *ctx);

/* spec.c: parses the name of a generic hardware, software or cache event; returns false if `name` is none. */
bool event_parse_generic(struct event_text name, struct event_spec *ret);
/* Calls fn() with each name of a generic event, except cache events. */
void event_each_generic(void (*fn)(void *ctx, const char *name), void *ctx);

/* The events of the list that is being parsed. */
struct event_list {
	struct event_spec *specs; /* [EVENTS_MAX] */
	size_t n;
};
/* Appends an event.  -E2BIG: the list is full.  -EINVAL: an event of this name is in the list, or a software event has
 * the modifier p. */
CYC_MUST_CHECK int event_list_add(struct event_list *list, const struct event_spec *spec, struct error *err);

/* pmu.c: events of PMUs, described by files in sysfs. */

/* Applies one of the terms that events of all PMUs have: name=, period=, freq=, cpu=.  `files`: where cpu= finds PMUs;
 * NULL: nowhere.  Returns 0; 1 for any other term; -EINVAL if the value is wrong. */
CYC_MUST_CHECK int event_common_term(const struct event_term *term, const struct event_files *files,
				     struct event_spec *spec, struct error *err);
/* Appends an event for each PMU that w->name matches.  Returns 0; 1 if no PMU matches; or -errno, with *err. */
CYC_MUST_CHECK int event_add_of_pmus(const struct event_files *files, const struct event_word *w,
				     const struct event_spec *modified, struct event_list *list, struct error *err);
/* Appends an event for each PMU that has the named event `name` in sysfs (PMU/events/NAME).  Returns 0; 1 if no PMU has
 * the event; or -errno.  `all`: the word with its modifiers. */
CYC_MUST_CHECK int event_add_alias(const struct event_files *files, struct event_text name, struct event_text all,
				   const struct event_spec *modified, struct event_list *list, struct error *err);
/* probe.c: appends the uprobe or kprobe that a word means.  `stem`: the word without modifiers.  Returns 0; 1 if the
 * word is no probe; or -errno. */
CYC_MUST_CHECK int event_add_probe(const struct event_world *world, struct event_text stem,
				   const struct event_spec *modified, struct event_list *list, struct error *err);
enum { EVENT_NEAR_MAX = 3 };
/* Names of known events that are similar to an unknown name, the most similar first. */
struct event_near {
	char names[EVENT_NEAR_MAX][160];
	size_t n;
};
/* near.c: finds the known events with the names most similar to `typed`. */
void event_near(const struct event_world *world, const char *typed, struct event_near *ret);
/* Names that the PMUs of x86 CPUs can have, several on a hybrid machine; NULL after the last. */
extern const char *const event_cpu_pmus[];
/* pmu.c: returns the highest precise_ip of the CPU's PMU (the first one of a hybrid machine); 0: none. */
uint8_t event_most_precise(const struct event_files *files);

#endif
