#include "source/synth/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int find_event(const struct script *s, const char *name, uint32_t *ret, struct error *err)
{
	for (uint32_t i = 0; i < s->info.events_n; i++) {
		if (strcmp(s->info.events[i].spec.name, name) == 0) {
			*ret = i;
			return 0;
		}
	}
	return error_set(err, EINVAL, "no event '%.60s'; declare it with 'event' first", name);
}

int find_dso(const struct script *s, const char *alias, uint32_t *ret, struct error *err)
{
	for (uint32_t i = 0; i < s->dsos.n; i++) {
		if (strcmp(s->dsos.data[i].alias, alias) == 0) {
			*ret = i;
			return 0;
		}
	}
	return error_set(err, EINVAL, "no DSO '%.60s'; declare it with 'dso' first", alias);
}

struct sym_key {
	const struct script *s;
	const char *name;
	uint32_t dso;
};

static bool sym_is(const void *ctx, uint32_t pos)
{
	const struct sym_key *key = ctx;
	const struct script_sym *sym = &key->s->syms.data[pos];
	return sym->dso == key->dso && strcmp(sym->name, key->name) == 0;
}

int find_sym(const struct script *s, const char *name, uint32_t *ret, struct error *err)
{
	const char *colon = strchr(name, ':');
	char alias[64];
	if (!colon || (size_t)(colon - name) >= sizeof(alias))
		return error_set(err, EINVAL, "'%.60s' is no symbol; DSO:NAME is", name);
	snprintf(alias, sizeof(alias), "%.*s", (int)(colon - name), name);
	struct sym_key key = {.s = s, .name = colon + 1};
	int rc = find_dso(s, alias, &key.dso, err);
	if (rc < 0)
		return rc;
	uint32_t at = index_find(&s->sym_index, index_hash_text(&s->sym_index, name), sym_is, &key);
	if (at == INDEX_NONE)
		return error_set(err, EINVAL, "no symbol '%.80s'; declare it with 'sym' first", name);
	*ret = at;
	return 0;
}

static int find_profile(const struct script *s, const char *name, uint32_t *ret, struct error *err)
{
	for (uint32_t i = 0; i < s->profiles.n; i++) {
		if (strcmp(s->profiles.data[i].name, name) == 0) {
			*ret = i;
			return 0;
		}
	}
	return error_set(err, EINVAL, "no profile '%.60s'; declare it with 'profile' first", name);
}

static int parse_at(const struct script *s, const char *text, uint64_t *ret, struct error *err)
{
	size_t n = strlen(text);
	uint64_t v;
	int rc;
	if (n && text[n - 1] == '%') {
		rc = lex_part(text, &v, err);
		if (rc == 0)
			v = u64_mul_div(s->interval_ns, v, PPM);
	} else {
		rc = lex_time(text, &v, err);
	}
	if (rc < 0)
		return rc;
	if (v > s->interval_ns)
		return error_set(err, EINVAL, "'%.40s' is beyond the end of the interval", text);
	*ret = v < s->interval_ns ? v : s->interval_ns - 1;
	return 0;
}

static int parse_wave(char *text, struct stmt *ret, struct error *err)
{
	char *colon = strchr(text, ':');
	if (!colon)
		return error_set(err, EINVAL, "'%.40s' is no wave; 30%%:20 is: its height and its intervals", text);
	*colon = '\0';
	int rc = lex_part(text, &ret->wave_ppm, err);
	if (rc == 0)
		rc = lex_count(colon + 1, &ret->wave_ticks, err);
	if (rc == 0 && ret->wave_ticks < 2)
		rc = error_set(err, EINVAL, "a wave needs 2 intervals or more");
	return rc;
}

/* Parses names separated by commas, and appends their ids to s->lists.  `find` gets the id of a name. */
static int parse_list(struct script *s, char *text,
		      int (*find)(const struct script *s, const char *name, uint32_t *ret, struct error *err),
		      struct stmt *ret, struct error *err)
{
	ret->maps_first = (uint32_t)s->lists.n;
	char *save = NULL;
	for (char *name = strtok_r(text, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		uint32_t id = 0;
		int rc = find(s, name, &id, err);
		if (rc < 0)
			return rc;
		vec_push(&s->lists) = id;
	}
	ret->maps_n = (uint32_t)s->lists.n - ret->maps_first;
	return 0;
}

static int parse_turns(const char *text, uint32_t *ret, struct error *err)
{
	static const char *const names[] = {
		[TURNS_RANDOM] = "random", [TURNS_HEAVY] = "heavy", [TURNS_CYCLE] = "cycle", [TURNS_GAMMA] = "gamma"};
	for (uint32_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], text) == 0) {
			*ret = i;
			return 0;
		}
	}
	return error_set(err, EINVAL, "no turns '%.40s'; random, heavy, cycle and gamma are", text);
}

static int parse_mode(const char *text, uint32_t *ret, struct error *err)
{
	static const struct {
		const char *name;
		uint32_t mode;
	} modes[] = {
		{"none", 0},
		{"kernel", MISC_KERNEL},
		{"user", MISC_USER},
		{"hypervisor", MISC_HYPERVISOR},
		{"guest-kernel", MISC_GUEST_KERNEL},
		{"guest-user", MISC_GUEST_USER},
	};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		if (strcmp(modes[i].name, text) == 0) {
			*ret = modes[i].mode;
			return 0;
		}
	}
	return error_set(err, EINVAL, "'%.40s' is no CPU mode; user and kernel are", text);
}

