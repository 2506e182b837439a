#include "session/retire.h"

#include "base/alloc.h"

#include <stdlib.h>

/* Merges ids in the total since start: tasks that ended before the history begins become one task per command, and
 * unmapped code becomes one symbol per DSO. */
static void fold_total(const struct retired_from *f)
{
	const struct catalog *cat = resolver_catalog(f->resolver);
	struct catalog_used used = catalog_used_none(cat);
	struct catalog_weights weights = {
		.tasks = mem_calloc(cat->tasks_n, sizeof(*weights.tasks)),
		.syms = mem_calloc(cat->syms_n, sizeof(*weights.syms)),
		.cgroups = mem_calloc(cat->cgroups_n, sizeof(*weights.cgroups)),
		.tasks_n = cat->tasks_n,
		.syms_n = cat->syms_n,
		.cgroups_n = cat->cgroups_n,
	};
	struct catalog_fold fold;
	model_mark(f->models[0], cat, false, &used);
	model_weigh(f->models[0], cat, &weights);
	if (resolver_fold(f->resolver, model_detailed_ns(f->models[0]), &used, &weights, &fold))
		model_rekey(f->models[0], cat, &fold);
	free(fold.tasks);
	free(fold.syms);
	free(fold.contexts);
	free(weights.tasks);
	free(weights.syms);
	free(weights.cgroups);
	catalog_used_free(&used);
}

void retire_unused(const struct retired_from *f)
{
	if (!f->keeps_tasks)
		fold_total(f);
	const struct catalog *cat = resolver_catalog(f->resolver);
	struct catalog_used used = catalog_used_none(cat);
	for (size_t i = 0; i < SESSION_MODELS; i++)
		if (f->models[i])
			model_mark(f->models[i], cat, true, &used);
	resolver_retire(f->resolver, &used);
	catalog_used_free(&used);
}
