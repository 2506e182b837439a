/* Loads one side of a comparison: a recording, read as a whole in about sixty intervals, or a snapshot. */
#include "comparison/chains.h"
#include "comparison/side.h"

#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* INTERVALS: enough to see how a load varies.  LEAST_NS: shorter intervals would have hardly any samples. */
enum { INTERVALS = 60, INTERVALS_MIN = 30, INTERVALS_MAX = 3 * INTERVALS, LEAST_NS = 10 * 1000 * 1000 };
enum { SETTLE_SLICE_MS = 100 };

struct load {
	const struct side_config *config;
	const char *path;
	struct session *session;
	bool chained; /* the samples have call chains, which are read */
};

static bool is_ended(const struct side_config *config)
{
	struct pollfd p = {.fd = config->quit_fd, .events = POLLIN};
	return poll(&p, 1, 0) > 0;
}

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct load *l = ctx;
	if (l->config->progress)
		l->config->progress(done, total);
	return !is_ended(l->config);
}

static int open_file(struct load *l, uint64_t interval_ns, struct error *err)
{
	const struct side_config *o = l->config;
	struct file_config config = {
		.path = l->path,
		.interval_ns = interval_ns,
		.whole = true,
		.progress = show_progress,
		.progress_ctx = l,
		.stop_fd = o->quit_fd,
		.symfs = o->symfs,
		.vmlinux = o->vmlinux,
		.kallsyms = o->kallsyms,
	};
	session_destroy(l->session);
	l->session = NULL;
	int rc = session_open_file(&config, &l->session, err);
	if (rc == 0 && o->raw_weights)
		session_raw_weights(l->session);
	struct pivot_query pivot;
	diff_pivot(o->dims, o->dims_n, &pivot);
	if (rc == 0)
		session_use_memory(l->session, pivots_memory(&pivot, 1));
	if (rc == 0 && !pivot_has(&pivot, DIM_CGROUP))
		session_leave_cgroups(l->session);
	struct error none;
	l->chained = rc == 0 && o->chains && session_use_chains(l->session, &none) == 0;
	if (l->chained && o->inlines)
		resolver_read_inlines(session_resolver(l->session), o->inlines);
	return rc;
}

static void read_all(struct load *l)
{
	do
		session_tick(l->session);
	while (!session_finished(l->session) && !is_ended(l->config));
}

static uint64_t interval_of(uint64_t first_ns, uint64_t end_ns)
{
	uint64_t ns = end_ns > first_ns ? (end_ns - first_ns) / INTERVALS + 1 : 0;
	return ns && ns < LEAST_NS ? LEAST_NS : ns;
}

/* Reads a recording in about INTERVALS intervals of equal length.  If the header does not tell the recording's length,
 * a first pass over the whole recording finds it. */
static int read_in_intervals(struct load *l, struct error *err)
{
	uint64_t first_ns = 0, end_ns = 0;
	int rc = open_file(l, 0, err);
	if (rc < 0)
		return rc;
	if (l->config->in_one) {
		read_all(l);
		return 0;
	}
	struct source *source = session_source(l->session);
	source->ops->playback->extent(source, &first_ns, &end_ns);
	for (int again = 0; again < 2; again++) {
		uint64_t interval_ns = interval_of(first_ns, end_ns);
		if (interval_ns)
			rc = open_file(l, interval_ns, err);
		if (rc < 0)
			return rc;
		read_all(l);
		struct file_stats stats;
		file_stats_get(session_source(l->session), &stats);
		uint64_t length = stats.last_ns > stats.first_ns ? stats.last_ns - stats.first_ns : 0;
		bool long_enough = length >= (uint64_t)INTERVALS * LEAST_NS;
		uint64_t intervals = interval_ns ? length / interval_ns : 1;
		if (intervals <= INTERVALS_MAX &&
		    (intervals >= INTERVALS_MIN || !(length && (long_enough || !interval_ns))))
			break;
		first_ns = stats.first_ns;
		end_ns = stats.last_ns;
	}
	return 0;
}

static void settle(struct load *l)
{
	while (!resolver_settle(session_resolver(l->session), SETTLE_SLICE_MS) && !is_ended(l->config))
		continue;
	session_collect(l->session);
}

static const char *pretty_name(void *ctx, uint32_t sym)
{
	return resolver_pretty(ctx, sym);
}

static bool is_mode(const void *ctx, const struct model_names *names, uint32_t id)
{
	struct key_value v = dimension_value(names, DIM_MODE, id);
	return v.kind == KEY_TEXT && strcmp(v.text, ctx) == 0;
}

/* Returns the only CPU mode that -K or -U leaves, "kernel" or "user"; NULL: neither option was given. */
static const char *mode_left(const struct side_config *o)
{
	return o->hide_kernel ? "user" : o->hide_user ? "kernel" : NULL;
}

/* Appends the filters, as text, to about->only. */
static void add_only(const struct side_config *o, const char *filters, struct diff_about *about)
{
	const char *const parts[] = {filters, mode_left(o), mode_left(o) ? " code" : ""};
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		size_t n = strlen(about->only);
		const char *between = i < 2 && n && parts[i] && *parts[i] ? ", " : "";
		snprintf(about->only + n, sizeof(about->only) - n, "%s%s", between, parts[i] ? parts[i] : "");
	}
}

