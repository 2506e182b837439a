#include "app/dump.h"
#include "app/options.h"
#include "app/privileges.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

static void help(void)
{
	fputs("Usage: cyctop dump [--json] FILE\n"
	      "Prints a recording (perf.data; - is standard input): its header, events and features and\n"
	      "every record with all fields, one a line, and where it is damaged.\n\n"
	      "  --json       an object of JSON a line\n"
	      "  -h, --help   this\n",
	      stdout);
}

/* A reader that went away has seen enough. */
static int failed(const struct error *err)
{
	if (err->code == EPIPE)
		return 0;
	fprintf(stderr, "cyctop: %s\n", err->text);
	return EXIT_FAILED;
}

int dump_main(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct error err = {0};
	bool json = false;
	int c;
	privileges_drop();
	opterr = 0;
	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'j') {
			json = true;
		} else if (c == 'h') {
			help();
			return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
		} else {
			fprintf(stderr, "cyctop: dump has no option like %s; see cyctop dump --help\n",
				argv[optind - 1]);
			return EXIT_USAGE;
		}
	}
	if (argc - optind != 1) {
		fputs("cyctop: dump takes one recording; see cyctop dump --help\n", stderr);
		return EXIT_USAGE;
	}
	return dump_file(argv[optind], json, stdout, &err) < 0 ? failed(&err) : 0;
}
