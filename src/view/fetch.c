/* The key F: gets names from a debuginfod server, with its progress in the footer, or from a JIT runtime. */
#include "view/columns.h"
#include "view/screen.h"

#include "base/fmt.h"

#include <stdio.h>

/* Writes the progress of the download; without the file's name if there is no room for it. */
static void text(const struct view_input *in, int cols, char *buf, size_t cap)
{
	char done[16], total[16];
	const char *dots = in->ascii ? "..." : "…", *name = in->cat->dsos[in->fetch.dso].name;
	if (!in->fetch.total) {
		snprintf(buf, cap, "asking for %.40s%s", name, dots);
		return;
	}
	fmt_si(done, sizeof(done), (double)in->fetch.done);
	fmt_si(total, sizeof(total), (double)in->fetch.total);
	snprintf(buf, cap, "fetching %.40s: %sB of %sB", name, done, total);
	if (text_width(buf) > cols)
		snprintf(buf, cap, "%sB of %sB", done, total);
}

int fetch_width(const struct view_input *in, int cols)
{
	char buf[128];
	if (!in->fetch.running)
		return 0;
	text(in, cols, buf, sizeof(buf));
	int width = text_width(buf) + 3;
	return width < cols ? width : cols;
}

void draw_fetch(const struct view_input *in, struct grid *g, int row)
{
	char buf[128];
	int width = fetch_width(in, g->cols);
	if (!width)
		return;
	text(in, g->cols, buf, sizeof(buf));
	put_right(g, row, g->cols - width, width, STYLE_STRONG, buf);
}

/* Handles the key F for a process.  The first F says what asking does to the process, the second F asks.  A third F
 * begins again with the explanation. */
static unsigned ask_process(const struct press *p, uint32_t found)
{
	const struct task_info *t = &p->in->cat->tasks[found];
	const struct runtime *runtime = &runtimes[t->runtime];
	struct catalog_ref ref = catalog_task_ref(p->in->cat, found), explained = p->st->ask_explained;
	bool yes = explained.id == ref.id && explained.generation == ref.generation;
	p->st->ask_explained = yes ? CATALOG_REF_NONE : ref;
	p->st->asked = yes ? ref : CATALOG_REF_NONE;
	if (yes)
		return REACT_REDRAW | REACT_ASK;
	return state_say(
		p->st,
		"F again asks %.20s (pid %d) for the names of its code (%s). %s With any other key, nothing is sent.",
		t->comm ? t->comm : runtime->name, t->pid, runtime->since, runtime->effect);
}

/* Handles the key F on a row whose process can be asked for names, see ask_process(); false: none can be asked. */
static bool ask_fetch(const struct press *p, const struct selection *sel, unsigned *reaction_ret)
{
	const struct view_input *in = p->in;
	unsigned n = 0;
	if (!in->lacks_names || !sel->row || !code_is_unnamed_jit(in, sel->sym))
		return false;
	uint32_t task = row_task(in, sel->row);
	uint32_t found = ask_find(in, task, &n);
	*reaction_ret = REACT_REDRAW;
	if (n == 1)
		*reaction_ret = ask_process(p, found);
	else if (n)
		state_say(p->st,
			  "%u processes that can be asked have code without names. Select one (v, then t), then press "
			  "F.",
			  n);
	else if (task < in->cat->tasks_n && ask_writes_names(in, in->cat->tasks[task].leader))
		state_say(p->st, "It was asked, and goes on writing the names of its code; this is not among them.");
	else
		return false;
	return true;
}

unsigned act_fetch(const struct press *p)
{
	struct selection sel;
	p->st->fetch_dso = CATALOG_NONE;
	if (p->in->fetch.running)
		return REACT_FETCH | REACT_REDRAW;
	selection_get(p->st, p->in, &sel);
	unsigned reaction;
	if (ask_fetch(p, &sel, &reaction))
		return reaction;
	if (sel.dso == CATALOG_NONE)
		return state_say(p->st, "This row has no file whose names could be downloaded.");
	p->st->fetch_dso = sel.dso;
	return REACT_FETCH | REACT_REDRAW;
}
