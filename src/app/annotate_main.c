#include "app/annotate.h"
#include "app/app.h"
#include "app/message.h"
#include "app/signals.h"
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

/* A run of `cyctop annotate`. */
struct annotate_run {
	const struct annotate_options *options;
	struct session *session;
	int quit_fd;  /* signals_open() */
	int kcore_fd; /* 0: it cannot be opened */
};

static int open_recording(struct annotate_run *a, struct error *err)
{
	const struct options *o = &a->options->common;
	const struct file_config config = {
		.path = o->input,
		.stop_fd = a->quit_fd,
		.branches = o->branches,
		.symfs = o->symfs,
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
		.kcore_fd = a->kcore_fd,
	};
	int rc = session_open_file(&config, &a->session, err);
	if (rc == 0)
		rc = app_check_branches(o, a->session, err);
	if (rc < 0)
		return rc;
	session_leave_cgroups(a->session);
	do
		session_tick(a->session);
	while (!session_finished(a->session) && !signals_quit(a->quit_fd));
	while (!resolver_settle(session_resolver(a->session), WAIT_MS) && !signals_quit(a->quit_fd))
		continue;
	session_collect(a->session);
	return signals_quit(a->quit_fd) ? error_set(err, EINTR, "interrupted while the recording was read") : 0;
}

/* ---- which function ------------------------------------------------------------------------------------ */

static const char *pretty_name(const struct annotate_run *a, uint32_t sym)
{
	struct resolver *r = session_resolver(a->session);
	return a->options->common.raw_names ? resolver_catalog(r)->syms[sym].name : resolver_pretty(r, sym);
}

/* Is it the raw name, the name, the name without arguments, or the address of a function? */
static bool is_name(const struct annotate_run *a, uint32_t sym, const char *word)
{
	struct resolver *r = session_resolver(a->session);
	const char *pretty = resolver_pretty(r, sym);
	const struct sym_info *s = &resolver_catalog(r)->syms[sym];
	size_t n = strlen(word);
	char *end;
	if (strncmp(word, "0x", 2) == 0 && strtoull(word, &end, 16) == s->addr && !*end)
		return true;
	return strcmp(word, s->name) == 0 || (strncmp(word, pretty, n) == 0 && (!pretty[n] || pretty[n] == '('));
}

/* Returns what follows "FILE:" in a word; NULL: it does not begin so. */
static const char *behind(const char *word, const char *file)
{
	size_t n = strlen(file);
	return strncmp(word, file, n) == 0 && word[n] == ':' ? word + n + 1 : NULL;
}

static bool is_meant(const struct annotate_run *a, uint32_t sym, const char *word)
{
	const struct catalog *cat = session_catalog(a->session);
	const struct sym_info *s = &cat->syms[sym];
	const char *by_name = behind(word, cat->dsos[s->dso].name), *by_path = behind(word, cat->dsos[s->dso].path);
	return is_name(a, sym, word) || (by_name && is_name(a, sym, by_name)) || (by_path && is_name(a, sym, by_path));
}

static int several(const struct annotate_run *a, const uint32_t *found, size_t n, struct error *err)
{
	const struct catalog *cat = session_catalog(a->session);
	struct strbuf list = {0};
	for (size_t i = 0; i < n; i++) {
		const struct sym_info *s = &cat->syms[found[i]];
		strbuf_addf(&list, "%s%s:0x%" PRIx64, i ? ", " : "", cat->dsos[s->dso].path, s->addr);
	}
	error_set(err, EINVAL, "%zu functions are called %.60s; name one of them: %.300s", n, a->options->symbol,
		  list.data);
	strbuf_deinit(&list);
	return -EINVAL;
}

/* Does the symbol stand for a function? */
static bool is_function(const struct annotate_run *a, uint32_t sym)
{
	const struct sym_info *s = &session_catalog(a->session)->syms[sym];
	return !s->retired && (s->state == SYM_NAMED || s->state == SYM_GROUP) && s->resolved == sym;
}

