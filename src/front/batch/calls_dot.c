/* Writes counted calls as a graph for graphviz: functions with their shares of all time, and arrows to their callees,
 * with the share of the caller's time that the callee took. */
#include "front/batch/calls_arcs.h"

#include "base/alloc.h"
#include "base/clean.h"

#include <stdio.h>
#include <stdlib.h>

static void put_name(FILE *out, const char *s)
{
	struct strbuf text = {0};
	clean_add(&text, s, CLEAN_LINE);
	for (const char *c = text.data ? text.data : ""; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputc(*c, out);
	}
	strbuf_deinit(&text);
}

static void put_function(FILE *out, const struct calls_output *o, const struct calls_line *l)
{
	double share = calls_part(l->total_ns, o->self_ns);
	fprintf(out, "\tf%zu [label=\"", l->id);
	put_name(out, l->symbol);
	fprintf(out, "\\n%.1f%% (own %.1f%%)\\n%llu calls\", fillcolor=\"0.000 %.3f 1.000\"];\n", 100 * share,
		100 * calls_part(l->self_ns, o->self_ns), (unsigned long long)l->calls, share < 1 ? share : 1);
}

static void put_arc(FILE *out, const struct calls_output *o, const struct drawn_arc *arc)
{
	const struct calls_pair *p = arc->pair;
	const struct calls_line *c = p->caller;
	fprintf(out, "\tf%zu -> f%zu [label=\"", c->id, p->callee->id);
	if (c != p->callee)
		fprintf(out, "%.1f%%\\n", 100 * arc->part);
	fprintf(out, "%llu\", weight=%d, penwidth=%.2f];\n", (unsigned long long)p->calls, 1 + (int)(100 * arc->part),
		1 + 4 * arc->part * calls_part(c->total_ns, o->self_ns));
}

void calls_dot(FILE *out, const struct calls_output *o)
{
	fputs("digraph calls {\n\tnode [shape=box, style=filled, fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=10];\n",
	      out);
	bool *shown = mem_calloc(calls_ids(o) + 1, sizeof(*shown));
	for (size_t i = 0; i < o->n; i++) {
		const struct calls_line *l = o->lines[i];
		shown[l->id] = l->calls && 100 * calls_part(l->total_ns, o->self_ns) >= o->min_percent;
		if (shown[l->id])
			put_function(out, o, l);
	}
	struct calls_arcs arcs;
	calls_arcs_init(&arcs, o, false);
	for (size_t i = 0; i < arcs.n; i++) {
		const struct calls_pair *p = arcs.v[i].pair;
		if (p->caller && shown[p->caller->id] && shown[p->callee->id])
			put_arc(out, o, &arcs.v[i]);
	}
	calls_arcs_deinit(&arcs);
	free(shown);
	fputs("}\n", out);
}
