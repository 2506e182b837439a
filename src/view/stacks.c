/* The key W: what each thread of a process does now, and the stacks that it had within the window. */
#include "view/columns.h"
#include "view/screen.h"

#include "base/alloc.h"
#include "base/clean.h"

#include <stdlib.h>

enum { STACKS_OF_THREAD = 6 };

static uint32_t leader_of(const struct view_input *in, uint32_t task)
{
	return task < in->cat->tasks_n ? in->cat->tasks[task].leader : CATALOG_NONE;
}

unsigned act_stacks(const struct press *p)
{
	struct view_state *st = p->st;
	struct selection sel;
	selection_get(st, p->in, &sel);
	bool of_task = sel.row && !sel.row->idle && dimensions[sel.dim].part == PART_TASK;
	uint32_t leader = of_task ? leader_of(p->in, row_task(p->in, sel.row)) : CATALOG_NONE;
	if (leader >= p->in->cat->tasks_n)
		return state_say(st, "Select a task: W shows what each of its threads does now, and its stacks.");
	struct view *v = view_open(st, &stacks_view, st->views_n - 1);
	if (!v)
		return views_full(st);
	st->watched = catalog_task_ref(p->in->cat, leader);
	v->pivot = (struct pivot_query){.dims = {DIM_TID, DIM_CHAIN}, .dims_n = 2, .relative = true};
	v->pivot.filters[v->pivot.filters_n++] = (struct filter){DIM_PID, dimension_key(p->in->names, DIM_PID, leader)};
	return REACT_QUERY | REACT_REDRAW;
}

uint32_t view_watched(struct view_state *st, const struct view_input *in)
{
	bool open = view_find(st, &stacks_view) && in->cat && catalog_task_valid(in->cat, st->watched);
	return open && in->cat->tasks[st->watched.id].pid > 0 ? (uint32_t)in->cat->tasks[st->watched.id].pid : 0;
}

/* ---- writing the stacks of threads -------------------------------------------------------------- */

/* A call stack that a thread had within the window, and how long the thread was off the CPU with this stack. */
struct thread_stack {
	const struct row *row;
	double off_ns;
};

/* Returns a row's time off the CPU in ns; negative: not measured. */
static double off_cpu(const struct view_input *in, const struct row *row)
{
	for (size_t i = 0; i < in->snap->sums.n; i++) {
		size_t e = in->snap->sums.event[i];
		if (in->info->events[e].spec.off_cpu && in->snap->events[e].state == COUNT_OK)
			return row->sums[i].weight;
	}
	return -1;
}

static int compare(const void *pa, const void *pb)
{
	const struct thread_stack *a = pa, *b = pb;
	if (a->off_ns != b->off_ns)
		return a->off_ns > b->off_ns ? -1 : 1;
	return (a->row->share < b->row->share) - (a->row->share > b->row->share);
}

static void add_stack(const struct view_input *in, const struct thread_stack *h, struct strbuf *b)
{
	bool away = h->off_ns > 0, ran = h->row->share > 0 || !away;
	strbuf_add(b, "  ");
	if (away)
		strbuf_addf(b, "%.1f ms off the CPU%s", h->off_ns / 1e6, ran ? ", " : "");
	if (ran)
		strbuf_addf(b, "%.1f%% of %s", 100 * h->row->share, view_share_of(in));
	strbuf_add(b, ": ");
	view_chain_text(in, h->row->ctx, b);
	strbuf_add(b, "\n");
}

