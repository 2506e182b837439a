/* Writes who calls whom as human-readable text.  As a tree: below each function its callees, with the numbers of each
 * pair of caller and callee; a function that occurs again is not expanded again.  Or as a list: callers and callees of
 * one function. */
#include "front/batch/calls_arcs.h"
#include "front/batch/cells.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* A line of the tree that has yet to be written. */
struct leaf {
	const struct calls_line *line;
	const struct drawn_arc *arc; /* NULL: a root, whose callers are not known or are not shown */
	size_t depth;
};

struct tree {
	const struct calls_output *o;
	struct calls_arcs by_caller, by_callee;
	struct cells cells;
	bool *unfolded;	       /* [function id]: the function's callees were written already */
	VEC(struct leaf) next; /* stack of lines to write: the last comes first */
	size_t small;	       /* number of arcs left out by --min */
};

static bool is_shown(const struct tree *t, double ns)
{
	return 100 * calls_part(ns, t->o->self_ns) >= t->o->min_percent;
}

static bool is_recursive(const struct leaf *leaf)
{
	return leaf->arc && leaf->arc->pair->caller == leaf->line;
}

/* Returns `v`, a time or a fraction of a time of a function's calls; NAN (unknown) if no call has returned yet. */
static double known(const struct calls_line *l, double v)
{
	return l->outermost ? v : NAN;
}

static void add_name(struct tree *t, const struct leaf *leaf, bool again)
{
	enum { DEEPEST = 40 }; /* levels that are indented; on deeper ones the level is printed as a number */
	struct strbuf name = {0};
	for (size_t i = 0; i < leaf->depth && i < DEEPEST; i++)
		strbuf_add(&name, "  ");
	if (leaf->depth > DEEPEST)
		strbuf_addf(&name, "[%zu] ", leaf->depth);
	strbuf_add(&name, leaf->line->symbol);
	if (is_recursive(leaf))
		strbuf_add(&name, " (recursive)");
	else if (again)
		strbuf_add(&name, " (above)");
	cells_add(&t->cells, name.data);
	strbuf_deinit(&name);
}

static void add_leaf(struct tree *t, const struct leaf *leaf, bool again)
{
	uint64_t calls = leaf->arc ? leaf->arc->pair->calls : leaf->line->calls;
	double ns = leaf->arc ? leaf->arc->pair->ns : known(leaf->line, leaf->line->total_ns);
	double call_ns = leaf->arc ? calls_part(ns, (double)calls) : known(leaf->line, leaf->line->call_ns);
	if (is_recursive(leaf)) { /* its time is part of that of other calls */
		cells_add_blanks(&t->cells, 3);
	} else {
		cells_add_number(&t->cells, 100 * calls_part(ns, t->o->self_ns), 1);
		if (leaf->arc && leaf->arc->pair->caller)
			cells_add_number(&t->cells, known(leaf->arc->pair->caller, 100 * leaf->arc->part), 1);
		else
			cells_add_blanks(&t->cells, 1);
		cells_add_number(&t->cells, ns / 1e6, 3);
	}
	cells_add_count(&t->cells, (double)calls);
	cells_add_number(&t->cells, call_ns, 1);
	cells_add(&t->cells, leaf->line->dso);
	add_name(t, leaf, again);
}

/* Writes a function and the tree of its callees. */
static void unfold(struct tree *t, struct leaf root)
{
	vec_push(&t->next) = root;
	while (t->next.n) {
		struct leaf leaf = t->next.data[--t->next.n];
		size_t n = 0;
		const struct drawn_arc *arcs = calls_arcs_find(&t->by_caller, leaf.line, &n);
		bool again = t->unfolded[leaf.line->id];
		add_leaf(t, &leaf, again && n);
		t->unfolded[leaf.line->id] = true;
		for (size_t i = again ? 0 : n; i > 0; i--) {
			const struct calls_pair *p = arcs[i - 1].pair;
			if (is_shown(t, p->ns))
				vec_push(&t->next) = (struct leaf){p->callee, &arcs[i - 1], leaf.depth + 1};
			else
				t->small++;
		}
	}
}

/* Writes the trees of functions that were not written yet: of all, or only of those that no function calls. */
static void unfold_rest(struct tree *t, bool all)
{
	for (size_t i = 0; i < t->o->n; i++) {
		const struct calls_line *l = t->o->lines[i];
		size_t callees = 0, callers = 0;
		const struct drawn_arc *arcs = calls_arcs_find(&t->by_caller, l, &callees);
		(void)calls_arcs_find(&t->by_callee, l, &callers);
		bool large = is_shown(t, l->total_ns) || (callees && is_shown(t, arcs[0].pair->ns));
		if (!t->unfolded[l->id] && large && (all || !callers))
			unfold(t, (struct leaf){.line = l});
	}
}

