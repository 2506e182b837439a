#include "options/nearest.h"

#include "base/words.h"
#include "options/rows.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* Words that users may type because other programs have them, and what cyctop has instead. */
static const struct {
	const char *word, *advice;
} habits[] = {
	{"report", "cyctop -i FILE shows a recording, and cyctop -b -i FILE prints it"},
	{"replay", "cyctop -i FILE shows a recording; --speed N plays it"},
	{"play", "cyctop -i FILE shows a recording; --speed N plays it"},
	{"view", "cyctop -i FILE shows a recording"},
	{"show", "cyctop -i FILE shows a recording"},
	{"open", "cyctop -i FILE shows a recording"},
	{"top", "cyctop alone is the live view"},
	{"live", "cyctop alone is the live view"},
	{"watch", "cyctop alone is the live view"},
	{"monitor", "cyctop alone is the live view"},
	{"profile", "cyctop record COMMAND records what it runs, and cyctop alone is the live view"},
	{"trace", "cyctop record COMMAND samples what it runs; no calls are traced"},
	{"-v", "--version prints the version; messages go to standard error, and cannot be more"},
	{"--verbose", "messages go to standard error, and cannot be more; the key ! shows what a session lacks"},
	{"-q", "messages go to standard error: 2>/dev/null leaves them out"},
	{"--quiet", "messages go to standard error: 2>/dev/null leaves them out"},
	{"stat", "cyctop -b -n 1 -d SECS prints what was counted in SECS seconds"},
	{"script", "cyctop dump FILE prints every record of a recording"},
	{"mem", "--sort mem_level,snoop,tlb shows memory accesses, which --preset mem samples"},
	{"help", "cyctop --help is what there is"},
	{"version", "cyctop --version prints it"},
	{"-a", "all CPUs are measured unless -C names some"},
	{"--all-cpus", "all CPUs are measured unless -C names some"},
	{"--stdio", "-b prints tables"},
	{"--tui", "without -b, tables are on the screen of a terminal"},
	{"--sort-key", "-s COLUMN orders the tables by a column"},
	{"--json", "--format json prints JSON Lines"},
	{"--csv", "--format csv prints a table as CSV"},
};

/* ---- calling a function for each known word -------------------------------------------------- */

typedef void word_fn(void *ctx, enum word_kind kind, const char *prefix, const char *word);

static void each_option(enum command_id command, word_fn *fn, void *ctx)
{
	struct option_row rows[OPTION_ROWS_MAX];
	size_t n = commands[command]->rows(rows);
	char prefix[24];
	const char *name = commands[command]->name;
	snprintf(prefix, sizeof(prefix), "%s%s%s--", *name ? "cyctop " : "", name, *name ? " " : "");
	for (size_t i = 0; i < n; i++)
		fn(ctx, WORD_OPTION, prefix, rows[i].name);
}

static void each_column(word_fn *fn, void *ctx)
{
	for (size_t t = 0; t < view_tables_n; t++) {
		struct columns cols;
		view_columns(NULL, &view_tables[t], &cols);
		for (size_t i = 0; i < cols.n; i++) {
			fn(ctx, WORD_COLUMN, "-s ", cols.v[i].id);
			fn(ctx, WORD_COLUMN, "-s ", cols.v[i].title);
		}
	}
}

static void each_word(word_fn *fn, void *ctx)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		fn(ctx, WORD_FORMAT, "--format ", batch_formats[i].name);
	for (size_t i = 0; i < event_presets_n; i++)
		fn(ctx, WORD_PRESET, "--preset ", event_presets[i].name);
	fn(ctx, WORD_PRESET, "--preset ", "topdown");
	fn(ctx, WORD_PRESET, "--preset ", PRESET_MEM);
	for (enum command_id c = 0; c < COMMANDS; c++) {
		each_option(c, fn, ctx);
		if (*commands[c]->name)
			fn(ctx, WORD_COMMAND, "cyctop ", commands[c]->name);
	}
	each_column(fn, ctx);
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++) {
		if (dimensions[d].is_tree)
			continue;
		fn(ctx, WORD_KEY, "--sort ", dimensions[d].id);
		fn(ctx, WORD_TABLE, "--table ", dimensions[d].table);
	}
}

