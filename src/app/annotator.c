#include "app/annotator.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The listing without lines of the source comes first, since debug information takes long. */
enum { LISTINGS = 2 };

/* A function's listings, made by a thread.  The last user, thread or screen, frees them. */
struct listing_job {
	struct shared_code *code[CODE_BUILDS]; /* before: of another build, with which it is paired; or NULL */
	struct instructions in[CODE_BUILDS];
	struct code_build builds[CODE_BUILDS];
	struct code_pairs pairs;
	struct code_places places[LISTINGS];
	struct source_texts *texts;
	struct code_listing listings[LISTINGS];
	int made[2]; /* pipe: a byte for each listing that is finished; -1: none */
	size_t n;    /* number of listings that the screen has taken */
	int users;   /* reference count, atomic */
};

static struct shared_code *code_ref(struct shared_code *c)
{
	__atomic_add_fetch(&c->users, 1, __ATOMIC_RELAXED);
	return c;
}

static void code_unref(struct shared_code *c)
{
	if (!c || __atomic_sub_fetch(&c->users, 1, __ATOMIC_ACQ_REL))
		return;
	function_code_deinit(&c->code);
	free(c);
}

static void release(struct listing_job *j)
{
	if (__atomic_sub_fetch(&j->users, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < LISTINGS; i++) {
		code_listing_deinit(&j->listings[i]);
		code_places_deinit(&j->places[i]);
	}
	if (j->texts)
		source_texts_destroy(j->texts);
	code_pairs_deinit(&j->pairs);
	for (enum code_side side = 0; side < CODE_BUILDS; side++) {
		instructions_deinit(&j->in[side]);
		code_unref(j->code[side]);
	}
	for (size_t i = 0; i < ARRAY_LEN(j->made); i++)
		if (j->made[i] >= 0)
			close(j->made[i]);
	free(j);
}

static bool is_wanted(const struct listing_job *j)
{
	return __atomic_load_n(&j->users, __ATOMIC_ACQUIRE) > 1;
}

static void disassemble(struct listing_job *j, enum code_side side)
{
	const struct function_code *code = &j->code[side]->code;
	instructions_read(code, code->names, &j->in[side]);
	j->builds[side].code = code;
	j->builds[side].in = &j->in[side];
}

/* The thread's work.  It stops between listings when the screen does not want them any more. */
static void *make(void *ctx)
{
	struct listing_job *j = ctx;
	const struct instructions *in = &j->in[CODE_AFTER];
	disassemble(j, CODE_AFTER);
	if (j->code[CODE_BEFORE]) {
		disassemble(j, CODE_BEFORE);
		code_pairs_create(j->builds, &j->pairs);
	}
	for (size_t i = 0; i < LISTINGS && is_wanted(j); i++) {
		if (i > 0) {
			code_places_read(&j->code[CODE_AFTER]->code, in, &j->places[i]);
			j->texts = source_texts_create();
		}
		code_listing_create(in, &j->places[i], j->texts, NULL, 0, 0, &j->listings[i]);
		if (j->code[CODE_BEFORE])
			code_listing_add_gone(&j->listings[i], &j->pairs, &j->in[CODE_BEFORE]);
		(void)!write(j->made[1], "", 1);
	}
	release(j);
	return NULL;
}

/* Starts the thread for a->code and, unless that is NULL, another build.  Returns the reason why not; NULL: it runs. */
static const char *start(struct annotator *a, struct shared_code *before)
{
	struct listing_job *j = mem_calloc(1, sizeof(*j));
	pthread_t thread;
	*j = (struct listing_job){
		.code = {before ? code_ref(before) : NULL, code_ref(a->code)}, .made = {-1, -1}, .users = 2};
	int rc = pipe2(j->made, O_CLOEXEC | O_NONBLOCK) < 0 ? errno : 0;
	if (!rc)
		rc = pthread_create(&thread, NULL, make, j);
	if (rc) {
		j->users = 1;
		release(j);
		return strerror(rc);
	}
	pthread_detach(thread);
	a->job = j;
	a->fd = j->made[0];
	return NULL;
}

/* Forgets the listings, but not the code. */
static void drop_listings(struct annotator *a)
{
	if (a->job)
		release(a->job);
	a->job = NULL;
	a->fd = -1;
	a->said = (struct view_code){.listing = NULL};
}

static void drop_function(struct annotator *a)
{
	drop_listings(a);
	code_unref(a->code);
	a->code = NULL;
	a->sym = CATALOG_REF_NONE;
}

static void drop_baseline(struct annotator *a)
{
	for (size_t i = 0; i < a->before_n; i++)
		code_unref(a->before[i].code);
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

/* ---- code that is read ------------------------------------------------------------------------------------ */

static struct annotator_before *before_of(struct annotator *a, uint32_t sym)
{
	for (size_t i = 0; i < a->before_n; i++)
		if (a->before[i].sym == sym)
			return &a->before[i];
	return NULL;
}

/* Asks the resolver for the code of a function; NULL until that has read it. */
static struct shared_code *read_code(const struct annotator *a, uint32_t sym)
{
	struct function_code code = {.fd = -1, .debug_fd = -1};
	if (!resolver_function(session_resolver(a->session), sym, &code))
		return NULL;
	struct shared_code *c = mem_calloc(1, sizeof(*c));
	*c = (struct shared_code){.code = code, .users = 1};
	return c;
}

/* Keeps the code only, and no descriptors, which are for lines of the source. */
static void close_files(struct function_code *code)
{
	int *const fds[] = {&code->fd, &code->debug_fd};
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* Reads the code of the baseline's functions, one after the other.  Returns true once all was read. */
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
		const struct annotator_before *kept = before_of(a, sym); /* its file may be gone now */
		struct shared_code *code = kept ? kept->code : sym == a->sym.id ? a->code : NULL;
		before[before_n] = (struct annotator_before){sym, code ? code_ref(code) : NULL};
	}
	drop_baseline(a);
	memcpy(a->before, before, before_n * sizeof(*before));
	a->before_n = before_n;
}

/* ---- the function that is shown --------------------------------------------------------------------------- */

/* Sets the reason why there is no code. */
static bool fail(struct annotator *a, const char *why)
{
	snprintf(a->why, sizeof(a->why), "The instructions of the function cannot be shown: %.140s.", why);
	a->said.why = a->why;
	return true;
}

/* Takes the function's code; that of the baseline, if its file is gone.  Returns true if there is something to say. */
static bool take_code(struct annotator *a)
{
	const struct annotator_before *kept = before_of(a, a->sym.id);
	if (!catalog_sym_valid(session_catalog(a->session), a->sym))
		return fail(a, "it has not run for a long time");
	a->code = read_code(a, a->sym.id);
	if (a->code && !a->code->code.bytes && kept && kept->code) {
		code_unref(a->code);
		a->code = code_ref(kept->code);
	}
	return a->code && !a->code->code.bytes && fail(a, a->code->code.why);
}

void annotator_follow(struct annotator *a, struct catalog_ref sym)
{
	drop_function(a);
	a->sym = sym;
	session_annotate(a->session, sym.id);
}

/* Returns the other build's code that the baseline ran, and says what is known of it; NULL: there is none, or it is not
 * known. */
static struct shared_code *find_before(struct annotator *a, struct view_code *said)
{
	uint32_t was = baseline_function(a->baseline, a->sym.id);
	const struct annotator_before *f = was != a->sym.id ? before_of(a, was) : NULL;
	*said = (struct view_code){.rebuilt = was != a->sym.id};
	if (!said->rebuilt || (f && !f->code))
		return NULL;
	if (f && f->code->code.bytes)
		return f->code;
	snprintf(a->why_before, sizeof(a->why_before),
		 "The baseline ran another build, whose code was not kept: %.110s.",
		 f ? f->code->code.why : "more than 16 other functions had samples later");
	said->why_before = a->why_before;
	return NULL;
}

/* Sets said.why to what a listing lacks. */
static void say_missing(struct annotator *a)
{
	const struct listing_job *j = a->job;
	const char *places = j->places[j->n - 1].why, *code = j->code[CODE_AFTER]->code.why;
	const char *why = code[0] ? code : j->in[CODE_AFTER].why ? j->in[CODE_AFTER].why : places;
	snprintf(a->why, sizeof(a->why), "%.180s.", why ? why : "");
	a->said.why = why ? a->why : NULL;
}

/* Takes the listings that the thread has made.  Returns true if there is one more. */
static bool take_listings(struct annotator *a)
{
	struct listing_job *j = a->job;
	size_t had = j->n;
	char byte;
	while (j->n < LISTINGS && read(j->made[0], &byte, 1) == 1)
		j->n++;
	if (j->n == LISTINGS)
		a->fd = -1;
	return j->n > had;
}

/* Says what there is: the newest listing, and the build that it is paired with. */
static void say(struct annotator *a, const struct view_code *before)
{
	struct listing_job *j = a->job;
	a->said = *before;
	if (!j->n)
		return;
	a->said.listing = &j->listings[j->n - 1];
	a->said.code = &j->code[CODE_AFTER]->code;
	if (j->code[CODE_BEFORE]) {
		a->said.before = &j->builds[CODE_BEFORE];
		a->said.pairs = &j->pairs;
	}
	say_missing(a);
}

bool annotator_step(struct annotator *a)
{
	struct view_code before;
	bool kept = read_baseline(a), said = false;
	if (a->sym.id == CATALOG_NONE || (!a->code && (!kept || a->said.why)))
		return false;
	if (!a->code)
		said = take_code(a);
	if (!a->code || !a->code->code.bytes)
		return said;
	struct shared_code *other = find_before(a, &before);
	if (!a->job || a->job->code[CODE_BEFORE] != other) {
		drop_listings(a);
		const char *why = start(a, other);
		if (!a->job)
			return fail(a, why);
		said = true;
	}
	said |= before.rebuilt != a->said.rebuilt || before.why_before != a->said.why_before;
	said |= take_listings(a);
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
