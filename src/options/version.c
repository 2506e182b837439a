/* Prints the text of -V: version, kind of executable, features. */
#include <cyctop/options.h>

#include <stdio.h>

static const struct feature {
	const char *what, *library;
	bool built;
} features[] = {
	{"JSON", "jansson", HAVE_JANSSON},
	{"names of C++, Rust and D", "libiberty", HAVE_IBERTY},
	{"names from servers", "libdebuginfod", HAVE_DEBUGINFOD},
	{"zstd", "libzstd", HAVE_ZSTD},
	{"instructions", "capstone", HAVE_CAPSTONE},
	{"lines of the source", "libdw", HAVE_DW},
	{"gzip", "zlib", HAVE_ZLIB},
	{"xz", "liblzma", HAVE_LZMA},
};

static void print_features(FILE *out, const char *heading, bool built)
{
	const char *before = heading;
	for (size_t i = 0; i < ARRAY_LEN(features); i++) {
		if (features[i].built != built)
			continue;
		fprintf(out, "%s%s (%s)", before, features[i].what, features[i].library);
		before = ", ";
	}
	if (before != heading)
		fputc('\n', out);
}

void options_version(FILE *out)
{
	fputs("cyctop " CYCTOP_VERSION "\n", out);
	if (CYCTOP_STATIC)
		fputs("static: all libraries are in the executable\n", out);
	print_features(out, "with ", true);
	print_features(out, "without ", false);
}
