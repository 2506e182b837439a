#include "app/jvms.h"

#include "app/jvm_helper.h"
#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A JVM compiles most when it has just started, and each answer has all of its code.  So the time between two questions
 * doubles while there is new code each time. */
enum { AGAIN_MAX = 32 /* times the least time between them */ };
/* Longer than the helper takes in any case. */
static const uint64_t patience_ns = (uint64_t)(JVM_HARD_SECONDS + 3) * 1000000000;

struct jvm {
	struct catalog_ref task;
	uint64_t start_ticks;
	uint64_t asked_ns; /* CLOCK_MONOTONIC, as the times of samples */
	uint64_t rest_ns;  /* until it is asked again */
};

struct jvms {
	int helper;
	uint64_t again_ns;
	VEC(struct jvm) jvm; /* those that answered */
	/* The question that is not answered yet. */
	bool waits, first;
	struct jvm asked;
};

struct jvms *jvms_create(int helper, uint64_t again_ns)
{
	struct jvms *j = mem_calloc(1, sizeof(*j));
	j->helper = helper;
	j->again_ns = again_ns;
	return j;
}

void jvms_destroy(struct jvms *j)
{
	if (j->helper >= 0)
		close(j->helper);
	vec_free(&j->jvm);
	free(j);
}

bool jvms_possible(const struct jvms *j)
{
	return j->helper >= 0;
}

int jvms_fd(const struct jvms *j)
{
	return j->helper;
}

/* NULL: the process has ended. */
static const struct task_info *task_of(const struct resolver *r, struct catalog_ref ref)
{
	const struct catalog *cat = resolver_catalog(r);
	return catalog_task_valid(cat, ref) && !cat->tasks[ref.id].exit_ns ? &cat->tasks[ref.id] : NULL;
}

/* "java (pid 17)" */
static void name_of(const struct resolver *r, struct catalog_ref ref, char *buf, size_t cap)
{
	const struct task_info *t = task_of(r, ref);
	if (t)
		snprintf(buf, cap, "%.20s (pid %d)", t->comm ? t->comm : "a JVM", t->pid);
	else
		snprintf(buf, cap, "a JVM that has ended");
}

static void lose_helper(struct jvms *j)
{
	close(j->helper);
	j->helper = -1;
	j->waits = false;
}

static bool send_question(struct jvms *j, const struct task_info *t, bool first)
{
	struct attach_question q = {.pid = t->pid, .may_signal = first, .start_ticks = j->asked.start_ticks};
	j->asked.asked_ns = clock_ns(CLOCK_MONOTONIC);
	j->first = first;
	j->waits = send(j->helper, &q, sizeof(q), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(q);
	if (!j->waits)
		lose_helper(j);
	return j->waits;
}

bool jvms_ask(struct jvms *j, struct resolver *r, struct catalog_ref task, char *text, size_t cap)
{
	char name[64];
	const struct task_info *t = task_of(r, task);
	struct jvm asked = {.task = task, .rest_ns = j->again_ns};
	name_of(r, j->waits ? j->asked.task : task, name, sizeof(name));
	if (j->waits)
		snprintf(text, cap, "Not asked: %s has not answered yet.", name);
	else if (!t || !attach_start_ticks(t->pid, &asked.start_ticks))
		snprintf(text, cap, "Not asked: the process has ended.");
	else if (j->helper < 0)
		snprintf(text, cap, "No JVM can be asked: the process that does it has ended.");
	else {
		j->asked = asked;
		if (send_question(j, t, true))
			snprintf(text, cap, "%s was asked for the names of its code.", name);
		else
			snprintf(text, cap, "No JVM can be asked: the process that does it has ended.");
	}
	return true;
}

/* The entry of the process; NULL: it never answered. */
static struct jvm *find(struct jvms *j, struct catalog_ref task)
{
	for (size_t i = 0; i < j->jvm.n; i++)
		if (j->jvm.data[i].task.id == task.id && j->jvm.data[i].task.generation == task.generation)
			return &j->jvm.data[i];
	return NULL;
}

static void forget(struct jvms *j, struct jvm *jvm)
{
	*jvm = j->jvm.data[--j->jvm.n];
}

static void remember(struct jvms *j)
{
	struct jvm *jvm = find(j, j->asked.task);
	if (jvm)
		*jvm = j->asked;
	else
		vec_push(&j->jvm) = j->asked;
}

/* Takes an answer, or that there is none. */
static bool conclude(struct jvms *j, struct resolver *r, const struct attach_answer *a, char *text, size_t cap)
{
	char name[64];
	j->waits = false;
	name_of(r, j->asked.task, name, sizeof(name));
	if (a->code == 0) {
		remember(j);
		if (task_of(r, j->asked.task))
			resolver_code_written(r, j->asked.task.id);
		if (j->first)
			snprintf(text, cap, "%s wrote the names of its code; it is asked again when new code has none.",
				 name);
		return j->first;
	}
	struct jvm *jvm = find(j, j->asked.task);
	if (jvm)
		forget(j, jvm);
	if (!j->first && !task_of(r, j->asked.task))
		return false; /* it has ended, which is not worth a word */
	snprintf(text, cap, "%s gave no %snames: %.200s.", name, j->first ? "" : "further ", a->text);
	return true;
}

static const struct attach_answer silence = {.code = -ETIMEDOUT, .text = "it did not answer in time"};

bool jvms_answered(struct jvms *j, struct resolver *r, char *text, size_t cap)
{
	struct attach_answer a;
	if (j->helper < 0)
		return false;
	ssize_t n = recv(j->helper, &a, sizeof(a), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	bool waited = j->waits;
	if (n <= 0) { /* the helper was ended */
		lose_helper(j);
		return waited && conclude(j, r, &silence, text, cap);
	}
	a.text[sizeof(a.text) - 1] = '\0';
	/* one that comes after its time is not of the question that waits */
	return n == (ssize_t)sizeof(a) && waited && conclude(j, r, &a, text, cap);
}

/* The JVM is asked again when code without a name was sampled since, and its rest is over. */
static bool is_due(const struct jvms *j, struct jvm *jvm, const struct resolver *r, uint64_t now)
{
	uint64_t since = now - jvm->asked_ns;
	if (since < jvm->rest_ns || !resolver_lacks_code(r, jvm->task.id, jvm->asked_ns))
		return false;
	jvm->rest_ns = since > 4 * jvm->rest_ns ? j->again_ns : jvm->rest_ns * 2;
	if (jvm->rest_ns > AGAIN_MAX * j->again_ns)
		jvm->rest_ns = AGAIN_MAX * j->again_ns;
	return true;
}

bool jvms_tend(struct jvms *j, struct resolver *r, char *text, size_t cap)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	if (j->waits && now - j->asked.asked_ns > patience_ns)
		return conclude(j, r, &silence, text, cap);
	for (size_t i = j->jvm.n; i-- > 0;) {
		struct jvm *jvm = &j->jvm.data[i];
		const struct task_info *t = task_of(r, jvm->task);
		if (!t) {
			forget(j, jvm);
		} else if (!j->waits && j->helper >= 0 && is_due(j, jvm, r, now)) {
			j->asked = *jvm;
			(void)!send_question(j, t, false);
		}
	}
	return false;
}
