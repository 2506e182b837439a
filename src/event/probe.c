/* Parses probes, uprobe:PATH:PLACE and kprobe:PLACE.  The kernel removes a probe when its event's descriptor is
 * closed. */
#include "event/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { RETURNS = 1 }; /* bit `retprobe` of attr.config, in the kernel's PMUs uprobe and kprobe */

/* The place of a probe: FUNCTION[+OFFSET][%return] or ADDRESS[%return]. */
struct place {
	char *function; /* NULL: `offset` is the address (kprobe), or the offset in the file (uprobe) */
	uint64_t offset;
	bool returns;
};

static bool parse_place(char *text, struct place *ret)
{
	char *percent = strchr(text, '%'), *plus;
	*ret = (struct place){.returns = percent && strcmp(percent, "%return") == 0};
	if (percent && !ret->returns)
		return false;
	if (percent)
		*percent = '\0';
	if (event_number((struct event_text){text, strlen(text)}, &ret->offset))
		return true;
	if (*text >= '0' && *text <= '9')
		return false;
	ret->function = text;
	plus = strchr(text, '+');
	if (!plus)
		return *text;
	*plus++ = '\0';
	return *text && !ret->returns && event_number((struct event_text){plus, strlen(plus)}, &ret->offset);
}

size_t event_probe_prefix(const char *name)
{
	enum { PMU = sizeof("uprobe:") - 1 };
	const char *colon = strchr(name, ':'), *next = colon && colon[1] == '/' ? strchr(colon + 1, ':') : NULL;
	if (strncmp(name, "kprobe:", PMU) == 0)
		return PMU;
	return strncmp(name, "uprobe:", PMU) == 0 && next ? (size_t)(next + 1 - name) : 0;
}

static int read_type(const struct event_files *pmus, const char *pmu, uint32_t *ret, struct error *err)
{
	char path[128], buf[32] = "";
	uint64_t type;
	snprintf(path, sizeof(path), "%s/type", pmu);
	if (pmus && pmus->read(pmus->ctx, path, buf, sizeof(buf)) > 0 &&
	    event_number((struct event_text){buf, strcspn(buf, "\n")}, &type)) {
		*ret = (uint32_t)type;
		return 0;
	}
	return error_set(err, ENOENT, "this kernel has no PMU '%s': it needs Linux 4.17 with CONFIG_%s_EVENTS", pmu,
			 *pmu == 'u' ? "UPROBE" : "KPROBE");
}

/* Finds the file offset at which a uprobe is to be set. */
static int find_function(const struct event_world *world, const char *path, const struct place *place,
			 uint64_t *offset_ret, struct error *err)
{
	if (!world->function)
		return error_set(err, ENOENT, "functions of files are not looked up here: use uprobe:PATH:0xOFFSET");
	int rc = world->function(path, place->function, offset_ret, err);
	*offset_ret += place->offset;
	return rc;
}

int event_add_probe(const struct event_world *world, struct event_text stem, const struct event_spec *modified,
		    struct event_list *list, struct error *err)
{
	struct event_spec spec = *modified;
	char text[sizeof(spec.name)], *at;
	struct place place;
	snprintf(text, sizeof(text), "%.*s", (int)stem.n, stem.s);
	bool user = strncmp(text, "uprobe:", 7) == 0;
	if (!user && strncmp(text, "kprobe:", 7) != 0)
		return 1;
	at = text + 7;
	text[6] = '\0'; /* ends the text after the name of the PMU, "uprobe" or "kprobe" */
	if (user) {
		snprintf(spec.probe, sizeof(spec.probe), "%.*s", (int)strcspn(at, ":"), at);
		at += strlen(spec.probe);
	}
	if ((user && (*spec.probe != '/' || *at++ != ':')) || !parse_place(at, &place))
		return error_set(err, EINVAL, "'%s' is not %s:%sFUNCTION[+OFFSET], %s:%sFUNCTION%%return or %s:%s0x%s",
				 modified->name, text, user ? "/PATH:" : "", text, user ? "/PATH:" : "", text,
				 user ? "/PATH:" : "", user ? "OFFSET, with the whole path of a file" : "ADDRESS");
	int rc = read_type(world->pmus, text, &spec.type, err);
	spec.config = place.returns ? RETURNS : 0;
	spec.config2 = place.offset;
	if (rc == 0 && user && place.function)
		rc = find_function(world, spec.probe, &place, &spec.config2, err);
	if (!user)
		snprintf(spec.probe, sizeof(spec.probe), "%s", place.function ? place.function : "0x");
	if (!spec.rate)
		spec.rate = 1; /* each hit is a sample */
	return rc < 0 ? rc : event_list_add(list, &spec, err);
}
