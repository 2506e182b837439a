#include "measure.h"

#include "../simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

struct truth {
	double counts[FUNCTIONS_MAX][2];
};

static void take_truth(struct session *s, unsigned functions, struct truth *ret)
{
	char name[16];
	for (unsigned f = 0; f < functions; f++)
		for (uint32_t e = 0; e < 2; e++) {
			snprintf(name, sizeof(name), "app:f%u", f);
			ret->counts[f][e] = simulate_truth(session_source(s), name, e);
		}
}

static const struct metric *ipc_metric(void)
{
	for (size_t i = 0; i < metrics_builtin.n; i++)
		if (strcmp(metrics_builtin.v[i].id, "ipc") == 0)
			return &metrics_builtin.v[i];
	abort();
}

static void fill_row(const struct snapshot *snap, const struct row *row, struct seen *seen)
{
	for (int e = 0; e < 2; e++) {
		seen->samples[e] = row->sums[e].samples;
		seen->weight[e] = row->sums[e].weight;
	}
	seen->weight_error = row_weight_error(snap, row, 0);
	seen->share = row->share;
	seen->share_error = row->share_error;
	seen->ipc = row_metric(snap, row, ipc_metric());
}

/* The index of a row in struct outcome; false: it has none. */
static bool index_of(const struct catalog *cat, const struct row *row, const struct measure *m, unsigned *ret)
{
	if (row->idle)
		return false;
	if (m->processes)
		return sscanf(cat->tasks[row->task].comm, "p%u", ret) == 1 && *ret < 3;
	return sscanf(cat->syms[row->sym].name, "f%u", ret) == 1 && *ret < m->functions;
}

static void look(struct session *s, const struct truth *before, const struct truth *after, const struct measure *m,
		 struct outcome *ret)
{
	const struct pivot_query by = {.dims = {m->processes ? DIM_PID : DIM_SYMBOL}, .dims_n = 1};
	struct query q = {.window = WINDOW_INTERVAL, .pivots = &by, .pivots_n = 1};
	struct snapshot *snap = session_snapshot(s, &q);
	const struct catalog *cat = session_catalog(s);
	double whole[2] = {0};
	*ret = (struct outcome){.ipc = total_metric(snap, ipc_metric())};
	for (unsigned f = 0; f < m->functions; f++)
		for (int e = 0; e < 2; e++) {
			double truth = after->counts[f][e] - before->counts[f][e];
			ret->rows[m->processes ? f % 3 : f].truth[e] += truth;
			whole[e] += truth;
		}
	ret->true_ipc = whole[1] / whole[0];
	for (unsigned f = 0; f < m->functions; f++)
		ret->rows[f].whole = whole[0];
	for (size_t i = 0; i < snap->pivots[0].n; i++) {
		const struct row *row = &snap->pivots[0].rows[i];
		unsigned f;
		if (index_of(cat, row, m, &f))
			fill_row(snap, row, &ret->rows[f]);
	}
	snapshot_destroy(snap);
}

void measure(const struct measure *m, window_fn *fn, void *ctx)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	fprintf(out, "seed %u\n%stick\nrepeat\n", m->seed, m->script);
	fclose(out);
	struct session *s;
	struct error err = {0};
	if (session_open_synth(text, len, "numbers", false, &s, &err) < 0) {
		fprintf(stderr, "%s\n%s\n", err.text, text);
		exit(2);
	}
	if (m->raw)
		session_raw_weights(s);
	struct truth before, after;
	for (unsigned i = 0; i < m->warm; i++)
		session_tick(s);
	take_truth(s, m->functions, &before);
	for (unsigned i = 0; i < m->windows; i++) {
		struct outcome window;
		session_tick(s);
		session_collect(s);
		take_truth(s, m->functions, &after);
		look(s, &before, &after, m, &window);
		fn(ctx, &window);
		before = after;
	}
	session_destroy(s);
	free(text);
}
