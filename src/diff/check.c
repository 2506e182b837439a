/* Checks whether two sides can be compared, and lists differences that a user should know of. */
#include "diff/parts.h"

#include "base/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- finding the event to compare ------------------------------------------------------------------ */

enum { LIKE_NOTHING, LIKE_ROLE, LIKE_EVENT, LIKE_BOTH };

/* Returns the modes of the CPU that an event excludes.  Of software events, without host and guest: such events never
 * count guests, whatever their attr says. */
static uint8_t modes_of(const struct diff_event *e)
{
	enum { SOFTWARE = 1 }; /* PERF_TYPE_SOFTWARE */
	return e->type == SOFTWARE ? e->modes & (uint8_t) ~(MODE_NO_HOST | MODE_NO_GUEST) : e->modes;
}

/* Returns how much two events are alike.  LIKE_BOTH: they count the same in the same modes of the CPU; in other modes:
 * LIKE_EVENT if their attr.config is equal, LIKE_ROLE if only their role or name is. */
static int likeness(const struct diff_event *a, const struct diff_event *b)
{
	bool event = a->type == b->type && a->config == b->config;
	bool role = a->role != ROLE_OTHER && a->role != ROLE_CLOCK && a->role == b->role;
	if (!event && !role && (a->role != ROLE_OTHER || strcmp(a->name, b->name) != 0))
		return LIKE_NOTHING;
	return modes_of(a) == modes_of(b) ? LIKE_BOTH : event ? LIKE_EVENT : LIKE_ROLE;
}

bool check_same_events(const struct diff_about *a, const struct diff_about *b)
{
	bool same = a->events_n == b->events_n;
	for (size_t e = 0; same && e < a->events_n; e++)
		same = likeness(&a->events[e], &b->events[e]) == LIKE_BOTH;
	return same;
}

static bool has_name(const struct diff_event *e, const char *name)
{
	size_t n = strcspn(e->name, ":");
	return strcmp(e->name, name) == 0 || (strlen(name) == n && strncmp(e->name, name, n) == 0) ||
	       (e->role != ROLE_OTHER && strcmp(role_info(e->role)->name, name) == 0);
}

static void list_events(const struct diff_about *about, char *buf, size_t cap)
{
	size_t at = 0;
	buf[0] = '\0';
	for (size_t e = 0; e < about->events_n && at < cap; e++)
		at += (size_t)snprintf(buf + at, cap - at, "%s%.30s", e ? ", " : "", about->events[e].name);
}

/* Finds the first event of the side before that the side after has, too, and the event there that is most like it.  The
 * event before must have the name `name` (NULL: any), the event after the index `after` (EVENTS_MAX: any). */
static int find_event(const struct diff_about about[DIFF_SIDES], const char *name, size_t after, size_t ret[DIFF_SIDES],
		      struct error *err)
{
	int best = LIKE_NOTHING;
	for (size_t b = 0; b < about[DIFF_BEFORE].events_n && !best; b++)
		for (size_t a = 0; a < about[DIFF_AFTER].events_n; a++) {
			const struct diff_event *before = &about[DIFF_BEFORE].events[b];
			int like = likeness(before, &about[DIFF_AFTER].events[a]);
			if (like <= best || (name && !has_name(before, name)) || (after != EVENTS_MAX && a != after))
				continue;
			best = like;
			ret[DIFF_BEFORE] = b;
			ret[DIFF_AFTER] = a;
		}
	if (best)
		return 0;
	char lists[DIFF_SIDES][160];
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		list_events(&about[side], lists[side], sizeof(lists[side]));
	if (name)
		return error_set(err, ENOENT, "the event %.40s is not on both sides: before has %s; after has %s", name,
				 lists[DIFF_BEFORE], lists[DIFF_AFTER]);
	return error_set(err, ENOENT,
			 "no event is on both sides: before has %s; after has %s; record both with the same -e, such "
			 "as -e %.30s",
			 lists[DIFF_BEFORE], lists[DIFF_AFTER], about[DIFF_AFTER].events[0].name);
}

int diff_find_event(const struct diff_about about[DIFF_SIDES], const char *name, size_t ret[DIFF_SIDES],
		    struct error *err)
{
	return find_event(about, name, EVENTS_MAX, ret, err);
}

int diff_find_like(const struct diff_about about[DIFF_SIDES], size_t after, size_t ret[DIFF_SIDES], struct error *err)
{
	return find_event(about, NULL, after, ret, err);
}

/* ---- refusing sides that cannot be compared --------------------------------------------------------- */

static bool is_same_recording(const struct diff_about *a, const struct diff_about *b)
{
	return a->start_ns && a->start_ns == b->start_ns && a->end_ns == b->end_ns && a->samples == b->samples &&
	       strcmp(a->host, b->host) == 0;
}

