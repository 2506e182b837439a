#include "app/commands.h"
#include "app/message.h"
#include "os/signals.h"
#include "base/clean.h"

#include <cyctop/doctor.h>
#include <cyctop/front.h>
#include <cyctop/perfdata.h>

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, MARK = 8, NAME = 18, LEFT = MARK + NAME, SHORT = 40 };

static void put(FILE *out, const char *text, int left)
{
	struct strbuf clean = {0};
	clean_add(&clean, text, CLEAN_LINE);
	put_wrapped(out, clean.data ? clean.data : "", left, WIDTH, false);
	strbuf_deinit(&clean);
}

/* Prints line number `at`.  If the line says that all is well, leaves out its evidence and remedy.  A long remedy is
 * not repeated if an earlier line had it. */
static void print_text(const struct doctor_line *lines, size_t at, FILE *out)
{
	const struct doctor_line *line = &lines[at], *same = lines;
	fprintf(out, "%-*s%-*s", MARK, doctor_state_name(line->state), NAME, line->name);
	put(out, line->what, LEFT);
	if (line->state == DOCTOR_OK || (line->aside && !line->remedy[0]))
		return;
	fprintf(out, "%*s", MARK + 2, "");
	put(out, line->evidence, MARK + 2);
	while (strcmp(same->remedy, line->remedy) != 0 || (strlen(same->remedy) <= SHORT && same != line))
		same++;
	if (!line->remedy[0])
		return;
	fprintf(out, "%*s> ", MARK, "");
	if (same < line)
		fprintf(out, "as for %s\n", same->name);
	else
		put(out, line->remedy, MARK + 2);
}

static void print_json(const struct doctor_line *line, struct dump *d)
{
	const struct pd_visitor *v = dump_visitor(d);
	dump_begin(d, "check");
	v->text(v->ctx, "check", line->check);
	v->text(v->ctx, "name", line->name);
	v->text(v->ctx, "state", doctor_state_name(line->state));
	v->u64(v->ctx, "limits", doctor_limits(line));
	v->text(v->ctx, "what", line->what);
	v->text(v->ctx, "evidence", line->evidence);
	v->text(v->ctx, "remedy", line->remedy);
	(void)dump_end(d);
}

static void print_all(const struct doctor_line lines[static DOCTOR_LINES], bool json, FILE *out)
{
	struct dump *d = json ? dump_create(out, true) : NULL;
	if (d) {
		dump_begin(d, "doctor");
		dump_visitor(d)->text(dump_visitor(d)->ctx, "schema", "cyctop-doctor/1");
		(void)dump_end(d);
	}
	for (size_t i = 0; i < DOCTOR_LINES; i++)
		if (d)
			print_json(&lines[i], d);
		else
			print_text(lines, i, out);
	dump_destroy(d);
}

int doctor_main(int argc, char **argv)
{
	struct dump_options o;
	signals_usual();
	signals_ignore_failed_writes();
	int ended = message_options(COMMAND_DOCTOR, argc, argv, &o.common);
	if (ended >= 0)
		return ended;
	struct doctor_line lines[DOCTOR_LINES];
	bool limited = false;
	doctor_examine(lines);
	for (size_t i = 0; i < DOCTOR_LINES; i++)
		limited |= doctor_limits(&lines[i]);
	print_all(lines, o.json, stdout);
	return message_flush() && !limited ? 0 : EXIT_FAILED;
}
