/* The command cyctop calls -- PROGRAM: counts each call of each function of a program. */
#ifndef APP_CALLS_H
#define APP_CALLS_H

#include "app/options.h"
#include "os/command.h"

enum calls_order { CALLS_BY_SELF, CALLS_BY_TOTAL, CALLS_BY_CALLS, CALLS_BY_CALL };

struct calls_options {
	struct options common; /* uses help, output.top, live.events, input and save_path of it */
	enum calls_order order;
	void (*write)(FILE *out, const struct calls_output *o);
	void (*table)(FILE *out, const struct calls_output *o); /* of --table; NULL: the usual one */
	const char *function;					/* name or pattern; NULL: all */
	double min_percent;
	char **command; /* of a program and its arguments; its end: there is `common.input` */
};
size_t calls_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int calls_options_parse(int argc, char **argv, struct calls_options *ret, struct error *err);
void calls_options_help(FILE *out);

/* Runs the command `calls`; argv[0] is "calls".  Returns the exit status: that of PROGRAM. */
int calls_main(int argc, char **argv);

/* Reads a file that was kept by -o. */
CYC_MUST_CHECK int calls_load(const char *path, struct calls_table *ret, struct error *err);

/* Fills in what the options ask for of a table; the caller frees ret->lines.  -ENOENT: no function has the name. */
CYC_MUST_CHECK int calls_arrange(const struct calls_options *o, const struct calls_table *t, struct calls_output *ret,
				 struct error *err);
/* Says what is missing from the numbers. */
void calls_tell(const struct calls_table *t);

/* calls_names.c: what counted functions are called. */
struct calls_counts;
struct calls_names;
CYC_MUST_CHECK int calls_names_create(struct calls_names **ret, struct error *err);
void calls_names_destroy(struct calls_names *names);
/* Makes a table of what was counted, which grows from one to the next.  Names that are not known after `settle_ms` are
 * in a later one. */
void calls_table_create(struct calls_names *names, const struct calls_counts *counts, int settle_ms,
			struct calls_table *ret);

/* calls_run.c: a program with the library that counts its calls. */
struct calls_run {
	struct command command;
	uint8_t *tables;		/* which the program shares */
	uint64_t began_ticks, began_ns; /* when the tables were made */
	struct calls_names *names;
};
/* Makes the process, and what is to be counted in it.  `ready`, `ctx`: of command_prepare(). */
CYC_MUST_CHECK int calls_run_prepare(struct calls_run *run, const struct calls_options *o, command_ready_fn *ready,
				     const void *ctx, struct error *err);
/* Makes a table of the calls that have ended until now; it is empty if there is none, and a note says why. */
CYC_MUST_CHECK int calls_run_read(struct calls_run *run, const struct calls_options *o, int settle_ms,
				  struct calls_table *ret, struct error *err);
void calls_run_close(struct calls_run *run);

/* calls_screen.c: shows the calls of a program while it runs, or of a file.  *status_ret: that of the program. */
CYC_MUST_CHECK int calls_screen(const struct calls_options *o, int *status_ret, struct error *err);

#endif