static int parse_hex(struct script *s, char *text, struct stmt *ret, struct error *err)
{
	size_t n;
	int rc = lex_hex(text, &n, err);
	if (rc < 0)
		return rc;
	uint32_t first = (uint32_t)s->lists.n;
	for (size_t i = 0; i < n; i += 4) {
		uint32_t word = 0;
		memcpy(&word, text + i, n - i < 4 ? n - i : 4);
		vec_push(&s->lists) = word;
	}
	ret->maps_first = first;
	ret->bytes_n = n;
	return 0;
}

static int parse_value(struct parser *p, const struct field *f, char *text, struct stmt *ret, struct error *err)
{
	struct script *s = p->s;
	void *member = (char *)ret + f->member;
	uint32_t cpus = s->info.cpus_n;
	switch (f->kind) {
	case VALUE_COUNT:
		return lex_count(text, member, err);
	case VALUE_TIME:
		return lex_time(text, member, err);
	case VALUE_AT:
		return parse_at(s, text, member, err);
	case VALUE_PART:
		return lex_part(text, member, err);
	case VALUE_RATIO:
		return lex_ratio(text, member, err);
	case VALUE_WAVE:
		return parse_wave(text, ret, err);
	case VALUE_CPUS:
		return lex_range(text, cpus, &ret->cpu_first, &ret->cpu_last, err);
	case VALUE_CPU:
		if (lex_range(text, cpus, &ret->cpu_first, &ret->cpu_last, err) < 0)
			return -EINVAL;
		if (ret->cpu_first != ret->cpu_last)
			return error_set(err, EINVAL, "'%.40s': one CPU only, here", text);
		return 0;
	case VALUE_TASK:
		return lex_task(text, &ret->pid, &ret->tid, err);
	case VALUE_CHILD:
		return lex_task(text, &ret->child_pid, &ret->child_tid, err);
	case VALUE_EVENT:
		return find_event(s, text, member, err);
	case VALUE_SYM:
		return find_sym(s, text, member, err);
	case VALUE_DSO:
		return find_dso(s, text, member, err);
	case VALUE_PROFILE:
		return find_profile(s, text, member, err);
	case VALUE_MAPS:
		return parse_list(s, text, find_dso, ret, err);
	case VALUE_PROFILES:
		if (parse_list(s, text, find_profile, ret, err) < 0)
			return -EINVAL;
		return ret->maps_n ? 0 : error_set(err, EINVAL, "no profile");
	case VALUE_SYMS:
		s->info.chains = true;
		return parse_list(s, text, find_sym, ret, err);
	case VALUE_TURNS:
		return parse_turns(text, member, err);
	case VALUE_MODE:
		return parse_mode(text, member, err);
	case VALUE_NAME:
		*(const char **)member = intern_string(s->strings, text);
		return 0;
	case VALUE_HEX:
		return parse_hex(s, text, ret, err);
	case VALUE_FLAG:
		*(bool *)member = true;
		return 0;
	}
	return -EINVAL;
}

/* Returns the field that a word belongs to; NULL if there is none.  A word without key= is the value of the first field
 * without a key that has no value yet; if there is no such field, it is a flag. */
static const struct field *field_of(const struct field *fields, size_t n, uint64_t given, const struct word *w)
{
	for (size_t i = 0; i < n && !w->key; i++)
		if (!fields[i].key && !(given >> i & 1))
			return &fields[i];
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		const char *text = f->kind == VALUE_FLAG ? w->text : w->key;
		if ((f->kind == VALUE_FLAG) == !w->key && f->key && strcmp(f->key, text) == 0)
			return f;
	}
	return NULL;
}

static size_t count_fields(const struct field *fields)
{
	size_t n = 0;
	while (n < FIELDS_MAX && (fields[n].key || fields[n].member))
		n++;
	return n;
}

int parse_fields(struct parser *p, const struct field *fields, bool extra, struct stmt *ret, struct error *err)
{
	size_t n = count_fields(fields);
	for (size_t i = 1; i < p->line.n; i++) {
		const struct word *w = &p->line.words[i];
		const struct field *f = field_of(fields, n, ret->given, w);
		if (!f) {
			if (extra && w->key)
				continue;
			return error_set(err, EINVAL, "'%s' does not take '%.60s'", p->line.words[0].text,
					 w->key ? w->key : w->text);
		}
		uint64_t bit = 1ull << (f - fields);
		if (ret->given & bit)
			return error_set(err, EINVAL, "'%.60s' is given twice", w->key ? w->key : w->text);
		int rc = parse_value(p, f, w->text, ret, err);
		if (rc < 0)
			return rc;
		ret->given |= bit;
	}
	for (size_t i = 0; i < n; i++) {
		if (!fields[i].required || (ret->given >> i & 1))
			continue;
		if (fields[i].key)
			return error_set(err, EINVAL, "'%s' needs %s=", p->line.words[0].text, fields[i].key);
		return error_set(err, EINVAL, "'%s' needs more values", p->line.words[0].text);
	}
	return 0;
}
