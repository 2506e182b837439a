#include "model/parts.h"

#include <stdlib.h>

uint32_t context_row_sym(const struct catalog *cat, uint32_t ctx)
{
	return catalog_sym_row(cat, catalog_ctx_sym(cat, ctx));
}

size_t part_slots(const struct model_names *names, enum fact_part part)
{
	switch (part) {
	case PART_TASK:
		return (size_t)names->cat->tasks_n + 1;
	case PART_CONTEXT:
		return (size_t)names->cat->syms_n + 1 + names->cat->contexts_n;
	case PART_CPU:
		return (size_t)names->cpus_n + 1;
	default:
		return names->events_n + 1;
	}
}

uint8_t task_flags(const struct catalog *cat, uint32_t id)
{
	if (id >= cat->tasks_n)
		return ID_SEEN;
	const struct task_info *task = &cat->tasks[id];
	return (uint8_t)(ID_SEEN | (task->kernel ? ID_KERNEL : 0) | (task->idle ? ID_IDLE : 0) |
			 (task->self ? ID_SELF : 0));
}

uint8_t context_flags(const struct catalog *cat, uint32_t ctx)
{
	uint32_t id = context_row_sym(cat, ctx);
	if (id >= cat->syms_n)
		return ID_SEEN;
	const struct sym_info *sym = &cat->syms[id];
	bool interrupt = sym->state == SYM_NAMED && sym->kernel && !sym->idles;
	bool unresolved = sym->state == SYM_UNRESOLVED || sym->state == SYM_NO_DSO;
	return (uint8_t)(ID_SEEN | (sym->kernel ? ID_KERNEL : 0) | (sym->state == SYM_PENDING ? ID_PENDING : 0) |
			 (unresolved ? ID_UNRESOLVED : 0) | (sym->state == SYM_GROUP ? ID_GROUP : 0) |
			 (interrupt ? ID_INTERRUPT : 0));
}

void id_table_init(struct id_table *t, const struct model_names *names)
{
	*t = (struct id_table){
		.names = names,
		.tasks = mem_calloc(part_slots(names, PART_TASK), 1),
		.contexts = mem_calloc(part_slots(names, PART_CONTEXT), 1),
	};
}

void id_table_deinit(struct id_table *t)
{
	free(t->tasks);
	free(t->contexts);
}
