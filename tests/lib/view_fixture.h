/* Server world, view state and grid of a screen; tests send keys to it. */
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
/* Sends an event, then draws; returns what view_key() returned. */
unsigned fixture_event(struct fixture *f, struct input_event ev);
unsigned fixture_press(struct fixture *f, uint32_t key);
void fixture_type(struct fixture *f, const char *text);
/* The first pane of usual_pivots[usual]; NULL: there is none. */
struct view *fixture_table(struct fixture *f, int usual);
int fixture_focus(struct fixture *f); /* index of the focused pane in usual_pivots[], or -1 */
bool fixture_screen_has(const struct fixture *f, const char *text);
/* The text of the selected line, which the caller frees; NULL: no line is selected. */
char *fixture_selected_line(const struct fixture *f);

#endif
