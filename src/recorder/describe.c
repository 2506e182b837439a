/* Describes the events and the command line in the header of a recording. */
#include "recorder/describe.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds new ids, and sorts the array.  Ids of closed events stay, because records have them. */
static void add_ids(struct pd_event *ev, const uint64_t *ids, size_t n)
{
	size_t known = ev->ids_n;
	ev->ids = mem_realloc(ev->ids, known + n + 1, sizeof(ids[0]));
	for (size_t i = 0; i < n; i++)
		if (!sorted_find(ev->ids, known, sizeof(ids[0]), 0, ids[i]))
			ev->ids[ev->ids_n++] = ids[i];
	if (ev->ids_n != known)
		sort_by_number(ev->ids, ev->ids_n, sizeof(ids[0]), 0);
}

int describe_events(struct pd_info *info, struct source *src, struct error *err)
{
	struct source_stream s;
	for (size_t i = 0; src->ops->stream(src, i, &s); i++) {
		int rc = 0;
		if (s.ids_n)
			rc = pd_info_add_event(info, &s.attr, pd_attr_size(&s.attr), NULL, 0, err);
		if (s.ids_n && !rc) {
			struct pd_event *ev = &info->events[info->events_n - 1];
			ev->name = mem_strdup(s.name);
			add_ids(ev, s.ids, s.ids_n);
		}
		free(s.ids);
		if (rc)
			return rc;
	}
	return 0;
}

void describe_new_ids(struct pd_info *info, struct source *src)
{
	struct source_stream s;
	for (size_t i = 0; src->ops->stream(src, i, &s); i++) {
		for (size_t e = 0; e < info->events_n; e++)
			if (strcmp(info->events[e].name, s.name) == 0)
				add_ids(&info->events[e], s.ids, s.ids_n);
		free(s.ids);
	}
}

void describe_command_line(struct pd_info *info, int argc, char **argv)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	info->cmdline = mem_calloc((size_t)argc + 2, sizeof(char *));
	info->cmdline[0] = mem_strdup(n > 0 ? exe : "cyctop");
	for (int i = 0; i < argc; i++)
		info->cmdline[i + 1] = mem_strdup(argv[i]);
}
