/* Computes metrics and their errors, and makes the set of metrics of a session: built-in ones and those of --metric. */
#include "event/formula.h"

#include "base/alloc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- computing a metric and its standard error --------------------------------------------------- */

/* A value and its derivative with respect to an operand (automatic differentiation). */
struct dual {
	double v, d;
};

/* Applies an operator: *a = *a OP b.  Returns false for a division by 0. */
static bool apply(int kind, struct dual *a, struct dual b)
{
	switch (kind) {
	case STEP_ADD:
		*a = (struct dual){a->v + b.v, a->d + b.d};
		return true;
	case STEP_SUBTRACT:
		*a = (struct dual){a->v - b.v, a->d - b.d};
		return true;
	case STEP_MULTIPLY:
		*a = (struct dual){a->v * b.v, a->d * b.v + a->v * b.d};
		return true;
	default:
		*a = (struct dual){a->v / b.v, (a->d - a->v / b.v * b.d) / b.v};
		return b.v < 0 || b.v > 0;
	}
}

static bool run(const struct metric *m, const struct metric_count *counts, size_t by, struct dual *ret)
{
	struct dual stack[METRIC_STEPS_MAX] = {{0, 0}};
	size_t n = 0;
	for (size_t i = 0; i < m->steps_n; i++) {
		const struct metric_step *s = &m->steps[i];
		if (s->kind == STEP_NUMBER)
			stack[n++] = (struct dual){s->number, 0};
		else if (s->kind == STEP_COUNT)
			stack[n++] = (struct dual){counts[s->operand].value, s->operand == by};
		else if (!apply(s->kind, &stack[n - 2], stack[n - 1]))
			return false;
		else
			n--;
	}
	*ret = stack[0];
	return isfinite(ret->v) && isfinite(ret->d);
}

/* By the delta method: var(f) = sum over the operands of (df/dx)^2 var(x), to first order, for independent
 * estimates. */
bool metric_value(const struct metric *m, const struct metric_count *counts, double *value_ret, double *error_ret)
{
	double var = 0;
	for (size_t e = 0; e < m->operands_n; e++) {
		struct dual r;
		if (!run(m, counts, e, &r))
			return false;
		*value_ret = r.v;
		var += r.d * r.d * counts[e].var;
	}
	*error_ret = sqrt(var);
	return isfinite(*error_ret);
}

bool metric_has(const struct metric *m, enum event_role role)
{
	for (size_t i = 0; i < m->operands_n; i++)
		if (m->operands[i] == role)
			return true;
	return false;
}

/* ---- recognizing formulas that are ratios of two events --------------------------------------- */

/* A formula without sums: FACTOR * operand 0 ^ power[0] * operand 1 ^ power[1]. */
struct monomial {
	double factor;
	int power[2];
};

static struct monomial multiply(struct monomial a, struct monomial b, int sign)
{
	for (size_t i = 0; i < 2; i++)
		a.power[i] += sign * b.power[i];
	a.factor = sign > 0 ? a.factor * b.factor : a.factor / b.factor;
	return a;
}

double metric_ratio(const struct metric *m)
{
	struct monomial stack[METRIC_STEPS_MAX] = {{0, {0, 0}}};
	size_t n = 0;
	for (size_t i = 0; i < m->steps_n; i++) {
		const struct metric_step *s = &m->steps[i];
		if (s->kind == STEP_ADD || s->kind == STEP_SUBTRACT || (s->kind == STEP_COUNT && s->operand > 1))
			return 0;
		if (s->kind == STEP_NUMBER)
			stack[n++] = (struct monomial){s->number, {0, 0}};
		else if (s->kind == STEP_COUNT)
			stack[n++] = (struct monomial){1, {s->operand == 0, s->operand == 1}};
		else {
			stack[n - 2] = multiply(stack[n - 2], stack[n - 1], s->kind == STEP_MULTIPLY ? 1 : -1);
			n--;
		}
	}
	bool ratio = n && stack[0].power[0] == 1 && stack[0].power[1] == -1;
	return ratio && isfinite(stack[0].factor) ? stack[0].factor : 0;
}

/* ---- making sets of metrics ------------------------------------------------------------------ */

struct total_id {
	char text[sizeof(struct formula_title) + sizeof("-total")];
};

struct own_set {
	struct metric_set set;
	struct metric v[METRICS_MAX];
	struct formula_title titles[METRICS_MAX];
	struct total_id total_ids[METRICS_MAX];
	struct formula_words words;
};

/* Adds the metric "TITLE=FORMULA"; its help is FORMULA. */
static int add_metric(struct own_set *s, const char *text, struct error *err)
{
	struct metric *m = &s->v[s->set.n];
	struct formula_title *title = &s->titles[s->set.n];
	if (s->set.n == METRICS_MAX)
		return error_set(err, E2BIG, "'%.60s': there are too many metrics; %d of your own are possible", text,
				 (int)(METRICS_MAX - metrics_builtin.n));
	int rc = formula_parse(text, m, title, &s->words, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s->set.n; i++)
		if (strcasecmp(s->v[i].id, title->text) == 0 || strcasecmp(s->v[i].title, title->text) == 0)
			return error_set(err, EINVAL, "'%.60s': there is a metric of that title already", text);
	struct total_id *total = &s->total_ids[s->set.n];
	char *end = stpcpy(total->text, title->text);
	memcpy(end, "-total", sizeof("-total"));
	m->id = m->title = title->text;
	m->total_id = total->text;
	m->help = strchr(text, '=') + 1;
	s->set.n++;
	return 0;
}

int metric_set_create(const char *const *texts, size_t n, struct metric_set **ret, struct error *err)
{
	struct own_set *s = mem_calloc(1, sizeof(*s));
	int rc = 0;
	memcpy(s->v, metrics_builtin.v, metrics_builtin.n * sizeof(s->v[0]));
	s->set = (struct metric_set){.v = s->v, .n = metrics_builtin.n, .words = s->words.of};
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_metric(s, texts[i], err);
	s->set.words_n = s->words.n;
	*ret = rc < 0 ? NULL : &s->set;
	if (rc < 0)
		free(s);
	return rc;
}

void metric_set_destroy(struct metric_set *set)
{
	free(set); /* allocated as struct own_set, whose first member it is */
}

enum event_role metric_role(const struct metric_set *set, const struct event_spec *spec)
{
	for (size_t i = 0; !role_has_name(spec->role) && i < set->words_n; i++)
		if (metric_word_is(&set->words[i], spec))
			return set->words[i].role;
	return spec->role;
}

bool metric_word_is(const struct metric_word *word, const struct event_spec *spec)
{
	bool modes = strchr(word->name, ':') != NULL;
	return strcmp(word->name, spec->name) == 0 || (!modes && role_has_name(word->role) && word->role == spec->role);
}