/* Writes the trees of functions whose callers are unknown: callers that are not counted, or have not returned yet. */
static void unfold_roots(struct tree *t)
{
	size_t n = 0;
	const struct drawn_arc *roots = calls_arcs_find(&t->by_caller, NULL, &n);
	for (size_t i = 0; i < n; i++)
		if (is_shown(t, roots[i].pair->ns))
			unfold(t, (struct leaf){.line = roots[i].pair->callee, .arc = &roots[i]});
	unfold_rest(t, false);
}

void calls_tree(FILE *out, const struct calls_output *o)
{
	static const char *const heads[] = {"TOTAL%", "CALLER%", "TOTAL ms", "CALLS", "ns/CALL", "<DSO", "<FUNCTION"};
	struct tree t = {.o = o};
	t.unfolded = mem_calloc(calls_ids(o) + 1, sizeof(*t.unfolded));
	calls_arcs_init(&t.by_caller, o, false);
	calls_arcs_init(&t.by_callee, o, true);
	cells_init_heads(&t.cells, heads, ARRAY_LEN(heads));
	if (!o->chosen)
		unfold_roots(&t);
	unfold_rest(&t, true);
	cells_write(&t.cells, out);
	if (t.small)
		fprintf(out, "(%zu smaller left out: --min)\n", t.small);
	calls_arcs_deinit(&t.by_caller);
	calls_arcs_deinit(&t.by_callee);
	vec_free(&t.next);
	free(t.unfolded);
}

/* ---- writing the callers and callees of a function --------------------------------------------------- */

/* Adds the beginning of a row.  `ns` below 0: without a time, as for recursive calls, which are part of other calls. */
static void add_row(struct cells *t, const char *what, double ns, double part)
{
	cells_add(t, what);
	if (ns < 0) {
		cells_add_blanks(t, 2);
	} else {
		cells_add_number(t, ns / 1e6, 3);
		cells_add_number(t, 100 * part, 1);
	}
}

/* Adds the end of a row: number and mean time of the calls, and the function `of`. */
static void add_calls(struct cells *t, uint64_t calls, double call_ns, const struct calls_line *of)
{
	cells_add_count(t, (double)calls);
	cells_add_number(t, call_ns, 1);
	cells_add(t, of ? of->dso : "");
	cells_add(t, of ? of->symbol : "[code that is not counted]");
}

static void add_arcs(struct cells *t, const struct calls_arcs *arcs, const struct calls_line *l)
{
	size_t n = 0;
	const struct drawn_arc *v = calls_arcs_find(arcs, l, &n);
	for (size_t i = 0; i < n; i++) {
		const struct calls_pair *p = v[i].pair;
		const struct calls_line *other = arcs->by_callee ? p->caller : p->callee;
		if (other == l && !arcs->by_callee)
			continue; /* recursive calls are among the callers, too, and are written there */
		if (other == l)
			add_row(t, "recursive", -1, 0);
		else
			add_row(t, arcs->by_callee ? "called by" : "calls", p->ns,
				arcs->by_callee ? v[i].part : known(l, v[i].part));
		add_calls(t, p->calls, calls_part(p->ns, (double)p->calls), other);
	}
}

void calls_callers(FILE *out, const struct calls_output *o)
{
	static const char *const heads[] = {"<", "TIME ms", "TIME%", "CALLS", "ns/CALL", "<DSO", "<FUNCTION"};
	struct calls_arcs by_caller, by_callee;
	calls_arcs_init(&by_caller, o, false);
	calls_arcs_init(&by_callee, o, true);
	for (size_t i = 0; i < o->n; i++) {
		const struct calls_line *l = o->lines[i];
		struct cells t;
		cells_init_heads(&t, heads, ARRAY_LEN(heads));
		add_arcs(&t, &by_callee, l);
		add_row(&t, "in all", known(l, l->total_ns), known(l, 1));
		add_calls(&t, l->calls, known(l, l->call_ns), l);
		add_row(&t, "itself", known(l, l->self_ns), known(l, calls_part(l->self_ns, l->total_ns)));
		cells_add_blanks(&t, 4);
		add_arcs(&t, &by_caller, l);
		if (i)
			fputc('\n', out);
		cells_write(&t, out);
	}
	calls_arcs_deinit(&by_caller);
	calls_arcs_deinit(&by_callee);
}
