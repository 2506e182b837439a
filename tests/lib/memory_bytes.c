#include "memory_bytes.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct bytes bytes_of_memory(const void *data, size_t n, bool seekable)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	for (size_t at = 0; at < n;) {
		ssize_t done = write(fd, (const char *)data + at, n - at);
		if (done < 0)
			abort();
		at += (size_t)done;
	}
	return (struct bytes){
		.fd = fd,
		.wait_fd = -1,
		.stop_fd = -1,
		.size = seekable ? n : UINT64_MAX,
		.seekable = seekable,
	};
}
