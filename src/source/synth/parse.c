/* Parses a script into tables.  setup.c and tick.c parse its statements. */
#include "source/synth/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limits on the sum of the sizes of all rings, in bytes, and on the number of fractions of samples that loads keep. */
#define RING_BYTES_MAX (32ull << 30)
#define CARRY_MAX (1ull << 27)

static const struct directive *directive_find(const struct directive *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

/* ---- parsing `tick`, `always`, and the end of the script -------------------------- */

static int begin_tick(struct parser *p, struct error *err)
{
	static const struct field fields[FIELDS_MAX] = {{NULL, VALUE_COUNT, offsetof(struct stmt, n), false}};
	struct stmt st = {.n = 1};
	int rc = parse_fields(p, fields, false, &st, err);
	if (rc < 0)
		return rc;
	if (!st.n)
		return error_set(err, EINVAL, "a tick that happens 0 times");
	p->in_tick = true;
	vec_push(&p->s->ticks) = (struct script_tick){.first = (uint32_t)p->s->stmts.n, .times = st.n};
	return 0;
}

static int begin_always(struct parser *p, struct error *err)
{
	static const struct field none[FIELDS_MAX];
	struct stmt st = {0};
	if (p->in_tick)
		return error_set(err, EINVAL, "'always' comes once, before the first tick");
	p->in_tick = true;
	return parse_fields(p, none, false, &st, err);
}

static int end_script(struct parser *p, enum script_end end, struct error *err)
{
	static const struct field fields[FIELDS_MAX] = {{"frozen", VALUE_FLAG, offsetof(struct stmt, frozen), false}};
	struct stmt st = {0};
	if (!p->s->ticks.n)
		return error_set(err, EINVAL, "there is no tick to %s", p->line.words[0].text);
	int rc = parse_fields(p, fields, false, &st, err);
	if (rc < 0)
		return rc;
	if (st.frozen && end != END_REPLAY)
		return error_set(err, EINVAL, "only a replay is frozen");
	p->s->end = st.frozen ? END_REPLAY_FROZEN : end;
	p->ended = true;
	return 0;
}

/* ---- parsing one line --------------------------------------------------------------- */

static int parse_statement(struct parser *p, const struct directive *d, struct error *err)
{
	struct stmt st = {.kind = d->kind};
	int rc = parse_fields(p, d->fields, d->extra, &st, err);
	if (rc == 0 && d->handle)
		rc = d->handle(p, &st, err);
	if (rc < 0 || !p->in_tick)
		return rc;
	struct script_tick *tick = p->s->ticks.n ? &p->s->ticks.data[p->s->ticks.n - 1] : &p->s->always;
	vec_push(&p->s->stmts) = st;
	tick->n++;
	return 0;
}

static int parse_line(struct parser *p, struct error *err)
{
	const struct word *first = &p->line.words[0];
	const char *name = first->text;
	if (p->ended)
		return error_set(err, EINVAL, "nothing may follow the end of the script");
	if (first->key)
		return error_set(err, EINVAL, "a line begins with the name of a statement, not with '%.40s='",
				 first->key);
	if (strcmp(name, "tick") == 0)
		return begin_tick(p, err);
	if (strcmp(name, "always") == 0)
		return begin_always(p, err);
	if (strcmp(name, "repeat") == 0)
		return end_script(p, END_REPEAT, err);
	if (strcmp(name, "replay") == 0)
		return end_script(p, END_REPLAY, err);
	const struct directive *setup = directive_find(setup_directives, setup_directives_n, name);
	const struct directive *tick = directive_find(tick_directives, tick_directives_n, name);
	const struct directive *d = p->in_tick ? tick : setup;
	if (d)
		return parse_statement(p, d, err);
	if (setup)
		return error_set(err, EINVAL, "'%s' comes before the first tick", name);
	if (tick)
		return error_set(err, EINVAL, "'%s' comes behind a 'tick'", name);
	return error_set(err, EINVAL, "'%.40s' is no statement of a script", name);
}

/* ---- parsing the whole script ------------------------------------------------------- */

static int check(struct script *s, struct error *err)
{
	uint64_t bytes = (uint64_t)s->info.cpus_n * (s->info.ring_bytes + s->sideband_bytes);
	if (!s->info.events_n && s->info.scope != SCOPE_PROC)
		return error_set(err, EINVAL, "the script has no event");
	if (bytes > RING_BYTES_MAX)
		return error_set(err, EINVAL, "the rings would take more than %llu GiB", RING_BYTES_MAX >> 30);
	return 0;
}

static int allocate_carry(struct script *s, struct error *err)
{
	uint64_t total = 0;
	for (size_t i = 0; i < s->stmts.n; i++) {
		struct stmt *st = &s->stmts.data[i];
		if (st->kind != STMT_LOAD)
			continue;
		uint64_t n =
			(st->cpu_last - st->cpu_first + 1ull) * s->profiles.data[st->profile].rows.n * s->info.events_n;
		total += n;
		if (n > CARRY_MAX || total > CARRY_MAX)
			return error_set(err, EINVAL, "CPUs x rows x events of all loads are too many");
		st->carry = mem_calloc(n, sizeof(*st->carry));
	}
	return 0;
}

static void set_defaults(struct script *s)
{
	*s = (struct script){
		.info =
			{
				.kind = "synthetic",
				.label = "made-up data",
				.has_counters = true,
				.has_owners = true,
				.scope = SCOPE_SYSTEM,
				.host = "synthetic",
				.kernel = "script",
				.pmu = "synthetic",
				.cpus_n = 1,
				.ring_bytes = 1 << 20,
			},
		.interval_ns = 1000000000,
		.start_ns = 1000 * 1000000000ull,
		.sideband_bytes = 1 << 18,
		.sampling = {.tick_ns = 4000000, .rotation_ns = 4000000},
		.seed = 1,
		.offline = mem_calloc(1, sizeof(bool)),
		.strings = intern_create(),
	};
	index_init(&s->sym_index);
}

static int parse_lines(struct parser *p, const char *text, size_t len, struct error *err)
{
	const char *end = text + len;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);
		p->line_no++;
		int rc = lex_line(&p->line, text, n, err);
		if (rc == 0 && p->line.n)
			rc = parse_line(p, err);
		if (rc < 0)
			return rc;
		text += n + (newline ? 1 : 0);
	}
	return 0;
}

