/* Parses lists of events: for each word, asks the sources of events (generic names, PMUs, ...) one after the other,
 * until one of them knows the word. */
#include "event/internal.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The word that is looked up, and what its lookup needs. */
struct lookup {
	const struct event_world *world;
	const char *text; /* the whole list */
	const struct event_word *word;
	struct event_text stem;	    /* the name without modifiers */
	struct event_spec modified; /* what all events of the word begin with: name, group and modifiers */
	struct event_list *list;
	struct error *err;
	struct error other; /* error of world->more(), which looks in libpfm4; text "": not called yet */
};

static int add(const struct lookup *l, const struct event_spec *spec)
{
	return event_list_add(l->list, spec, l->err);
}

/* ---- sources of events: each returns 0, 1 if it does not know the word, or -errno ------------ */

/* A generic event: NAME, or NAME/TERMS/ with the terms of event_common_term(). */
static int add_generic(struct lookup *l)
{
	struct event_spec spec = l->modified;
	struct event_text terms = l->word->terms;
	struct event_term term;
	if (!event_parse_generic(l->stem, &spec))
		return 1;
	while (event_next_term(&terms, &term)) {
		int rc = event_common_term(&term, l->world->pmus, &spec, l->err);
		if (rc == 1)
			rc = error_set(l->err, EINVAL, "'%.*s' has no term '%.*s', only name, period, freq and cpu",
				       (int)l->stem.n, l->stem.s, (int)term.name.n, term.name.s);
		if (rc < 0)
			return rc;
	}
	return add(l, &spec);
}

static int add_of_pmus(struct lookup *l)
{
	return l->word->has_terms ? event_add_of_pmus(l->world->pmus, l->word, &l->modified, l->list, l->err) : 1;
}

static int add_alias(struct lookup *l)
{
	return l->word->has_terms
		       ? 1
		       : event_add_alias(l->world->pmus, l->stem, l->word->all, &l->modified, l->list, l->err);
}

/* rNNN: a raw event of the CPU, with its config in hexadecimal. */
static int add_raw(struct lookup *l)
{
	struct event_spec spec = l->modified;
	char digits[20], *end;
	if (l->word->has_terms || l->stem.n < 2 || l->stem.n > 19 || *l->stem.s != 'r')
		return 1;
	bool prefixed = l->stem.n > 3 && strncasecmp(l->stem.s + 1, "0x", 2) == 0;
	snprintf(digits, sizeof(digits), "%.*s", (int)l->stem.n - (prefixed ? 3 : 1), l->stem.s + (prefixed ? 3 : 1));
	if (digits[strspn(digits, "0123456789abcdefABCDEF")])
		return 1;
	spec.type = ABI_TYPE_RAW;
	spec.config = strtoull(digits, &end, 16);
	return add(l, &spec);
}

/* mem:ADDR[/LEN][:ACCESS][:MODIFIERS]: a hardware breakpoint. */
static int add_breakpoint(struct lookup *l)
{
	enum { READS = 1, WRITES = 2, EXECUTES = 4 };
	static const char prefix[] = "mem:";
	struct event_text text = l->stem;
	struct event_spec spec = l->modified;
	uint64_t address, length = 0;
	if (text.n < sizeof(prefix) || strncmp(text.s, prefix, sizeof(prefix) - 1) != 0)
		return 1;
	const char *at = text.s + sizeof(prefix) - 1, *end = text.s + text.n;
	size_t n = strcspn(at, "/:,}");
	bool good = event_number((struct event_text){at, n}, &address);
	at += n;
	if (good && at < end && *at == '/') {
		n = strcspn(at + 1, ":,}");
		good = event_number((struct event_text){at + 1, n}, &length) &&
		       (length == 1 || length == 2 || length == 4 || length == 8);
		at += 1 + n;
	}
	if (good && end - at > 1 && *at == ':')
		for (at++; at < end && strchr("rwx", *at); at++)
			spec.bp_type |= *at == 'r' ? READS : *at == 'w' ? WRITES : EXECUTES;
	if (!good || at < end)
		return error_set(l->err, EINVAL,
				 "'%.*s' is not mem:ADDRESS[/LENGTH][:rwx][:MODIFIERS], with LENGTH 1, 2, 4 or 8",
				 (int)l->word->all.n, l->word->all.s);
	spec.bp_type = spec.bp_type ? spec.bp_type : READS | WRITES;
	spec.type = ABI_TYPE_BREAKPOINT;
	spec.config1 = address;
	spec.config2 = length ? length : spec.bp_type & EXECUTES ? sizeof(long) : 4;
	if (!spec.rate)
		spec.rate = 1;
	return add(l, &spec);
}

