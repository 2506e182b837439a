#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void assert_golden(const char *file, const char *text)
{
	char path[512], *want = NULL;
	size_t n = 0;
	snprintf(path, sizeof(path), "%s/%s", GOLDEN_DIR, file);
	if (getenv("CYCTOP_UPDATE_GOLDEN")) {
		FILE *out = fopen(path, "wb");
		if (!out || fputs(text, out) < 0 || fclose(out) != 0)
			fail_msg("cannot write %s", path);
	}
	FILE *in = fopen(path, "rb");
	if (!in || getdelim(&want, &n, '\0', in) < 0)
		fail_msg("%s is missing: write it with ./dev golden and look at it", path);
	fclose(in);
	if (strcmp(text, want) != 0)
		fail_msg("%s differs; now it is\n%s", path, text);
	free(want);
}
