#include "app/annotator.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Drops the listings, but keeps the code. */
static void drop_listings(struct annotator *a)
{
	if (a->job)
		listing_job_release(a->job);
	a->job = NULL;
	a->fd = -1;
	a->shown = (struct view_code){.listing = NULL};
}

static void drop_function(struct annotator *a)
{
	drop_listings(a);
	shared_code_unref(a->code);
	a->code = NULL;
	a->sym = CATALOG_REF_NONE;
}

static void drop_baseline(struct annotator *a)
{
	for (size_t i = 0; i < a->before_n; i++)
		shared_code_unref(a->before[i].code);
	a->before_n = 0;
}

void annotator_init(struct annotator *a, struct session *s, const struct baseline *b)
{
	*a = (struct annotator){.session = s, .baseline = b, .sym = CATALOG_REF_NONE, .fd = -1};
}

void annotator_deinit(struct annotator *a)
{
	drop_function(a);
	drop_baseline(a);
}

/* ---- reading the code of functions ------------------------------------------------------------------------ */

static struct annotator_before *before_of(struct annotator *a, uint32_t sym)
{
	for (size_t i = 0; i < a->before_n; i++)
		if (a->before[i].sym == sym)
			return &a->before[i];
	return NULL;
}

/* Asks the resolver for the code of a function, and returns it; NULL: the resolver has not read the code yet. */
static struct shared_code *read_code(const struct annotator *a, uint32_t sym)
{
	struct function_code code = {.fd = -1, .debug_fd = -1};
	if (!resolver_function(session_resolver(a->session), sym, &code))
		return NULL;
	struct shared_code *c = mem_calloc(1, sizeof(*c));
	*c = (struct shared_code){.code = code, .users = 1};
	return c;
}

