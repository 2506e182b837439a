#include "source/live/who.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int find(struct task_stat *ret, uint32_t id, bool process, bool user_only, struct error *err)
{
	const char *word = process ? "process" : "thread";
	int rc = proc_task(id, ret);
	if (rc == -EMFILE || rc == -ENFILE)
		return error_set(err, -rc, "too few files may be open: raise ulimit -Hn");
	if (rc < 0)
		return error_set(err, ESRCH, "there is no %s %u, or it has ended: ps -e%s lists those there are", word,
				 id, process ? "" : "L");
	if (process && ret->pid != id)
		return error_set(err, EINVAL, "%u is a thread of process %u: -p %u measures that, -t %u the thread", id,
				 ret->pid, ret->pid, id);
	if (ret->kernel && user_only)
		return error_set(err, EINVAL, "%s %u (%s) is the kernel's, of which --user-only sees nothing", word, id,
				 ret->comm);
	return 0;
}

int who_init(struct who *ret, const struct target *target, bool user_only, struct error *err)
{
	struct who w = {.target = target, .named = mem_calloc(target->ids_n, sizeof(w.named[0]))};
	for (size_t i = 0; i < target->ids_n; i++) {
		int rc = find(&w.named[i].then, target->ids[i], target->kind == TARGET_PROCESSES, user_only, err);
		if (rc) {
			who_deinit(&w);
			return rc;
		}
	}
	*ret = w;
	return 0;
}

void who_deinit(struct who *w)
{
	free(w->named);
	w->named = NULL;
}

int who_scan(const struct who *w, task_known_fn *known, const void *ctx, struct task_stats *ret)
{
	if (w->target->kind == TARGET_USER)
		return proc_scan_user(w->target->uid, known, ctx, ret);
	for (size_t i = 0; i < w->target->ids_n; i++) {
		const struct task_stat *then = &w->named[i].then;
		struct task_stat now;
		if (proc_task(then->tid, &now) < 0 || now.start_ticks != then->start_ticks)
			continue;
		if (w->target->kind == TARGET_THREADS)
			vec_push(ret) = now;
		else
			proc_scan_process(then->tid, known, ctx, ret);
	}
	return 0;
}

int who_refused(const struct live_env *env, uint32_t tid, int code, struct error *err)
{
	char path[48], text[300], number[24];
	struct task_stat task = {.comm = "?"};
	struct stat st;
	snprintf(path, sizeof(path), "/proc/%u", tid);
	bool there = proc_task(tid, &task) == 0 && stat(path, &st) == 0;
	uint32_t id = there ? task.pid : tid;
	struct task_stat leader; /* the process's name is wanted, which may differ from the thread's */
	if (id != tid && proc_task(id, &leader) == 0)
		memcpy(task.comm, leader.comm, sizeof(task.comm));
	if (code != EACCES && code != EPERM) {
		advice_event(env, SCOPE_TASKS, code, text, sizeof(text));
		return error_set(err, code, "process %u (%s): %s", id, task.comm, text);
	}
	if (there && task.kernel)
		snprintf(text, sizeof(text), "is the kernel's");
	else if (there && st.st_uid != geteuid())
		snprintf(text, sizeof(text), "belongs to another user (%u)", (unsigned)st.st_uid);
	else
		snprintf(text, sizeof(text), "may not be looked into (it is set-user-ID, or its like)");
	return error_set(err, code,
			 "process %u (%s) %s, which needs privilege (%s): run with sudo, or: sudo setcap " SETCAP_CAPS
			 " %s",
			 id, task.comm, text, errno_name(code, number, sizeof(number)), env->exe);
}
