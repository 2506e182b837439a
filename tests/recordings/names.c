/* Lists the symbols of a recording's samples as the session sees them, one per line:
 * "SAMPLES DSO SYMBOL" or, for samples without a name, "SAMPLES DSO - WHY".
 *   names FILE [SYMFS [KALLSYMS]]     (-: standard input; SYMFS -: none) */
#include <cyctop/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_symbols(struct session *s)
{
	const struct pivot_query report = {.dims = {DIM_DSO, DIM_SYMBOL}, .dims_n = 2, .by_name = true};
	const struct query q = {.window = WINDOW_TOTAL, .pivots = &report, .pivots_n = 1};
	struct snapshot *snap = session_snapshot(s, &q);
	const struct pivot *pivot = &snap->pivots[0];
	const struct catalog *cat = session_catalog(s);
	for (size_t i = 0; i < pivot->n; i++) {
		const struct row *row = &pivot->rows[i];
		const struct sym_info *sym = &cat->syms[row->sym];
		const struct dso_info *dso = &cat->dsos[sym->dso];
		uint64_t samples = 0;
		for (size_t e = 0; e < session_info(s)->events_n; e++)
			samples += row->sums[e].samples;
		bool named = sym->state == SYM_NAMED || sym->state == SYM_GROUP;
		printf("%llu %s %s%s\n", (unsigned long long)samples, dso->name, named ? "" : "- ",
		       named	  ? sym->name
		       : dso->why ? dso->why
				  : "");
	}
	snapshot_destroy(snap);
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 4)
		return 2;
	struct file_config config = {
		.path = argv[1],
		.symfs = argc > 2 && strcmp(argv[2], "-") != 0 ? argv[2] : NULL,
		.kallsyms = argc > 3 ? argv[3] : NULL,
	};
	struct session *s;
	struct error err;
	if (session_open_file(&config, &s, &err) < 0) {
		fprintf(stderr, "names: %s\n", err.text);
		return 1;
	}
	do
		session_tick(s);
	while (!session_finished(s));
	resolver_settle(session_resolver(s), 60000);
	session_collect(s);
	print_symbols(s);
	session_destroy(s);
	return 0;
}
