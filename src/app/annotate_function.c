/* Finds a function in a recording: by the name that the user gave, or by its counterpart in another recording. */
#include "app/annotate.h"
#include "base/alloc.h"
#include "base/strbuf.h"

#include <cyctop/diff.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *annotate_name(const struct annotate_reading *a, uint32_t sym)
{
	struct resolver *r = session_resolver(a->session);
	return a->options->common.raw_names ? resolver_catalog(r)->syms[sym].name : resolver_pretty(r, sym);
}

/* Returns true if `word` is the function's mangled name, demangled name (also without arguments), or address. */
static bool is_name(const struct annotate_reading *a, uint32_t sym, const char *word)
{
	struct resolver *r = session_resolver(a->session);
	const char *pretty = resolver_pretty(r, sym);
	const struct sym_info *s = &resolver_catalog(r)->syms[sym];
	size_t n = strlen(word);
	char *end;
	if (strncmp(word, "0x", 2) == 0 && strtoull(word, &end, 16) == s->addr && !*end)
		return true;
	return strcmp(word, s->name) == 0 || (strncmp(word, pretty, n) == 0 && (!pretty[n] || pretty[n] == '('));
}

/* Returns the part of `word` after "FILE:"; NULL: `word` does not begin with "FILE:". */
static const char *behind(const char *word, const char *file)
{
	size_t n = strlen(file);
	return strncmp(word, file, n) == 0 && word[n] == ':' ? word + n + 1 : NULL;
}

static bool is_meant(const struct annotate_reading *a, uint32_t sym, const char *word)
{
	const struct catalog *cat = session_catalog(a->session);
	const struct sym_info *s = &cat->syms[sym];
	const char *by_name = behind(word, cat->dsos[s->dso].name), *by_path = behind(word, cat->dsos[s->dso].path);
	return is_name(a, sym, word) || (by_name && is_name(a, sym, by_name)) || (by_path && is_name(a, sym, by_path));
}

static int several(const struct annotate_reading *a, const uint32_t *found, size_t n, struct error *err)
{
	const struct catalog *cat = session_catalog(a->session);
	struct strbuf list = {0};
	for (size_t i = 0; i < n; i++) {
		const struct sym_info *s = &cat->syms[found[i]];
		strbuf_addf(&list, "%s%s:0x%" PRIx64, i ? ", " : "", cat->dsos[s->dso].path, s->addr);
	}
	error_set(err, EINVAL, "%zu functions are called %.60s; name one of them: %.300s", n, a->symbol, list.data);
	strbuf_deinit(&list);
	return -EINVAL;
}

/* Returns true if the symbol is a named function, rather than an entry that was freed or replaced by another symbol. */
static bool is_function(const struct annotate_reading *a, uint32_t sym)
{
	const struct sym_info *s = &session_catalog(a->session)->syms[sym];
	return !s->retired && (s->state == SYM_NAMED || s->state == SYM_GROUP) && s->resolved == sym;
}

static int none(const struct annotate_reading *a, struct error *err)
{
	enum { MOST = 5 };
	struct strbuf like = {0};
	size_t n = 0;
	for (uint32_t i = 0; i < session_catalog(a->session)->syms_n && n < MOST; i++)
		if (is_function(a, i) && strstr(annotate_name(a, i), a->symbol))
			strbuf_addf(&like, "%s%.80s", n++ ? ", " : "", annotate_name(a, i));
	error_set(err, ENOENT, "no function called %.80s has samples: %s%s", a->symbol,
		  n ? "these have, and names like it: " : "cyctop -b -i FILE lists those that have",
		  n ? like.data : "");
	strbuf_deinit(&like);
	return -ENOENT;
}

int annotate_find(const struct annotate_reading *a, uint32_t *ret, struct error *err)
{
	VEC(uint32_t) found = {0};
	for (uint32_t i = 0; i < session_catalog(a->session)->syms_n; i++)
		if (is_function(a, i) && is_meant(a, i, a->symbol))
			vec_push(&found) = i;
	int rc = 0;
	if (found.n == 1)
		*ret = found.data[0];
	else if (found.n)
		rc = several(a, found.data, found.n, err);
	else
		rc = none(a, err);
	vec_free(&found);
	return rc;
}

int annotate_find_same(const struct annotate_reading *a, const struct annotate_reading *like, uint32_t *ret,
		       struct error *err)
{
	const struct catalog *cat = session_catalog(a->session), *theirs = session_catalog(like->session);
	const struct sym_info *wanted = &theirs->syms[like->sym];
	const struct key_value name = {.kind = KEY_TEXT, .text = annotate_name(like, like->sym)};
	/* functions of this name; found[1]: only those in files of the same name */
	VEC(uint32_t) found[2] = {{0}, {0}};
	for (uint32_t i = 0; i < cat->syms_n; i++) {
		const struct key_value own = {.kind = KEY_TEXT, .text = is_function(a, i) ? annotate_name(a, i) : ""};
		if (!is_function(a, i) || !diff_same_meaning(DIM_SYMBOL, &own, &name))
			continue;
		vec_push(&found[0]) = i;
		if (strcmp(cat->dsos[cat->syms[i].dso].name, theirs->dsos[wanted->dso].name) == 0)
			vec_push(&found[1]) = i;
	}
	int rc = 0;
	size_t same_file = found[1].n > 0;
	if (found[same_file].n == 1)
		*ret = found[same_file].data[0];
	else if (found[same_file].n)
		rc = several(a, found[same_file].data, found[same_file].n, err);
	else
		rc = none(a, err);
	vec_free(&found[0]);
	vec_free(&found[1]);
	return rc;
}
