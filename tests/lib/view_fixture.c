#include "view_fixture.h"

#include "view/screen.h"
#include "grid_text.h"

#include <stdlib.h>
#include <string.h>

struct fixture *fixture_create(int rows, int cols, unsigned cpus)
{
	struct fixture *f = calloc(1, sizeof(*f));
	if (!f)
		abort();
	f->w = server_world_create(cpus);
	f->g = grid_create(rows, cols);
	view_state_init(&f->st, &f->w->in);
	view_draw(&f->st, &f->w->in, f->g);
	return f;
}

void fixture_destroy(struct fixture *f)
{
	view_state_deinit(&f->st);
	grid_destroy(f->g);
	server_world_destroy(f->w);
	free(f);
}

unsigned fixture_event(struct fixture *f, struct input_event ev)
{
	unsigned react = view_key(&f->st, &f->w->in, f->g, &ev);
	if (react & REACT_QUERY)
		server_world_answer(f->w, &f->st);
	view_draw(&f->st, &f->w->in, f->g);
	return react;
}

unsigned fixture_press(struct fixture *f, uint32_t key)
{
	return fixture_event(f, (struct input_event){.key = key});
}

void fixture_type(struct fixture *f, const char *text)
{
	for (; *text; text++)
		fixture_press(f, *text == '\n' ? KEY_CYC_ENTER : (unsigned char)*text);
}

static int usual_of(const struct view *v)
{
	enum dimension_id dim = table_dim(v) == DIM_TID ? DIM_PID : table_dim(v);
	for (int i = 0; i < USUAL_PIVOTS; i++)
		if (usual_pivots[i].dims[0] == dim)
			return i;
	return -1;
}

struct view *fixture_table(struct fixture *f, int usual)
{
	for (int i = 0; i < f->st.views_n; i++)
		if (f->st.views[i].ops == &table_view && usual_of(&f->st.views[i]) == usual)
			return &f->st.views[i];
	return NULL;
}

int fixture_focus(struct fixture *f)
{
	return usual_of(focused(&f->st));
}

bool fixture_screen_has(const struct fixture *f, const char *text)
{
	char *all = grid_text(f->g);
	bool has = strstr(all, text) != NULL;
	free(all);
	return has;
}

char *fixture_selected_line(const struct fixture *f)
{
	for (int r = 0; r < f->g->rows; r++) {
		struct grid line = {.rows = 1, .cols = f->g->cols, .cells = &f->g->cells[r * f->g->cols]};
		if (line.cells[0].style == STYLE_SELECTED)
			return grid_text(&line);
	}
	return NULL;
}
