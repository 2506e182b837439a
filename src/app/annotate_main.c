#include "app/annotate.h"
#include "app/commands.h"
#include "app/diff.h"
#include "app/app.h"
#include "app/message.h"
#include "os/signals.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "os/privileges.h"
#include "os/write.h"

#include <cyctop/code.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 100 };
static const double fdr = 0.05; /* false discovery rate, as that of cyctop diff by default */

/* A run of `cyctop annotate`. */
struct annotate_run {
	const struct annotate_options *options;
	struct annotate_reading sides[CODE_BUILDS]; /* [CODE_BEFORE] is the baseline, if there is one */
	int quit_fd;				    /* see signals_open() */
	int kcore_fd;				    /* /proc/kcore; 0: it could not be opened */
};

static int open_recording(const struct annotate_run *a, struct annotate_reading *r, struct error *err)
{
	const struct options *o = &a->options->common;
	const struct file_config config = {
		.path = r->path,
		.stop_fd = a->quit_fd,
		.branches = o->branches,
		.symfs = o->symfs,
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
		.kcore_fd = a->kcore_fd,
	};
	int rc = session_open_file(&config, &r->session, err);
	if (rc == 0)
		rc = app_check_branches(o, r->session, err);
	if (rc < 0)
		return rc;
	session_leave_cgroups(r->session);
	do
		session_tick(r->session);
	while (!session_finished(r->session) && !signals_quit(a->quit_fd));
	while (!resolver_settle(session_resolver(r->session), WAIT_MS) && !signals_quit(a->quit_fd))
		continue;
	session_collect(r->session);
	return signals_quit(a->quit_fd) ? error_set(err, EINTR, "interrupted while the recording was read") : 0;
}

/* ---- choosing the events to show ----------------------------------------------------------------------- */

static bool is_event(const struct annotate_run *a, const char *name)
{
	const struct annotate_options *o = a->options;
	bool wanted = !o->events_n;
	for (size_t i = 0; i < o->events_n && !wanted; i++)
		wanted = strcmp(o->events[i], name) == 0 || strcmp(o->events[i], event_short_name(name)) == 0;
	return wanted;
}

/* The events that are shown, and their weights on each side. */
struct chosen {
	struct annotate_event events[CODE_BUILDS][EVENTS_MAX]; /* both sides have the same events */
	size_t n, branches;				       /* see struct annotate_output */
	size_t left_out;				       /* number of events that the baseline lacks */
};

/* Returns the index of the event `name` in a recording; UINT32_MAX: the recording does not have it. */
static uint32_t event_named(const struct annotate_reading *r, const char *name)
{
	const struct source_info *info = session_info(r->session);
	for (uint32_t e = 0; e < info->events_n; e++)
		if (strcmp(info->events[e].spec.name, name) == 0)
			return e;
	return UINT32_MAX;
}

/* Replaces the event of each sample by its index in `events`; UINT32_MAX: that event is not shown. */
static void place_samples(struct annotate_reading *r, const struct annotate_event *events, size_t n)
{
	uint32_t place[EVENTS_MAX];
	memset(place, 0xff, sizeof(place));
	for (uint32_t i = 0; i < n; i++)
		place[event_named(r, events[i].name)] = i;
	for (size_t i = 0; i < r->samples.n; i++)
		r->samples.v[i].event = place[r->samples.v[i].event];
}

/* Chooses the events to show, and replaces the event of each sample by its index among them. */
static int choose_events(struct annotate_run *a, struct chosen *ret, struct error *err)
{
	struct annotate_reading *after = &a->sides[CODE_AFTER], *before = &a->sides[CODE_BEFORE];
	const struct source_info *info = session_info(after->session);
	uint32_t place[EVENTS_MAX];
	*ret = (struct chosen){.n = 0};
	for (size_t e = 0; e < info->events_n; e++) {
		const char *name = info->events[e].spec.name;
		uint32_t other = before->session ? event_named(before, name) : UINT32_MAX;
		place[e] = UINT32_MAX;
		if (!is_event(a, name))
			continue;
		if (before->session && other == UINT32_MAX) {
			ret->left_out++;
			continue;
		}
		place[e] = (uint32_t)ret->n;
		if (before->session)
			ret->events[CODE_BEFORE][ret->n] = (struct annotate_event){name, before->samples.all[other]};
		ret->events[CODE_AFTER][ret->n++] = (struct annotate_event){name, after->samples.all[e]};
	}
	if (info->branches && place[info->branches] < ret->n && place[info->branches + 1] < ret->n)
		ret->branches = place[info->branches] + 1;
	if (!ret->n && ret->left_out)
		return error_set(err, ENOENT, "--baseline: %.160s has none of the events of %.160s that are shown",
				 before->path, after->path);
	if (!ret->n)
		return error_set(err, ENOENT, "-e: the recording has no event %.80s", a->options->events[0]);
	for (size_t side = before->session ? CODE_BEFORE : CODE_AFTER; side < CODE_BUILDS; side++)
		place_samples(&a->sides[side], ret->events[side], ret->n);
	return 0;
}

