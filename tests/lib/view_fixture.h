/* A view with its state and grid, driven by keys. */
#ifndef TESTS_LIB_VIEW_FIXTURE_H
#define TESTS_LIB_VIEW_FIXTURE_H

#include "server_world.h"

struct fixture {
	struct server_world *w;
	struct view_state st;
	struct grid *g;
};
struct fixture *fixture_create(int rows, int cols, unsigned cpus);
void fixture_destroy(struct fixture *f);
/* Each draws afterwards, and tells what view_key() wants done. */
unsigned fixture_event(struct fixture *f, struct input_event ev);
unsigned fixture_press(struct fixture *f, uint32_t key);
void fixture_type(struct fixture *f, const char *text);
bool fixture_screen_has(const struct fixture *f, const char *text);
/* The text of the line that shows the selection; malloc'ed, NULL: none does. */
char *fixture_selected_line(const struct fixture *f);

#endif
