/* Computes the cells of the columns of code. */
#include "view/columns.h"

/* ---- making cells for the screen ------------------------------------------------- */

static const struct sym_info *sym_of(const struct view_input *in, uint32_t sym)
{
	return sym < in->cat->syms_n ? &in->cat->syms[sym] : NULL;
}

static const struct dso_info *dso_of(const struct view_input *in, uint32_t sym)
{
	const struct sym_info *si = sym_of(in, sym);
	return si && si->dso < in->cat->dsos_n ? &in->cat->dsos[si->dso] : NULL;
}

const char *view_symbol_name(const struct view_input *in, uint32_t sym)
{
	const struct sym_info *si = sym_of(in, sym);
	if (!si)
		return NULL;
	if (si->state == SYM_PENDING)
		return in->ascii ? "reading symbols ..." : "reading symbols …";
	if (in->raw_names || si->state != SYM_NAMED)
		return si->name;
	if (si->pretty || !in->pretty)
		return si->pretty ? si->pretty : si->name;
	return in->pretty(in->ctx, sym);
}

static const char *row_symbol_name(const struct view_input *in, const struct row *row)
{
	const struct key_value *gone = compared_name(in, row, DIM_SYMBOL);
	if (gone && gone->kind == KEY_TEXT)
		return gone->text;
	const char *name = row->idle ? NULL : view_symbol_name(in, row->sym);
	return name ? name : row->idle ? "(idle)" : "[unknown]";
}

/* Returns the address that tells a function from others of the same name; 0: no address is needed.  A row that is the
 * sum of all functions of one mangled name has no address. */
static uint64_t distinguishing_addr(const struct view_input *in, const struct column *col, uint32_t sym)
{
	const struct sym_info *si = sym_of(in, sym);
	if (!si || si->by_name || si->state != SYM_NAMED)
		return 0;
	bool alike = si->alike && !in->raw_names;
	return (col->by_name ? alike && !si->namesake : alike || si->namesake) ? si->addr : 0;
}

struct cell symbol_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	uint32_t sym = row->idle ? CATALOG_NONE : row->sym;
	struct cell cell = text_cell(ask_hint(in, sym, row_task(in, row), row_symbol_name(in, row)));
	cell.addr = distinguishing_addr(in, col, sym);
	return cell;
}

struct cell symbol_to_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	uint32_t sym = catalog_ctx_to(in->cat, row->ctx);
	struct cell cell = text_cell(view_symbol_name(in, sym));
	cell.addr = distinguishing_addr(in, col, sym);
	return cell;
}

struct cell dso_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	const struct key_value *gone = compared_name(in, row, DIM_DSO);
	const struct dso_info *dso = dso_of(in, row->sym);
	if (gone)
		return value_cell(gone);
	if (row->idle || !dso)
		return text_cell(row->idle && col->own ? "(idle)" : NULL);
	struct cell cell = text_cell(dso->name);
	cell.deleted = dso->deleted;
	return cell;
}

struct cell mode_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)in, (void)col;
	return (struct cell){.kind = CELL_MARK, .s = row->kernel ? "k" : ""};
}

struct cell hottest_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	uint32_t sym = row->idle ? CATALOG_NONE : row->top;
	struct cell cell = text_cell(row->idle ? NULL : ask_hint(in, sym, row->task, view_symbol_name(in, sym)));
	cell.addr = distinguishing_addr(in, col, sym);
	return cell;
}

/* ---- making cells for files ----------------------------------------------------- */

/* Makes the cell of a symbol's name in files.  While its symbol table is being read this is "[...]", where the screen
 * has "reading symbols". */
static struct cell file_symbol(const struct view_input *in, uint32_t sym)
{
	const struct sym_info *si = sym_of(in, sym);
	const char *name = !si ? NULL : si->state == SYM_NAMED ? view_symbol_name(in, sym) : si->name;
	return name ? (struct cell){.kind = CELL_TEXT, .s = name} : cell_absent();
}

struct cell file_symbol_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	return file_symbol(in, row->sym);
}

struct cell file_symbol_to_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	return file_symbol(in, catalog_ctx_to(in->cat, row->ctx));
}

/* The address of a function, in hexadecimal digits, because many readers of JSON keep only 53 bits of a number. */
struct cell address_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct sym_info *si = sym_of(in, row->sym);
	bool known = si && !si->by_name && si->addr && (si->state == SYM_NAMED || si->state == SYM_GROUP);
	return known ? (struct cell){.kind = CELL_ADDRESS, .u = si->addr} : cell_absent();
}

struct cell top_symbol_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	return file_symbol(in, row->top);
}

struct cell top_dso_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct dso_info *dso = dso_of(in, row->top);
	return dso && dso->path ? (struct cell){.kind = CELL_TEXT, .s = dso->path} : cell_absent();
}

struct cell deleted_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct dso_info *dso = dso_of(in, row->sym);
	return dso ? bool_cell(dso->deleted) : cell_absent();
}

struct cell kernel_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	const struct sym_info *sym = sym_of(in, row->sym);
	return sym ? bool_cell(sym->kernel) : cell_absent();
}

struct cell state_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	static const char *const names[] = {
		[SYM_NAMED] = "named",		 [SYM_PENDING] = "pending", [SYM_GROUP] = "group",
		[SYM_UNRESOLVED] = "unresolved", [SYM_NO_DSO] = "no-dso",
	};
	(void)col;
	const struct sym_info *sym = sym_of(in, row->sym);
	return text_cell(sym && (size_t)sym->state < ARRAY_LEN(names) ? names[sym->state] : NULL);
}

/* Where the symbol's name comes from (symbol table, perf map, ...); files always have this column. */
struct cell origin_cell(const struct view_input *in, const struct column *col, const struct row *row)
{
	(void)col;
	return text_cell(dimension_value(in->names, DIM_ORIGIN, row_part(row, PART_CONTEXT)).text);
}
