/* Reads all headers, attrs, features and records of real recordings, and compares them with the
 * results of an independent reader. */
#include "../lib/pd_walk.h"
#include "../lib/recordings.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

static const char *dir;

/* Number of differences; the test goes on after one to find all of them. */
static size_t wrongs;
#define WRONG(...)                                                                                                     \
	do {                                                                                                           \
		fprintf(stderr, __VA_ARGS__);                                                                          \
		fputc('\n', stderr);                                                                                   \
		wrongs++;                                                                                              \
	} while (0)

/* Our name for a record type that the independent reader calls otherwise. */
static const char *record_name_of(const char *theirs)
{
	static const char *const pairs[][2] = {{"HEADER_ATTR", "ATTR"}, {"HDR_BUILD_ID", "BUILD_ID"}};
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		if (strcmp(pairs[i][0], theirs) == 0)
			return pairs[i][1];
	return theirs;
}

static size_t record_slot(const char *theirs)
{
	const char *ours = record_name_of(theirs);
	unsigned number;
	if (sscanf(theirs, "type%u", &number) == 1)
		return number < 32768 ? number : PD_WALK_TYPES + number - 32768;
	for (unsigned i = 0; i < PD_WALK_TYPES; i++) {
		const char *known = pd_record_name(i);
		/* a name such as TRACING_DATA is that of a record and of a feature; this finds
		 * the record */
		if (known && strcmp(known, ours) == 0)
			return i;
	}
	return SIZE_MAX;
}

static void check_records(const struct pd_walk *w, json_t *summary, const char *name)
{
	json_t *records = json_object_get(summary, "records"), *count;
	const char *key;
	uint64_t want = 0, got = 0;
	/* Records are not compared if they are compressed, if a vendor uses these type numbers
	 * for other records, or if the independent reader is wrong: it expects the data of
	 * simpleperf's TRACING_DATA after the record, but it is inside. */
	if ((strstr(name, "simpleperf") && json_object_get(records, "TRACING_DATA")) ||
	    json_object_get(records, "COMPRESSED") || json_object_get(records, "COMPRESSED2") ||
	    json_is_true(json_object_get(summary, "legacy_google_pipe")) || json_object_get(summary, "bad_record"))
		return;
	json_object_foreach(records, key, count)
	{
		size_t slot = record_slot(key);
		if (slot == SIZE_MAX)
			WRONG("%s: no record is called %s", name, key);
		else if (w->counts[slot] != (uint64_t)json_integer_value(count))
			WRONG("%s: %llu %s", name, (unsigned long long)w->counts[slot], key);
		want += (uint64_t)json_integer_value(count);
	}
	for (size_t i = 0; i < ARRAY_LEN(w->counts); i++)
		got += w->counts[i];
	if (got != want)
		WRONG("%s: %llu records", name, (unsigned long long)got);
}

static void check_samples(const struct pd_walk *w, json_t *summary, const char *name)
{
	json_t *events = json_object_get(summary, "per_event"), *pair;
	const char *key;
	if (json_object_get(json_object_get(summary, "records"), "COMPRESSED") ||
	    json_object_get(json_object_get(summary, "records"), "COMPRESSED2") ||
	    json_object_get(summary, "bad_record"))
		return;
	json_object_foreach(events, key, pair)
	{
		unsigned long i = strtoul(key, NULL, 10);
		uint64_t n = (uint64_t)json_integer_value(json_array_get(pair, 0));
		uint64_t sum = (uint64_t)json_integer_value(json_array_get(pair, 1));
		assert_true(i < PD_WALK_EVENTS);
		if (w->samples[i] != n || w->periods[i] != sum)
			WRONG("%s: event %s has %llu samples of %llu", name, key, (unsigned long long)w->samples[i],
			      (unsigned long long)w->periods[i]);
	}
}

static void check_attrs(const struct pd_walk *w, json_t *summary, const char *name)
{
	json_t *attrs = json_object_get(summary, "attrs");
	if (json_array_size(attrs) != w->info.events_n)
		WRONG("%s: %zu attrs", name, w->info.events_n);
	for (size_t i = 0; i < w->info.events_n; i++) {
		json_t *want = json_array_get(attrs, i);
		struct pd_event e = w->info.events[i];
		struct pd_info bare = {.events = &e, .events_n = 1};
		char got[256];
		assert_int_equal(e.attr.type, json_integer_value(json_object_get(want, "type")));
		assert_true(e.attr.config == (uint64_t)json_integer_value(json_object_get(want, "config")));
		assert_int_equal(e.attr_size, json_integer_value(json_object_get(want, "attr_size")));
		assert_int_equal(e.attr.sample_type, json_integer_value(json_object_get(want, "st")));
		if (e.ids_n != (size_t)json_integer_value(json_object_get(want, "nids")))
			WRONG("%s: event %zu has %zu ids", name, i, e.ids_n);
		assert_int_equal(e.attr.sample_period, json_integer_value(json_object_get(want, "period")));
		assert_int_equal(!!(e.attr.flags & ATTR_FREQ), json_is_true(json_object_get(want, "freq")));
		assert_int_equal(e.attr.flags >> ATTR_PRECISE_SHIFT & 3,
				 json_integer_value(json_object_get(want, "precise")));
		e.name = NULL;
		e.attr.flags = 0;
		pd_event_name(&bare, 0, got, sizeof(got));
		if (strcmp(got, json_string_value(json_object_get(want, "name"))) != 0)
			WRONG("%s: event %zu is %s", name, i, got);
	}
}