static int none(const struct annotate_run *a, struct error *err)
{
	enum { MOST = 5 };
	struct strbuf like = {0};
	size_t n = 0;
	for (uint32_t i = 0; i < session_catalog(a->session)->syms_n && n < MOST; i++)
		if (is_function(a, i) && strstr(pretty_name(a, i), a->options->symbol))
			strbuf_addf(&like, "%s%.80s", n++ ? ", " : "", pretty_name(a, i));
	error_set(err, ENOENT, "no function called %.80s has samples: %s%s", a->options->symbol,
		  n ? "these have, and names like it: " : "cyctop -b -i FILE lists those that have",
		  n ? like.data : "");
	strbuf_deinit(&like);
	return -ENOENT;
}

static int find_function(const struct annotate_run *a, uint32_t *ret, struct error *err)
{
	VEC(uint32_t) found = {0};
	for (uint32_t i = 0; i < session_catalog(a->session)->syms_n; i++)
		if (is_function(a, i) && is_meant(a, i, a->options->symbol))
			vec_push(&found) = i;
	int rc = 0;
	if (found.n == 1)
		*ret = found.data[0];
	else if (found.n)
		rc = several(a, found.data, found.n, err);
	else
		rc = none(a, err);
	vec_free(&found);
	return rc;
}

/* ---- which events -------------------------------------------------------------------------------------- */

static bool is_event(const struct annotate_run *a, const char *name)
{
	const struct annotate_options *o = a->options;
	bool wanted = !o->events_n;
	for (size_t i = 0; i < o->events_n && !wanted; i++)
		wanted = strcmp(o->events[i], name) == 0 || strcmp(o->events[i], event_short_name(name)) == 0;
	return wanted;
}

/* The events that are shown. */
struct chosen {
	struct annotate_event events[EVENTS_MAX];
	size_t n, branches; /* see struct annotate_output */
};

/* Chooses the events, and gives the samples their places among them; drops samples of others. */
static int choose_events(const struct annotate_run *a, struct annotate_samples *samples, struct chosen *ret,
			 struct error *err)
{
	const struct source_info *info = session_info(a->session);
	uint32_t place[EVENTS_MAX];
	*ret = (struct chosen){.n = 0};
	for (size_t e = 0; e < info->events_n; e++) {
		place[e] = UINT32_MAX;
		if (!is_event(a, info->events[e].spec.name))
			continue;
		place[e] = (uint32_t)ret->n;
		ret->events[ret->n++] = (struct annotate_event){info->events[e].spec.name, samples->all[e]};
	}
	if (info->branches && place[info->branches] < ret->n && place[info->branches + 1] < ret->n)
		ret->branches = place[info->branches] + 1;
	for (size_t i = 0; i < samples->n; i++)
		samples->v[i].event = place[samples->v[i].event];
	return ret->n ? 0 : error_set(err, ENOENT, "-e: the recording has no event %.80s", a->options->events[0]);
}

/* ---- printing ------------------------------------------------------------------------------------------ */

/* Waits until the code of a function was read. */
static int read_code(const struct annotate_run *a, uint32_t sym, struct function_code *ret, struct error *err)
{
	struct resolver *r = session_resolver(a->session);
	while (!resolver_function(r, sym, ret)) {
		struct pollfd fds[] = {{.fd = resolver_fd(r), .events = POLLIN}, {.fd = a->quit_fd, .events = POLLIN}};
		poll(fds, ARRAY_LEN(fds), -1);
		if (fds[1].revents)
			return error_set(err, EINTR, "interrupted while the function's file was read");
		session_collect(a->session);
	}
	if (ret->bytes)
		return 0;
	error_set(err, ENODATA, "the instructions of %.80s cannot be shown: %.160s", a->options->symbol, ret->why);
	function_code_deinit(ret);
	return -ENODATA;
}

static void add_note(struct diff_notes *notes, const char *why)
{
	if (why && notes->n < ARRAY_LEN(notes->text))
		snprintf(notes->text[notes->n++], sizeof(notes->text[0]), "%s", why);
}

