/* Opens recordings in memory, or from a pipe of a test. */
#ifndef SOURCE_FILE_READER_H
#define SOURCE_FILE_READER_H

#include "source/file/bytes.h"

#include <cyctop/reader.h>

/* Opens any bytes like reader_open(); the reader closes them, also if it fails.  `path` is used in messages. */
CYC_MUST_CHECK int reader_open_bytes(const struct bytes *bytes, const char *path, int stop_fd, struct reader **ret,
				     struct error *err);

#endif
