#include "source/live/members.h"

#include <stdlib.h>

static struct member *at(const struct members *m, uint32_t slot)
{
	return slot == INDEX_NONE ? NULL : &m->all.data[slot];
}

static uint32_t newest_slot(const struct members *m, uint32_t tid)
{
	return index_find_by(&m->by_tid, m->all.data, tid, tid);
}

static struct member *newest(const struct members *m, uint32_t tid)
{
	return at(m, newest_slot(m, tid));
}

/* Returns the member that has this tid and has not ended; NULL if there is none. */
static struct member *living(const struct members *m, uint32_t tid)
{
	struct member *e = newest(m, tid);
	return e && e->belongs && !e->ended_ns ? e : NULL;
}

void members_init(struct members *m)
{
	*m = (struct members){.free = INDEX_NONE};
	index_init(&m->by_tid);
}

void members_deinit(struct members *m)
{
	index_deinit(&m->by_tid);
	vec_free(&m->all);
	vec_free(&m->ended);
}

/* Adds a task as the newest with its tid. */
static struct member *push(struct members *m, struct member e)
{
	uint32_t slot = m->free, older = newest_slot(m, e.tid);
	uint64_t hash = index_hash(&m->by_tid, e.tid);
	if (slot != INDEX_NONE) {
		m->free = m->all.data[slot].older;
	} else {
		slot = (uint32_t)m->all.n;
		vec_push(&m->all) = (struct member){0};
	}
	e.older = older;
	if (older != INDEX_NONE)
		index_remove(&m->by_tid, hash, older);
	m->all.data[slot] = e;
	index_add(&m->by_tid, hash, slot);
	return &m->all.data[slot];
}

/* ---- ending members --------------------------------------------------------------------- */

static void keep_for_a_while(struct members *m, struct member *e, uint64_t time_ns)
{
	e->ended_ns = time_ns ? time_ns : 1;
	vec_push(&m->ended) = (struct member_end){e->ended_ns, (uint32_t)(e - m->all.data)};
}

static void end(struct members *m, struct member *e, uint64_t time_ns)
{
	uint32_t pid = e->pid;
	bool thread = e->tid != pid;
	keep_for_a_while(m, e, time_ns);
	m->alive--;
	struct member *leader = thread ? living(m, pid) : NULL;
	if (!leader || !leader->threads)
		return;
	leader->threads--;
	if (!leader->threads && leader->leader_has_gone) {
		keep_for_a_while(m, leader, time_ns);
		m->alive--;
	}
}

static void forget(struct members *m, uint32_t slot)
{
	struct member *e = &m->all.data[slot];
	uint32_t first = newest_slot(m, e->tid);
	if (first == slot) {
		uint64_t hash = index_hash(&m->by_tid, e->tid);
		index_remove(&m->by_tid, hash, slot);
		if (e->older != INDEX_NONE)
			index_add(&m->by_tid, hash, e->older);
	} else {
		struct member *newer = at(m, first);
		while (newer && newer->older != slot)
			newer = at(m, newer->older);
		if (newer)
			newer->older = e->older;
	}
	*e = (struct member){.older = m->free};
	m->free = slot;
}

void members_settle(struct members *m, uint64_t time_ns)
{
	while (m->ended_at < m->ended.n) {
		const struct member_end *first = &m->ended.data[m->ended_at];
		if (u64_add_sat(first->time_ns, ENDED_KEPT_NS) > time_ns)
			break;
		/* if ended_ns has changed, the task went on after all, with an exec: see end_other_threads() */
		if (m->all.data[first->slot].ended_ns == first->time_ns)
			forget(m, first->slot);
		m->ended_at++;
	}
	if (m->ended_at * 2 < m->ended.n)
		return;
	m->ended.n -= m->ended_at;
	for (size_t i = 0; i < m->ended.n; i++)
		m->ended.data[i] = m->ended.data[m->ended_at + i];
	m->ended_at = 0;
}

void members_check(struct members *m, bool (*gone)(uint32_t pid, uint32_t tid), uint64_t time_ns)
{
	enum { CHECKED_MIN = 16, CHECKED_SHARE = 32 };
	size_t checks = CHECKED_MIN + m->all.n / CHECKED_SHARE;
	for (size_t i = 0; i < checks && i < m->all.n; i++) {
		m->checked = m->checked + 1 < m->all.n ? m->checked + 1 : 0;
		struct member *e = &m->all.data[m->checked];
		if (e->belongs && !e->ended_ns && gone(e->pid, e->tid))
			end(m, e, time_ns);
	}
}

/* ---- applying records, and adding tasks from /proc ---------------------------------------- */

void members_add(struct members *m, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	if (living(m, tid))
		return;
	push(m, (struct member){.tid = tid, .pid = pid, .from_ns = time_ns, .belongs = true});
	m->alive++;
	struct member *leader = tid != pid ? living(m, pid) : NULL;
	if (leader)
		leader->threads++;
}

void members_await_exec(struct members *m, uint32_t pid)
{
	members_add(m, pid, pid, UINT64_MAX);
}

bool members_has(const struct members *m, uint32_t tid, uint64_t time_ns)
{
	for (const struct member *e = newest(m, tid); e; e = at(m, e->older))
		if (e->from_ns <= time_ns)
			return e->belongs;
	return false;
}

bool members_alive(const struct members *m, uint32_t tid)
{
	return living(m, tid) != NULL;
}

bool members_fork(struct members *m, uint32_t pid, uint32_t tid, uint32_t parent_tid, uint64_t time_ns)
{
	bool ours = members_has(m, parent_tid, time_ns);
	struct member *e = newest(m, tid);
	if (e && e->belongs && !e->ended_ns) {
		if (e->from_ns >= time_ns) { /* /proc listed the task before its FORK record came */
			if (ours)
				e->from_ns = time_ns;
			return ours;
		}
		end(m, e, time_ns); /* the EXIT record of the task that had this tid before was lost */
	}
	if (ours)
		members_add(m, pid, tid, time_ns);
	else if (e && e->belongs)
		keep_for_a_while(m, push(m, (struct member){.tid = tid, .pid = pid, .from_ns = time_ns}), time_ns);
	return ours;
}

void members_exit(struct members *m, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct member *e = living(m, tid);
	if (!e || (e->from_ns > time_ns && e->from_ns != UINT64_MAX))
		return;
	if (tid == pid && e->threads)
		e->leader_has_gone = true; /* another thread may still call exec, and get the leader's tid */
	else
		end(m, e, time_ns);
}

/* After an exec, ends all threads of the process but the leader.  The thread that called exec goes on as the leader,
 * and no record says so. */
static void end_other_threads(struct members *m, struct member *leader, uint64_t time_ns)
{
	leader->leader_has_gone = false;
	for (size_t i = 0; leader->threads && i < m->all.n; i++) {
		struct member *e = &m->all.data[i];
		if (e->belongs && !e->ended_ns && e->pid == leader->pid && e != leader)
			end(m, e, time_ns);
	}
	leader->threads = 0;
}

void members_exec(struct members *m, uint32_t pid, uint64_t time_ns)
{
	struct member *e = living(m, pid);
	if (!e)
		return;
	if (e->from_ns == UINT64_MAX)
		e->from_ns = time_ns;
	else if (e->threads)
		end_other_threads(m, e, time_ns);
}
