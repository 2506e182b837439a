#include "app/option_rows.h"

#include "app/nearest.h"
#include "base/alloc.h"
#include "base/fmt.h"

#include <errno.h>
#include <getopt.h>
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

static bool may_take(const struct option_row *row)
{
	return row->arg && row->arg[0] == '[';
}

static bool takes_two(const struct option_row *row)
{
	return row->arg && strchr(row->arg, ' ');
}

/* Is the word one of the values in "[A|B[,MORE]]"?  Such an option can have its value in the next word, too. */
static bool is_alternative(const struct option_row *row, const char *word)
{
	size_t n = strcspn(word, ",");
	for (const char *p = row->arg; p && *p; p = strchr(p + 1, '|'))
		if (n && strncmp(p + 1, word, n) == 0 && p[1 + n] && strchr("|[]", p[1 + n]))
			return true;
	return false;
}

static void build_getopt(const struct option_row *rows, size_t n, bool until_operand, struct strbuf *letters,
			 struct option *longs)
{
	strbuf_add(letters, until_operand ? "+:" : ":");
	for (size_t i = 0; i < n; i++) {
		const struct option_row *row = &rows[i];
		int takes = !row->arg ? no_argument : may_take(row) ? optional_argument : required_argument;
		longs[i] = (struct option){row->name, takes, NULL, row->key};
		if (row->key < 256)
			strbuf_addf(letters, "%c%s", row->key, !row->arg ? "" : may_take(row) ? "::" : ":");
	}
}

static size_t find_row(const struct option_row *rows, int key)
{
	size_t i = 0;
	while (rows[i].key != key)
		i++;
	return i;
}

bool option_given(const struct option_row *rows, size_t n, const struct option_set *set, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return set->given >> i & 1;
	return false;
}

void option_spell(const struct option_row *row, bool by_name, char buf[static 40])
{
	if (by_name || row->key > 255)
		snprintf(buf, 40, "--%s", row->name);
	else
		snprintf(buf, 40, "-%c", row->key);
}

/* Says why an option was refused, when getopt returns '?'. optopt is a letter that no option has, the key of an
 * option that takes no value but was given one, or 0: no option's name begins so, or several do. */
static int refuse(const struct option_row *rows, size_t n, enum command_id command, char **argv, struct error *err)
{
	char word[64];
	snprintf(word, sizeof(word), "%s", argv[optind - 1]);
	word[strcspn(word, "=")] = '\0';
	for (size_t i = 0; i < n; i++)
		if (optopt && rows[i].key == optopt)
			return error_set(err, EINVAL, "the option '--%s' takes no value", rows[i].name);
	if (optopt)
		snprintf(word, sizeof(word), "-%c", optopt);
	char advice[200];
	words_option_advice(word, command, advice, sizeof(advice));
	return error_set(err, EINVAL, "unknown option '%.60s'%s", word, advice);
}

static int parse(const struct option_row *rows, size_t n, enum command_id command, const char *letters,
		 const struct option *longs, int argc, char **argv, struct options *o, struct option_set *set,
		 struct error *err)
{
	opterr = 0;
	optind = 0; /* begin anew, also within a word of letters */
	for (int key, at = -1; (key = getopt_long(argc, argv, letters, longs, &at)) != -1; at = -1) {
		if (key == '?')
			return refuse(rows, n, command, argv, err);
		if (key == ':')
			return error_set(err, EINVAL, "the option '%s' needs a value", argv[optind - 1]);
		size_t i = find_row(rows, key);
		if (!optarg && optind < argc && is_alternative(&rows[i], argv[optind]))
			optarg = argv[optind++];
		int rc = rows[i].set(o, optarg, err);
		if (rc == 0 && takes_two(&rows[i])) {
			if (optind == argc)
				return error_set(err, EINVAL, "the option '--%s' takes two values: %s", rows[i].name,
						 rows[i].arg);
			rc = rows[i].set(o, argv[optind++], err);
		}
		if (rc < 0)
			return rc;
		set->given |= UINT64_C(1) << i;
		set->by_name = (set->by_name & ~(UINT64_C(1) << i)) | (uint64_t)(at >= 0) << i;
	}
	set->operand = optind < argc;
	return 0;
}

int option_rows_parse(const struct option_row *rows, size_t n, enum command_id command, bool until_operand, int argc,
		      char **argv, struct options *o, struct option_set *ret, struct error *err)
{
	struct strbuf letters = {0};
	struct option *longs = mem_calloc(n + 1, sizeof(longs[0]));
	build_getopt(rows, n, until_operand, &letters, longs);
	*ret = (struct option_set){0};
	int rc = parse(rows, n, command, letters.data, longs, argc, argv, o, ret, err);
	strbuf_deinit(&letters);
	free(longs);
	return rc;
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
		if (!n) /* one word */
			n = commas ? most : strcspn(text, " ");
		if (!text[n])
			break;
		fprintf(out, "%.*s\n%*s", (int)n, text, left, "");
		text += n + (text[n] == ' ');
	}
	fprintf(out, "%s\n", text);
}

void option_rows_help(FILE *out, const struct option_row *rows, size_t n)
{
	enum { LEFT = 29, WIDTH = 90 };
	for (size_t i = 0; i < n; i++) {
		const struct option_row *row = &rows[i];
		char left[40], letter[8] = "   ";
		if (row->key < 256)
			snprintf(letter, sizeof(letter), "-%c,", row->key);
		snprintf(left, sizeof(left), "%s --%s%s%s", letter, row->name,
			 !row->arg	 ? ""
			 : may_take(row) ? "[="
					 : " ",
			 !row->arg ? "" : row->arg + may_take(row));
		struct strbuf help = {0};
		option_row_help(row, &help);
		fprintf(out, "  %-26s ", left);
		put_wrapped(out, help.data, LEFT, WIDTH, true);
		strbuf_deinit(&help);
	}
}