/* Adds the call stacks of a thread; those in which it waited longest come first. */
static void add_stacks(const struct view_input *in, const struct pivot *pivot, int32_t tid, struct strbuf *b)
{
	VEC(struct thread_stack) all = {0};
	for (size_t i = 0; pivot && i < pivot->n; i++) {
		const struct row *row = &pivot->rows[i];
		if (row->task < in->cat->tasks_n && in->cat->tasks[row->task].tid == tid && row->ctx != CATALOG_NONE)
			vec_push(&all) = (struct thread_stack){row, off_cpu(in, row)};
	}
	if (all.n > 1)
		qsort(all.data, all.n, sizeof(*all.data), compare);
	for (size_t i = 0; i < all.n && i < STACKS_OF_THREAD; i++)
		add_stack(in, &all.data[i], b);
	if (all.n > STACKS_OF_THREAD)
		strbuf_addf(b, "  and %zu more\n", all.n - STACKS_OF_THREAD);
	vec_free(&all);
}

static const char *state_word(char state)
{
	static const struct {
		char state;
		const char *word;
	} words[] = {
		{'R', "runs, or could"},
		{'S', "waits"},
		{'D', "waits, and cannot be interrupted"},
		{'T', "is stopped"},
		{'t', "is stopped by a debugger"},
		{'I', "is idle"},
		{'Z', "has ended"},
	};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].state == state)
			return words[i].word;
	return "is in a state without a name";
}

static void add_thread(const struct live_thread *t, struct strbuf *b)
{
	strbuf_addf(b, "%d ", t->tid);
	clean_add(b, t->comm, CLEAN_LINE);
	strbuf_addf(b, " %s", state_word(t->state));
	if (t->syscall[0])
		strbuf_addf(b, ", in the system call %s", t->syscall);
	if (t->wchan[0]) {
		strbuf_add(b, ", in ");
		clean_add(b, t->wchan, CLEAN_LINE);
	}
	strbuf_add(b, "\n");
}

/* Adds the threads that had samples; used if the source cannot tell what threads do now. */
static void add_sampled(const struct view_input *in, const struct pivot *pivot, struct strbuf *b)
{
	bool *listed = mem_calloc((size_t)in->cat->tasks_n + 1, sizeof(*listed));
	for (size_t i = 0; pivot && i < pivot->n; i++) {
		uint32_t task = pivot->rows[i].task;
		if (task >= in->cat->tasks_n || listed[task])
			continue;
		listed[task] = true;
		strbuf_addf(b, "%d ", in->cat->tasks[task].tid);
		clean_add(b, in->cat->tasks[task].comm, CLEAN_LINE);
		strbuf_add(b, "\n");
		add_stacks(in, pivot, in->cat->tasks[task].tid, b);
	}
	free(listed);
}

static void stacks_text(struct view_state *st, const struct view_input *in, struct strbuf *b)
{
	const struct view *v = view_find(st, &stacks_view);
	const struct pivot *pivot = v && in->snap ? snapshot_pivot(in->snap, &v->pivot) : NULL;
	if (!catalog_task_valid(in->cat, st->watched)) {
		strbuf_add(b, "The process ended a long time ago.\n");
		return;
	}
	const struct task_info *t = &in->cat->tasks[st->watched.id];
	const struct live_threads none = {.n = 0}, *now = in->threads ? in->threads : &none;
	strbuf_addf(b, "Process %d ", t->pid);
	clean_add(b, t->comm, CLEAN_LINE);
	strbuf_addf(b, ": %s. Shares are of its samples within the window%s.\n",
		    now->n ? "what its threads do now" : "what they do now is not known",
		    in->info->chains ? "" : "; g has samples taken with call chains");
	for (size_t i = 0; i < now->n; i++) {
		add_thread(&now->data[i], b);
		add_stacks(in, pivot, now->data[i].tid, b);
	}
	if (!now->n)
		add_sampled(in, pivot, b);
	if (now->more)
		strbuf_addf(b, "and %zu more threads\n", now->more);
}

static void stacks_draw(struct frame *f, struct view *v, struct rect where)
{
	v->whole = true;
	text_view_draw(f, v, where);
}

const struct view_ops stacks_view = {
	.place = PLACE_SCREEN,
	.has_pivot = true,
	.open = {.names = "W"},
	.title = "Stacks of a process",
	.text = stacks_text,
	.draw = stacks_draw,
	.key = text_screen_key,
};
