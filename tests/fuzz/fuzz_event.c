/* Lists of events, and the kernel's files about them: the input up to a NUL is the list, the rest is every file. */
#include <cyctop/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
	const char *file;
	size_t n;
};

static int read_file(const void *ctx, const char *path, char *buf, size_t cap)
{
	const struct input *in = ctx;
	if (strstr(path, "/type") || strstr(path, "/id"))
		return snprintf(buf, cap, "7\n");
	size_t n = in->n < cap - 1 ? in->n : cap - 1;
	memcpy(buf, in->file, n);
	buf[n] = '\0';
	return (int)n;
}

static int each_name(const void *ctx, const char *dir, void (*fn)(void *fn_ctx, const char *name), void *fn_ctx)
{
	(void)ctx;
	static const char *const names[] = {"cpu", "uncore_imc_0", "uncore_imc_1", "event", "sched", "sched_switch"};
	for (size_t i = 0; i < ARRAY_LEN(names) && strlen(dir) < 64; i++)
		fn(fn_ctx, names[i]);
	return 0;
}

static void known(void *ctx, const struct event_known *e)
{
	*(size_t *)ctx += strlen(e->name) + strlen(e->means);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *list = calloc(1, size + 1);
	if (!list)
		abort();
	memcpy(list, data, size);
	size_t n = strlen(list), events = 0, length = 0;
	const struct input in = {n < size ? list + n + 1 : "", n < size ? size - n - 1 : 0};
	const struct event_files files = {read_file, each_name, &in};
	const struct event_world world = {.pmus = &files, .tracepoints = &files};
	struct event_spec specs[EVENTS_MAX];
	struct error err;
	int rc = event_parse_list(list, &world, specs, &events, &err);
	if (events > EVENTS_MAX || (rc < 0 && (events || !err.text[0])))
		abort();
	for (size_t i = 0; i < events; i++)
		if (!memchr(specs[i].name, '\0', sizeof(specs[i].name)) || specs[i].precise > 3)
			abort();
	event_each_known(&world, known, &length);
	struct event_field field;
	char text[FIELD_TEXT_MAX], name[FIELD_WORD];
	snprintf(name, sizeof(name), "%.*s", (int)(in.n < 20 ? in.n : 20), in.file);
	if (event_field_find(list, name, &field) &&
	    event_field_text(&field, data, size, size & 1, text, sizeof(text)) && !memchr(text, 0, sizeof(text)))
		abort();
	text[0] = '\0';
	event_field_list(list, text, sizeof(text));
	const char *formula = list;
	const struct metric_count counts[METRIC_OPERANDS_MAX] = {{3, 1}, {2, 1}, {0, 1}};
	struct metric_set *set = NULL;
	rc = metric_set_create(&formula, 1, &set, &err);
	double value = 0, error = 0;
	if ((rc < 0 && !err.text[0]) ||
	    (rc == 0 && metric_value(&set->v[set->n - 1], counts, &value, &error) && !(error >= 0)))
		abort();
	metric_set_destroy(set);
	free(list);
	return 0;
}
