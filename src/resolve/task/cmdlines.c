/* Reads command lines of processes on a separate thread, because reading /proc may hang. */
#include "base/alloc.h"
#include "base/clean.h"
#include "base/limits.h"
#include "os/asker.h"
#include "os/file.h"

#include <cyctop/resolve.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The command line of a process. */
struct entry {
	char *text;	     /* NULL: unknown */
	uint32_t generation; /* generation of the task id */
	uint32_t asked_for;  /* generation at the last request */
	uint32_t open;	     /* number of requests without an answer yet */
	uint64_t exec_ns;    /* task_info.exec_ns when `text` was requested */
	bool asked;	     /* `text` was requested in this generation, since the last exec */
};
struct cmdlines {
	VEC(struct entry) entries; /* indexed by the task id of the process leader */
	struct asker *asker;
	int64_t wait_ms;
	uint64_t answers;
	size_t bytes; /* length of all texts */
	struct limit_counts limits;
};

char *cmdlines_read(uint64_t question)
{
	char path[32], buf[LIMIT_COMMAND_LINE + 2]; /* one byte above the limit, to notice it, and a NUL */
	snprintf(path, sizeof(path), "/proc/%u/cmdline", (uint32_t)question);
	ssize_t n = os_read(path, buf, sizeof(buf));
	for (ssize_t i = 0; i < n; i++)
		if (!buf[i] || buf[i] == '\n' || buf[i] == '\t')
			buf[i] = ' ';
	while (n > 0 && n <= LIMIT_COMMAND_LINE && buf[n - 1] == ' ')
		buf[--n] = '\0';
	return n > 0 ? mem_strdup(buf) : NULL;
}

/* Returns a copy of `line` without control characters, malloc'ed, and frees `line`; NULL stays NULL. */
static char *clean_line(char *line, struct limit_counts *limits)
{
	struct strbuf clean = {0};
	if (!line)
		return NULL;
	bool cut = strlen(line) > LIMIT_COMMAND_LINE;
	if (cut) {
		line[LIMIT_COMMAND_LINE] = '\0';
		limit_count(limits, REACHED_COMMAND_LINE);
	}
	clean_add(&clean, line, CLEAN_LINE);
	if (cut)
		strbuf_add(&clean, "…");
	free(line);
	return clean.data;
}

struct cmdlines *cmdlines_create(asker_fn *read, int64_t wait_ms)
{
	struct cmdlines *c = mem_calloc(1, sizeof(*c));
	c->asker = asker_create(read);
	c->wait_ms = wait_ms;
	return c;
}

static void set_text(struct cmdlines *c, struct entry *e, char *text)
{
	c->bytes -= e->text ? strlen(e->text) : 0;
	free(e->text);
	e->text = text;
	c->bytes += text ? strlen(text) : 0;
}

/* Drops all command lines; those that are still shown are read again. */
static void forget_all(struct cmdlines *c)
{
	for (size_t i = 0; i < c->entries.n; i++) {
		set_text(c, &c->entries.data[i], NULL);
		c->entries.data[i].asked = false;
	}
}

void cmdlines_destroy(struct cmdlines *c)
{
	if (!c)
		return;
	asker_destroy(c->asker);
	forget_all(c);
	vec_free(&c->entries);
	free(c);
}

/* Takes the thread's answers. Texts that cmdlines_get() returned stay valid: only entries without a text get one. */
static void take_answers(struct cmdlines *c)
{
	uint64_t question;
	char *text;
	while (asker_take(c->asker, &question, &text)) {
		struct entry *e = &c->entries.data[question >> 32];
		c->answers++;
		/* Only the answer to the last request is used: earlier ones may be from before an exec, or from another
		 * process. */
		bool last = --e->open == 0 && e->asked && e->asked_for == e->generation;
		text = clean_line(text, &c->limits);
		if (last && c->bytes <= LIMIT_COMMANDS_BYTES) {
			set_text(c, e, text);
			continue;
		}
		free(text);
		e->asked &= !last; /* cleared, so that the next cmdlines_get() asks again */
	}
}

void cmdlines_update(struct cmdlines *c)
{
	take_answers(c);
	if (c->bytes > LIMIT_COMMANDS_BYTES) {
		limit_count(&c->limits, REACHED_COMMANDS_BYTES);
		forget_all(c);
	}
}

static void ask(struct cmdlines *c, struct entry *e, const struct task_info *t, uint32_t leader)
{
	e->asked = true;
	e->asked_for = t->generation;
	if (!asker_ask(c->asker, (uint64_t)leader << 32 | (uint32_t)t->pid))
		return;
	e->open++;
	if (c->wait_ms <= 0)
		return;
	asker_wait(c->asker, &c->wait_ms);
	take_answers(c);
}

const char *cmdlines_get(struct cmdlines *c, const struct catalog *cat, uint32_t leader)
{
	if (leader >= cat->tasks_n)
		return NULL;
	const struct task_info *t = &cat->tasks[leader];
	while (c->entries.n <= leader)
		vec_push(&c->entries) = (struct entry){.text = NULL};
	struct entry *e = &c->entries.data[leader];
	if (e->generation != t->generation || e->exec_ns != t->exec_ns) {
		set_text(c, e, NULL);
		e->generation = t->generation;
		e->exec_ns = t->exec_ns;
		e->asked = false;
	}
	if (!e->asked && t->pid > 0 && !t->kernel && !t->exit_ns)
		ask(c, e, t, leader);
	return e->text;
}

uint64_t cmdlines_answers(const struct cmdlines *c)
{
	return c ? c->answers : 0;
}

const struct limit_counts *cmdlines_limits(const struct cmdlines *c)
{
	return &c->limits;
}
