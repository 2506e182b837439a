/* The panel of the key y: where the name of the selected row comes from. */
#include "view/columns.h"
#include "view/screen.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct dso_info *dso_of(const struct view_input *in, const struct sym_info *s)
{
	return s->dso < in->cat->dsos_n ? &in->cat->dsos[s->dso] : NULL;
}

static void add_origin(const struct view_input *in, const struct sym_info *s, struct strbuf *b)
{
	strbuf_add(b, in->origin ? in->origin(s->origin) : "its symbol table");
}

/* Returns true if names of this origin come from dso_info.file.  Names of other origins come from the program's own
 * file or the kernel, even if dso_info.file was read, too. */
static bool came_from_file(enum sym_origin origin)
{
	switch (origin) {
	case ORIGIN_DEBUG_FILE:
	case ORIGIN_VMLINUX:
	case ORIGIN_MODULE:
	case ORIGIN_PERF_MAP:
	case ORIGIN_JITDUMP:
		return true;
	default:
		return false;
	}
}

static void add_named(const struct view_input *in, const struct sym_info *s, uint32_t task, const char *name,
		      struct strbuf *b)
{
	const struct dso_info *dso = dso_of(in, s);
	if (s->origin == ORIGIN_NONE) {
		strbuf_addf(b, "The origin of the name %s is unknown.\n", name);
		return;
	}
	strbuf_addf(b, "%s is named by ", name);
	add_origin(in, s, b);
	if (dso && dso->file && came_from_file(s->origin))
		strbuf_addf(b, ": %s", dso->file);
	else
		strbuf_add(b, ".");
	remedy_add(in, s, task, b);
	strbuf_add(b, "\n");
}

static void add_nameless(const struct view_input *in, const struct sym_info *s, uint32_t task, struct strbuf *b)
{
	const struct dso_info *dso = dso_of(in, s);
	const char *dso_name = dso ? dso->name : "its file";
	switch (s->state) {
	case SYM_PENDING:
		strbuf_addf(b,
			    "The symbol table of %s is being read. Until then, its samples are counted in this row; "
			    "then they move to the rows of their functions.\n",
			    dso_name);
		return;
	case SYM_GROUP:
		strbuf_addf(b, "%s is a function without a name. It is known by ", s->name);
		add_origin(in, s, b);
		strbuf_add(b, ".");
		break;
	case SYM_FOLDED:
		strbuf_add(b, "These functions have not run for a while. There were so many of them that totals since "
			      "start count them together, to keep memory bounded.\n");
		return;
	case SYM_NO_DSO:
		strbuf_addf(b, "It has no name: %s.",
			    dso && dso->why ? dso->why : "the address belongs to no known mapping");
		break;
	default:
		if (dso && dso->why)
			strbuf_addf(b, "It has no name: %s.", dso->why);
		else
			strbuf_addf(b,
				    "It has no name: no symbol of %s, and no function its unwind tables know, "
				    "covers the address.",
				    dso_name);
		break;
	}
	if (s->state == SYM_GROUP && dso && dso->why)
		strbuf_addf(b, " Why: %s.", dso->why);
	remedy_add(in, s, task, b);
	strbuf_add(b, "\n");
}

/* Adds the source file and line of a symbol.  The front of a long path is cut off, since untrusted debug info may have
 * paths of any length. */
static void add_place(const struct view_input *in, uint32_t sym, struct strbuf *b)
{
	enum { SHOWN = 160 };
	const char *place = in->place ? in->place(in->ctx, sym) : NULL;
	if (!place)
		return;
	size_t n = strlen(place);
	const char *end = n > SHOWN ? place + n - SHOWN : place;
	while ((*end & 0xc0) == 0x80) /* skips the rest of a UTF-8 character that was cut */
		end++;
	strbuf_addf(b, "Source: %s%s\n", end == place ? "" : in->ascii ? "..." : "…", end);
}

/* Adds why call chains within the window are not whole, and what would help. */
static void add_chains(const struct view_input *in, struct strbuf *b)
{
	static const double matters = 0.01; /* less is not worth a word: a few chains are broken everywhere */
	const struct trust *t = in->snap ? &in->snap->trust : NULL;
	char part[32];
	if (!t || !t->chained)
		return;
	if (t->cut >= matters)
		strbuf_addf(b,
			    "Call chains: %s of the samples have one that is cut, since it is longer than what was "
			    "recorded: with -g dwarf larger BYTES help, else kernel.perf_event_max_stack.\n",
			    trust_percent(part, sizeof(part), t->cut));
	if (1 - t->whole - t->cut >= matters)
		strbuf_addf(b, "Call chains: %s of the samples have one that is broken, in code without %s.\n",
			    trust_percent(part, sizeof(part), 1 - t->whole - t->cut),
			    in->info->stack_bytes
				    ? "unwind tables and frame pointers: building with -fno-omit-frame-pointer helps"
				    : "frame pointers or unwind tables: -g dwarf helps, or building with "
				      "-fno-omit-frame-pointer");
}