static int add_probe(struct lookup *l)
{
	return event_add_probe(l->world, l->stem, &l->modified, l->list, l->err);
}

/* State of a search for tracepoints, while the directories of tracefs are listed. */
struct tracepoints {
	const struct lookup *l;
	char system[64], name[96]; /* fnmatch patterns */
	const char *of;		   /* the system whose directory is being listed */
	bool has_wildcard;	   /* the word has a wildcard, so that an event is named SYSTEM:NAME, not as the word */
	int rc;			   /* result: 0, -errno, or 1 while none was found */
};

static void add_tracepoint(void *ctx, const char *name)
{
	struct tracepoints *t = ctx;
	const struct lookup *l = t->l;
	struct event_spec spec = l->modified;
	char path[256], id[32];
	if (t->rc < 0 || fnmatch(t->name, name, 0) != 0)
		return;
	snprintf(path, sizeof(path), "%.90s/%.100s/id", t->of, name);
	int n = l->world->tracepoints->read(l->world->tracepoints->ctx, path, id, sizeof(id));
	if (n < 0)
		return; /* the entry is not an event ("enable"), or not readable for this user */
	id[strcspn(id, "\n")] = '\0';
	if (!event_number((struct event_text){id, strlen(id)}, &spec.config))
		return;
	spec.type = ABI_TYPE_TRACEPOINT;
	if (!spec.rate)
		spec.rate = 1; /* each occurrence is a sample */
	if (t->has_wildcard)
		snprintf(spec.name, sizeof(spec.name), "%.32s:%.48s%.*s", t->of, name,
			 (int)(l->word->all.n - l->stem.n), l->stem.s + l->stem.n);
	t->rc = add(l, &spec);
}

static void each_system(void *ctx, const char *name)
{
	struct tracepoints *t = ctx;
	if (fnmatch(t->system, name, 0) != 0)
		return;
	t->of = name;
	(void)t->l->world->tracepoints->each(t->l->world->tracepoints->ctx, name, add_tracepoint, t);
}

/* Replaces syscalls:sys_enter_*, one event for each system call, by the single event raw_syscalls:sys_enter: its field
 * `id` tells the system calls apart. */
static void join_system_calls(struct tracepoints *t)
{
	static const char *const joined[][2] = {{"sys_enter_*", "sys_enter"}, {"sys_exit_*", "sys_exit"}};
	for (size_t i = 0; i < ARRAY_LEN(joined) && strcmp(t->system, "syscalls") == 0; i++)
		if (strcmp(t->name, joined[i][0]) == 0) {
			strcpy(t->system, "raw_syscalls");
			snprintf(t->name, sizeof(t->name), "%s", joined[i][1]);
		}
}

/* SYSTEM:NAME: tracepoints; both parts may have wildcards. */
static int add_tracepoints(struct lookup *l)
{
	struct tracepoints t = {.l = l, .rc = 1};
	const char *colon = memchr(l->stem.s, ':', l->stem.n);
	if (l->word->has_terms || !l->world->tracepoints || !colon)
		return 1;
	size_t system_n = (size_t)(colon - l->stem.s), name_n = l->stem.n - system_n - 1;
	if (!system_n || !name_n || system_n >= sizeof(t.system) || name_n >= sizeof(t.name) ||
	    memchr(colon + 1, ':', name_n) || memchr(l->stem.s, '/', l->stem.n))
		return 1;
	memcpy(t.system, l->stem.s, system_n);
	memcpy(t.name, colon + 1, name_n);
	t.has_wildcard = strpbrk(t.system, "*?[") || strpbrk(t.name, "*?[");
	join_system_calls(&t);
	(void)l->world->tracepoints->each(l->world->tracepoints->ctx, "", each_system, &t);
	return t.rc;
}

/* An event that world->more() finds in libpfm4.  libpfm4 has modifiers of its own, so it gets the whole word first, and
 * then the name without perf's modifiers. */
