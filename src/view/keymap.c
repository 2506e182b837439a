/* The table of keys.  Footer, help and manual are generated from it, in this order; the footer
 * shows as many keys as fit.  The keys that open views are in view_ops.open and come first. */
#include "view/screen.h"

static const struct binding bindings[] = {
	{{'q', KEY_CYC_F10}, "q F10", "Quit", "quit", act_quit},
	{{KEY_CYC_TAB}, "Tab", "Pane", "next pane", act_next_pane},
	{{KEY_CYC_BACKTAB}, "Shift-Tab", NULL, "previous pane", act_prev_pane},
	{{'x'}, "x", NULL, "close the pane", act_close_pane, .of_table = true},
	{{KEY_CYC_ENTER, '\n', '\r'},
	 "Enter",
	 "Zoom",
	 "zoom: from a function to its tasks, from any other row to its functions; the other panes follow",
	 act_zoom,
	 .of_table = true},
	{{KEY_CYC_ESC, KEY_CYC_BACKSPACE, 127, '\b'},
	 "Esc Backspace",
	 "Back",
	 "back: cancel the download, close the panel, undo the filter, then the last zoom",
	 act_back},
	{{'<', ','}, "<", NULL, "sort by the column to the left", act_sort_left, .of_table = true},
	{{'>', '.'}, ">", NULL, "sort by the column to the right", act_sort_right, .of_table = true},
	{{'r', 'I'}, "r I", "Reverse", "reverse the order", act_reverse, .of_table = true},
	{{'/', KEY_CYC_F3},
	 "/ F3",
	 "Search",
	 "search: the selection moves as you type; a|b: either; /^a.*b/: a regular expression",
	 act_search,
	 .of_table = true},
	{{'n'}, "n", NULL, "next match", act_search_next, .of_table = true},
	{{'N'}, "N", NULL, "previous match", act_search_prev, .of_table = true},
	{{'\\', KEY_CYC_F4},
	 "\\ F4",
	 "Filter",
	 "show only rows with a text in them; a|b: either; /^a.*b/: a regular expression",
	 act_filter,
	 .of_table = true},
	{{'i'},
	 "i",
	 "Window",
	 "window of the numbers: last seconds (see { }), last interval, all since start",
	 act_window},
	{{'b'},
	 "b",
	 "Baseline",
	 "baseline: what is shown is compared with what is measured from now on; again: a new baseline",
	 act_mark},
	{{'B'}, "B", NULL, "end the comparison with the baseline, or of turns", act_unmark},
	{{'t'},
	 "t",
	 NULL,
	 "turns: measure two states A and B in turn and compare the pairs; each t ends a turn and begins the other's",
	 act_turn},
	{{'c'},
	 "c",
	 NULL,
	 "unit of the comparison: against the rows that moved alike, share, per second, per instruction, per event "
	 "(--per)",
	 act_unit},
	{{'s'},
	 "s",
	 NULL,
	 "save a snapshot for cyctop diff and --baseline: of the stretch of the past that is shown, or of up to 60 "
	 "refreshes",
	 act_save},
	{{' ', 'Z'}, "Space Z", "Freeze", "freeze the screen, and go on; recording: play it, and pause", act_freeze},
	{{'u'},
	 "u",
	 NULL,
	 "users: choose one with Enter, and see only what that user runs",
	 act_users,
	 .of_table = true},
	{{'H'}, "H", "Threads", "tasks: processes or threads", act_threads},
	{{KEY_CYC_F5},
	 "F5",
	 NULL,
	 "tasks as a tree: who started whom, sorted by what a row and all below it have",
	 act_tree,
	 .of_table = true},
	{{'*'},
	 "*",
	 NULL,
	 "fold a row of the tree: its line has the sums of all below it; again: unfold it",
	 act_fold,
	 .of_table = true},
	{{'g'},
	 "g",
	 NULL,
	 "call chains, or no more: TOTAL%, the share of a function with all that it calls; v, Call chains: as a tree",
	 act_chains},
	{{'f'},
	 "f",
	 NULL,
	 "the selected function: what it calls, and who calls it, as two trees",
	 act_around,
	 .of_table = true},
	{{'A'},
	 "A",
	 NULL,
	 "annotate: the instructions of the selected function, with their samples; Tab: the next hottest, x: bytes, "
	 "/: search, b: their shares are compared with what is shown now",
	 act_annotate,
	 .of_table = true},
	{{'W'},
	 "W",
	 NULL,
	 "the selected task: what each of its threads does now, and its stacks within the window; g: with call chains",
	 act_stacks,
	 .of_table = true},
	{{'F'},
	 "F",
	 NULL,
	 "download the names of the row's file from a debuginfod server; again: cancel; code of a JVM or of .NET "
	 "without names: say what asking the process for them does; again: ask it",
	 act_fetch,
	 .of_table = true},
	{{'X'},
	 "X",
	 NULL,
	 "measure each call of the selected function by probes, exactly: says first what that does, and asks",
	 act_probe,
	 .of_table = true},
	{{'C'}, "C", "Events", "measure other events: find one by typing; it becomes a column at once", act_events},
	{{'m'}, "m", NULL, "names demangled, or as the linker knows them (raw)", act_raw_names},
	{{'e'}, "e", "Errors", "show or hide the standard error of each share, rate and ratio", act_error},
	{{'K'}, "K", "Kernel", "hide or show kernel code", act_hide_kernel},
	{{'U'}, "U", "User", "hide or show user code", act_hide_user},
	{{'S'}, "S", NULL, "show or hide cyctop's own share", act_hide_self},
	{{'%'}, "%", NULL, "shares of all, or of what a zoom or K or U leaves", act_relative},
	{{'d'}, "d", "Delay", "seconds between refreshes", act_delay},
	{{'z'}, "z", "Restart", "start over: forget what was measured", act_reset},
	{{'w'}, "w", "Write", "write the last moments as a recording (perf.data)", act_write},
	{{'P'}, "P", NULL, "print: write all rows of the panes as text into a new file", act_print},
	{{'p'}, "p", NULL, "recording: play it, and pause", act_pause},
	{{'['},
	 "[",
	 "Past",
	 "show the time before, and so on back; recording: its last part, and so on; played: back by 10 s, or a tenth",
	 act_earlier},
	{{']'},
	 "]",
	 NULL,
	 "show the time after, up to now; recording: its first part, and so on; played: on by 10 s, or a tenth",
	 act_later},
	{{'{'},
	 "{",
	 NULL,
	 "a longer window, which stays live: 1, 2, 5, 10, 20, 30, 60 s and so on; of the past: widen the stretch",
	 act_widen},
	{{'}'}, "}", NULL, "a shorter window; of the past: narrow the stretch", act_narrow},
	{{'0'}, "0", NULL, "return from the past to now; recording: all of it", act_now},
	{{'-'}, "-", NULL, "half as many samples a second; recording: half as fast", act_slower},
	{{'+', '='}, "+", NULL, "twice as many samples a second; recording: twice as fast", act_faster},
	{{KEY_CYC_UP, 'k'}, "Up k", NULL, "one row up", act_up},
	{{KEY_CYC_DOWN, 'j'}, "Down j", NULL, "one row down", act_down},
	{{KEY_CYC_PGUP, CTRL('b')}, "PgUp", NULL, "one page up", act_page_up},
	{{KEY_CYC_PGDN, CTRL('f')}, "PgDn", NULL, "one page down", act_page_down},
	{{':'}, ":", NULL, "go to a time: 12:01:05, or -1:30, so long ago; recording: 1:03 or 90%", act_go},
	{{KEY_CYC_LEFT}, "Left", NULL, "long names: back towards their beginning", act_scroll_left},
	{{KEY_CYC_RIGHT}, "Right", NULL, "long names: on towards their end", act_scroll_right},
	{{KEY_CYC_HOME}, "Home", NULL, "first row; the selection stays on top", act_home},
	{{KEY_CYC_END, 'G'}, "End G", NULL, "last row; recording: End shows the whole of it", act_end},
	{{KEY_CYC_MOUSE},
	 "mouse",
	 NULL,
	 "click on a heading: sort by it, again: reverse; on a row: select, double: zoom; on the strip of "
	 "the past: show that time; wheel: move",
	 act_mouse},
	{{KEY_CYC_CTRL_L, CTRL('l')}, "Ctrl-L", NULL, "draw the whole screen again", act_repaint},
};

