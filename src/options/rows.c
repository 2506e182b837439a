#include "options/rows.h"

#include "base/fmt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int option_number(const char *what, const char *arg, double min, double max, double *ret, struct error *err)
{
	char *end;
	errno = 0;
	double v = strtod(arg, &end);
	if (end == arg || *end || errno || !isfinite(v) || v < min || v > max) {
		char least[40], most[40];
		fmt_grouped(least, sizeof(least), min);
		fmt_grouped(most, sizeof(most), max);
		return error_set(err, EINVAL, "%s takes a number from %s to %s, not '%.40s'", what, least, most, arg);
	}
	*ret = v;
	return 0;
}

int option_percent(const char *what, const char *arg, double min, double max, double *ret, struct error *err)
{
	double percent = 0;
	int rc = option_number(what, arg, min, max, &percent, err);
	if (rc == 0)
		*ret = percent / 100;
	return rc;
}

int option_whole(const char *what, const char *arg, double min, double max, uint64_t *ret, struct error *err)
{
	double v = 0;
	int rc = option_number(what, arg, min, max, &v, err);
	if (rc == 0 && v != floor(v))
		rc = error_set(err, EINVAL, "%s takes a whole number, not '%.40s'", what, arg);
	if (rc == 0)
		*ret = (uint64_t)v;
	return rc;
}

int option_event_name(const char *what, const char *arg, const char **ret, struct error *err)
{
	if (!arg[0] || strchr(arg, ','))
		return error_set(err, EINVAL, "%s takes the name of one event, not '%.40s'", what, arg);
	*ret = arg;
	return 0;
}

int option_unknown(struct options *o, enum word_kind kind, const char *word, const char *otherwise)
{
	o->unknown = (struct unknown_word){word, kind, otherwise};
	return -EINVAL;
}

int option_refuse(struct options *o, const char *option, const char *word, void (*values)(struct strbuf *ret),
		  enum word_kind kind, struct error *err)
{
	struct strbuf known = {0};
	values(&known);
	error_set(err, EINVAL, "%s takes one of %s, not '%.40s'", option, known.data, word);
	strbuf_deinit(&known);
	return option_unknown(o, kind, word, "");
}

bool option_given(const struct option_line *line, const char *name)
{
	for (size_t i = 0; i < line->n; i++)
		if (strcmp(line->rows[i].name, name) == 0)
			return line->set.given >> i & 1;
	return false;
}

void option_spell(const struct option_row *row, bool by_name, char buf[static 40])
{
	if (by_name || !row->letter)
		snprintf(buf, 40, "--%s", row->name);
	else
		snprintf(buf, 40, "-%c", row->letter);
}

void option_row_help(const struct option_row *row, struct strbuf *ret)
{
	strbuf_add(ret, row->help);
	if (!row->values)
		return;
	strbuf_add(ret, ": ");
	row->values(ret);
}

void put_wrapped(FILE *out, const char *text, int left, int width, bool commas)
{
	size_t most = (size_t)(width - left);
	while (strlen(text) > most) {
		size_t n = most;
		while (n && text[n] != ' ' && (!commas || text[n - 1] != ','))
			n--;
		if (!n) /* the next word is longer than a line */
			n = commas ? most : strcspn(text, " ");
		if (!text[n])
			break;
		fprintf(out, "%.*s\n%*s", (int)n, text, left, "");
		text += n + (text[n] == ' ');
	}
	fprintf(out, "%s\n", text);
}
