/* Opens and closes events, and changes their rate, while the session measures; chooses by what samples are told apart
 * (callers, fields, ...). */
#include "session/internal.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Finds the tracepoint fields by which samples of the event are told apart. */
static void find_fields(struct session *s, size_t e)
{
	const char *format = s->info->events[e].format, *machine = strrchr(s->info->kernel, ' ');
	const struct field_names *names = s->names.fields;
	struct event_fields *ret = &s->ingest.fields[e];
	for (size_t k = 0; format && k < names->n; k++) {
		if (!event_field_find(format, names->name[k], &ret->of[k]))
			continue;
		ret->has |= 1u << k;
		ret->of[k].syscall &= machine && event_syscalls_are_of(machine + 1);
	}
}

int session_use_fields(struct session *s, const struct field_names *names, struct error *err)
{
	char known[400] = "";
	unsigned has = 0;
	if (!names->n)
		return 0;
	s->names.fields = names;
	s->ingest.fields = mem_calloc(EVENTS_MAX, sizeof(*s->ingest.fields));
	for (size_t e = 0; e < s->info->events_n && e < EVENTS_MAX; e++) {
		find_fields(s, e);
		has |= s->ingest.fields[e].has;
		if (s->info->events[e].format)
			event_field_list(s->info->events[e].format, known, sizeof(known));
	}
	for (size_t k = 0; k < names->n; k++)
		if (!(has >> k & 1))
			return error_set(err, EINVAL,
					 "'%s' is neither a key nor a field of a tracepoint that is %s; %s%s",
					 names->name[k], s->info->live ? "measured" : "recorded",
					 *known ? "fields are: " : "there are no descriptions of fields", known);
	return 0;
}

bool session_use_memory(struct session *s, unsigned parts)
{
	unsigned had = s->ingest.memory;
	s->ingest.memory |= parts;
	return s->ingest.memory != had;
}

static void find_switch_fields(struct session *s, const char *format)
{
	struct switch_fields *f = mem_calloc(1, sizeof(*f));
	bool found = event_field_find(format, "prev_pid", &f->prev_pid) &&
		     event_field_find(format, "prev_state", &f->prev_state) &&
		     event_field_find(format, "next_pid", &f->next_pid);
	for (size_t i = 0; i < f->prev_state.names_n; i++)
		if (strchr("XZx", f->prev_state.names[i].word[0]))
			f->dead |= f->prev_state.names[i].value;
	s->ingest.switches = found ? f : NULL;
	if (!found)
		free(f);
}

int session_use_off_cpu(struct session *s, struct error *err)
{
	const struct source_event *events = s->info->events;
	size_t e = 0;
	while (e < s->info->events_n && !events[e].spec.off_cpu)
		e++;
	if (s->info->scope == SCOPE_PROC)
		return error_set(err, EACCES, "context switches cannot be measured here: %.320s", s->info->notice);
	if (e == s->info->events_n || !(events[e].format || s->info->switches))
		return error_set(err, EINVAL, "there are no records of context switches%s",
				 s->info->live ? ""
					       : ", which cyctop record --off-cpu, perf record -e " EVENT_SWITCHES
						 " and perf record --switch-events write");
	offcpu_init(&s->ingest.offcpu, (uint16_t)e, s->info->cpus_n);
	s->ingest.enters_recorded = s->info->switches;
	if (events[e].format)
		find_switch_fields(s, events[e].format);
	return 0;
}

/* Makes s->reads (READ records for the flight recorder) anew, after events have changed. */
static void read_all_events(struct session *s)
{
	if (!s->reads)
		return;
	read_records_destroy(s->reads);
	s->reads = read_records_create(s->source);
}

static void use_chains(struct session *s, bool used)
{
	const char *machine = strrchr(s->info->kernel, ' ');
	struct chains *c = &s->ingest.chains;
	c->used = used;
	c->ends_outside = s->info->live;
	c->unwinds = machine && unwind_machine_named(machine + 1, &c->machine);
}

int session_use_chains(struct session *s, struct error *err)
{
	use_chains(s, s->info->chains);
	if (s->info->chains)
		return 0;
	if (s->info->scope == SCOPE_PROC)
		return error_set(err, EACCES, "call chains cannot be measured here: %.320s", s->info->notice);
	return error_set(err, EINVAL, "the samples have no call chains; %s",
			 s->info->live ? "-g measures them" : "cyctop record -g and perf record -g write them");
}

static void take_all(void *ctx)
{
	session_drain(ctx);
	session_drain(ctx); /* at the first call, a source that sorts records keeps the newest back */
}

static void set_chains(struct session *s, bool chains, uint32_t stack_bytes)
{
	s->source->ops->set_chains(s->source, chains, stack_bytes, take_all, s);
	crossing_begin_again(&s->ingest.crossing);
	if (s->flight)
		flight_drop_samples(s->flight);
	read_all_events(s);
}

int session_set_chains(struct session *s, bool chains, struct error *err)
{
	if (!s->source->ops->set_chains)
		return chains ? session_use_chains(s, err) : (s->ingest.chains.used = false, 0);
	if (chains != s->info->chains)
		set_chains(s, chains, s->info->stack_bytes);
	use_chains(s, chains);
	return 0;
}

void session_set_stacks(struct session *s, uint32_t bytes)
{
	set_chains(s, s->info->chains, bytes);
}

int session_open_event(struct session *s, const struct event_spec *spec, struct error *err)
{
	const struct source_ops *ops = s->source->ops;
	if (!ops->open_event)
		return error_set(err, ENOSYS, "the events of what is shown cannot be changed");
	size_t had = s->info->events_n;
	int e = ops->open_event(s->source, spec, err);
	if (s->info->events_n > had) {
		struct model *all[SESSION_MODELS];
		session_models(s, all);
		session_learn_event(s, had);
		if (s->ingest.fields)
			find_fields(s, had);
		crossing_add_event(&s->ingest.crossing, s->info, had);
		s->ingest.events_n = s->info->events_n;
		for (size_t i = 0; i < SESSION_MODELS; i++)
			if (all[i])
				model_add_event(all[i]);
	}
	if (e >= 0)
		read_all_events(s);
	return e;
}

void session_close_event(struct session *s, size_t event)
{
	s->source->ops->close_event(s->source, event);
	read_all_events(s);
}

uint64_t session_set_rate(struct session *s, uint64_t hz)
{
	if (s->source->ops->set_rate && s->ingest.crossing.begins)
		session_drain(s); /* samples of the events as they were opened before */
	uint64_t set = s->source->ops->set_rate ? s->source->ops->set_rate(s->source, hz) : 0;
	for (size_t e = 0; set && e < s->info->events_n; e++) {
		s->rates[e] = sample_rate_of(s->info, e);
		crossing_add_event(&s->ingest.crossing, s->info, e);
	}
	if (set)
		crossing_begin_again(&s->ingest.crossing);
	return set;
}