const struct binding *binding_at(size_t i)
{
	const struct binding *b;
	size_t views = 0;
	for (; (b = view_binding_at(views)); views++)
		if (views == i)
			return b;
	return i - views < ARRAY_LEN(bindings) ? &bindings[i - views] : NULL;
}

unsigned binding_run(const struct binding *b, const struct press *p)
{
	struct view *v = focused(p->st);
	if (v->ops->takes && v->ops->takes(p, v, b))
		return REACT_REDRAW;
	return b->run ? b->run(p) : view_toggle(p, b->opens);
}

static bool has_key(const struct binding *b, uint32_t key)
{
	for (size_t k = 0; k < ARRAY_LEN(b->keys) && b->keys[k]; k++)
		if (b->keys[k] == key)
			return true;
	return false;
}

/* Answers to keys of top, htop and perf top for what cyctop does in another way, or does not do. */
static const struct habit {
	uint32_t key;
	const char *answer;
} habits[] = {
	{KEY_CYC_F2, "Nothing is set up here: v chooses what a pane shows, a adds a pane, o sorts."},
	{KEY_CYC_F7, "cyctop changes no priorities: use renice."},
	{KEY_CYC_F8, "cyctop changes no priorities: use renice."},
	{KEY_CYC_F9, "cyctop ends no processes: use kill PID."},
	{'M', "cyctop does not show memory. o chooses the column to sort by."},
	{'T', "o chooses the column to sort by."},
};