static void make_table(struct load *l, struct side *ret)
{
	const struct side_config *o = l->config;
	struct filters filters;
	struct filter only[COMPARISON_FILTERS_MAX + 1];
	filters_init(o->target, o->comm, &filters);
	memcpy(only, filters.v, filters.n * sizeof(only[0]));
	if (mode_left(o))
		only[filters.n++] = (struct filter){.dim = DIM_MODE, .accepts = is_mode, .ctx = mode_left(o)};
	struct pivot_query pivots[2] = {[1] = {.dims = {DIM_CHAIN}, .dims_n = 1, .tree = true}};
	diff_pivot(o->dims, o->dims_n, &pivots[0]);
	const struct query query = {
		.window = WINDOW_SLIDING,
		.sliding_ns = INT64_MAX,
		.pivots = pivots,
		.pivots_n = l->chained ? 2 : 1,
		.only = only,
		.only_n = filters.n,
		.series = true,
	};
	struct snapshot *s = session_snapshot(l->session, &query);
	ret->table = diff_table_create(s, &s->pivots[0], o->dims_n, session_names(l->session),
				       o->raw_names ? NULL : pretty_name, session_resolver(l->session));
	side_describe(l->session, s, ret->table, l->path, &ret->about);
	resolver_functions(session_resolver(l->session), NULL, &ret->files);
	if (l->chained)
		ret->chains = chain_shares_of(l->session, s, &s->pivots[1]);
	ret->chains.read = o->chains;
	add_only(o, filters.text, &ret->about);
	snapshot_destroy(s);
}

int side_load_recording(const struct side_config *config, const char *path, struct side *ret, struct error *err)
{
	struct load l = {.config = config, .path = path};
	int rc = read_in_intervals(&l, err);
	if (rc == 0)
		settle(&l);
	if (rc == 0 && is_ended(config))
		rc = error_set(err, EINTR, "interrupted while %.150s was read", path);
	if (rc == 0)
		make_table(&l, ret);
	session_destroy(l.session);
	return rc;
}

/* ---- choosing rows of a snapshot --------------------------------------------------------------------- */

/* Returns true if --comm, -K and -U keep a row with these names, which are in the order of diff_stored_dims. */
static bool is_left(const void *ctx, const struct key_value *names)
{
	const struct side_config *o = ctx;
	const struct key_value *comm = &names[0], *mode = &names[3]; /* places in diff_stored_dims */
	if (o->comm && (comm->kind != KEY_TEXT || fnmatch(o->comm, comm->text, 0) != 0))
		return false;
	return !mode_left(o) || (mode->kind == KEY_TEXT && strcmp(mode->text, mode_left(o)) == 0);
}

static int check_filters(const struct side_config *o, const struct side *side, struct error *err)
{
	const struct target *t = o->target;
	struct diff_shape shape = diff_table_shape(side->table);
	bool by_rows = o->comm || mode_left(o);
	if (t->kind != TARGET_ALL || t->some_cpus)
		return error_set(err, EINVAL,
				 "%s: %.150s cannot be filtered so: a snapshot has commands (--comm), recordings have "
				 "processes and CPUs",
				 t->kind == TARGET_PROCESSES ? "-p"
				 : t->some_cpus		     ? "-C"
							     : "-t",
				 side->about.file);
	if (by_rows &&
	    (shape.dims_n != DIFF_STORED_DIMS || memcmp(shape.dims, diff_stored_dims, sizeof(diff_stored_dims)) != 0))
		return error_set(err, EINVAL,
				 "--comm, -K and -U: the rows of %.150s are not by comm, dso, symbol and mode",
				 side->about.file);
	return 0;
}

static int check_dims(const struct side_config *o, const struct side *side, struct error *err)
{
	for (size_t i = 0; i < o->dims_n; i++)
		if (!diff_table_has(side->table, o->dims[i]))
			return error_set(err, EINVAL,
					 "--sort: the rows of %.150s do not have %s: a snapshot has comm, dso, symbol "
					 "and mode; recordings have all keys",
					 side->about.file, dimensions[o->dims[i]].id);
	if (o->raw_weights)
		return error_set(err, EINVAL, "--raw-weights: %.150s is a snapshot, and its weights are scaled",
				 side->about.file);
	return 0;
}

int side_choose(const struct side_config *o, struct side *stored, struct side *ret, struct error *err)
{
	const struct diff_grouping by = {
		.dims = o->dims,
		.dims_n = o->dims_n,
		.pretty = o->raw_names ? NULL : demangle,
		.keeps = o->comm || mode_left(o) ? is_left : NULL,
		.ctx = o,
	};
	struct filters filters;
	int rc = check_dims(o, stored, err);
	if (rc == 0)
		rc = check_filters(o, stored, err);
	if (rc == 0) {
		*ret = (struct side){
			.about = stored->about, .table = diff_table_group(stored->table, &by), .files = stored->files};
		ret->chains.read = o->chains;
		stored->files = (struct function_files){.v = NULL};
		filters_init(NULL, o->comm, &filters);
		add_only(o, filters.text, &ret->about);
		for (size_t e = 0; e < ret->about.events_n; e++)
			ret->about.events[e].samples =
				diff_table_samples(ret->table, e, &ret->about.events[e].intervals);
	}
	side_deinit(stored);
	return rc;
}