static int write_listing(const struct annotate_run *a, const struct annotate_output *output)
{
	struct os_writer to = {.fd = STDOUT_FILENO, .stop_fd = a->quit_fd, .patience_ms = OS_PATIENCE_MS};
	FILE *out = os_writer_stream(&to);
	a->options->common.format->annotate(out, output);
	fclose(out);
	if (!to.failed || to.failed == EPIPE) /* a reader that went away has seen enough */
		return 0;
	message_unwritten(to.failed);
	return EXIT_FAILED;
}

static int print(const struct annotate_run *a, uint32_t sym, const struct annotate_samples *samples,
		 const struct chosen *chosen, const struct function_code *code)
{
	const struct sym_info *s = &session_catalog(a->session)->syms[sym];
	struct instructions in;
	struct code_places places;
	struct code_listing listing;
	struct diff_notes notes = {.n = 0};
	struct source_texts *texts = source_texts_create();
	instructions_read(code, code->names, &in);
	code_places_read(code, &in, &places);
	code_listing_create(&in, &places, a->options->no_source ? NULL : texts, samples->v, samples->n, chosen->n,
			    &listing);
	add_note(&notes, code->why[0] ? code->why : NULL);
	add_note(&notes, in.why);
	add_note(&notes, a->options->no_source ? NULL : places.why);
	const struct annotate_output output = {
		.dso = session_catalog(a->session)->dsos[s->dso].path,
		.symbol = pretty_name(a, sym),
		.code = code,
		.listing = &listing,
		.events = chosen->events,
		.events_n = chosen->n,
		.branches = chosen->branches,
		.bytes = a->options->bytes || in.why,
		.notes = &notes,
	};
	int status = write_listing(a, &output);
	code_listing_deinit(&listing);
	code_places_deinit(&places);
	instructions_deinit(&in);
	source_texts_destroy(texts);
	return status;
}

static int annotate(struct annotate_run *a, int *status_ret, struct error *err)
{
	struct function_code code = {.fd = -1, .debug_fd = -1};
	struct annotate_samples samples = {.v = NULL};
	struct chosen chosen = {.n = 0};
	uint32_t sym = CATALOG_NONE;
	int rc = open_recording(a, err);
	if (rc == 0)
		rc = find_function(a, &sym, err);
	if (rc == 0)
		rc = read_code(a, sym, &code, err);
	if (rc < 0)
		return rc;
	rc = annotate_samples_read(a->session, sym, a->quit_fd, &samples, err);
	if (rc == 0)
		rc = choose_events(a, &samples, &chosen, err);
	if (rc == 0)
		*status_ret = print(a, sym, &samples, &chosen, &code);
	annotate_samples_deinit(&samples);
	function_code_deinit(&code);
	return rc;
}

int annotate_main(int argc, char **argv)
{
	struct annotate_options o;
	struct annotate_run a = {.options = &o};
	struct error err = {0};
	int kcore = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	privileges_drop(PRIVILEGES_READ);
	a.kcore_fd = kcore > 0 ? kcore : 0;
	setlocale(LC_CTYPE, ""); /* no other category: numbers keep their decimal point */
	if (annotate_options_parse(argc, argv, &o, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	if (o.common.help) {
		annotate_options_help(stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
	}
	int status = EXIT_FAILED, signals = signals_open(&a.quit_fd);
	int rc = signals < 0 ? error_set(&err, -signals, "cannot receive signals: %s", strerror(-signals)) : 0;
	if (rc == 0) {
		signals_watch(a.quit_fd, screen_restore);
		rc = annotate(&a, &status, &err);
	}
	if (rc < 0)
		message("%s", err.text);
	session_destroy(a.session);
	if (signals >= 0) {
		close(signals);
		close(a.quit_fd);
	}
	if (a.kcore_fd)
		close(a.kcore_fd);
	return rc < 0 ? EXIT_FAILED : status;
}
