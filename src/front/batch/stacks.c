#include "front/batch/stacks.h"

#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

/* The node of the tree that the call chain `ctx` of a command has. */
struct place {
	uint32_t command, ctx, node;
};

struct build {
	struct stacks *s;
	struct index by_function, by_node, by_place;
	VEC(struct stack_function) functions;
	VEC(struct stack_node) nodes;
	VEC(struct place) places;
	VEC(uint32_t) way; /* scratch: contexts of a chain whose nodes are not in the tree yet */
	uint32_t *of_sym;  /* [syms_n]: 1 + index of a symbol's function; 0: not looked up yet */
	struct strbuf text;
};

/* ---- finding functions and nodes, or adding them ---------------------------------------------------- */

struct wanted {
	const struct build *b;
	struct stack_function function;
	struct stack_node node;
	struct place place;
};

static bool is_function(const void *ctx, uint32_t at)
{
	const struct wanted *want = ctx;
	const struct stack_function *f = &want->b->functions.data[at];
	return f->name == want->function.name && f->file == want->function.file;
}

static bool is_node(const void *ctx, uint32_t at)
{
	const struct wanted *want = ctx;
	const struct stack_node *node = &want->b->nodes.data[at];
	return node->caller == want->node.caller && node->function == want->node.function;
}

static bool is_place(const void *ctx, uint32_t at)
{
	const struct wanted *want = ctx;
	const struct place *place = &want->b->places.data[at];
	return place->command == want->place.command && place->ctx == want->place.ctx;
}

/* Returns the index of the function b->text in the file `file`; adds the function if it is new. */
static uint32_t function_of(struct build *b, const char *file, uint64_t addr, bool kernel)
{
	const char *name = intern_bytes(b->s->names, b->text.data, b->text.n);
	if (file) {
		b->text.n = 0;
		clean_add(&b->text, file, CLEAN_LINE);
		file = intern_bytes(b->s->names, b->text.data, b->text.n);
	}
	const struct wanted want = {b, .function = {name, file, STACKS_NONE, addr, kernel}};
	uint64_t hash = index_hash(&b->by_function, hash_u64((uintptr_t)name) + (uintptr_t)file);
	uint32_t at = index_find(&b->by_function, hash, is_function, &want);
	if (at != INDEX_NONE)
		return at;
	at = (uint32_t)b->functions.n;
	vec_push(&b->functions) = want.function;
	index_add(&b->by_function, hash, at);
	return at;
}

static uint32_t function_of_context(struct build *b, uint32_t ctx)
{
	const struct catalog *cat = b->s->in->cat;
	uint32_t id = catalog_sym_row(cat, catalog_ctx_frame(cat, ctx));
	const struct sym_info *sym = id < cat->syms_n ? &cat->syms[id] : NULL;
	if (sym && b->of_sym[id])
		return b->of_sym[id] - 1;
	bool named = sym && (sym->state == SYM_NAMED || sym->state == SYM_GROUP);
	const char *file = sym && sym->dso < cat->dsos_n ? cat->dsos[sym->dso].path : "[unknown]";
	b->text.n = 0;
	view_function_text(b->s->in, ctx, &b->text);
	uint32_t function = function_of(b, file, named ? sym->addr : 0, sym && sym->kernel);
	if (sym)
		b->of_sym[id] = function + 1;
	return function;
}

static uint32_t node_of(struct build *b, uint32_t caller, uint32_t function)
{
	struct wanted want = {b, .node = {.caller = caller, .function = function}};
	uint64_t hash = index_hash(&b->by_node, (uint64_t)caller << 32 | function);
	uint32_t at = index_find(&b->by_node, hash, is_node, &want);
	if (at != INDEX_NONE)
		return at;
	want.node.depth = caller == STACKS_NONE ? 0 : b->nodes.data[caller].depth + 1;
	at = (uint32_t)b->nodes.n;
	vec_push(&b->nodes) = want.node;
	index_add(&b->by_node, hash, at);
	return at;
}

static uint64_t place_hash(const struct build *b, const struct place *place)
{
	return index_hash(&b->by_place, (uint64_t)place->command << 32 | place->ctx);
}

