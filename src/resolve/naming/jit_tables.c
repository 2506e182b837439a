/* Shares tables between processes with JIT code, and limits the memory of all tables. */
#include "resolve/naming/jits_own.h"

#include <stdlib.h>

static uint64_t hash_of(const struct jits *js, const struct jit_table *t)
{
	return index_hash(&js->by_table, (uintptr_t)t);
}

/* Returns the index of an entry (struct jit) that uses the table; INDEX_NONE: none does. */
static uint32_t user_of(const struct jits *js, const struct jit_table *t)
{
	return index_find_by(&js->by_table, js->jit.data, table, (uintptr_t)t);
}

/* Removes an entry from the ring of entries that share its table.  Another entry of the ring takes over the table's
 * bytes and its place in the index. */
static void leave_ring(struct jits *js, uint32_t pos)
{
	struct jit *j = &js->jit.data[pos];
	uint64_t hash = hash_of(js, j->table);
	uint32_t at = user_of(js, j->table), other = j->next_user;
	if (at == pos)
		index_remove(&js->by_table, hash, pos);
	if (at == pos && other != pos)
		index_add(&js->by_table, hash, other);
	js->jit.data[j->prev_user].next_user = other;
	js->jit.data[other].prev_user = j->prev_user;
	if (other != pos && j->table_bytes)
		js->jit.data[other].table_bytes = j->table_bytes;
	else
		js->bytes -= j->table_bytes;
}

void jits_drop_table(struct jits *js, struct jit *j)
{
	if (!j->table)
		return;
	leave_ring(js, (uint32_t)(j - js->jit.data));
	jit_table_destroy(j->table);
	j->table = NULL;
	j->table_bytes = 0;
}

void jits_use_table(struct jits *js, struct jit *j, struct jit_table *t)
{
	uint32_t pos = (uint32_t)(j - js->jit.data);
	jits_drop_table(js, j);
	uint32_t at = user_of(js, t);
	j->table = t;
	if (at == INDEX_NONE) {
		j->prev_user = j->next_user = pos;
		j->table_bytes = jit_table_bytes(t);
		js->bytes += j->table_bytes;
		index_add(&js->by_table, hash_of(js, t), pos);
		return;
	}
	j->prev_user = at;
	j->next_user = js->jit.data[at].next_user;
	js->jit.data[j->next_user].prev_user = js->jit.data[at].next_user = pos;
}

/* ---- limiting the memory of tables ------------------------------------------------------------------------------ */

struct sized {
	uint32_t jit, uid;
	size_t bytes;
};
/* The tables of a user, which are neighbours in tables[] of jits_bound_tables(). */
struct user {
	size_t first; /* index in tables[] of the largest table not halved yet; smaller ones follow */
	size_t bytes; /* memory of the tables that were not halved yet */
};

static int by_user_and_size(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;
	if (x->uid != y->uid)
		return x->uid < y->uid ? -1 : 1;
	return x->bytes != y->bytes ? (x->bytes > y->bytes ? -1 : 1) : x->jit < y->jit ? -1 : x->jit > y->jit;
}

/* Drops a table of `bytes`; each process that had it will read it again, into at most half of these bytes. */
static void halve(struct jits *js, const struct jit_table *t, size_t bytes)
{
	for (uint32_t at; (at = user_of(js, t)) != INDEX_NONE;) {
		struct jit *j = &js->jit.data[at];
		j->key.max_bytes = bytes / 2;
		js->again_n += !j->key.again;
		j->key.again = true;
		j->complete = false; /* samples wait for the new table */
		jits_drop_table(js, j);
		js->looks++;
	}
}

/* Halves the largest table of the user whose tables take the most memory, again and again until all tables take `until`
 * bytes. Thus the large files of one user do not cost other users their names. */
static void halve_largest(struct jits *js, const struct sized *tables, struct user *users, size_t users_n, size_t until)
{
	while (js->bytes > until) {
		struct user *most = &users[0];
		for (size_t i = 1; i < users_n; i++)
			most = users[i].bytes > most->bytes ? &users[i] : most;
		const struct sized *s = &tables[most->first++];
		most->bytes -= s->bytes;
		js->looks += users_n;
		halve(js, js->jit.data[s->jit].table, s->bytes);
	}
}

void jits_bound_tables(struct jits *js)
{
	size_t n = 0, users_n = 0;
	if (js->bytes <= LIMIT_JIT_BYTES)
		return;
	struct sized *tables = mem_calloc(js->jit.n, sizeof(*tables));
	struct user *users = mem_calloc(js->jit.n, sizeof(*users));
	js->looks += js->jit.n;
	for (uint32_t i = 0; i < js->jit.n; i++)
		if (js->jit.data[i].table_bytes)
			tables[n++] = (struct sized){i, js->jit.data[i].key.uid, js->jit.data[i].table_bytes};
	qsort(tables, n, sizeof(*tables), by_user_and_size);
	for (size_t i = 0; i < n; i++) {
		if (!i || tables[i].uid != tables[i - 1].uid)
			users[users_n++].first = i;
		users[users_n - 1].bytes += tables[i].bytes;
	}
	/* halving goes below the limit, so that not every new table causes a search through all */
	halve_largest(js, tables, users, users_n, LIMIT_JIT_BYTES / 8 * 7);
	free(tables);
	free(users);
}