/* ---- reading the code, and printing the instructions --------------------------------------------------- */

/* Waits until the code of a function was read.  Returns -EINTR if the user ended the wait. */
static int read_code(const struct annotate_run *a, struct annotate_reading *of, struct error *err)
{
	struct resolver *r = session_resolver(of->session);
	while (!resolver_function(r, of->sym, &of->code)) {
		struct pollfd fds[] = {{.fd = resolver_fd(r), .events = POLLIN}, {.fd = a->quit_fd, .events = POLLIN}};
		poll(fds, ARRAY_LEN(fds), -1);
		if (fds[1].revents)
			return error_set(err, EINTR, "interrupted while the function's file was read");
		session_collect(of->session);
	}
	if (of->code.bytes)
		return 0;
	error_set(err, ENODATA, "the instructions of %.80s cannot be shown: %.160s", annotate_name(of, of->sym),
		  of->code.why);
	return -ENODATA;
}

static void add_note(struct diff_notes *notes, const char *why)
{
	if (why && notes->n < ARRAY_LEN(notes->text))
		snprintf(notes->text[notes->n++], sizeof(notes->text[0]), "%s", why);
}

static int write_listing(const struct annotate_run *a, const struct annotate_output *output)
{
	struct os_writer to;
	FILE *out = diff_output_open(a->quit_fd, &to);
	a->options->common.format->annotate(out, output);
	return diff_output_close(out, &to);
}

/* The instructions of a side, and the listing that refers to them. */
struct listed {
	struct instructions in;
	struct code_places places;
	struct code_listing listing;
};

/* Makes the listing of a side in *ret, to which the result refers.  `texts` NULL: the listing has no source lines;
 * `places`: it has the source place of each instruction. */
static struct annotate_side list_side(const struct annotate_reading *r, const struct annotate_event *events, size_t n,
				      struct source_texts *texts, bool places, struct listed *ret)
{
	const struct catalog *cat = session_catalog(r->session);
	instructions_read(&r->code, r->code.names, &ret->in);
	if (places)
		code_places_read(&r->code, &ret->in, &ret->places);
	code_listing_create(&ret->in, &ret->places, texts, r->samples.v, r->samples.n, n, &ret->listing);
	return (struct annotate_side){
		.dso = cat->dsos[cat->syms[r->sym].dso].path,
		.symbol = annotate_name(r, r->sym),
		.code = &r->code,
		.listing = &ret->listing,
		.events = events,
	};
}