/* Returns the node of a call chain of a command; adds those nodes of the chain that are missing. */
static uint32_t node_of_chain(struct build *b, uint32_t command, uint32_t ctx)
{
	uint32_t node = command;
	for (b->way.n = 0; ctx != CATALOG_NONE; ctx = catalog_ctx_caller(b->s->in->cat, ctx)) {
		const struct wanted want = {b, .place = {.command = command, .ctx = ctx}};
		uint32_t at = index_find(&b->by_place, place_hash(b, &want.place), is_place, &want);
		if (at != INDEX_NONE) {
			node = b->places.data[at].node;
			break;
		}
		vec_push(&b->way) = ctx;
	}
	while (b->way.n) {
		struct place place = {.command = command, .ctx = b->way.data[--b->way.n]};
		node = place.node = node_of(b, node, function_of_context(b, place.ctx));
		index_add(&b->by_place, place_hash(b, &place), (uint32_t)b->places.n);
		vec_push(&b->places) = place;
	}
	return node;
}

static uint32_t node_of_row(struct build *b, const struct row *row)
{
	const struct catalog *cat = b->s->in->cat;
	const char *comm = row->task < cat->tasks_n ? cat->tasks[row->task].comm : NULL;
	b->text.n = 0;
	clean_add(&b->text, comm ? comm : "[unknown]", CLEAN_LINE);
	return node_of_chain(b, node_of(b, STACKS_NONE, function_of(b, NULL, 0, false)), row->ctx);
}

/* ---- sorting functions and nodes ---------------------------------------------------------------------- */

