/* Keeps the aliases of a row: the names of its functions or files before normalisation (meaning.h), such as
 * "hot.isra.0" in the row "hot". */
#include "diff/table.h"

#include <stdio.h>
#include <string.h>

/* Returns the part of a name that is shown: of a file's path, what follows the last slash. */
static const char *seen(enum dimension_id dim, const char *name)
{
	const char *slash = dim == DIM_DSO && name[0] != '[' ? strrchr(name, '/') : NULL;
	return slash && slash[1] ? slash + 1 : name;
}

struct wanted_alias {
	const struct diff_table *t;
	uint32_t row;
	const char *name;
};

static bool is_alias(const void *ctx, uint32_t at)
{
	const struct wanted_alias *want = ctx;
	const struct table_alias *a = &want->t->aliases.data[at];
	return a->row == want->row && strcmp(want->t->alias_text.data + a->at, want->name) == 0;
}

static void add_alias(struct diff_table *t, uint32_t row, const char *name)
{
	size_t n = strlen(name) + 1;
	uint64_t hash = index_hash(&t->by_alias, index_hash_bytes(&t->by_alias, name, n) ^ row);
	if (index_find(&t->by_alias, hash, is_alias, &(struct wanted_alias){t, row, name}) != INDEX_NONE)
		return;
	index_add(&t->by_alias, hash, (uint32_t)t->aliases.n);
	vec_push(&t->aliases) = (struct table_alias){row, t->rows.data[row].alias, t->alias_text.n};
	t->rows.data[row].alias = (uint32_t)t->aliases.n;
	vec_reserve(&t->alias_text, t->alias_text.n + n);
	memcpy(t->alias_text.data + t->alias_text.n, name, n);
	t->alias_text.n += n;
}

void table_add_names(struct diff_table *t, uint32_t row, const struct key_value *names)
{
	struct key_value meanings[DIM_COUNT];
	const struct table_row *r = &t->rows.data[row];
	key_names(t->keys.data + r->key_at, r->key_n, t->dims_n, meanings);
	for (size_t i = 0; i < t->dims_n; i++) {
		const char *name = names[i].kind == KEY_TEXT ? seen(t->dims[i], names[i].text) : NULL;
		if (name && meanings[i].kind == KEY_TEXT && strcmp(name, meanings[i].text) != 0)
			add_alias(t, row, name);
	}
}

void diff_table_add_names_of(struct diff_table *t, uint32_t row, const struct diff_table *from, uint32_t from_row)
{
	for (uint32_t a = from->rows.data[from_row].alias; a; a = from->aliases.data[a - 1].next)
		add_alias(t, row, from->alias_text.data + from->aliases.data[a - 1].at);
}

void table_list_names(const struct diff_table *t, uint32_t row, struct strbuf *ret)
{
	for (uint32_t a = t->rows.data[row].alias; a; a = t->aliases.data[a - 1].next) {
		const char *name = t->alias_text.data + t->aliases.data[a - 1].at;
		strbuf_add_bytes(ret, name, strlen(name) + 1);
	}
}

bool diff_row_matches(const struct diff *d, const struct diff_row *row, const char *pattern,
		      bool (*matches)(const char *pattern, const char *name))
{
	bool any = false;
	for (size_t i = 0; i < d->dims_n && !any; i++) {
		char number[24];
		const struct key_value *v = &row->names[i];
		if (v->kind == KEY_NUMBER)
			snprintf(number, sizeof(number), "%llu", (unsigned long long)v->number);
		any = v->kind != KEY_UNKNOWN && matches(pattern, v->kind == KEY_TEXT ? v->text : number);
	}
	for (const char *s = row->aliases; s && *s && !any; s += strlen(s) + 1)
		any = matches(pattern, s);
	return any;
}
