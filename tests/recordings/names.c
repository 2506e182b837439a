/* What a recording's samples are called, as the session sees it: a line a symbol,
 * "SAMPLES DSO SYMBOL", or where there is no name, "SAMPLES DSO - WHY".
 *   names FILE [SYMFS [KALLSYMS]]     (-: standard input; SYMFS -: none) */
#include <cyctop/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_symbols(struct session *s)
{
	struct query q = {.window = WINDOW_TOTAL, .only_task = CATALOG_NONE, .only_sym = CATALOG_NONE};
	struct report_keys keys;
	struct error err;
	if (report_keys_parse("dso,symbol", &keys, &err) < 0)
		abort();
	struct report *r = session_report(s, &q, &keys);
	const struct catalog *cat = session_catalog(s);
	size_t events = session_info(s)->events_n;
	for (size_t i = 0; i < r->rows_n; i++) {
		const struct row *row = &r->rows[i];
		const struct sym_info *sym = &cat->syms[row->sym];
		const struct dso_info *dso = &cat->dsos[sym->dso];
		double samples = 0;
		for (size_t e = 0; e < events; e++)
			samples += (double)r->cells[i * events + e].samples;
		if (sym->state == SYM_NAMED)
			printf("%.0f %s %s\n", samples, dso->name, sym->name);
		else
			printf("%.0f %s - %s\n", samples, dso->name, dso->why ? dso->why : "");
	}
	report_destroy(r);
}
