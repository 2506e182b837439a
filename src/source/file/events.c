/* Finds the event of a record by the id in it, and the layout of a record by its event. */
#include "source/file/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIG_DUMMY = 9 }; /* attr.config of the software event "dummy" */

void file_events_deinit(struct file_events *e)
{
	free(e->layouts);
	free(e->readable);
	free(e->shown_as);
	if (e->by_id.slots)
		index_deinit(&e->by_id);
	vec_free(&e->ids);
	*e = (struct file_events){0};
}

/* ---- finding the event of an id -------------------------------------------------- */

static uint32_t find_id(const struct file_events *e, uint64_t id)
{
	return index_find_by(&e->by_id, e->ids.data, id, id);
}

static void add_id(struct file_events *e, uint64_t id, uint32_t event)
{
	if (find_id(e, id) != INDEX_NONE)
		return;
	index_add(&e->by_id, index_hash(&e->by_id, id), (uint32_t)e->ids.n);
	vec_push(&e->ids) = (struct recorded_id){id, event};
}

/* Returns the event of an id.  The records of a single event need no id.  Id 0 belongs to the first event. */
uint32_t file_event_of_id(struct file_events *e, uint64_t id)
{
	if (e->n == 1 || !id)
		return e->first;
	struct recorded_id *slot = &e->cache[id % ID_CACHE];
	if (slot->event && slot->id == id)
		return slot->event - 1;
	uint32_t pos = find_id(e, id);
	if (pos == INDEX_NONE)
		return EVENT_OF_NONE;
	*slot = (struct recorded_id){id, e->ids.data[pos].event + 1};
	return e->ids.data[pos].event;
}

/* ---- finding the layout of a record ---------------------------------------------- */

static int16_t agreed(int16_t a, int16_t b)
{
	return a == b ? a : LAYOUT_ABSENT;
}

static void agree(struct record_layout *all, const struct record_layout *one)
{
	all->time = agreed(all->time, one->time);
	all->tr_time = agreed(all->tr_time, one->tr_time);
	all->cpu = agreed(all->cpu, one->cpu);
	all->id = agreed(all->id, one->id);
	all->identifier = agreed(all->identifier, one->identifier);
	all->tr_id = agreed(all->tr_id, one->tr_id);
	all->tr_identifier = agreed(all->tr_identifier, one->tr_identifier);
	all->fixed_size = all->fixed_size < one->fixed_size ? all->fixed_size : one->fixed_size;
	all->trailer_size = all->trailer_size < one->trailer_size ? all->trailer_size : one->trailer_size;
	all->id_all = all->id_all && one->id_all;
}

/* Returns true if samples have an id, by which their event, and so their layout, can be found. */
static bool has_id(const struct record_layout *l)
{
	return l->identifier != LAYOUT_ABSENT || l->id != LAYOUT_ABSENT;
}

/* Returns true if two layouts are equal, by the fields that determine all others. */
static bool same_layout(const struct record_layout *a, const struct record_layout *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->branch_type == b->branch_type && a->regs_user_mask == b->regs_user_mask &&
	       a->regs_intr_mask == b->regs_intr_mask && a->id_all == b->id_all && a->own_counts == b->own_counts &&
	       a->swap == b->swap;
}

static int fix_layouts(struct file *f, struct error *err)
{
	struct file_events *e = &f->events;
	e->first = EVENT_OF_NONE;
	e->one_layout = true;
	for (uint32_t i = 0; i < e->n; i++) {
		e->readable[i] = record_layout_init(&e->layouts[i], &f->pd.events[i].attr) == 0;
		e->layouts[i].swap = f->swap;
		if (!e->readable[i])
			continue;
		if (e->first == EVENT_OF_NONE) {
			e->first = i;
			e->common = e->layouts[i];
		} else if (!same_layout(&e->layouts[i], &e->layouts[e->first])) {
			e->one_layout = false;
			agree(&e->common, &e->layouts[i]);
		}
	}
	if (e->first == EVENT_OF_NONE)
		return error_set(
			err, EINVAL,
			"Its records have fields that this version of cyctop does not know (sample_type 0x%llx).",
			(unsigned long long)f->pd.events[0].attr.sample_type);
	if (!e->one_layout && !has_id(&e->common)) {
		e->one_layout = true;
		e->common = e->layouts[e->first];
		file_note(f, "ambiguous",
			  "The records of its events have different fields, and no id to tell them apart: "
			  "all are read as those of the first event.");
	}
	return 0;
}