static int add_other(struct lookup *l)
{
	struct event_spec spec = l->modified, plain = {0};
	char name[sizeof(spec.name)];
	if (!l->world->more || l->word->has_terms)
		return 1;
	snprintf(name, sizeof(name), "%.*s", (int)l->word->all.n, l->word->all.s);
	int rc = l->world->more(l->world->ctx, name, &plain, &l->other);
	if (rc == 0) {
		memcpy(plain.name, spec.name, sizeof(plain.name));
		plain.group = spec.group;
		rc = event_modify(l->word->group_modifiers, &plain, event_most_precise(l->world->pmus), l->err);
		return rc < 0 ? rc : add(l, &plain);
	}
	if (rc != -ENOENT)
		return error_set(l->err, -rc, "%s", l->other.text);
	if (l->stem.n == l->word->all.n)
		return 1;
	snprintf(name, sizeof(name), "%.*s", (int)l->stem.n, l->stem.s);
	if (l->world->more(l->world->ctx, name, &plain, NULL) < 0)
		return 1;
	spec.type = plain.type;
	spec.config = plain.config;
	spec.config1 = plain.config1;
	spec.config2 = plain.config2;
	return add(l, &spec);
}

/* ---- parsing the list ------------------------------------------------------------------------ */

/* Returns a word's name without the modifiers at its end, which go to *modifiers_ret.  The function of a probe ("up" in
 * "kprobe:up") is not taken for modifiers. */
static struct event_text stem_of(const struct event_word *w, struct event_text *modifiers_ret)
{
	struct event_text name = w->name;
	size_t least = event_probe_prefix(w->all.s);
	*modifiers_ret = w->modifiers;
	for (size_t i = name.n; !w->has_terms && i-- > 0;) {
		struct event_text end = {name.s + i + 1, name.n - i - 1};
		if (name.s[i] != ':')
			continue;
		if (i >= least && event_is_modifiers(end)) {
			name.n = i;
			*modifiers_ret = end;
		}
		break;
	}
	return name;
}

static void ignore(void *ctx, const char *name)
{
	(void)ctx, (void)name;
}

/* Writes where in the list a word is: ", at character 11 of 'cpu-clock,page-fults'"; "" if it is the only word. */
static void place_of(const struct lookup *l, char *buf, size_t cap)
{
	size_t at = (size_t)(l->word->all.s - l->text);
	buf[0] = '\0';
	if (at || l->text[l->word->all.n])
		snprintf(buf, cap, ", at character %zu of '%.80s'", at + 1, l->text);
}

/* Sets the error for an unknown event: names similar events, and how to list more of them. */
static int unknown_near(const struct lookup *l, const char *place, const struct event_near *near)
{
	char names[sizeof(near->names) + 32] = "";
	const char *typed = l->stem.s, *first = near->names[0];
	size_t same = 0;
	for (size_t i = 0, at = 0; i < near->n; i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s'%s'",
				       !i		 ? ""
				       : i + 1 < near->n ? ", "
							 : " or ",
				       near->names[i]);
	while (same < l->stem.n && typed[same] == first[same])
		same++;
	return error_set(l->err, ENOENT, "unknown event '%.*s'%s: did you mean %s? 'cyctop list%s%.*s' shows %s",
			 (int)l->word->all.n, l->word->all.s, place, names, same < 3 ? "" : " ",
			 same < 3 ? 0 : (int)same, first, same < 3 ? "all" : "more");
}

/* The last source: sets the error for an unknown event, with the reason and where to look. */
static int unknown(struct lookup *l)
{
	const struct event_word *w = l->word;
	const struct event_files *traces = l->world->tracepoints;
	/* with two colons it is not SYSTEM:NAME, but PMU::EVENT of libpfm4 */
	const char *colon = memchr(l->stem.s, ':', l->stem.n);
	int traced = traces && colon && colon[1] != ':' ? traces->each(traces->ctx, "", ignore, NULL) : 0;
	struct event_near near;
	char typed[96], place[128];
	struct event_spec plain = {0};
	place_of(l, place, sizeof(place));
	if (colon && event_parse_generic((struct event_text){l->stem.s, (size_t)(colon - l->stem.s)}, &plain)) {
		struct event_text end = {colon + 1, l->stem.n - (size_t)(colon + 1 - l->stem.s)};
		struct error why;
		if (event_modify(end, &plain, 0, &why) < 0)
			return error_set(l->err, EINVAL, "event '%.*s'%s: %s", (int)w->all.n, w->all.s, place,
					 why.text);
	}
	snprintf(typed, sizeof(typed), "%.*s", (int)l->stem.n, l->stem.s);
	event_near(l->world, typed, &near);
	if (w->has_terms)
		return error_set(l->err, ENOENT,
				 "unknown event '%.*s'%s: this machine has no PMU and no event '%.*s'; "
				 "'cyctop list' shows what it has",
				 (int)w->all.n, w->all.s, place, (int)w->name.n, w->name.s);
	if (near.n)
		return unknown_near(l, place, &near);
	if (traced == -ENOENT)
		return error_set(l->err, ENOENT,
				 "unknown event '%.*s'%s; tracepoints need tracefs: as root, "
				 "mount -t tracefs tracefs /sys/kernel/tracing",
				 (int)w->all.n, w->all.s, place);
	if (traced < 0)
		return error_set(l->err, ENOENT,
				 "unknown event '%.*s'%s; tracepoints are for root alone here "
				 "(/sys/kernel/tracing: %s): run with sudo",
				 (int)w->all.n, w->all.s, place, strerror(-traced));
	if (*l->other.text)
		return error_set(l->err, ENOENT, "%s%s; 'cyctop list PATTERN' shows what there is", l->other.text,
				 place);
	return error_set(l->err, ENOENT, "unknown event '%.*s'%s; 'cyctop list PATTERN' shows what there is",
			 (int)w->all.n, w->all.s, place);
}

