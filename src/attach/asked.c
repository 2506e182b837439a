#include "attach/ask.h"
#include "base/alloc.h"
#include "os/clock.h"

#include <cyctop/attach.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* The longest time between two questions to a process, as a multiple of the shortest (again_ns).  Each answer lists all
 * code of the process, so asking is expensive.  The time doubles with each question: new code appears mostly soon after
 * the start of the process. */
enum { AGAIN_MAX = 32 /* factor of asked.again_ns */ };
/* After this time no answer can come: the child that asks is killed after ATTACH_HARD_SECONDS; 3 s are in reserve. */
static const uint64_t patience_ns = (uint64_t)(ATTACH_HARD_SECONDS + 3) * 1000000000;

struct asked_one {
	struct catalog_ref task;
	uint64_t exec_ns; /* exec_ns of the task when it was asked; if it differs, another program runs */
	enum runtime_kind runtime;
	uint64_t start_ticks;
	uint64_t asked_ns; /* when the process was asked: CLOCK_MONOTONIC in ns, as the times of samples */
	uint64_t rest_ns;  /* shortest time from asked_ns until the process is asked again */
};

struct asked {
	int helper;
	uint64_t again_ns;
	VEC(struct asked_one) list; /* processes that have answered */
	/* The question that waits for its answer, if `waits`; `first`: the user asked it, not asked_tend(). */
	bool waits, first;
	uint32_t number;
	struct asked_one asked;
};

struct asked *asked_create(int helper, uint64_t again_ns)
{
	struct asked *all = mem_calloc(1, sizeof(*all));
	all->helper = helper;
	all->again_ns = again_ns;
	return all;
}

void asked_destroy(struct asked *all)
{
	if (all->helper >= 0)
		close(all->helper);
	vec_free(&all->list);
	free(all);
}

bool asked_possible(const struct asked *all)
{
	return all->helper >= 0;
}

int asked_fd(const struct asked *all)
{
	return all->helper;
}

/* Returns the task; NULL if the process has ended, or another task has its catalog entry now. */
static const struct task_info *task_of(const struct resolver *r, struct catalog_ref ref)
{
	const struct catalog *cat = resolver_catalog(r);
	return catalog_task_valid(cat, ref) && !cat->tasks[ref.id].exit_ns ? &cat->tasks[ref.id] : NULL;
}

/* Writes the name of a process to buf: "java (pid 17)". */
static void name_of(const struct resolver *r, struct catalog_ref ref, char *buf, size_t cap)
{
	const struct task_info *t = task_of(r, ref);
	if (t)
		snprintf(buf, cap, "%.20s (pid %d)", t->comm ? t->comm : "a process", t->pid);
	else
		snprintf(buf, cap, "a process that has ended");
}

/* Returns the process's entry in all->list; NULL if the process never answered. */
static struct asked_one *find(const struct asked *all, struct catalog_ref task)
{
	for (size_t i = 0; i < all->list.n; i++)
		if (all->list.data[i].task.id == task.id && all->list.data[i].task.generation == task.generation)
			return &all->list.data[i];
	return NULL;
}

bool asked_writes_names(const struct asked *all, struct catalog_ref task)
{
	const struct asked_one *one = find(all, task);
	return one && !runtimes[one->runtime].again;
}

static void lose_helper(struct asked *all)
{
	close(all->helper);
	all->helper = -1;
	all->waits = false;
}

