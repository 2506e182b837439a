/* The keys: a new one is one row; footer, help and manual follow.  The order is
 * that of the footer, where what comes last is cut first. */
#include "view/internal.h"

#define CTRL(c) ((c)&0x1f)

const struct binding bindings[] = {
	{{'h', '?', KEY_CYC_F1}, "h ? F1", "Help", "this help", act_help},
	{{'q', KEY_CYC_F10}, "q F10", "Quit", "quit", act_quit},
	{{KEY_CYC_TAB}, "Tab", "Pane", "next pane: Symbols, Tasks, CPUs", act_next_pane},
	{{KEY_CYC_BACKTAB}, "Shift-Tab", NULL, "previous pane", act_prev_pane},
	{{KEY_CYC_ENTER, '\n', '\r'},
	 "Enter",
	 "Zoom",
	 "on a task: its functions only; on a function: its tasks only",
	 act_zoom},
	{{KEY_CYC_ESC, KEY_CYC_BACKSPACE, 127, '\b'},
	 "Esc Backspace",
	 "Back",
	 "back: cancel what is fetched, close the panel of y, undo the filter, then the last zoom",
	 act_back},
	{{'<', ',', KEY_CYC_LEFT}, "< Left", NULL, "sort by the column to the left", act_sort_left},
	{{'>', '.', KEY_CYC_RIGHT}, "> Right", "Sort", "sort by the column to the right", act_sort_right},
	{{'r', 'I'}, "r I", "Reverse", "reverse the order", act_reverse},
	{{'/', KEY_CYC_F3}, "/ F3", "Search", "search: the selection moves as you type", act_search},
	{{'n'}, "n", NULL, "next match", act_search_next},
	{{'N'}, "N", NULL, "previous match", act_search_prev},
	{{'\\', KEY_CYC_F4}, "\\ F4", "Filter", "show only rows with a text in them; a|b: either", act_filter},
	{{'i'}, "i", "Window", "what the numbers are about: last seconds, last interval, all since start", act_window},
	{{' ', 'Z'}, "Space Z", "Freeze", "freeze what is shown, and go on", act_freeze},
	{{'H'}, "H", "Threads", "tasks: processes or threads", act_threads},
	{{'y'}, "y", "Why", "why: where the row's name comes from, or why it has none", act_why},
	{{'F'}, "F", NULL, "fetch the names of the row's file from a debuginfod server; again: cancel", act_fetch},
	{{'m'}, "m", NULL, "names as people write them, or as the linker knows them (raw)", act_raw_names},
	{{'e'}, "e", "Errors", "show or hide the standard error of each ratio", act_error},
	{{'K'}, "K", "Kernel", "hide or show kernel code", act_hide_kernel},
	{{'U'}, "U", "User", "hide or show user code", act_hide_user},
	{{'S'}, "S", NULL, "show or hide cyctop's own share", act_hide_self},
	{{'d'}, "d", "Delay", "seconds between refreshes", act_delay},
	{{'z'}, "z", "Restart", "start over: forget what was measured", act_reset},
	{{'w'}, "w", "Write", "write the last moments as a recording (perf.data)", act_write},
	{{'p'}, "p", NULL, "recording: pause, and go on", act_pause},
	{{'['}, "[", NULL, "recording: 10 seconds back", act_seek_back},
	{{']'}, "]", NULL, "recording: 10 seconds on", act_seek_on},
	{{'-'}, "-", NULL, "recording: half as fast", act_slower},
	{{'+', '='}, "+", NULL, "recording: twice as fast", act_faster},
	{{KEY_CYC_UP, 'k'}, "Up k", NULL, "one row up", act_up},
	{{KEY_CYC_DOWN, 'j'}, "Down j", NULL, "one row down", act_down},
	{{KEY_CYC_PGUP, CTRL('b')}, "PgUp", NULL, "one page up", act_page_up},
	{{KEY_CYC_PGDN, CTRL('f')}, "PgDn", NULL, "one page down", act_page_down},
	{{KEY_CYC_HOME, 'g'}, "Home g", NULL, "first row, whichever it will be", act_home},
	{{KEY_CYC_END, 'G'}, "End G", NULL, "last row", act_end},
	{{KEY_CYC_MOUSE},
	 "mouse",
	 NULL,
	 "on a heading: sort by it, again: reverse; on a row: select, twice: zoom; wheel: move",
	 act_mouse},
	{{KEY_CYC_CTRL_L, CTRL('l')}, "Ctrl-L", NULL, "paint the screen anew", act_repaint},
};
const size_t bindings_n = ARRAY_LEN(bindings);

static unsigned normal_key(struct view_state *st, const struct view_input *in, const struct grid *g,
			   const struct input_event *ev)
{
	for (size_t i = 0; i < bindings_n; i++) {
		for (size_t k = 0; k < ARRAY_LEN(bindings[i].keys) && bindings[i].keys[k]; k++) {
			if (bindings[i].keys[k] == ev->key)
				return bindings[i].run(st, in, g, ev);
		}
	}
	if (ev->key > ' ' && ev->key < 127)
		state_say(st, "The key %c does nothing; h shows those that do.", (int)ev->key);
	return REACT_REDRAW;
}

unsigned view_key(struct view_state *st, const struct view_input *given, const struct grid *g,
		  const struct input_event *ev)
{
	struct view_input in = *given;

	if (ev->key == KEY_CYC_RESIZE)
		return REACT_REDRAW;
	state_to_input(st, &in);
	st->message[0] = '\0';
	st->notice_seen = true;
	switch (st->mode) {
	case MODE_SEARCH:
	case MODE_FILTER:
	case MODE_DELAY:
		return input_key(st, &in, g, ev);
	case MODE_HELP:
		return help_key(st, &in, g, ev);
	case MODE_NORMAL:
		break;
	}
	return normal_key(st, &in, g, ev);
}