static bool answer_habit(const struct press *p)
{
	for (size_t i = 0; i < ARRAY_LEN(habits); i++) {
		if (habits[i].key != p->ev->key)
			continue;
		state_say(p->st, "%s", habits[i].answer);
		return true;
	}
	return false;
}

unsigned normal_key(const struct press *p)
{
	const struct binding *b;
	for (size_t i = 0; (b = binding_at(i)); i++)
		if (has_key(b, p->ev->key))
			return binding_run(b, p);
	if (answer_habit(p))
		return REACT_REDRAW;
	if (p->ev->key > ' ' && p->ev->key < 127)
		state_say(p->st, "The key %c does nothing; h shows those that do.", (int)p->ev->key);
	return REACT_REDRAW;
}

unsigned view_key(struct view_state *st, const struct view_input *given, const struct grid *g,
		  const struct input_event *ev)
{
	struct view_input in = *given;
	struct press p = {.st = st, .in = &in, .g = g, .ev = ev, .footer_covered = g && message_in_footer(st, g->cols)};

	if (ev->key == KEY_CYC_RESIZE)
		return REACT_REDRAW;
	state_to_input(st, &in);
	st->message[0] = '\0';
	if (ev->key != 'F') /* only this key confirms */
		st->told = CATALOG_REF_NONE;
	st->notice_seen = true;
	if (st->mode != MODE_NORMAL)
		return input_key(&p);
	struct view *v = view_covering(st);
	if (!v)
		return normal_key(&p);
	if (v->whole)
		return text_screen_key(&p, v);
	if (v->ops->key)
		return v->ops->key(&p, v);
	view_close(st, v);
	return REACT_REDRAW;
}