static bool is_same_code(const struct function_code *a, const struct function_code *b)
{
	return a->addr == b->addr && a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* Pairs the instructions of both sides, and finds those whose share of an event changed. */
static void compare_sides(const struct annotate_side *after, size_t events_n, struct annotate_changes *c)
{
	const struct code_listing *const listings[CODE_BUILDS] = {c->before.listing, after->listing};
	const struct code_build builds[CODE_BUILDS] = {{c->before.code, c->before.listing->in},
						       {after->code, after->listing->in}};
	c->same = is_same_code(c->before.code, after->code);
	c->fdr = fdr;
	code_pairs_create(builds, &c->pairs);
	c->changes = mem_calloc(c->pairs.n * events_n + 1, sizeof(*c->changes));
	for (size_t e = 0; e < events_n; e++)
		c->real += code_changes(listings, &c->pairs, e, c->fdr, c->changes + e * c->pairs.n);
}

static int print(const struct annotate_run *a, const struct chosen *chosen)
{
	const struct annotate_reading *after = &a->sides[CODE_AFTER], *before = &a->sides[CODE_BEFORE];
	struct listed listed[CODE_BUILDS] = {{.in = {.n = 0}}, {.in = {.n = 0}}};
	struct annotate_changes changes = {.changes = NULL};
	struct diff_notes notes = {.n = 0};
	struct source_texts *texts = source_texts_create();
	struct annotate_output output = {
		.of = list_side(after, chosen->events[CODE_AFTER], chosen->n, a->options->no_source ? NULL : texts,
				true, &listed[CODE_AFTER]),
		.events_n = chosen->n,
		.branches = chosen->branches,
		.notes = &notes,
	};
	const char *why = listed[CODE_AFTER].in.why;
	output.bytes = a->options->bytes || why;
	add_note(&notes, after->code.why[0] ? after->code.why : NULL);
	add_note(&notes, why);
	add_note(&notes, a->options->no_source ? NULL : listed[CODE_AFTER].places.why);
	if (before->session) {
		changes.before =
			list_side(before, chosen->events[CODE_BEFORE], chosen->n, NULL, false, &listed[CODE_BEFORE]);
		compare_sides(&output.of, chosen->n, &changes);
		code_listing_add_gone(&listed[CODE_AFTER].listing, &changes.pairs, &listed[CODE_BEFORE].in);
		output.changes = &changes;
		add_note(&notes, before->code.why[0] ? before->code.why : NULL);
		if (chosen->left_out)
			add_note(&notes, "events that the baseline does not have are not shown");
	}
	int status = write_listing(a, &output);
	code_pairs_deinit(&changes.pairs);
	free(changes.changes);
	for (enum code_side side = 0; side < CODE_BUILDS; side++) {
		code_listing_deinit(&listed[side].listing);
		code_places_deinit(&listed[side].places);
		instructions_deinit(&listed[side].in);
	}
	source_texts_destroy(texts);
	return status;
}

/* Reads a recording, and the code and samples of one of its functions: the counterpart of like->sym or, if `like` is
 * NULL, the function that the options name. */
static int read_side(const struct annotate_run *a, struct annotate_reading *r, const struct annotate_reading *like,
		     struct error *err)
{
	int rc = open_recording(a, r, err);
	if (rc == 0)
		rc = like ? annotate_find_same(r, like, &r->sym, err) : annotate_find(r, &r->sym, err);
	if (rc == 0)
		rc = read_code(a, r, err);
	if (rc == 0)
		rc = annotate_samples_read(r->session, r->sym, a->quit_fd, &r->samples, err);
	return rc;
}

static int read_baseline(struct annotate_run *a, struct error *err)
{
	struct error why = {0};
	struct annotate_reading *r = &a->sides[CODE_BEFORE];
	bool named = a->options->baseline_symbol;
	r->path = a->options->common.baseline;
	if (!r->path)
		return 0;
	r->symbol =
		named ? a->options->baseline_symbol : annotate_name(&a->sides[CODE_AFTER], a->sides[CODE_AFTER].sym);
	int rc = read_side(a, r, named ? NULL : &a->sides[CODE_AFTER], &why);
	return rc < 0 ? error_set(err, -rc, "--baseline: %s", why.text) : 0;
}

static int annotate(struct annotate_run *a, int *status_ret, struct error *err)
{
	struct chosen chosen = {.n = 0};
	int rc = read_side(a, &a->sides[CODE_AFTER], NULL, err);
	if (rc == 0)
		rc = read_baseline(a, err);
	if (rc == 0)
		rc = choose_events(a, &chosen, err);
	if (rc == 0)
		*status_ret = print(a, &chosen);
	return rc;
}

static void reading_deinit(struct annotate_reading *r)
{
	annotate_samples_deinit(&r->samples);
	function_code_deinit(&r->code);
	session_destroy(r->session);
}

int annotate_main(int argc, char **argv)
{
	struct annotate_options o;
	struct annotate_run a = {.options = &o};
	struct error err = {0};
	for (size_t i = 0; i < CODE_BUILDS; i++)
		a.sides[i] = (struct annotate_reading){
			.options = &o, .sym = CATALOG_NONE, .code = {.fd = -1, .debug_fd = -1}};
	int kcore = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	privileges_drop(PRIVILEGES_READ);
	a.kcore_fd = kcore > 0 ? kcore : 0;
	setlocale(LC_CTYPE, ""); /* no other category: numbers keep their decimal point */
	int ended = message_options(COMMAND_ANNOTATE, argc, argv, &o.common);
	if (ended >= 0)
		return ended;
	int status = EXIT_FAILED, signals = signals_open(&a.quit_fd, &err);
	int rc = signals < 0 ? signals : 0;
	a.sides[CODE_AFTER].path = o.common.input;
	a.sides[CODE_AFTER].symbol = o.symbol;
	if (rc == 0) {
		signals_watch(a.quit_fd, message_give_up);
		rc = annotate(&a, &status, &err);
	}
	if (rc < 0)
		message("%s", err.text);
	for (enum code_side side = 0; side < CODE_BUILDS; side++)
		reading_deinit(&a.sides[side]);
	signals_close(signals, a.quit_fd);
	if (a.kcore_fd)
		close(a.kcore_fd);
	return rc < 0 ? EXIT_FAILED : status;
}