int diff_check_twice(const struct diff_about *about, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (is_same_recording(&about[i], &about[k]))
				return error_set(err, EINVAL,
						 "%.150s and %.150s are the same recording: to see what is noise, "
						 "compare two recordings of the same load",
						 about[i].file, about[k].file);
	return 0;
}

/* Returns true if both sides may be of one boot: same host and kernel, and their record clocks were 0 at the same time
 * of day, as far as this is known. */
static bool same_boot(const struct diff_about *a, const struct diff_about *b)
{
	static const uint64_t steps_ns = 30000000000u; /* tolerance: the wall clock may have been set meanwhile */
	if (!*a->host || strcmp(a->host, b->host) != 0 || check_texts_differ(a->kernel, b->kernel))
		return false;
	if (!a->utc_ns || !b->utc_ns)
		return true;
	uint64_t zero_a = a->utc_ns - a->end_ns, zero_b = b->utc_ns - b->end_ns;
	return (zero_a > zero_b ? zero_a - zero_b : zero_b - zero_a) <= steps_ns;
}

static uint64_t length_of(const struct diff_about *a)
{
	return a->end_ns > a->start_ns ? a->end_ns - a->start_ns : 0;
}

double diff_shared_seconds(const struct diff_about *a, const struct diff_about *b)
{
	/* an overlap of up to this fraction of the shorter side is ignored: consecutive time ranges of one recording
	 * may share an interval */
	static const double most = 0.01;
	uint64_t from = a->start_ns > b->start_ns ? a->start_ns : b->start_ns;
	uint64_t to = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;
	uint64_t shorter = length_of(a) < length_of(b) ? length_of(a) : length_of(b);
	if (!same_boot(a, b) || to <= from || (double)(to - from) <= most * (double)shorter)
		return 0;
	return (double)(to - from) / 1e9;
}

double diff_about_seconds(const struct diff_about *a)
{
	return (double)(a->length_ns ? a->length_ns : a->end_ns - a->start_ns) / 1e9;
}

static int check_side(const struct diff_about *a, const struct diff_event *event, struct error *err)
{
	if (a->timeless)
		return error_set(
			err, EINVAL,
			"%.150s: its records have no times, so that nothing tells noise from change: record with "
			"cyctop record, or perf record -T",
			a->file);
	if (a->lost > a->samples)
		return error_set(err, EINVAL,
				 "%.150s lost more samples (%" PRIu64 ") than it has (%" PRIu64
				 "): record with a larger --ring (perf: -m), or a smaller -F",
				 a->file, a->lost, a->samples);
	if (event->samples < COMPARE_SAMPLES_MIN)
		return error_set(err, EINVAL,
				 "%.150s has only %" PRIu64
				 " samples of %.30s outside of idle time%s%.80s, and a comparison needs "
				 "more than %d: record it while the load runs, for longer, or with a larger -F",
				 a->file, event->samples, event->name, *a->only ? ", of " : "", a->only,
				 COMPARE_SAMPLES_MIN);
	if (event->intervals < COMPARE_INTERVALS_MIN)
		return error_set(
			err, EINVAL,
			"%.150s has samples of %.30s in only %zu of %zu intervals of its %.3g s: to see how the "
			"load varies, record it for longer",
			a->file, event->name, event->intervals, a->intervals, diff_about_seconds(a));
	return 0;
}

/* ---- notes on differences that matter -------------------------------------------------------- */