const struct record_layout *file_layout_of(struct file_events *e, const uint8_t *bytes, size_t size)
{
	const struct record_layout *l = &e->common;
	struct record_header h = pd_record_header(bytes, l->swap);
	bool sample = h.type == RECORD_SAMPLE;
	int16_t place = sample ? (l->identifier != LAYOUT_ABSENT ? l->identifier : l->id)
			       : (l->tr_identifier != LAYOUT_ABSENT ? l->tr_identifier : l->tr_id);
	if (place == LAYOUT_ABSENT || (size_t)place + sizeof(h) > size)
		return &e->layouts[e->first];
	size_t at = sample ? (size_t)place : size - (size_t)place;
	uint32_t event = file_event_of_id(e, load_u64_as(bytes + at, l->swap));
	return event != EVENT_OF_NONE && e->readable[event] ? &e->layouts[event] : &e->layouts[e->first];
}

/* ---- making the events that the session sees ------------------------------------------------- */

/* Returns true if the event may have been multiplexed.  Software events never are; pinned events count all the time, or
 * fail. */
static bool takes_turns(const struct perf_attr *attr)
{
	return attr->type != ABI_TYPE_SOFTWARE && attr->type != ABI_TYPE_TRACEPOINT &&
	       attr->type != ABI_TYPE_BREAKPOINT && !(attr->flags & ATTR_PINNED);
}

static void describe(struct file *f, uint32_t event, struct source_event *ret)
{
	const struct perf_attr *attr = &f->pd.events[event].attr;
	*ret = (struct source_event){
		.available = true,
		.format = f->pd.events[event].format,
		.spec =
			{
				.type = attr->type,
				.config = attr->config,
				.config1 = attr->config1,
				.config2 = attr->config2,
				.exclude_user = attr->flags & ATTR_EXCLUDE_USER,
				.exclude_kernel = attr->flags & ATTR_EXCLUDE_KERNEL,
				.exclude_hv = attr->flags & ATTR_EXCLUDE_HV,
				.exclude_idle = attr->flags & ATTR_EXCLUDE_IDLE,
				.exclude_host = attr->flags & ATTR_EXCLUDE_HOST,
				.exclude_guest = attr->flags & ATTR_EXCLUDE_GUEST,
				.precise = attr->flags >> ATTR_PRECISE_SHIFT & 3,
				.freq = attr->flags & ATTR_FREQ,
				.rate = attr->sample_period,
			},
	};
	pd_event_name(&f->pd, event, ret->spec.name, sizeof(ret->spec.name));
	ret->spec.role = event_role_of(attr->type, attr->config, ret->spec.name);
	ret->untimed = takes_turns(attr);
	ret->counts_threads = attr->flags & ATTR_INHERIT_STAT;
	ret->leader_sampled = attr->sample_type & SAMPLE_READ;
	ret->unweighed = attr->flags & ATTR_FREQ && !(attr->sample_type & (SAMPLE_PERIOD | SAMPLE_READ)) &&
			 ret->spec.role != ROLE_CLOCK;
}

bool file_is_dummy(const struct perf_attr *attr)
{
	return attr->type == ABI_TYPE_SOFTWARE && attr->config == CONFIG_DUMMY;
}

/* Adds notices if the weights of samples are unknown.  With {a,b}:S, the counts in a sample are of all code that ran
 * since the previous sample, not of the sampled code alone.  Without periods, it is unknown how many events a sample
 * stands for. */
static void say_weights(struct file *f)
{
	const struct source_event *led = NULL, *unweighed = NULL;
	for (size_t i = 0; i < f->info.events_n; i++) {
		const struct source_event *ev = &f->info.events[i];
		led = ev->leader_sampled && !led ? ev : led;
		unweighed = ev->unweighed && !unweighed ? ev : unweighed;
	}
	if (led && f->info.events_n > 1)
		file_note(f, "ratios of surroundings",
			  "All counts of a group were read at each sample, so that ratios are those of all that ran "
			  "since the sample before, not of the sampled code alone.");
	if (unweighed)
		file_note(f, "samples without periods",
			  "Samples of %.60s do not say how many events they stand for: there are shares of samples, "
			  "but no ratios.",
			  unweighed->spec.name);
}

