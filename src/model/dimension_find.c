/* Finds dimensions by their names, and computes the keys and values of ids. */
#include "base/index.h"

#include <cyctop/model.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *dimension_word(const struct field_names *fields, enum dimension_id dim, const char *fixed)
{
	return fields && dim >= DIM_FIELD1 && dim - DIM_FIELD1 < fields->n ? fields->name[dim - DIM_FIELD1] : fixed;
}

enum dimension_id dimension_find(const char *id)
{
	if (strcmp(id, "symbol_from") == 0 ||
	    strcmp(id, "dso_from") == 0) /* perf's names for the source end of a branch */
		return id[0] == 's' ? DIM_SYMBOL : DIM_DSO;
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++)
		if (strcmp(dimensions[d].id, id) == 0 && !dimensions[d].is_tree)
			return d;
	return DIM_NONE;
}

enum dimension_id dimension_find_table(const char *table)
{
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++)
		if (strcmp(dimensions[d].table, table) == 0 && !dimensions[d].is_tree)
			return d;
	return DIM_NONE;
}

uint64_t dimension_key(const struct model_names *names, enum dimension_id dim, uint32_t id)
{
	const struct dimension *d = &dimensions[dim];
	if (d->key)
		return d->key(names, id);
	struct key_value v = d->value(names, id);
	if (v.kind == KEY_UNKNOWN)
		return KEY_NONE;
	return v.kind == KEY_NUMBER ? v.number : hash_bytes(v.text, strlen(v.text), names->cat->seed);
}

struct key_value dimension_value(const struct model_names *names, enum dimension_id dim, uint32_t id)
{
	return dimensions[dim].value(names, id);
}

#define FIELD_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* ---- parsing lists of dimensions --------------------------------------------------------------- */

static int no_dimension(const char *name, size_t n, struct error *err)
{
	char all[240] = "";
	size_t at = 0;
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1 && at < sizeof(all); d++) {
		if (dimensions[d].is_tree)
			continue;
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", at ? ", " : "", dimensions[d].id);
	}
	return error_set(err, EINVAL, "'%.*s' is none of %s", (int)(n < 40 ? n : 40), name, all);
}

/* Returns the dimension of a tracepoint field, and adds the field to `fields` if it is new; DIM_NONE: `name` cannot be
 * a field's name, or there are too many fields. */
static enum dimension_id field_dimension(struct field_names *fields, const char *name, size_t n)
{
	size_t i = 0;
	if (!fields || !n || n >= sizeof(fields->name[0]) || strspn(name, FIELD_CHARS) < n)
		return DIM_NONE;
	while (i < fields->n && (strncmp(fields->name[i], name, n) != 0 || fields->name[i][n]))
		i++;
	if (i == FIELDS_MAX)
		return DIM_NONE;
	if (i == fields->n)
		snprintf(fields->name[fields->n++], sizeof(fields->name[0]), "%.*s", (int)n, name);
	return (enum dimension_id)(DIM_FIELD1 + i);
}

int pivot_dims_parse(const char *list, struct field_names *fields, struct pivot_query *ret, struct error *err)
{
	enum dimension_id dims[DIM_COUNT];
	size_t dims_n = 0;
	for (const char *p = list;; p++) {
		char name[sizeof(fields->name[0])];
		size_t n = strcspn(p, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name)), p);
		enum dimension_id dim = dimension_find(name);
		if (dim == DIM_NONE)
			dim = field_dimension(fields, p, n);
		if (dim == DIM_NONE)
			return no_dimension(p, n, err);
		for (size_t i = 0; i < dims_n; i++)
			if (dims[i] == dim)
				return error_set(err, EINVAL, "'%s' is named twice", name);
		dims[dims_n++] = dim;
		p += n;
		if (!*p)
			break;
	}
	memcpy(ret->dims, dims, sizeof(dims));
	ret->dims_n = dims_n;
	return 0;
}

bool pivot_has(const struct pivot_query *query, enum dimension_id dim)
{
	for (size_t i = 0; i < query->dims_n; i++)
		if (query->dims[i] == dim || dimensions[query->dims[i]].implies & DIM_BIT(dim))
			return true;
	return false;
}

unsigned pivots_memory(const struct pivot_query *pivots, size_t n)
{
	uint64_t dims = 0;
	for (size_t p = 0; p < n; p++) {
		for (size_t i = 0; i < pivots[p].dims_n; i++)
			dims |= DIM_BIT(pivots[p].dims[i]);
		for (size_t i = 0; i < pivots[p].filters_n; i++)
			dims |= DIM_BIT(pivots[p].filters[i].dim);
	}
	return dims >> DIM_MEM_LEVEL & ((1u << MEMORY_PARTS) - 1);
}