void diff_note(struct diff_notes *notes, const char *fmt, ...)
{
	va_list args;
	if (notes->n == DIFF_NOTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(notes->text[notes->n++], sizeof(notes->text[0]), fmt, args);
	va_end(args);
}

bool check_texts_differ(const char *a, const char *b)
{
	return *a && *b && strcmp(a, b) != 0;
}

static void note_machines(const struct diff_about *b, const struct diff_about *a, struct diff_notes *ret)
{
	if (check_texts_differ(b->cpu, a->cpu))
		diff_note(
			ret,
			"the CPUs differ (%.60s; %.60s): cycles of one are not cycles of the other; record both on one "
			"machine",
			b->cpu, a->cpu);
	if (b->cpus && a->cpus && b->cpus != a->cpus)
		diff_note(ret, "before had %u CPUs and after %u: shares can be compared, rates cannot", b->cpus,
			  a->cpus);
	if (check_texts_differ(b->kernel, a->kernel))
		diff_note(ret, "the kernels differ (%.60s; %.60s), and with them code that all programs run", b->kernel,
			  a->kernel);
}

static void note_mixed(const struct diff_about *a, const char *side, struct diff_notes *ret)
{
	if (a->mixed_cpu || a->mixed_kernel)
		diff_note(ret, "the files of %s are of different %s%s%s, which is part of their noise", side,
			  a->mixed_cpu ? "CPUs" : "", a->mixed_cpu && a->mixed_kernel ? " and " : "",
			  a->mixed_kernel ? "kernels" : "");
}

/* Notes that the sides have different filters. */
static void note_parts(const struct diff_about *b, const struct diff_about *a, struct diff_notes *ret)
{
	if (strcmp(b->only, a->only) != 0)
		diff_note(ret, "before is of %.60s, after of %.60s", *b->only ? b->only : "all that was measured",
			  *a->only ? a->only : "all that was measured");
}

static void note_events(const struct diff_about about[DIFF_SIDES], const size_t event[DIFF_SIDES],
			struct diff_notes *ret)
{
	const struct diff_event *b = &about[DIFF_BEFORE].events[event[DIFF_BEFORE]];
	const struct diff_event *a = &about[DIFF_AFTER].events[event[DIFF_AFTER]];
	char without[DIFF_SIDES][100];
	event_modes_text(modes_of(b), without[DIFF_BEFORE], sizeof(without[0]));
	event_modes_text(modes_of(a), without[DIFF_AFTER], sizeof(without[0]));
	if (modes_of(b) != modes_of(a))
		diff_note(ret,
			  "%.30s leaves out other code before (%s) than after (%s): record both with the same event",
			  b->name, modes_of(b) ? without[DIFF_BEFORE] : "nothing",
			  modes_of(a) ? without[DIFF_AFTER] : "nothing");
	if (!likeness(&about[DIFF_BEFORE].events[0], &about[DIFF_AFTER].events[0]))
		diff_note(ret, "the first events differ (%.30s; %.30s); %.30s is on both sides, and is compared",
			  about[DIFF_BEFORE].events[0].name, about[DIFF_AFTER].events[0].name, b->name);
	if (!b->weighed || !a->weighed)
		diff_note(ret, "samples of %.30s do not say how many events they stand for: each counts as one",
			  b->name);
}

void diff_note_shared(const struct diff_about *about, size_t n, struct diff_notes *ret)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			/* without the time of day, the files may be of two boots */
			bool known = about[i].utc_ns && about[k].utc_ns;
			double seconds = known ? diff_shared_seconds(&about[i], &about[k]) : 0;
			if (seconds > 0)
				diff_note(ret,
					  "%.60s and %.60s share %.3g s of the same time on %.30s: that part is the "
					  "same in "
					  "both, whatever changed",
					  about[i].file, about[k].file, seconds, about[i].host);
		}
}

/* A side is said to lack names if a larger share of its samples is in code without names. */
#define UNRESOLVED_MUCH 0.05

static void note_losses(const struct diff_about *a, const char *side, struct diff_notes *ret)
{
	static const double much = 0.01;
	if (a->unresolved > UNRESOLVED_MUCH)
		diff_note(ret,
			  "%.0f%% of the samples of %s are in code without names: what looks new or gone may be there",
			  100 * a->unresolved, side);
	double share = a->lost ? (double)a->lost / ((double)a->lost + (double)a->samples) : 0;
	if (share > much)
		diff_note(ret, "%s lost %.1f%% of its samples; what was lost may differ from the rest", side,
			  100 * share);
}

static void note_others(const struct diff_about *a, const char *side, struct diff_notes *ret)
{
	if (a->others)
		diff_note(ret, "%s: %s (%zu rows, as [others])", side, limit_row(REACHED_SERIES)->sentence, a->others);
}

int diff_check(const struct diff_about about[DIFF_SIDES], const size_t event[DIFF_SIDES], struct diff_notes *ret,
	       struct error *err)
{
	int rc = diff_check_twice(about, DIFF_SIDES, err);
	for (enum diff_side side = 0; rc == 0 && side < DIFF_SIDES; side++)
		rc = check_side(&about[side], &about[side].events[event[side]], err);
	if (rc < 0)
		return rc;
	ret->n = 0;
	note_machines(&about[DIFF_BEFORE], &about[DIFF_AFTER], ret);
	note_mixed(&about[DIFF_BEFORE], "before", ret);
	note_mixed(&about[DIFF_AFTER], "after", ret);
	note_events(about, event, ret);
	note_parts(&about[DIFF_BEFORE], &about[DIFF_AFTER], ret);
	note_losses(&about[DIFF_BEFORE], "before", ret);
	note_losses(&about[DIFF_AFTER], "after", ret);
	note_others(&about[DIFF_BEFORE], "before", ret);
	note_others(&about[DIFF_AFTER], "after", ret);
	return 0;
}

bool diff_rates_differ(const struct diff_about about[DIFF_SIDES])
{
	const struct diff_about *b = &about[DIFF_BEFORE], *a = &about[DIFF_AFTER];
	return check_texts_differ(b->cpu, a->cpu) || (b->cpus && a->cpus && b->cpus != a->cpus);
}

