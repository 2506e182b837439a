#include "front/curses/type.h"

#include "base/alloc.h"
#include "front/curses/terminal.h"
#include "front/curses/terminals.h"

#include <term.h>

#include <errno.h>
#include <stdlib.h>

static const char variable[] = "TERMINFO";

/* Looks a terminal type up in the terminfo database.  Returns 1: found; 0: not found; -1: there is no database. */
static int find_type(int fd, const char *name)
{
	int found = 0;
	return setupterm(name, fd, &found) == OK ? 1 : found;
}

static int find_described(int fd, const struct terminal_entry *entry, struct terminal_type *ret)
{
	const char *before = getenv(variable);
	ret->before = before ? mem_strdup(before) : NULL;
	ret->is_set = true;
	ret->name = entry->type;
	setenv(variable, entry->description, 1);
	return find_type(fd, entry->type);
}

/* Finds the terminal type `name`, or else the most similar type.  Returns the same values as find_type(). */
static int find(int fd, const char *name, struct terminal_type *ret)
{
	const struct terminal_entry *entry = terminals_named(name);
	ret->name = name;
	int found = find_type(fd, name);
	if (found == 1)
		return found;
	if (!entry) {
		entry = terminals_like(name);
		ret->is_guess = true;
	}
	return entry ? find_described(fd, entry, ret) : found;
}

static int check_found(int found, const char *name, struct error *err)
{
	if (found < 0)
		return error_set(err, ENOENT,
				 "there is no terminfo database here: install ncurses-base, or use cyctop -b");
	if (found != 1)
		return error_set(err, ENOTTY,
				 "the terminal type TERM=%s is not known here: install ncurses-term, or set TERM to a "
				 "type that is (TERM=xterm suits most), or use cyctop -b",
				 name);
	bool able = cursor_address && clear_screen;
	del_curterm(cur_term);
	if (!able)
		return error_set(err, ENOTTY,
				 "a terminal of type TERM=%s cannot place its cursor: set TERM to the type of your "
				 "terminal (TERM=xterm-256color suits most), or use cyctop -b",
				 name);
	return 0;
}

int terminal_type_begin(int fd, struct terminal_type *ret, struct error *err)
{
	const char *name = getenv("TERM");
	*ret = (struct terminal_type){0};
	if (!name || !*name)
		return error_set(
			err, ENOTTY,
			"TERM is not set: set it to the type of your terminal (TERM=xterm-256color suits most), "
			"or use cyctop -b");
	int rc = check_found(find(fd, name, ret), name, err);
	if (rc < 0)
		terminal_type_end(ret);
	return rc;
}

void terminal_type_end(struct terminal_type *t)
{
	if (t->is_set && t->before)
		setenv(variable, t->before, 1);
	else if (t->is_set)
		unsetenv(variable);
	free(t->before);
	t->before = NULL;
	t->is_set = false;
}
