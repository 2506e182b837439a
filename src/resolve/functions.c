/* Lists the functions of all files whose symbols were read, for use after the end of the resolver. */
#include "resolve/resolver.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if this source of symbols has all functions of a file, not only the exported ones, as .dynsym has. */
static bool is_of_all(enum sym_origin origin)
{
	switch (origin) {
	case ORIGIN_SYMTAB:
	case ORIGIN_DEBUG_FILE:
	case ORIGIN_GO:
	case ORIGIN_MINIDEBUG:
	case ORIGIN_KALLSYMS:
	case ORIGIN_VMLINUX:
	case ORIGIN_MODULE:
		return true;
	default:
		return false;
	}
}

bool symtab_is_whole(const struct symtab *t)
{
	struct symtab_hit *hit = mem_calloc(1, sizeof(*hit));
	bool all = false;
	for (size_t i = 0; i < symtab_count(t) && !all; i++) {
		symtab_get(t, (uint32_t)i, hit);
		all = hit->name[0] && is_of_all(hit->origin);
	}
	free(hit);
	return all;
}

static bool same_file(const struct function_file *a, const struct function_file *b)
{
	const struct file_id *x = &a->id, *y = &b->id;
	if (strcmp(a->path, b->path) != 0)
		return false;
	if (x->build_id.size || y->build_id.size)
		return build_id_is(&x->build_id, &y->build_id) && x->file_size == y->file_size;
	if (a->path[0] == '[') /* [kernel], [vdso] and the like have no stamp: equal paths suffice */
		return a->whole == b->whole;
	return a->stamp.ino && a->stamp.ino == b->stamp.ino && a->stamp.size == b->stamp.size &&
	       a->stamp.changed_ns == b->stamp.changed_ns;
}

static void file_deinit(struct function_file *f)
{
	for (size_t i = 0; i < ARRAY_LEN(f->tables); i++)
		symtab_destroy(f->tables[i]);
	free(f->path);
}

static void add_file(struct function_files *to, struct function_file *f)
{
	for (size_t i = 0; i < to->n; i++)
		if (same_file(&to->v[i], f)) {
			file_deinit(f);
			return;
		}
	to->v = mem_realloc(to->v, to->n + 1, sizeof(*to->v));
	to->v[to->n++] = *f;
}

/* Returns the file of a DSO with its present symbol tables. */
static struct function_file file_of(const struct resolver *r, const struct dso_file *dso)
{
	const struct dso_file *place = dsos_file(r->dsos, dso->copy_of);
	const struct dso_image *image = dsos_image(r->dsos, dso->copy_of);
	struct function_file f = {.path = mem_strdup(dso->key.path), .id = dso->id, .stamp = dso->stamp};
	if (!f.id.build_id.size) /* a recording has a build-id for the mapping or its path */
		f.id.build_id = dso->build_id;
	if (!image || place->code || place->is_jit)
		return f;
	struct symtab *tables[] = {image->symtab, dsos_fetched(r->dsos, dso->copy_of)};
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		if (!tables[i])
			continue;
		f.tables[i] = symtab_ref(tables[i]);
		f.whole |= i == 0 && image->origin ? is_of_all(image->origin) : symtab_is_whole(tables[i]);
	}
	f.whole &= !limit_any(&image->limits);
	return f;
}

void resolver_functions(const struct resolver *r, const bool *wanted, struct function_files *to)
{
	for (uint32_t i = 0; i < dsos_n(r->dsos); i++) {
		const struct dso_file *dso = dsos_file(r->dsos, i);
		if (dso->retired || !dso->key.path || (wanted ? !wanted[i] : !dsos_was_wanted(r->dsos, i)))
			continue;
		struct function_file f = file_of(r, dso);
		add_file(to, &f);
	}
}

void function_files_join(struct function_files *to, struct function_files *from)
{
	for (size_t i = 0; i < from->n; i++)
		add_file(to, &from->v[i]);
	free(from->v);
	*from = (struct function_files){.v = NULL};
}

void function_files_deinit(struct function_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		file_deinit(&f->v[i]);
	free(f->v);
	*f = (struct function_files){.v = NULL};
}

void function_file_names(const struct function_file *f, const char *part, void (*add)(void *ctx, const char *name),
			 void *ctx)
{
	struct symtab_hit *hit = mem_calloc(1, sizeof(*hit));
	for (size_t t = 0; t < ARRAY_LEN(f->tables); t++) {
		size_t n = f->tables[t] ? symtab_count(f->tables[t]) : 0;
		for (size_t i = 0; i < n; i++) {
			symtab_get(f->tables[t], (uint32_t)i, hit);
			if (hit->name[0] && !hit->module && (!part || strstr(hit->name, part)))
				add(ctx, hit->name);
		}
	}
	free(hit);
}
