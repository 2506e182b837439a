#include "base/alloc.h"
#include "options/nearest.h"
#include "options/rows.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static bool may_take(const struct option_row *row)
{
	return row->arg && row->arg[0] == '[';
}

static bool takes_two(const struct option_row *row)
{
	return row->arg && strchr(row->arg, ' ');
}

/* Returns true if the word is one of the alternatives of an optional value "[A|B[,MORE]]".  Only then is the word
 * behind the option the option's value; otherwise it is the next operand. */
static bool is_alternative(const struct option_row *row, const char *word)
{
	size_t n = strcspn(word, ",");
	for (const char *p = row->arg; p && *p; p = strchr(p + 1, '|'))
		if (n && strncmp(p + 1, word, n) == 0 && p[1 + n] && strchr("|[]", p[1 + n]))
			return true;
	return false;
}

/* For --NAME, getopt_long() returns NAMED + the index of the option's row. */
enum { NAMED = 256 };

static void build_getopt(const struct option_line *line, bool until_operand, struct strbuf *letters,
			 struct option *longs)
{
	strbuf_add(letters, until_operand ? "+:" : ":");
	for (size_t i = 0; i < line->n; i++) {
		const struct option_row *row = &line->rows[i];
		int takes = !row->arg ? no_argument : may_take(row) ? optional_argument : required_argument;
		longs[i] = (struct option){row->name, takes, NULL, NAMED + (int)i};
		if (row->letter)
			strbuf_addf(letters, "%c%s", row->letter, !row->arg ? "" : may_take(row) ? "::" : ":");
	}
}

static size_t find_row(const struct option_line *line, int key)
{
	size_t i = key < NAMED ? 0 : (size_t)(key - NAMED);
	while (key < NAMED && line->rows[i].letter != key)
		i++;
	return i;
}

/* Sets the error after getopt_long() returned '?'.  optopt is then an unknown letter; or the key of an option that
 * takes no value, but was given one; or 0 if the name is unknown, or abbreviates several names. */
static int refuse(const struct option_line *line, enum command_id command, struct error *err)
{
	char word[64];
	snprintf(word, sizeof(word), "%s", line->argv[optind - 1]);
	word[strcspn(word, "=")] = '\0';
	if (optopt >= NAMED)
		return error_set(err, EINVAL, "the option '--%s' takes no value", line->rows[optopt - NAMED].name);
	if (optopt)
		snprintf(word, sizeof(word), "-%c", optopt);
	int rc = error_set(err, EINVAL, "unknown option '%.60s'", word);
	words_advise_option(word, command, err);
	return rc;
}

/* Sets an option: to optarg or, if that is NULL, to the next word if it is_alternative().  An option of two values is
 * set to optarg, then to the next word. */
static int set(const struct option_row *row, const struct option_line *line, struct options *o, struct error *err)
{
	if (!optarg && optind < line->end && is_alternative(row, line->argv[optind]))
		optarg = line->argv[optind++];
	int rc = row->set(o, optarg, err);
	if (rc < 0 || !takes_two(row))
		return rc;
	if (optind == line->end)
		return error_set(err, EINVAL, "the option '--%s' takes two values: %s", row->name, row->arg);
	return row->set(o, line->argv[optind++], err);
}

static int each_option(struct option_line *line, enum command_id command, const char *letters,
		       const struct option *longs, struct options *o, struct error *err)
{
	opterr = 0;
	optind = 0; /* 0 restarts GNU getopt, even in the middle of joined letters ("-bn") */
	for (int key, at = -1; (key = getopt_long(line->end, line->argv, letters, longs, &at)) != -1; at = -1) {
		if (key == '?')
			return refuse(line, command, err);
		if (key == ':')
			return error_set(err, EINVAL, "the option '%s' needs a value", line->argv[optind - 1]);
		size_t i = find_row(line, key);
		int rc = set(&line->rows[i], line, o, err);
		if (rc < 0)
			return rc;
		line->set.given |= UINT64_C(1) << i;
		line->set.by_name = (line->set.by_name & ~(UINT64_C(1) << i)) | (uint64_t)(at >= 0) << i;
	}
	line->first = optind;
	line->set.operand = optind < line->end;
	return 0;
}

/* Calls set() for each option on the command line, in order. */
static int set_options(struct option_line *line, enum command_id command, struct options *o, struct error *err)
{
	struct strbuf letters = {0};
	struct option *longs = mem_calloc(line->n + 1, sizeof(longs[0]));
	build_getopt(line, commands[command]->operands == OPERANDS_LAST, &letters, longs);
	int rc = each_option(line, command, letters.data, longs, o, err);
	strbuf_deinit(&letters);
	free(longs);
	return rc;
}

static int find_dashes(int argc, char **argv)
{
	int i = 1;
	while (i < argc && strcmp(argv[i], "--") != 0)
		i++;
	return i < argc ? i : argc;
}

int options_parse(enum command_id command, int argc, char **argv, bool out_is_tty, struct options *ret,
		  struct error *err)
{
	const struct command *c = commands[command];
	struct option_line line = {.argc = argc, .argv = argv, .end = argc, .out_is_tty = out_is_tty};
	struct error why = {0};
	line.n = c->rows(line.rows);
	if (c->operands == OPERANDS_UNTIL_DASHES)
		line.end = find_dashes(argc, argv);
	if (c->start)
		c->start(ret);
	else
		options_defaults(ret);
	int rc = set_options(&line, command, ret, &why);
	if (rc == 0 && !ret->help && !ret->version && c->check)
		rc = c->check(ret, &line, &why);
	if (rc < 0 && ret->unknown.word)
		words_advise(&ret->unknown, &why);
	if (rc < 0 && err)
		*err = why;
	return rc;
}

static void rows_help(FILE *out, const struct option_row *rows, size_t n)
{
	enum { LEFT = 29, WIDTH = 90 };
	for (size_t i = 0; i < n; i++) {
		const struct option_row *row = &rows[i];
		char left[40], letter[8] = "   ";
		if (row->letter)
			snprintf(letter, sizeof(letter), "-%c,", row->letter);
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

void options_help(enum command_id command, FILE *out)
{
	struct option_row rows[OPTION_ROWS_MAX];
	fputs(commands[command]->usage, out);
	rows_help(out, rows, commands[command]->rows(rows));
	fputs(commands[command]->more, out);
}