/* ---- choosing the nearest word ---------------------------------------------------------------- */

struct nearest {
	const char *typed;
	enum word_kind wanted;
	bool exact_options; /* options are suggested only if their names begin with the typed word */
	unsigned rank;	    /* of the best word: edit distance, plus 2 if the word is not of the wanted kind */
	char text[80];
};

static void consider(void *ctx, enum word_kind kind, const char *prefix, const char *word)
{
	struct nearest *n = ctx;
	if (!word_is_near(n->typed, word) ||
	    (n->exact_options && kind == WORD_OPTION && strncmp(n->typed, word, strlen(n->typed)) != 0))
		return;
	unsigned rank = word_distance(n->typed, word) + 2 * (kind != n->wanted);
	if (rank >= n->rank)
		return;
	n->rank = rank;
	snprintf(n->text, sizeof(n->text), "%s%s", prefix, word);
}

static void append(struct error *err, const char *fmt, ...) CYC_PRINTF(2, 3);
static void append(struct error *err, const char *fmt, ...)
{
	size_t at = strlen(err->text);
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->text + at, sizeof(err->text) - at, fmt, args);
	va_end(args);
}

static bool advise_habit(const char *word, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(habits); i++)
		if (strcmp(habits[i].word, word) == 0) {
			append(err, ": %s", habits[i].advice);
			return true;
		}
	return false;
}

/* Appends the ids of all columns.  Each is appended once, though several tables may have the column. */
static void append_columns(struct error *err)
{
	char known[400] = "";
	for (size_t t = 0; t < view_tables_n; t++) {
		struct columns cols;
		view_columns(NULL, &view_tables[t], &cols);
		for (size_t i = 0; i < cols.n; i++) {
			size_t at = strlen(known);
			if (!strstr(known, cols.v[i].id))
				snprintf(known + at, sizeof(known) - at, "%s%s", at ? " " : "", cols.v[i].id);
		}
	}
	append(err, "; there are: %s", known);
}

void words_advise(const struct unknown_word *unknown, struct error *err)
{
	struct nearest n = {.typed = unknown->word, .wanted = unknown->kind, .rank = WORD_FAR};
	if (advise_habit(unknown->word, err))
		return;
	/* where a command was expected, a word without dashes is rarely a misspelled option */
	n.exact_options = unknown->kind == WORD_COMMAND;
	each_word(consider, &n);
	if (*n.text)
		append(err, ": did you mean %s?", n.text);
	else if (unknown->kind == WORD_COLUMN)
		append_columns(err);
	else
		append(err, "%s", unknown->otherwise);
}

int options_no_column(const char *word, struct error *err)
{
	error_set(err, EINVAL, "no column '%.40s' to sort by", word);
	words_advise(&(struct unknown_word){word, WORD_COLUMN, ""}, err);
	return -EINVAL;
}

/* If another command has the option, appends the name of that command and returns true; otherwise returns false. */
static bool advise_elsewhere(const char *word, enum command_id command, struct error *err)
{
	for (enum command_id c = 0; c < COMMANDS; c++) {
		struct option_row rows[OPTION_ROWS_MAX];
		size_t n = c == command ? 0 : commands[c]->rows(rows);
		for (size_t i = 0; i < n; i++) {
			bool letter = word[1] != '-' && !word[2] && rows[i].letter == word[1];
			if (!letter && (word[1] != '-' || strcmp(rows[i].name, word + 2) != 0))
				continue;
			append(err, ": it is an option of cyctop %s", c == COMMAND_SHOW ? "alone" : commands[c]->name);
			return true;
		}
	}
	return false;
}

void words_advise_option(const char *word, enum command_id command, struct error *err)
{
	const char *name = word + strspn(word, "-");
	struct nearest n = {.typed = name, .wanted = WORD_OPTION, .rank = WORD_FAR};
	if (advise_habit(word, err) || advise_elsewhere(word, command, err))
		return;
	each_option(command, consider, &n); /* options of this command first */
	if (*n.text)
		append(err, ": did you mean --%s?", strstr(n.text, "--") + 2);
	else
		words_advise(&(struct unknown_word){name, WORD_OPTION, "; --help lists them"}, err);
}
