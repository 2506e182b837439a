/* Fuzzes what is read of a JVM: its status, its command line, and its answer. */
#include "attach/jvm.h"
#include "base/alloc.h"
#include "base/proc_status.h"

#include <cyctop/runtime.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { ROOM = 80 };
	char why[ROOM + 1], *text = mem_calloc(size + 1, 1);
	struct proc_status st;
	memcpy(text, data, size);
	why[ROOM] = 1;
	int rc = jvm_answer_parse((const char *)data, size, why, ROOM);
	if (why[ROOM] != 1 || (rc < 0 && (!memchr(why, 0, ROOM) || !why[0])))
		abort();
	for (const char *s = why; rc < 0 && *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			abort();
	proc_status_parse(text, &st);
	if (st.whole && (!st.own_pid || st.uid == STATUS_NONE))
		abort();
	jvm_is_closed(text, size);
	(void)runtime_of_library(text);
	free(text);
	return 0;
}
