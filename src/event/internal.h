/* Shared by the files of this room. */
#ifndef EVENT_INTERNAL_H
#define EVENT_INTERNAL_H

#include "event/word.h"

/* modifier.c: could the text be a row of modifiers?  Names of libpfm4 may end in others. */
bool event_is_modifiers(struct event_text text);
/* Applies a row of modifiers to an event; the modifier P stands for precision `most_precise`.  -EINVAL: *err says which
 * one is wrong. */
CYC_MUST_CHECK int event_modify(struct event_text letters, struct event_spec *spec, uint8_t most_precise,
				struct error *err);

/* cache.c: finds a generic cache event; false: the name is none. */
bool event_parse_cache(struct event_text name, struct event_spec *ret);

/* Calls fn() with the name of each generic cache event, in one spelling. */
void event_each_cache(void (*fn)(void *ctx, const char *name), void *ctx);

/* spec.c: finds a generic event, of hardware, software or caches; false: the name is none. */
bool event_parse_generic(struct event_text name, struct event_spec *ret);
/* Calls fn() with the names of the generic events, without those of caches. */
void event_each_generic(void (*fn)(void *ctx, const char *name), void *ctx);

/* The specs of a list that is being parsed. */
struct event_list {
	struct event_spec *specs; /* [EVENTS_MAX] */
	size_t n;
};
/* Adds an event.  -E2BIG: there are too many; -EINVAL: there is one of that name. */
CYC_MUST_CHECK int event_list_add(struct event_list *list, const struct event_spec *spec, struct error *err);

/* pmu.c: events of PMUs, as files of the kernel describe them. */

/* Applies terms that any event may have (name=, period=, freq=, cpu=).  `files`: of the PMUs whose CPUs cpu= may name;
 * NULL: none.  1: the term is another one; -EINVAL: its value. */
CYC_MUST_CHECK int event_common_term(const struct event_term *term, const struct event_files *files,
				     struct event_spec *spec, struct error *err);
/* Adds the event of each PMU that the word's name stands for.  1: it stands for none; negative: *err says what is
 * wrong with the terms. */
CYC_MUST_CHECK int event_add_of_pmus(const struct event_files *files, const struct event_word *w,
				     const struct event_spec *modified, struct event_list *list, struct error *err);
/* Adds the event of each PMU that has an event of that name.  1: none has one. */
CYC_MUST_CHECK int event_add_alias(const struct event_files *files, struct event_text name, struct event_text all,
				   const struct event_spec *modified, struct event_list *list, struct error *err);
/* probe.c: adds the probe that a word stands for.  1: the word is none. */
CYC_MUST_CHECK int event_add_probe(const struct event_world *world, struct event_text stem,
				   const struct event_spec *modified, struct event_list *list, struct error *err);
enum { EVENT_NEAR_MAX = 3 };
/* Names of events, the nearest first. */
struct event_near {
	char names[EVENT_NEAR_MAX][160];
	size_t n;
};
/* near.c: finds the known names that are nearest to one that nobody knows. */
void event_near(const struct event_world *world, const char *typed, struct event_near *ret);
/* The names of the PMUs of x86 CPUs, of which hybrid ones have several; NULL after the last. */
extern const char *const event_cpu_pmus[];
/* The highest precision that the CPU's PMU, or the first of several, offers; 0: none. */
uint8_t event_most_precise(const struct event_files *files);

#endif