static int add_word(const struct event_world *world, const char *text, const struct event_word *w,
		    struct event_list *list, struct error *err)
{
	typedef int source_fn(struct lookup * l);
	static source_fn *const sources[] = {add_breakpoint, add_probe,	      add_generic, add_of_pmus, add_alias,
					     add_raw,	     add_tracepoints, add_other,   unknown};
	struct lookup l = {.world = world, .text = text, .word = w, .list = list, .err = err};
	struct event_text modifiers;
	uint8_t most_precise = event_most_precise(world->pmus);
	size_t first = list->n;
	if (w->all.n >= sizeof(l.modified.name))
		return error_set(err, EINVAL, "the event name '%.40s...' is longer than %zu characters%s", w->all.s,
				 sizeof(l.modified.name) - 1,
				 event_probe_prefix(w->all.s) ? ": name a link to the file, with a shorter path" : "");
	memcpy(l.modified.name, w->all.s, w->all.n);
	l.stem = stem_of(w, &modifiers);
	struct error why;
	int rc = event_modify(modifiers, &l.modified, most_precise, &why);
	if (rc == 0)
		rc = event_modify(w->group_modifiers, &l.modified, most_precise, &why);
	if (rc < 0)
		return error_set(err, -rc, "event '%.*s': %s", (int)w->all.n, w->all.s, why.text);
	rc = 1;
	l.modified.group = w->group;
	for (size_t i = 0; rc == 1 && i < ARRAY_LEN(sources); i++)
		rc = sources[i](&l);
	for (size_t i = first; rc == 0 && i < list->n; i++)
		list->specs[i].role = list->specs[i].counted ? ROLE_OTHER
							     : event_role_of(list->specs[i].type, list->specs[i].config,
									     l.modified.name);
	return rc;
}

int event_parse_list(const char *text, const struct event_world *world, struct event_spec specs[EVENTS_MAX], size_t *n,
		     struct error *err)
{
	static const struct event_world nothing;
	struct event_word words[EVENTS_MAX];
	struct event_spec found[EVENTS_MAX];
	struct event_list list = {.specs = found, .n = *n};
	uint32_t groups = 0;
	size_t words_n;
	int rc = event_words(text, words, &words_n, err);
	memcpy(found, specs, list.n * sizeof(*found));
	for (size_t i = 0; i < list.n; i++)
		groups = specs[i].group > groups ? specs[i].group : groups;
	for (size_t i = 0; rc == 0 && i < words_n; i++) {
		words[i].group += words[i].group ? groups : 0;
		rc = add_word(world ? world : &nothing, text, &words[i], &list, err);
	}
	if (rc < 0)
		return rc;
	memcpy(specs, found, list.n * sizeof(*found));
	*n = list.n;
	return 0;
}

int event_parse(const char *name, const struct event_world *world, struct event_spec *ret, struct error *err)
{
	struct event_spec specs[EVENTS_MAX];
	size_t n = 0;
	int rc = event_parse_list(name, world, specs, &n, err);
	if (rc == 0 && n != 1)
		return error_set(err, EINVAL, "'%.80s' is %zu events; one is needed", name, n);
	if (rc == 0)
		*ret = specs[0];
	return rc;
}