static void same_text(json_t *feat, const char *key, const char *got, const char *name)
{
	const char *want = json_string_value(json_object_get(feat, key));
	if (want && (!got || strcmp(want, got) != 0))
		WRONG("%s: %s is %s", name, key, got ? got : "not there");
}

static void check_features(const struct pd_walk *w, json_t *summary, const char *name)
{
	json_t *feat = json_object_get(summary, "feat"), *events = json_object_get(feat, "EVENTS"), *value;
	size_t i;
	if (json_object_get(feat, "err"))
		return;
	same_text(feat, "HOSTNAME", w->info.hostname, name);
	same_text(feat, "OSRELEASE", w->info.osrelease, name);
	same_text(feat, "VERSION", w->info.version, name);
	same_text(feat, "ARCH", w->info.arch, name);
	same_text(feat, "CPUDESC", w->info.cpudesc, name);
	same_text(feat, "CPUID", w->info.cpuid, name);
	json_t *cpus = json_object_get(feat, "NRCPUS");
	if (cpus && !json_is_true(json_object_get(summary, "legacy_google_pipe"))) {
		assert_int_equal(w->info.cpus_available, json_integer_value(json_array_get(cpus, 0)));
		assert_int_equal(w->info.cpus_online, json_integer_value(json_array_get(cpus, 1)));
	}
	json_array_foreach(events, i, value)
	{
		char got[1024];
		assert_true(i < w->info.events_n);
		pd_event_name(&w->info, i, got, sizeof(got));
		if (strcmp(got, json_string_value(value)) != 0)
			WRONG("%s: event %zu is %s", name, i, got);
	}
}

static json_t *summary_of(const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/ref/%.*s.summary.json", dir, (int)(strlen(name) - strlen(".perf.data")), name);
	return json_load_file(path, 0, NULL);
}

/* Recordings that are known to be damaged. */
static bool damaged(const char *name)
{
	return strstr(name, "corrupted") || strstr(name, "operf-like-partial");
}

static void check_recording(void *ctx, const char *path, const char *name)
{
	size_t *compared = ctx, n;
	struct pd_walk w;
	uint8_t *bytes = recordings_read(path, &n);
	assert_non_null(bytes);
	int rc = pd_walk(&w, bytes, n);
	json_t *summary = summary_of(name);
	if (rc < 0)
		WRONG("%s is refused: %d", name, rc);
	assert_false(w.unpaired);
	bool legacy = summary && json_is_true(json_object_get(summary, "legacy_google_pipe"));
	if (!damaged(name) && !legacy && (w.bad_features || w.bad_records || w.undecoded))
		WRONG("%s: %llu features, %llu records, %llu undecoded: %s", name, (unsigned long long)w.bad_features,
		      (unsigned long long)w.bad_records, (unsigned long long)w.undecoded, w.trouble);
	if (summary) {
		check_attrs(&w, summary, name);
		check_records(&w, summary, name);
		check_samples(&w, summary, name);
		check_features(&w, summary, name);
		++*compared;
	}
	json_decref(summary);
	pd_walk_free(&w);
	free(bytes);
}

static void every_recording_is_read_to_its_last_field(void **state)
{
	(void)state;
	size_t compared = 0;
	assert_true(recordings_each(dir, NULL, check_recording, &compared) >= 70);
	assert_true(compared >= 70);
	assert_int_equal(wrongs, 0);
}

static void walk_only(void *ctx, const char *path, const char *name)
{
	struct pd_walk w;
	size_t n;
	uint8_t *bytes = recordings_read(path, &n);
	(void)ctx, (void)name;
	assert_non_null(bytes);
	int rc = pd_walk(&w, bytes, n);
	assert_true(rc == 0 || rc == -EINVAL || rc == -EAGAIN);
	assert_false(w.unpaired);
	pd_walk_free(&w);
	free(bytes);
}

static void damaged_recordings_do_no_harm(void **state)
{
	(void)state;
	assert_true(recordings_each(dir, "corrupt", walk_only, NULL) >= 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recording_is_read_to_its_last_field),
		cmocka_unit_test(damaged_recordings_do_no_harm),
	};
	dir = recordings_dir();
	return dir ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
