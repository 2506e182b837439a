/* cyctop list: prints the events that can be measured here. */
#include "app/commands.h"
#include "app/message.h"
#include "os/signals.h"

#include <cyctop/front.h>
#include <cyctop/options.h>
#include <cyctop/perfdata.h>
#include <cyctop/source.h>

#include <stdio.h>
#include <string.h>

enum { TRIED_MAX = 300 }; /* if there are more events, none is opened to see whether it can be */

struct list_here {
	struct event_world_here here;
	struct known_events rows;
};

/* Tries to open an event for sampling.  Returns "yes"; "no", and `why` has the reason; or "" for a pattern of names. */
static const char *opens(const struct list_here *l, const struct event_known *row, char why[static EVENT_REFUSAL])
{
	struct event_spec specs[EVENTS_MAX];
	size_t n = 0;
	why[0] = '\0';
	if (event_parse_list(row->name, &l->here.world, specs, &n, NULL) < 0)
		return "";
	return live_event_opens(&specs[0], why) ? "yes" : "no";
}

static void print_json(struct dump *d, const struct event_known *row, const char *open, const char *why)
{
	const struct pd_visitor *v = dump_visitor(d);
	dump_begin(d, "event");
	v->text(v->ctx, "name", row->name);
	v->text(v->ctx, "source", row->source);
	v->text(v->ctx, "means", row->means);
	v->text(v->ctx, "opens", open);
	v->text(v->ctx, "why", why);
	(void)dump_end(d);
}

/* Returns the width in cells of the column of names: that of the longest name, but from 34 to 64. */
static int name_width(const struct list_here *l)
{
	size_t width = 34;
	for (size_t i = 0; i < l->rows.n; i++)
		width = strlen(l->rows.data[i].name) > width ? strlen(l->rows.data[i].name) : width;
	return width < 64 ? (int)width : 64;
}

static void print(const struct list_here *l, bool json, FILE *out)
{
	enum { SOURCE = 11 };
	const int name = name_width(l);
	struct dump *d = json ? dump_create(out, true) : NULL;
	bool tries = l->rows.n <= TRIED_MAX;
	char why[EVENT_REFUSAL] = "", first[EVENT_REFUSAL] = "";
	size_t refused = 0;
	if (!json && l->rows.n)
		fprintf(out, "%-*s  %-*s  %-5s  MEANS\n", name, "EVENT", SOURCE, "SOURCE", "OPENS");
	for (size_t i = 0; i < l->rows.n; i++) {
		const struct event_known *row = &l->rows.data[i];
		const char *open = tries ? opens(l, row, why) : "";
		refused += *why != '\0';
		if (*why && !*first)
			snprintf(first, sizeof(first), "%.30s: %.160s", row->name, why);
		if (d)
			print_json(d, row, open, why);
		else
			fprintf(out, "%-*s  %-*s  %-5s  %s\n", name, row->name, SOURCE, row->source, *open ? open : "-",
				*row->means ? row->means : "-");
	}
	dump_destroy(d);
	if (refused && !json)
		message("%zu of these do not open; %s", refused, first);
	if (!tries)
		message("%zu events are too many to try each: a pattern says of up to %d whether they open", l->rows.n,
			TRIED_MAX);
}

int list_main(int argc, char **argv)
{
	struct dump_options o;
	struct list_here l = {.rows = {NULL, 0, 0}};
	signals_usual();
	signals_ignore_failed_writes();
	int ended = message_options(COMMAND_LIST, argc, argv, &o.common);
	if (ended >= 0)
		return ended;
	known_world(&l.here);
	known_read(&l.here, o.path, &l.rows);
	print(&l, o.json, stdout);
	bool any = l.rows.n;
	if (!any)
		message("no event has '%.80s' in its name or description; tracepoints are there for root alone, "
			"and where tracefs is mounted",
			o.path ? o.path : "");
	known_free(&l.rows);
	return message_flush() && any ? 0 : EXIT_FAILED;
}