static bool send_question(struct asked *all, const struct task_info *t, bool first)
{
	struct attach_question q = {
		.number = ++all->number,
		.pid = t->pid,
		.runtime = all->asked.runtime,
		.may_signal = first,
		.start_ticks = all->asked.start_ticks,
	};
	all->asked.asked_ns = clock_ns(CLOCK_MONOTONIC);
	all->first = first;
	all->waits = send(all->helper, &q, sizeof(q), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(q);
	if (!all->waits)
		lose_helper(all);
	return all->waits;
}

bool asked_ask(struct asked *all, struct resolver *r, struct catalog_ref task, char *text, size_t cap)
{
	char name[64];
	const struct task_info *t = task_of(r, task);
	struct asked_one asked = {.task = task, .rest_ns = all->again_ns};
	name_of(r, all->waits ? all->asked.task : task, name, sizeof(name));
	if (all->waits)
		snprintf(text, cap, "Not asked: %s has not answered yet.", name);
	else if (!t || !attach_start_ticks(t->pid, &asked.start_ticks))
		snprintf(text, cap, "Not asked: the process has ended.");
	else if (all->helper < 0)
		snprintf(text, cap, "Nobody can be asked: cyctop's process that does it has ended.");
	else if (asked_writes_names(all, task))
		snprintf(text, cap, "Not asked again: %s goes on writing the names of its code.", name);
	else {
		asked.exec_ns = t->exec_ns;
		asked.runtime = t->runtime;
		all->asked = asked;
		if (send_question(all, t, true))
			snprintf(text, cap, "%s was asked for the names of its code.", name);
		else
			snprintf(text, cap, "Nobody can be asked: cyctop's process that does it has ended.");
	}
	return true;
}

static void forget(struct asked *all, struct asked_one *one)
{
	*one = all->list.data[--all->list.n];
}

static void remember(struct asked *all)
{
	struct asked_one *one = find(all, all->asked.task);
	if (one)
		*one = all->asked;
	else
		vec_push(&all->list) = all->asked;
}

/* Handles an answer; *a is `silence` if none came.  Returns true if `text` was set to a message for the user. */
static bool conclude(struct asked *all, struct resolver *r, const struct attach_answer *a, char *text, size_t cap)
{
	char name[64];
	all->waits = false;
	name_of(r, all->asked.task, name, sizeof(name));
	if (a->code == 0) {
		remember(all);
		if (task_of(r, all->asked.task))
			resolver_code_written(r, all->asked.task.id);
		if (all->first)
			snprintf(text, cap, "%s %s.", name, runtimes[all->asked.runtime].done);
		return all->first;
	}
	struct asked_one *one = find(all, all->asked.task);
	if (one)
		forget(all, one);
	if (!all->first && !task_of(r, all->asked.task))
		return false; /* the user need not be told that the process has ended */
	snprintf(text, cap, "%s gave no %snames: %.200s.", name, all->first ? "" : "further ", a->text);
	return true;
}

static const struct attach_answer silence = {.code = -ETIMEDOUT, .text = "it did not answer in time"};

bool asked_answered(struct asked *all, struct resolver *r, char *text, size_t cap)
{
	struct attach_answer a;
	if (all->helper < 0)
		return false;
	ssize_t n = recv(all->helper, &a, sizeof(a), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	bool waited = all->waits;
	if (n <= 0) { /* the helper has ended */
		lose_helper(all);
		return waited && conclude(all, r, &silence, text, cap);
	}
	a.text[sizeof(a.text) - 1] = '\0';
	/* drops a late answer to an earlier question */
	return n == (ssize_t)sizeof(a) && waited && a.number == all->number && conclude(all, r, &a, text, cap);
}

/* Returns true if the process is to be asked again: rest_ns has passed, and unnamed code was sampled after asked_ns.
 * In this case also sets the next rest_ns. */
static bool is_due(const struct asked *all, struct asked_one *one, const struct resolver *r, uint64_t now)
{
	if (!runtimes[one->runtime].again)
		return false;
	uint64_t since = now - one->asked_ns;
	if (since < one->rest_ns || !resolver_lacks_code(r, one->task.id, one->asked_ns))
		return false;
	one->rest_ns = since > 4 * one->rest_ns ? all->again_ns : one->rest_ns * 2;
	if (one->rest_ns > AGAIN_MAX * all->again_ns)
		one->rest_ns = AGAIN_MAX * all->again_ns;
	return true;
}

bool asked_tend(struct asked *all, struct resolver *r, char *text, size_t cap)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	if (all->waits && now - all->asked.asked_ns > patience_ns)
		return conclude(all, r, &silence, text, cap);
	for (size_t i = all->list.n; i-- > 0;) {
		struct asked_one *one = &all->list.data[i];
		const struct task_info *t = task_of(r, one->task);
		if (!t || t->exec_ns != one->exec_ns) {
			forget(all, one);
		} else if (!all->waits && all->helper >= 0 && is_due(all, one, r, now)) {
			all->asked = *one;
			(void)!send_question(all, t, false);
		}
	}
	return false;
}
