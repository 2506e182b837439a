/* Events of a PMU, written PMU/TERMS/.  The PMU's directory in sysfs tells which bits of the attr each term sets (files
 * in format/), and which terms each named event stands for (files in events/). */
#include "event/internal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PMU_NAME_MAX = 64, TEXT_MAX = 512 };

/* ---- reading the files of a PMU ----------------------------------------------------------------- */

static bool is_plain(struct event_text name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.s[i]) && !strchr("_-.+", name.s[i]))
			return false;
	return name.n > 0 && name.n < PMU_NAME_MAX && name.s[0] != '.';
}

/* Reads the first line of the file PMU/DIR/NAME; returns false if there is no such file. */
static bool read_text(const struct event_files *files, const char *pmu, const char *dir, struct event_text name,
		      char buf[static TEXT_MAX])
{
	char path[3 * PMU_NAME_MAX];
	if (!is_plain(name))
		return false;
	snprintf(path, sizeof(path), "%s/%s%s%.*s", pmu, dir, *dir ? "/" : "", (int)name.n, name.s);
	if (files->read(files->ctx, path, buf, TEXT_MAX) < 0)
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

static struct event_text text_of(const char *s)
{
	return (struct event_text){s, strlen(s)};
}

static bool read_type(const struct event_files *files, const char *pmu, struct event_spec *ret)
{
	char buf[TEXT_MAX];
	uint64_t type;
	if (!read_text(files, pmu, "", text_of("type"), buf) || !event_number(text_of(buf), &type))
		return false;
	ret->type = (uint32_t)type;
	ret->shared = ret->counted = read_text(files, pmu, "", text_of("cpumask"), buf);
	return type <= UINT32_MAX;
}

const char *const event_cpu_pmus[] = {"cpu", "cpu_core", "cpu_atom", "cpu_lowpower", NULL};

uint8_t event_most_precise(const struct event_files *files)
{
	char buf[TEXT_MAX];
	uint64_t most;
	for (size_t i = 0; files && event_cpu_pmus[i]; i++)
		if (read_text(files, event_cpu_pmus[i], "caps", text_of("max_precise"), buf))
			return event_number(text_of(buf), &most) && most <= 3 ? (uint8_t)most : 0;
	return 0;
}

/* ---- applying the terms of PMU/TERMS/ ----------------------------------------------------------- */

/* An event while its terms are applied. */
struct encoding {
	const struct event_files *files;
	const char *pmu;
	struct event_spec *spec;
	struct event_text open; /* a term of the event's file whose value the user must give ("event=?"); n 0: none */
	struct error *err;
};

static int wrong_value(const struct event_term *term, const char *what, struct error *err)
{
	return error_set(err, EINVAL, "%.*s=%.*s: %s", (int)term->name.n, term->name.s, (int)term->value.n,
			 term->value.s, what);
}

/* Adds the CPUs of the term cpu=, a list such as "0,2-3" or the name of a PMU, to spec->cpus. */
static int add_cpus(const struct event_term *term, const struct event_files *files, struct event_spec *spec,
		    struct error *err)
{
	char text[TEXT_MAX], pmu[PMU_NAME_MAX];
	struct cpu_bits bits;
	size_t n = strlen(spec->cpus);
	snprintf(text, sizeof(text), "%.*s", (int)term->value.n, term->value.s);
	if (!isdigit((unsigned char)*text) && is_plain(term->value) && files) {
		snprintf(pmu, sizeof(pmu), "%.*s", (int)term->value.n, term->value.s);
		if (!read_text(files, pmu, "", text_of("cpus"), text))
			(void)read_text(files, pmu, "", text_of("cpumask"), text);
	}
	if (!isdigit((unsigned char)*text) || !cpu_bits_parse(text, &bits))
		return wrong_value(term, "a CPU is needed, a range such as 1-3, or a PMU with a file cpus or cpumask",
				   err);
	if (n + strlen(text) + 2 > sizeof(spec->cpus))
		return wrong_value(term, "the CPUs of an event are named in 63 characters at most: name ranges", err);
	snprintf(spec->cpus + n, sizeof(spec->cpus) - n, "%s%.62s", n ? "," : "", text);
	return 0;
}

int event_common_term(const struct event_term *term, const struct event_files *files, struct event_spec *spec,
		      struct error *err)
{
	bool freq = event_text_is(term->name, "freq"), period = event_text_is(term->name, "period");
	uint64_t n;
	if (event_text_is(term->name, "name")) {
		if (!term->value.n || term->value.n >= sizeof(spec->name))
			return wrong_value(term, "a name has between 1 and 95 characters", err);
		snprintf(spec->name, sizeof(spec->name), "%.*s", (int)term->value.n, term->value.s);
		return 0;
	}
	if (event_text_is(term->name, "cpu"))
		return add_cpus(term, files, spec, err);
	if (!freq && !period)
		return 1;
	if (!event_number(term->value, &n) || !n)
		return wrong_value(term, "a number above 0 is needed", err);
	if (freq && n > EVENT_FREQ_MAX)
		return wrong_value(term, "at most 100,000 Hz are possible", err);
	spec->rate = n;
	spec->freq = freq;
	return 0;
}

static uint64_t *config_of(struct event_spec *spec, struct event_text name)
{
	return event_text_is(name, "config")	? &spec->config
	       : event_text_is(name, "config1") ? &spec->config1
	       : event_text_is(name, "config2") ? &spec->config2
	       : event_text_is(name, "config3") ? &spec->config3
						: NULL;
}

/* Puts the bits of a value, from the lowest on, into the bits of attr.config that a format ("config:0-7,32-35") names.
 * *left_ret: the high bits for which the format has no room.  Returns false if the format cannot be parsed. */
static bool scatter(const char *format, uint64_t value, struct event_spec *spec, uint64_t *left_ret)
{
	size_t n = strcspn(format, ":");
	uint64_t *config = config_of(spec, (struct event_text){format, n});
	if (!config || format[n] != ':')
		return false;
	for (const char *at = format + n + 1; *at;) {
		char *end;
		unsigned long first = strtoul(at, &end, 10), last = first;
		if (end == at)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (first > last || last > 63 || (*end && *end != ','))
			return false;
		for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
			*config = (*config & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
		at = *end ? end + 1 : end;
	}
	*left_ret = value;
	return true;
}

static int put_number(struct encoding *e, const struct event_term *term, uint64_t value)
{
	char format[TEXT_MAX];
	uint64_t left = 0, *config = config_of(e->spec, term->name);
	if (config) {
		*config = value;
		return 0;
	}
	if (!read_text(e->files, e->pmu, "format", term->name, format))
		return 1;
	if (!scatter(format, value, e->spec, &left))
		return error_set(e->err, EINVAL, "the kernel's format of '%.*s' in %s is unknown: %.40s",
				 (int)term->name.n, term->name.s, e->pmu, format);
	return left ? wrong_value(term, "the number is too large for the term", e->err) : 0;
}

static int apply(struct encoding *e, struct event_text list, bool of_alias);

static bool read_of_alias(const struct encoding *e, struct event_text name, const char *what, char buf[static TEXT_MAX])
{
	char file[PMU_NAME_MAX];
	int n = snprintf(file, sizeof(file), "%.*s.%s", (int)name.n, name.s, what);
	return (size_t)n < sizeof(file) && read_text(e->files, e->pmu, "events", text_of(file), buf);
}

/* Reads unit and scale of a named event (NAME.unit, NAME.scale), but only if the event cannot be sampled: samples stand
 * for events, not for units. */
static void read_unit(struct encoding *e, struct event_text name)
{
	char buf[TEXT_MAX], *end;
	double scale = read_of_alias(e, name, "scale", buf) ? strtod(buf, &end) : 1;
	if (!e->spec->counted || !(scale > 0) || !isfinite(scale))
		return;
	e->spec->scale = scale;
	if (read_of_alias(e, name, "unit", buf))
		snprintf(e->spec->unit, sizeof(e->spec->unit), "%.*s", (int)sizeof(e->spec->unit) - 1, buf);
}

/* Applies the terms of a named event of the PMU.  Returns 0; 1 if the PMU has no event of this name; or -errno. */
static int apply_alias(struct encoding *e, struct event_text name)
{
	char terms[TEXT_MAX];
	if (!read_text(e->files, e->pmu, "events", name, terms))
		return 1;
	read_unit(e, name);
	return apply(e, text_of(terms), true);
}

static void add_name(void *ctx, const char *name)
{
	char *buf = ctx;
	size_t n = strlen(buf);
	if (n + strlen(name) + 3 < TEXT_MAX / 2)
		snprintf(buf + n, TEXT_MAX - n, "%s%s", n ? ", " : "", name);
}

static int unknown_term(const struct encoding *e, const struct event_term *term)
{
	char path[2 * PMU_NAME_MAX], terms[TEXT_MAX] = "";
	snprintf(path, sizeof(path), "%s/format", e->pmu);
	(void)e->files->each(e->files->ctx, path, add_name, terms);
	return error_set(e->err, EINVAL, "%s has no term '%.*s', only %s%sname, period, freq and cpu%s", e->pmu,
			 (int)term->name.n, term->name.s, terms, *terms ? ", config, config1, config2, config3, " : "",
			 term->has_value ? "" : ", and no event of that name");
}

/* Applies a term without a value: a named event of the PMU, a term of one bit, a raw event rNNN, or a generic event on
 * a PMU of the CPU.  Returns 1 if the term is none of these. */
static int apply_word(struct encoding *e, const struct event_term *term)
{
	struct event_text hex = {term->name.s + 1, term->name.n - 1};
	struct event_spec generic = {0};
	char *end, raw[20];
	int rc = apply_alias(e, term->name);
	if (rc == 1)
		rc = put_number(e, term, 1);
	if (rc != 1)
		return rc;
	snprintf(raw, sizeof(raw), "%.*s", (int)hex.n, hex.s);
	uint64_t config = strtoull(raw, &end, 16);
	if (*term->name.s == 'r' && hex.n && hex.n <= 16 && !*end) {
		e->spec->config = config;
		return 0;
	}
	if (!event_parse_generic(term->name, &generic) || generic.type == ABI_TYPE_SOFTWARE ||
	    strncmp(e->pmu, "cpu", 3) != 0)
		return 1;
	/* hybrid machines, which have no PMU "cpu": the upper half of a generic event's config is the PMU's type */
	uint64_t of_pmu = strcmp(e->pmu, "cpu") == 0 ? 0 : (uint64_t)e->spec->type << 32;
	e->spec->type = generic.type;
	e->spec->config = generic.config | of_pmu;
	return 0;
}

static int apply_term(struct encoding *e, const struct event_term *term, bool of_alias)
{
	uint64_t value;
	int rc = of_alias ? 1 : event_common_term(term, e->files, e->spec, e->err);
	if (rc != 1)
		return rc;
	if (!term->name.n)
		return error_set(e->err, EINVAL, "a term of %s is empty", e->pmu);
	if (!term->has_value) {
		rc = of_alias ? put_number(e, term, 1) : apply_word(e, term);
	} else if (of_alias && event_text_is(term->value, "?")) {
		e->open = term->name;
		return 0;
	} else if (!event_number(term->value, &value)) {
		return wrong_value(term, "a number is needed", e->err);
	} else {
		if (term->name.n == e->open.n && strncasecmp(term->name.s, e->open.s, e->open.n) == 0)
			e->open.n = 0;
		rc = put_number(e, term, value);
	}
	return rc == 1 ? unknown_term(e, term) : rc;
}

static int apply(struct encoding *e, struct event_text list, bool of_alias)
{
	struct event_term term;
	while (event_next_term(&list, &term)) {
		int rc = apply_term(e, &term, of_alias);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- finding the PMUs that a name means ------------------------------------------------------ */

/* The PMUs whose names match a pattern. */
struct found {
	const char *pattern;
	char names[EVENTS_MAX][PMU_NAME_MAX];
	size_t n;
	bool exact; /* one PMU's name is just `pattern`, so that no other PMU is meant */
};

/* Returns true if `pattern` is a PMU's name, or its name without "uncore_", a number at the end, or both ("imc" for
 * uncore_imc_0). */
static bool stands_for(const char *pattern, const char *pmu)
{
	static const char uncore[] = "uncore_";
	size_t n = strlen(pattern);
	if (strncmp(pmu, uncore, sizeof(uncore) - 1) == 0 && strncmp(pattern, uncore, sizeof(uncore) - 1) != 0)
		pmu += sizeof(uncore) - 1;
	if (strncmp(pmu, pattern, n) != 0)
		return false;
	const char *number = pmu + n + (pmu[n] == '_');
	return number[strspn(number, "0123456789")] == '\0' && (pmu[n] == '_') == (*number != '\0');
}

static int by_name(const void *a, const void *b)
{
	const char *x = a, *y = b;
	size_t n = strlen(x), m = strlen(y);
	return n != m ? (n > m) - (n < m) : strcmp(x, y); /* imc_9 before imc_10 */
}

static void find(void *ctx, const char *pmu)
{
	struct found *f = ctx;
	bool same = strcmp(f->pattern, pmu) == 0;
	if (same)
		f->n = 0; /* drops the PMUs found so far: `pattern` means only this one */
	if (f->exact || f->n == EVENTS_MAX || strlen(pmu) >= PMU_NAME_MAX || !stands_for(f->pattern, pmu))
		return;
	f->exact = same;
	memcpy(f->names[f->n++], pmu, strlen(pmu) + 1);
}

static int no_type(const char *pmu, struct error *err)
{
	return error_set(err, ENODEV, "the kernel does not say the number of the PMU %s, in %s/type of its directory",
			 pmu, pmu);
}

int event_add_of_pmus(const struct event_files *files, const struct event_word *w, const struct event_spec *modified,
		      struct event_list *list, struct error *err)
{
	char pattern[PMU_NAME_MAX];
	struct found found = {.pattern = pattern};
	if (!files || !is_plain(w->name))
		return 1;
	snprintf(pattern, sizeof(pattern), "%.*s", (int)w->name.n, w->name.s);
	(void)files->each(files->ctx, "", find, &found);
	qsort(found.names, found.n, sizeof(found.names[0]), by_name);
	for (size_t i = 0; i < found.n; i++) {
		struct event_spec spec = *modified;
		struct encoding e = {.files = files, .pmu = found.names[i], .spec = &spec, .err = err};
		spec.name[0] = '\0';
		if (!read_type(files, e.pmu, &spec))
			return no_type(e.pmu, err);
		int rc = apply(&e, w->terms, false);
		if (rc == 0 && e.open.n)
			rc = error_set(err, EINVAL, "the event needs a value: %.*s=NUMBER", (int)e.open.n, e.open.s);
		if (rc < 0)
			return rc;
		if (spec.name[0] && found.n > 1)
			return error_set(err, EINVAL, "one name for the events of %zu PMUs: leave name= out", found.n);
		if (!spec.name[0])
			snprintf(spec.name, sizeof(spec.name), "%s%.*s", e.pmu, (int)(w->all.n - w->name.n),
				 w->all.s + w->name.n);
		rc = event_list_add(list, &spec, err);
		if (rc < 0)
			return rc;
	}
	return found.n ? 0 : 1;
}

/* A search for the PMUs that have a named event in sysfs. */
struct owners {
	const struct event_files *files;
	struct event_text name;
	struct found found;
};

static void find_owner(void *ctx, const char *pmu)
{
	struct owners *o = ctx;
	char terms[TEXT_MAX];
	if (o->found.n < EVENTS_MAX && strlen(pmu) < PMU_NAME_MAX && read_text(o->files, pmu, "events", o->name, terms))
		memcpy(o->found.names[o->found.n++], pmu, strlen(pmu) + 1);
}

int event_add_alias(const struct event_files *files, struct event_text name, struct event_text all,
		    const struct event_spec *modified, struct event_list *list, struct error *err)
{
	struct owners o = {.files = files, .name = name};
	if (!files || !is_plain(name))
		return 1;
	(void)files->each(files->ctx, "", find_owner, &o);
	qsort(o.found.names, o.found.n, sizeof(o.found.names[0]), by_name);
	size_t before = list->n;
	for (size_t i = 0; i < o.found.n; i++) {
		const char *pmu = o.found.names[i];
		struct event_spec spec = *modified;
		struct encoding e = {.files = files, .pmu = pmu, .spec = &spec, .err = err};
		if (!read_type(files, pmu, &spec))
			continue;
		int rc = apply_alias(&e, name);
		if (rc == 0 && e.open.n)
			rc = error_set(err, EINVAL, "the event needs a value: %s/%.*s,%.*s=NUMBER/", pmu, (int)name.n,
				       name.s, (int)e.open.n, e.open.s);
		if (rc < 0)
			return rc;
		if (o.found.n > 1)
			snprintf(spec.name, sizeof(spec.name), "%s/%.*s/%.*s", pmu, (int)name.n, name.s,
				 (int)(all.n - name.n), all.s + name.n);
		rc = event_list_add(list, &spec, err);
		if (rc < 0)
			return rc;
	}
	if (o.found.n && list->n == before)
		return no_type(o.found.names[0], err);
	return o.found.n ? 0 : 1;
}
