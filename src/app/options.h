/* The command line. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "app/option_rows.h"

#include <cyctop/front.h>
#include <cyctop/source.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options {
	bool help, version;
	bool batch;	     /* asked for, or standard output is no terminal */
	uint64_t iterations; /* 0: until interrupted */
	uint64_t delay_ns;
	enum window window;
	uint64_t sliding_ns;
	const struct batch_format *format;
	struct batch_config output;
	struct report_keys keys; /* none: the usual tables */
	bool hide_kernel, hide_user, show_self, by_thread;
	const char *input; /* a recording, "-" for standard input; NULL: this machine */
	double speed;	   /* of a recording; 0: all at once */
	const char *symfs, *vmlinux, *kallsyms;
	const char *debuginfod; /* URLs, separated by blanks; NULL: those of the environment */
	bool delay_given;
	size_t history_bytes; /* of raw records, for the key w */
	bool demo;
	const char *demo_file; /* NULL: the built-in script */
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	bool ascii, no_mouse, raw_names;
	struct live_config live;
};
/* 0; -EINVAL with the reason in *err (exit status 2).  `out_is_tty`: whether
 * standard output is a terminal. */
CYC_MUST_CHECK int options_parse(int argc, char **argv, bool out_is_tty, struct options *ret, struct error *err);
void options_help(FILE *out);

/* For the commands that share options with it. */
void options_defaults(struct options *o);
const struct option_row *options_row(const char *name);

#endif
