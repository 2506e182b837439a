/* Compares recordings and snapshots, one or more on each side. */
#include "base/alloc.h"

#include <cyctop/comparison.h>

#include <stdlib.h>
#include <string.h>

/* Loads all files: describes each in c->files, and puts its rows into `tables`. */
static int load(const struct files_config *config, struct files_compared *c, struct diff_table **tables,
		struct error *err)
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < config->paths_n[side]; i++) {
			struct side file = {.table = NULL};
			int rc = config->load(config->ctx, config->paths[side][i], &file, err);
			if (rc < 0)
				return rc;
			c->files[c->files_n] = file.about;
			tables[c->files_n++] = file.table;
			function_files_join(&c->functions[side], &file.files);
		}
	return 0;
}

static int make_sides(const struct files_config *config, struct files_compared *c, struct error *err)
{
	size_t n = config->paths_n[DIFF_BEFORE] + config->paths_n[DIFF_AFTER], first = 0;
	struct diff_table **tables = mem_calloc(n, sizeof(struct diff_table *));
	c->files = mem_calloc(n, sizeof(*c->files));
	int rc = load(config, c, tables, err);
	if (rc == 0) /* the same file twice is refused even on one side, as it adds no information */
		rc = diff_check_twice(c->files, n, err);
	for (enum diff_side side = 0; side < DIFF_SIDES && rc == 0; first += config->paths_n[side++]) {
		c->about[side] = c->files[first];
		if (config->paths_n[side] > 1) {
			rc = diff_join(&c->files[first], &tables[first], config->paths_n[side], &c->about[side],
				       &c->tables[side], err);
		} else {
			c->tables[side] = tables[first];
			tables[first] = NULL;
		}
	}
	for (size_t i = 0; i < c->files_n; i++)
		diff_table_destroy(tables[i]);
	free(tables);
	return rc;
}

int files_compare(const struct files_config *config, struct files_compared *c, struct error *err)
{
	enum diff_unit unit = config->unit;
	struct diff_config how = {
		.unit = unit,
		.fdr = config->fdr,
		.min_change = config->min_change,
		.rebuilt = side_was_rebuilt,
		.rebuilt_ctx = c->functions,
	};
	int rc = make_sides(config, c, err);
	if (rc == 0)
		rc = diff_find_event(c->about, config->event, c->event, err);
	if (rc == 0)
		rc = diff_check(c->about, c->event, &c->notes, err);
	if (rc == 0)
		rc = diff_check_unit(c->about, unit, err);
	if (rc == 0 && (unit == DIFF_UNIT_INSTRUCTIONS || unit == DIFF_UNIT_EVENT))
		rc = diff_find_event(c->about, config->per ? config->per : "instructions", how.per, err);
	if (rc < 0)
		return rc;
	memcpy(how.event, c->event, sizeof(how.event));
	diff_note_shared(c->files, c->files_n, &c->notes);
	c->diff = diff_create(c->tables[DIFF_BEFORE], c->tables[DIFF_AFTER], &how);
	diff_note_worth(c->diff, &c->notes);
	side_tell_functions(c->diff, c->functions, config->raw_names ? NULL : demangle);
	return 0;
}

void files_compared_deinit(struct files_compared *c)
{
	diff_destroy(c->diff);
	free(c->files);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		diff_table_destroy(c->tables[side]);
		function_files_deinit(&c->functions[side]);
	}
}