void why_add(const struct view_input *in, uint32_t sym, uint32_t task, struct strbuf *b)
{
	enum { NAME_CELLS = 60 };
	char buf[1024];
	if (sym >= in->cat->syms_n) {
		strbuf_add(b, in->comparison && in->comparison->of_file
				      ? "The row is in the baseline alone, a file, which has its name.\n"
				      : "The function of this row is unknown.\n");
		return;
	}
	const struct sym_info *s = &in->cat->syms[sym];
	const struct dso_info *dso = dso_of(in, s);
	const char *name = view_symbol_name(in, sym);
	const char *brief = text_shorten(name, NAME_CELLS, buf, sizeof(buf));
	if (s->state == SYM_NAMED)
		add_named(in, s, task, brief, b);
	else
		add_nameless(in, s, task, b);
	add_chains(in, b);
	if (dso && dso->path && strcmp(dso->path, dso->name) != 0)
		strbuf_addf(b, "File: %s%s\n", dso->path,
			    dso->deleted ? " (deleted or replaced since it was started)" : "");
	if (s->state != SYM_NAMED)
		return;
	if (!s->by_name && s->addr)
		strbuf_addf(b, "Address: %#" PRIx64 "%s\n", s->addr,
			    s->namesake || s->alike ? "; other code of the file is called the same" : "");
	add_place(in, sym, b);
	struct view_input other = *in;
	other.raw_names = !in->raw_names;
	const char *counterpart = view_symbol_name(&other, sym);
	if (brief != name)
		strbuf_addf(b, "Whole name: %s\n", name);
	if (strcmp(counterpart, name) != 0)
		strbuf_addf(b, "%s: %s\n", in->raw_names ? "As people write it" : "Raw name", counterpart);
}

size_t view_nameless(const struct pivot *pivot, const struct catalog *cat, struct nameless *ret, size_t max)
{
	static const double least = 0.01;
	double *shares = mem_calloc(cat->dsos_n + 1u, sizeof(*shares));
	size_t n = 0;
	for (size_t i = 0; i < pivot->n; i++) {
		const struct row *row = &pivot->rows[i];
		const struct sym_info *s = row->sym < cat->syms_n ? &cat->syms[row->sym] : NULL;
		if (s && row->share_valid && s->dso < cat->dsos_n &&
		    (s->state == SYM_UNRESOLVED || s->state == SYM_GROUP))
			shares[s->dso] += row->share;
	}
	for (; n < max; n++) {
		uint32_t top = 0;
		for (uint32_t d = 1; d < cat->dsos_n; d++)
			if (shares[d] > shares[top])
				top = d;
		if (!cat->dsos_n || shares[top] < least)
			break;
		ret[n] = (struct nameless){.dso = top, .share = shares[top]};
		shares[top] = 0;
	}
	free(shares);
	return n;
}

/* Adds whether the code of a file has names, and from which file these were read. */
static void dso_add(const struct view_input *in, uint32_t id, struct strbuf *b)
{
	const struct dso_info *dso = &in->cat->dsos[id];
	if (dso->why)
		strbuf_addf(b, "Not all code of %s has a name: %s.\n", dso->name, dso->why);
	else
		strbuf_addf(b, "The code of %s has names.\n", dso->name);
	if (dso->file)
		strbuf_addf(b, "Names were read from: %s\n", dso->file);
	strbuf_addf(b, "File: %s%s\n", dso->path, dso->deleted ? " (deleted or replaced since it was started)" : "");
}

static void add_cpu_time(const struct row *row, struct strbuf *b)
{
	if (row->idle || row->interrupts)
		return;
	if (!row->cpu_valid)
		strbuf_add(b, "CPU time: unknown.\n");
	else if (row->cpu_estimated)
		strbuf_add(b, "CPU time: estimated from samples; the scheduler's is known only of tasks that live.\n");
	else
		strbuf_add(b, "CPU time: as the scheduler accounts it.\n");
}

static void why_text(struct view_state *st, const struct view_input *in, struct strbuf *b)
{
	struct selection sel;
	selection_get(st, in, &sel);
	if (sel.row)
		compared_add(in, sel.row, b);
	bool of_task = sel.row && dimensions[sel.dim].part == PART_TASK;
	uint32_t task = sel.row ? row_task(in, sel.row) : CATALOG_NONE;
	const char *command = !of_task		      ? NULL
			      : sel.dim == DIM_PARENT ? row_parent_command(in, sel.row)
						      : row_command(in, sel.row);
	if (command)
		strbuf_addf(b, "Command line: %s\n", command);
	if (of_task)
		add_cpu_time(sel.row, b);
	if (!sel.row) {
		strbuf_add(b, "There is no row here.\n");
	} else if (sel.row->interrupts) {
		strbuf_add(b, "Interrupts that arrived while a CPU was idle: no task had this time. Enter shows their "
			      "functions, if they are sampled.\n");
	} else if (sel.row->idle) {
		strbuf_add(b, "This row is the time in which CPUs were idle; it is not a function.\n");
	} else if (sel.dim == DIM_DSO && sel.dso < in->cat->dsos_n) {
		dso_add(in, sel.dso, b);
	} else if (sel.dim == DIM_SYMBOL) {
		why_add(in, sel.sym, task, b);
	} else if (sel.sym < in->cat->syms_n) {
		strbuf_add(b, "Its hottest function: ");
		why_add(in, sel.sym, task, b);
	} else if (of_task) {
		why_add(in, sel.sym, task, b);
	} else {
		strbuf_addf(b, "Rows of %s are not functions: select a function or a task.\n",
			    dimension_word(in->names->fields, sel.dim, dimensions[sel.dim].name));
	}
}

const struct view_ops why_view = {
	.place = PLACE_PANEL,
	.open = {.keys = {'y'},
		 .names = "y",
		 .footer = "Why",
		 .help = "why: where the row's name comes from, or why it has none; again: the rest of a long text",
		 .opens = &why_view,
		 .of_table = true},
	.title = "Why this name?",
	.of_row = true,
	.text = why_text,
};