/* Returns true if branch stacks contain the branches taken.  With BRANCH_CALL_STACK they contain calls that have not
 * returned yet. */
static bool has_branches(const struct perf_attr *attr)
{
	return attr->sample_type & SAMPLE_BRANCH_STACK && !(attr->branch_sample_type & BRANCH_CALL_STACK);
}

/* Turns the sched_switch event into an event of off-CPU time; if there is none but the recording has switch records,
 * adds one. */
static void show_off_cpu(struct file *f)
{
	struct source_info *info = &f->info;
	size_t e = 0;
	while (e < info->events_n && strcmp(info->events[e].spec.name, EVENT_SWITCHES) != 0)
		e++;
	if (e == info->events_n && (!info->switches || e == EVENTS_MAX))
		return;
	struct event_spec *spec = &info->events[e].spec;
	info->events_n += e == info->events_n;
	spec->off_cpu = info->events[e].available = true;
	spec->freq = false;
	spec->rate = 1;
	info->events[e].unweighed = info->events[e].untimed = false;
	snprintf(spec->name, sizeof(spec->name), "%s", EVENT_OFF_CPU);
}

static void show_events(struct file *f)
{
	struct file_events *e = &f->events;
	size_t dummies = 0, room = EVENTS_MAX;
	for (size_t i = 0; i < e->n && room == EVENTS_MAX && f->config.branches; i++)
		room -= has_branches(&f->pd.events[i].attr) ? SOURCE_BRANCH_EVENTS : 0;
	for (size_t i = 0; i < e->n; i++)
		dummies += file_is_dummy(&f->pd.events[i].attr);
	bool hide = dummies < e->n;
	struct source_event others = {.available = true, .spec = {.role = ROLE_OTHER}};
	size_t shown = e->n - (hide ? dummies : 0), next = 0;
	for (uint32_t i = 0; i < e->n; i++) {
		if (hide && file_is_dummy(&f->pd.events[i].attr)) {
			e->shown_as[i] = EVENT_OF_NONE;
			continue;
		}
		if (shown <= room || next < room - 1)
			describe(f, i, &f->info.events[next++]);
		else
			next = room;
		others.untimed |= next == room && takes_turns(&f->pd.events[i].attr);
		e->shown_as[i] = (uint32_t)next - 1;
	}
	f->info.events_n = next;
	if (shown > room) {
		size_t n = shown - (room - 1);
		snprintf(others.spec.name, sizeof(others.spec.name), "other (%zu events)", n);
		f->info.events[room - 1] = others;
		file_note(f, NULL, "It has %zu events; the last %zu are shown as one.", shown, n);
	}
	for (uint32_t i = 0; i < e->n; i++) {
		f->info.chains |= (f->pd.events[i].attr.sample_type & SAMPLE_CALLCHAIN) != 0;
		f->info.deferred |= (f->pd.events[i].attr.flags & ATTR_DEFER_CALLCHAIN) != 0;
		f->info.memory |= (f->pd.events[i].attr.sample_type & SAMPLE_DATA_SRC) != 0;
		f->info.switches |= (f->pd.events[i].attr.flags & ATTR_CONTEXT_SWITCH) != 0;
	}
	if (f->config.off_cpu)
		show_off_cpu(f);
	say_weights(f);
	if (room < EVENTS_MAX)
		source_add_branches(&f->info);
}

int file_events_fix(struct file *f, struct error *err)
{
	struct file_events *e = &f->events;
	e->n = f->pd.events_n;
	if (!e->n)
		return error_set(err, EBADMSG, "It has no event attributes.");
	e->layouts = mem_calloc(e->n, sizeof(*e->layouts));
	e->readable = mem_calloc(e->n, sizeof(*e->readable));
	e->shown_as = mem_calloc(e->n, sizeof(*e->shown_as));
	index_init(&e->by_id);
	int rc = fix_layouts(f, err);
	if (rc < 0) {
		file_events_deinit(e);
		return rc;
	}
	for (uint32_t i = 0; i < e->n; i++)
		for (size_t k = 0; k < f->pd.events[i].ids_n; k++)
			add_id(e, f->pd.events[i].ids[k], i);
	show_events(f);
	return 0;
}