int diff_check_unit(const struct diff_about about[DIFF_SIDES], enum diff_unit unit, struct error *err)
{
	const struct diff_about *b = &about[DIFF_BEFORE], *a = &about[DIFF_AFTER];
	static const char advice[] = "what is done in a second there tells nothing of here: --unit reference or share";
	if (unit != DIFF_UNIT_RATE || !diff_rates_differ(about))
		return 0;
	if (check_texts_differ(b->cpu, a->cpu))
		return error_set(err, EINVAL, "--unit rate: the CPUs differ (%.60s; %.60s), and %s", b->cpu, a->cpu,
				 advice);
	return error_set(err, EINVAL, "--unit rate: before had %u CPUs and after %u, and %s", b->cpus, a->cpus, advice);
}

static void add_difference(struct diff_differences *to, const char *what, const char *brief, const char *of)
{
	size_t n = strlen(to->text), m = strlen(to->brief);
	snprintf(to->text + n, sizeof(to->text) - n, "%sanother %s (%.40s)", n ? ", " : "", what, of);
	snprintf(to->brief + m, sizeof(to->brief) - m, "%s%s%s", m ? ", " : "",
		 strstr(to->brief, "another") ? "" : "another ", brief);
}

int diff_check_before(const struct diff_about about[DIFF_SIDES], const size_t event[DIFF_SIDES], struct diff_notes *ret,
		      struct diff_differences *differs, struct error *err)
{
	static const double same = 0.9; /* fraction of the longer side; below 1, as the ends of files are not exact */
	const struct diff_about *b = &about[DIFF_BEFORE], *a = &about[DIFF_AFTER];
	char cpus[16];
	int rc = check_side(b, &b->events[event[DIFF_BEFORE]], err);
	if (rc < 0)
		return rc;
	double shared = diff_shared_seconds(b, a);
	if (shared >= same * fmax(diff_about_seconds(a), diff_about_seconds(b)) && shared > 0)
		return error_set(err, EINVAL,
				 "%.150s is of the same recording as what is shown: to compare two parts of it, "
				 "press b while one of them is shown",
				 b->file);
	ret->n = 0;
	diff_note_shared(about, DIFF_SIDES, ret);
	note_machines(b, a, ret);
	note_events(about, event, ret);
	note_parts(b, a, ret);
	note_losses(b, "before", ret);
	note_others(b, "before", ret);
	*differs = (struct diff_differences){.text = ""};
	if (shared > 0) {
		snprintf(differs->text, sizeof(differs->text), "%.3g s of it are part of what is shown", shared);
		snprintf(differs->brief, sizeof(differs->brief), "the same time");
	}
	if (b->unresolved > UNRESOLVED_MUCH) {
		size_t n = strlen(differs->text), m = strlen(differs->brief);
		snprintf(differs->text + n, sizeof(differs->text) - n, "%sno names for %.0f%% of it", n ? ", " : "",
			 100 * b->unresolved);
		snprintf(differs->brief + m, sizeof(differs->brief) - m, "%slacks names", m ? ", " : "");
	}
	if (check_texts_differ(b->cpu, a->cpu))
		add_difference(differs, "CPU", "CPU", b->cpu);
	snprintf(cpus, sizeof(cpus), "%u", b->cpus);
	if (b->cpus && a->cpus && b->cpus != a->cpus)
		add_difference(differs, "number of CPUs", "CPU count", cpus);
	if (check_texts_differ(b->kernel, a->kernel))
		add_difference(differs, "kernel", "kernel", b->kernel);
	if (!likeness(&b->events[0], &a->events[0]))
		add_difference(differs, "first event", "event", b->events[0].name);
	if (strcmp(b->only, a->only) != 0)
		add_difference(differs, "part", "part", *b->only ? b->only : "all that was measured");
	return 0;
}

void diff_note_worth(const struct diff *d, struct diff_notes *ret)
{
	const struct compare_summary *s = &d->summary;
	if (d->not_compared)
		diff_note(ret,
			  "%.60s has functions without symbols, and was rebuilt, or a side does not say its build-id: "
			  "its "
			  "rows cannot be matched (%zu are not compared)",
			  d->not_compared_file, d->not_compared);
	if (!s->tested)
		diff_note(ret, "no row has enough samples in enough intervals for a verdict: record for longer, or "
			       "with a larger "
			       "-F");
	else if (s->low_sensitivity)
		diff_note(ret,
			  "%s: the load's phases are so long that the sides count as %.1f intervals; record many "
			  "phases, or "
			  "before and after in turns",
			  s->real ? "smaller changes than those that are marked stay unseen" : "this tells little",
			  s->effective);
}