/* Closes the files from which source lines are read.  Of the baseline's functions, only the code is kept. */
static void close_files(struct function_code *code)
{
	int *const fds[] = {&code->fd, &code->debug_fd};
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* Reads the code of the baseline's functions, one after the other.  Returns true once the code of all is read. */
static bool read_baseline(struct annotator *a)
{
	for (size_t i = 0; i < a->before_n; i++) {
		struct annotator_before *f = &a->before[i];
		if (f->code)
			continue;
		f->code = read_code(a, f->sym);
		if (!f->code)
			return false;
		close_files(&f->code->code);
	}
	return true;
}

void annotator_mark(struct annotator *a)
{
	size_t n;
	const uint32_t *syms = baseline_functions(a->baseline, &n);
	struct annotator_before before[LIMIT_BASELINE_FUNCTIONS];
	size_t before_n = 0;
	if (n > LIMIT_BASELINE_FUNCTIONS)
		resolver_reached(session_resolver(a->session), limit_only(REACHED_BASELINE_FUNCTIONS));
	for (; before_n < n && before_n < LIMIT_BASELINE_FUNCTIONS; before_n++) {
		uint32_t sym = syms[before_n];
		const struct annotator_before *kept = before_of(a, sym); /* its file may be gone by now */
		struct shared_code *code = kept ? kept->code : sym == a->sym.id ? a->code : NULL;
		before[before_n] = (struct annotator_before){sym, code ? shared_code_ref(code) : NULL};
	}
	drop_baseline(a);
	memcpy(a->before, before, before_n * sizeof(*before));
	a->before_n = before_n;
}

/* ---- the function that the screen annotates --------------------------------------------------------------- */

/* Stores why there is no code.  Returns true, because the screen must show the reason. */
static bool fail(struct annotator *a, const char *why)
{
	snprintf(a->why, sizeof(a->why), "The instructions of the function cannot be shown: %.140s.", why);
	a->shown.why = a->why;
	return true;
}

/* Sets a->code to the code of the function; if its file is gone, to the copy kept for the baseline.  Returns true if
 * the screen must show why there is no code. */
static bool take_code(struct annotator *a)
{
	const struct annotator_before *kept = before_of(a, a->sym.id);
	if (!catalog_sym_valid(session_catalog(a->session), a->sym))
		return fail(a, "it has not run for a long time");
	a->code = read_code(a, a->sym.id);
	if (a->code && !a->code->code.bytes && kept && kept->code) {
		shared_code_unref(a->code);
		a->code = shared_code_ref(kept->code);
	}
	return a->code && !a->code->code.bytes && fail(a, a->code->code.why);
}

void annotator_follow(struct annotator *a, struct catalog_ref sym)
{
	drop_function(a);
	a->sym = sym;
	session_annotate(a->session, sym.id);
}

/* Returns the code of the function as the baseline ran it, if that was another build; NULL: it was the same build, or
 * its code is unknown.  *said gets what the screen shows about this. */
static struct shared_code *find_before(struct annotator *a, struct view_code *said)
{
	uint32_t was = baseline_function(a->baseline, a->sym.id);
	const struct annotator_before *f = was != a->sym.id ? before_of(a, was) : NULL;
	*said = (struct view_code){.rebuilt = was != a->sym.id};
	if (!said->rebuilt || (f && !f->code))
		return NULL;
	if (f && f->code->code.bytes)
		return f->code;
	char why[120];
	snprintf(why, sizeof(why), "more than %d other functions had samples later", (int)LIMIT_BASELINE_FUNCTIONS);
	snprintf(a->why_no_baseline_code, sizeof(a->why_no_baseline_code),
		 "The baseline ran another build, whose code was not kept: %.110s.", f ? f->code->code.why : why);
	said->why_no_baseline_code = a->why_no_baseline_code;
	return NULL;
}

/* Sets said.why to the reason why the listing lacks something (instructions, source lines); NULL: it is complete. */
static void say_missing(struct annotator *a)
{
	const struct listing_job *j = a->job;
	const char *places = j->places[j->n - 1].why, *code = j->code[CODE_AFTER]->code.why;
	const char *why = code[0] ? code : j->in[CODE_AFTER].why ? j->in[CODE_AFTER].why : places;
	snprintf(a->why, sizeof(a->why), "%.180s.", why ? why : "");
	a->shown.why = why ? a->why : NULL;
}

/* Sets a->said, what the screen shows, to the newest listing and the baseline's build with which it is paired. */
static void say(struct annotator *a, const struct view_code *before)
{
	struct listing_job *j = a->job;
	a->shown = *before;
	if (!j->n)
		return;
	a->shown.listing = &j->listings[j->n - 1];
	a->shown.code = &j->code[CODE_AFTER]->code;
	if (j->code[CODE_BEFORE]) {
		a->shown.before = &j->builds[CODE_BEFORE];
		a->shown.pairs = &j->pairs;
	}
	say_missing(a);
}

bool annotator_step(struct annotator *a)
{
	struct view_code before;
	bool kept = read_baseline(a), said = false;
	if (a->sym.id == CATALOG_NONE || (!a->code && (!kept || a->shown.why)))
		return false;
	if (!a->code)
		said = take_code(a);
	if (!a->code || !a->code->code.bytes)
		return said;
	struct shared_code *other = find_before(a, &before);
	if (!a->job || a->job->code[CODE_BEFORE] != other) {
		drop_listings(a);
		int rc = listing_job_start(a->code, other, &a->job);
		if (rc < 0)
			return fail(a, strerror(-rc));
		said = true;
	}
	said |= before.rebuilt != a->shown.rebuilt || before.why_no_baseline_code != a->shown.why_no_baseline_code;
	said |= listing_job_take(a->job);
	a->fd = a->job->n < LISTINGS ? a->job->made[0] : -1;
	if (said)
		say(a, &before);
	return said;
}

uint32_t annotator_successor(const struct annotator *a, const struct query *shown)
{
	struct session *s = a->session;
	const struct catalog *cat = session_catalog(s);
	if (!catalog_sym_valid(cat, a->sym) || resolver_may_run(session_resolver(s), a->sym.id))
		return CATALOG_NONE;
	const struct pivot_query pivot = {.dims = {DIM_SYMBOL}, .dims_n = 1};
	struct query query = *shown;
	uint32_t best = CATALOG_NONE;
	double most = 0;
	query.window = WINDOW_INTERVAL;
	query.pivots = &pivot;
	query.pivots_n = 1;
	struct snapshot *snap = session_snapshot(s, &query);
	for (size_t i = 0; i < snap->pivots[0].n; i++) {
		const struct row *row = &snap->pivots[0].rows[i];
		bool runs = row->sym != a->sym.id && row->sym < cat->syms_n && row->share > most;
		if (!runs || cat->syms[row->sym].state != SYM_NAMED ||
		    !comparison_same_function(s, a->sym.id, row->sym))
			continue;
		best = row->sym;
		most = row->share;
	}
	snapshot_destroy(snap);
	return best;
}
