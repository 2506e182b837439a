/* Writes counted calls as a graph for graphviz: functions with their parts of the whole, and arrows to what they call,
 * with the part of the caller's time that went there.  These parts and the caller's own add up to it. */
#include "front/batch/batch.h"

#include "base/clean.h"

#include <stdio.h>

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

static double part(double of, double whole)
{
	return whole > 0 ? of / whole : 0;
}

static bool is_shown(const struct calls_output *o, const struct calls_line *l)
{
	return l->calls && 100 * part(l->total_ns, o->self_ns) >= o->min_percent;
}

static void put_function(FILE *out, const struct calls_output *o, const struct calls_line *l)
{
	double share = part(l->total_ns, o->self_ns);
	fprintf(out, "\tf%zu [label=\"", l->id);
	put_name(out, l->symbol);
	fprintf(out, "\\n%.1f%% (own %.1f%%)\\n%llu calls\", fillcolor=\"0.000 %.3f 1.000\"];\n", 100 * share,
		100 * part(l->self_ns, o->self_ns), (unsigned long long)l->calls, share < 1 ? share : 1);
}

/* The time of calls that a function makes, recursive ones left out: they are within its own calls. */
static double time_of_calls(const struct calls_output *o, const struct calls_line *caller)
{
	double ns = 0;
	for (size_t i = 0; i < o->pairs_n; i++)
		if (o->pairs[i].caller == caller && o->pairs[i].callee != caller)
			ns += o->pairs[i].ns;
	return ns;
}

static void put_pair(FILE *out, const struct calls_output *o, const struct calls_pair *p)
{
	const struct calls_line *c = p->caller;
	bool recursive = c == p->callee;
	double called = c->total_ns > c->self_ns ? c->total_ns - c->self_ns : 0;
	double of_caller = recursive ? 0 : part(called, c->total_ns) * part(p->ns, time_of_calls(o, c));
	fprintf(out, "\tf%zu -> f%zu [label=\"", c->id, p->callee->id);
	if (!recursive)
		fprintf(out, "%.1f%%\\n", 100 * of_caller);
	fprintf(out, "%llu\", weight=%d, penwidth=%.2f];\n", (unsigned long long)p->calls, 1 + (int)(100 * of_caller),
		1 + 4 * of_caller * part(c->total_ns, o->self_ns));
}

void calls_dot(FILE *out, const struct calls_output *o)
{
	fputs("digraph calls {\n\tnode [shape=box, style=filled, fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=10];\n",
	      out);
	for (size_t i = 0; i < o->n; i++)
		if (is_shown(o, o->lines[i]))
			put_function(out, o, o->lines[i]);
	for (size_t i = 0; i < o->pairs_n; i++) {
		const struct calls_pair *p = &o->pairs[i];
		if (p->caller && is_shown(o, p->caller) && is_shown(o, p->callee))
			put_pair(out, o, p);
	}
	fputs("}\n", out);
}