int script_parse(struct script *ret, const char *text, size_t len, const char *name, struct error *err)
{
	struct parser *p = mem_calloc(1, sizeof(*p));
	struct error why = {0};
	set_defaults(ret);
	p->s = ret;
	p->profile = UINT32_MAX;
	int rc = parse_lines(p, text, len, &why);
	if (rc == 0)
		rc = check(ret, &why);
	if (rc == 0)
		rc = allocate_carry(ret, &why);
	if (rc < 0) {
		rc = error_set(err, EINVAL, "%.100s:%u: %.380s", name, p->line_no, why.text);
		script_deinit(ret);
	}
	free(p);
	return rc;
}

void script_deinit(struct script *s)
{
	for (size_t i = 0; i < s->stmts.n; i++)
		free(s->stmts.data[i].carry);
	for (size_t i = 0; i < s->profiles.n; i++)
		vec_free(&s->profiles.data[i].rows);
	vec_free(&s->dsos);
	vec_free(&s->syms);
	vec_free(&s->tasks);
	vec_free(&s->maps);
	vec_free(&s->cgroups);
	vec_free(&s->profiles);
	vec_free(&s->lists);
	vec_free(&s->stmts);
	vec_free(&s->ticks);
	index_deinit(&s->sym_index);
	intern_destroy(s->strings);
	free(s->offline);
}

const uint8_t *script_bytes(const struct script *s, const struct stmt *st)
{
	return (const uint8_t *)(s->lists.data + st->maps_first);
}

uint64_t script_dso_size(const struct script *s, uint32_t dso)
{
	uint64_t size = s->dsos.data[dso].size;
	for (size_t i = 0; !s->dsos.data[dso].size && i < s->syms.n; i++) {
		const struct script_sym *sym = &s->syms.data[i];
		if (sym->dso == dso && sym->addr + sym->size > size)
			size = sym->addr + sym->size;
	}
	return (size + 0xfff) & ~0xfffull ?: 0x1000;
}