static int by_name(const void *pa, const void *pb, void *ctx)
{
	const struct stack_function *all = ctx, *a = &all[*(const uint32_t *)pa], *b = &all[*(const uint32_t *)pb];
	int rc = strcmp(a->name, b->name);
	return rc ? rc : strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static int by_caller(const void *pa, const void *pb, void *ctx)
{
	const struct stack_node *all = ctx, *a = &all[*(const uint32_t *)pa], *b = &all[*(const uint32_t *)pb];
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Returns the indices of `n` entries, sorted by `compare`; the caller frees them. */
static uint32_t *sorted(void *entries, uint32_t n, int (*compare)(const void *a, const void *b, void *entries))
{
	uint32_t *order = mem_calloc((size_t)n + 1, sizeof(*order));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare, entries);
	return order;
}

static int by_file(const void *pa, const void *pb, void *ctx)
{
	const struct stack_function *all = ctx, *a = &all[*(const uint32_t *)pa], *b = &all[*(const uint32_t *)pb];
	return strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static void list_files(struct stacks *s)
{
	uint32_t *order = sorted(s->functions, s->functions_n, by_file);
	s->files = mem_calloc((size_t)s->functions_n + 1, sizeof(*s->files));
	for (uint32_t i = 0; i < s->functions_n; i++) {
		struct stack_function *f = &s->functions[order[i]];
		if (!f->file)
			continue;
		if (!s->files_n || s->files[s->files_n - 1] != f->file)
			s->files[s->files_n++] = f->file;
		f->file_id = s->files_n - 1;
	}
	free(order);
}

static void order_functions(struct build *b)
{
	uint32_t n = (uint32_t)b->functions.n, *order = sorted(b->functions.data, n, by_name);
	uint32_t *rank = mem_calloc((size_t)n + 1, sizeof(*rank));
	b->s->functions = mem_calloc((size_t)n + 1, sizeof(*b->s->functions));
	b->s->functions_n = n;
	for (uint32_t i = 0; i < n; i++) {
		b->s->functions[i] = b->functions.data[order[i]];
		rank[order[i]] = i;
	}
	for (size_t i = 0; i < b->nodes.n; i++)
		b->nodes.data[i].function = rank[b->nodes.data[i].function];
	free(rank);
	free(order);
}

/* Copies the nodes to s->nodes, depth first.  Replaces the index of each node in rows[] by its new one. */
static void order_nodes(struct build *b, uint32_t *rows, size_t rows_n)
{
	struct stacks *s = b->s;
	uint32_t n = s->nodes_n = (uint32_t)b->nodes.n, *order = sorted(b->nodes.data, n, by_caller);
	uint32_t *first = mem_calloc((size_t)n + 1, sizeof(*first)), *to = mem_calloc((size_t)n + 1, sizeof(*to));
	VEC(uint32_t) open = {0};
	s->nodes = mem_calloc((size_t)n + 1, sizeof(*s->nodes));
	for (uint32_t i = n; i-- > 0;)
		if (b->nodes.data[order[i]].caller != STACKS_NONE)
			first[b->nodes.data[order[i]].caller] = i;
		else
			vec_push(&open) = order[i];
	for (uint32_t at = 0; open.n; at++) {
		uint32_t from = open.data[--open.n];
		struct stack_node *node = &s->nodes[at];
		*node = b->nodes.data[from];
		node->caller = node->caller == STACKS_NONE ? STACKS_NONE : to[node->caller];
		to[from] = at;
		size_t below = open.n;
		for (uint32_t i = first[from]; i < n && b->nodes.data[order[i]].caller == from; i++)
			vec_push(&open) = order[i];
		/* reverses the siblings on the stack, because its top is taken next: it must be the first sibling */
		for (size_t i = below, k = open.n; i + 1 < k; i++) {
			uint32_t other = open.data[--k];
			open.data[k] = open.data[i];
			open.data[i] = other;
		}
	}
	for (size_t i = 0; i < rows_n; i++)
		rows[i] = to[rows[i]];
	vec_free(&open);
	free(first);
	free(to);
	free(order);
}

/* ---- making the tree of a table ------------------------------------------------------------------------- */

static void build_deinit(struct build *b)
{
	index_deinit(&b->by_function);
	index_deinit(&b->by_node);
	index_deinit(&b->by_place);
	vec_free(&b->functions);
	vec_free(&b->nodes);
	vec_free(&b->places);
	vec_free(&b->way);
	strbuf_deinit(&b->text);
	free(b->of_sym);
}

static void add_rows(struct stacks *s, const struct batch_rows *rows, const uint32_t *node_of_rows)
{
	s->sums = mem_calloc((size_t)s->nodes_n * s->sums_n + 1, sizeof(*s->sums));
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = rows->sheet->rows[i];
		uint32_t at = node_of_rows[i];
		s->nodes[at].share += row->share_valid ? row->share : 0;
		for (size_t k = 0; k < s->sums_n; k++)
			sum_add(&s->sums[at * s->sums_n + k], &row->sums[k]);
	}
}

static size_t event_of(const struct view_input *in, const char *column)
{
	for (size_t e = 0; column && e < in->snap->events_n; e++)
		if (in->info->events[e].available && strcmp(in->info->events[e].spec.name, column) == 0)
			return e;
	return in->snap->primary;
}

/* Sets the share of each node to its fraction of the weight of s->event. */
static void share_event(struct stacks *s)
{
	double all = 0;
	for (uint32_t i = 0; i < s->nodes_n; i++)
		all += stacks_value(s, &s->sums[i * s->sums_n], s->event);
	for (uint32_t i = 0; i < s->nodes_n; i++)
		s->nodes[i].share = all > 0 ? stacks_value(s, &s->sums[i * s->sums_n], s->event) / all : 0;
}

void stacks_init(struct stacks *s, const struct view_input *in, const struct pivot *pivot,
		 const struct batch_config *config)
{
	struct batch_rows rows;
	*s = (struct stacks){.in = in, .sums_n = in->snap->sums.n, .names = intern_create()};
	struct build b = {.s = s, .of_sym = mem_calloc((size_t)in->cat->syms_n + 1, sizeof(*b.of_sym))};
	index_init(&b.by_function);
	index_init(&b.by_node);
	index_init(&b.by_place);
	batch_rows_init(&rows, pivot, in, config);
	uint32_t *nodes = mem_calloc(rows.n + 1, sizeof(*nodes));
	for (size_t i = 0; i < rows.n; i++)
		nodes[i] = node_of_row(&b, rows.sheet->rows[i]);
	order_functions(&b);
	list_files(s);
	order_nodes(&b, nodes, rows.n);
	add_rows(s, &rows, nodes);
	s->event = event_of(in, config->sort);
	if (s->event != in->snap->primary)
		share_event(s);
	free(nodes);
	batch_rows_deinit(&rows);
	build_deinit(&b);
}

void stacks_deinit(struct stacks *s)
{
	free(s->functions);
	free(s->files);
	free(s->nodes);
	free(s->sums);
	intern_destroy(s->names);
}

double stacks_value(const struct stacks *s, const struct sum *sums, size_t event)
{
	bool weighed = s->in->snap->events[event].state == COUNT_OK;
	return weighed ? sums[event].weight : (double)sums[event].samples;
}

uint64_t stacks_samples(const struct stacks *s, uint32_t node, size_t event)
{
	return s->sums[node * s->sums_n + event].samples;
}

bool stacks_has(const struct stacks *s, size_t event)
{
	return rows_have_samples(s->in, event);
}

bool stacks_in_ns(const struct stacks *s, size_t event)
{
	return s->in->roles[event] == ROLE_CLOCK && s->in->snap->events[event].state == COUNT_OK;
}
