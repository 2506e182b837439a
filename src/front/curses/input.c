/* Converts bytes from the terminal to key codes of the view. */
#include "front/curses/terminal.h"
#include "os/clock.h"

#include <errno.h>

enum { KEY_CTRL_L = 'L' & 0x1f, KEY_DEL = 0x7f, KEY_ESCAPE = 0x1b };
#define DOUBLE_CLICK_NS 400000000u

static const struct {
	int curses;
	uint32_t key;
} key_codes[] = {
	{KEY_UP, KEY_CYC_UP},	    {KEY_DOWN, KEY_CYC_DOWN},		{KEY_LEFT, KEY_CYC_LEFT},
	{KEY_RIGHT, KEY_CYC_RIGHT}, {KEY_PPAGE, KEY_CYC_PGUP},		{KEY_NPAGE, KEY_CYC_PGDN},
	{KEY_HOME, KEY_CYC_HOME},   {KEY_FIND, KEY_CYC_HOME}, /* KEY_FIND: what the Home key sends on some consoles */
	{KEY_END, KEY_CYC_END},	    {KEY_SELECT, KEY_CYC_END},		{KEY_BTAB, KEY_CYC_BACKTAB},
	{KEY_ENTER, KEY_CYC_ENTER}, {KEY_BACKSPACE, KEY_CYC_BACKSPACE}, {KEY_RESIZE, KEY_CYC_RESIZE},
};

static const struct {
	uint32_t ch, key;
} char_codes[] = {
	{'\t', KEY_CYC_TAB},	      {'\r', KEY_CYC_ENTER},	    {'\n', KEY_CYC_ENTER},
	{'\b', KEY_CYC_BACKSPACE},    {KEY_DEL, KEY_CYC_BACKSPACE}, {KEY_ESCAPE, KEY_CYC_ESC},
	{KEY_CTRL_L, KEY_CYC_CTRL_L},
};

static uint32_t key_of_code(int code)
{
	for (size_t i = 0; i < ARRAY_LEN(key_codes); i++)
		if (key_codes[i].curses == code)
			return key_codes[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(10))
		return KEY_CYC_F1 + (uint32_t)(code - KEY_F(1));
	return 0;
}

static uint32_t key_of_char(uint32_t ch)
{
	for (size_t i = 0; i < ARRAY_LEN(char_codes); i++)
		if (char_codes[i].ch == ch)
			return char_codes[i].key;
	return ch;
}

/* Reads a mouse event.  ncurses would wait for the release of the button to detect a click.  So that cyctop reacts at
 * once, a press counts as a click, and two presses at the same cell count as a double click. */
static bool mouse_event(struct screen *s, struct input_event *ret)
{
	MEVENT m;
	if (getmouse(&m) != OK)
		return false;
	struct input_event ev = {.key = KEY_CYC_MOUSE, .row = m.y, .col = m.x};
	ev.wheel_up = m.bstate & BUTTON4_PRESSED;
	ev.wheel_down = m.bstate & BUTTON5_PRESSED;
	if (!ev.wheel_up && !ev.wheel_down) {
		if (!(m.bstate & BUTTON1_PRESSED))
			return false;
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		ev.double_click = s->click_ns && now - s->click_ns < DOUBLE_CLICK_NS && s->click_row == m.y &&
				  s->click_col == m.x;
		s->click_ns = ev.double_click ? 0 : now; /* a third press is a new click */
		s->click_row = m.y;
		s->click_col = m.x;
	}
	*ret = ev;
	return true;
}

/* Returns true if the Esc key was pressed; to be called after an ESC character that does not begin a key of terminfo.
 * Reads and drops the escape sequence of an unknown key, so that its letters do not act as if typed.  Any other
 * character after ESC is handled as if typed after Esc, because cyctop has no keys with Alt. */
static bool lone_escape(struct screen *s)
{
	wint_t ch;
	int kind = wget_wch(s->keys, &ch);
	if (kind == ERR)
		return true;
	if (kind == KEY_CODE_YES) {
		ungetch((int)ch);
		return true;
	}
	if (ch == 'O') {
		wget_wch(s->keys, &ch);
		return false;
	}
	if (ch != '[') {
		unget_wch((wchar_t)ch);
		return true;
	}
	/* CSI: parameters, then one final byte; the loop ends even if hostile input never does */
	for (int i = 0; i < 64; i++)
		if (wget_wch(s->keys, &ch) != OK || (ch >= 0x40 && ch <= 0x7e))
			break;
	return false;
}

bool screen_input(struct screen *s, struct input_event *ret)
{
	for (;;) {
		wint_t ch;
		errno = 0;
		int kind = wget_wch(s->keys, &ch);
		if (kind == ERR) {
			s->gone |= errno == EIO; /* cyctop is in the background, and its shell has ended */
			return false;
		}
		if (kind == KEY_CODE_YES && ch == KEY_MOUSE) {
			if (mouse_event(s, ret))
				return true;
			continue;
		}
		if (kind == OK && ch == KEY_ESCAPE && !lone_escape(s))
			continue;
		uint32_t key = kind == KEY_CODE_YES ? key_of_code((int)ch) : key_of_char((uint32_t)ch);
		if (key) {
			*ret = (struct input_event){.key = key};
			return true;
		}
	}
}
