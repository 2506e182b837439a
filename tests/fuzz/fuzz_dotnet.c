/* Fuzzes what is read of .NET: its answer, its environment, and the paths that it maps. */
#include "attach/dotnet.h"
#include "base/alloc.h"

#include <cyctop/runtime.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { ROOM = 200 };
	char why[ROOM + 1], *text = mem_calloc(size + 1, 1), *bytes = mem_calloc(size ? size : 1, 1);
	memcpy(text, data, size);
	memcpy(bytes, data, size); /* without a NUL: nothing may be read beyond it */
	why[ROOM] = 1;
	int rc = dotnet_answer_parse(bytes, size, why, ROOM);
	if (why[ROOM] != 1 || (rc < 0 && (!memchr(why, 0, ROOM) || !why[0])))
		abort();
	for (const char *s = why; rc < 0 && *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			abort();
	const char *folder = dotnet_folder(text, size);
	if (folder && (folder < text || folder >= text + size || !folder[0]))
		abort();
	(void)runtime_of_library(text);
	free(text);
	free(bytes);
	return 0;
}
