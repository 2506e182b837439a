/* Reads small files, mostly those of /proc and /sys, without stdio. */
#ifndef OS_FILE_H
#define OS_FILE_H

#include <cyctop/base.h>

#include <dirent.h>
#include <errno.h>
#include <sys/types.h>

/* Reads at most `n` bytes of an open fd; not interrupted by signals.  Returns their number, 0 at the end, or -errno. */
CYC_MUST_CHECK ssize_t os_read_some(int fd, void *buf, size_t n);
/* Reads `n` bytes of an open fd from an offset; fewer only at the end of the file.  Returns their number, or -errno. */
CYC_MUST_CHECK ssize_t os_pread(int fd, void *buf, size_t n, uint64_t offset);
/* Reads the start of a file, at most cap - 1 bytes, and adds a NUL.  Returns the number of
 * bytes, or -errno.  `dir_fd` as for openat().  Opening never waits (O_NONBLOCK). */
CYC_MUST_CHECK ssize_t os_read_at(int dir_fd, const char *path, char *buf, size_t cap);
CYC_MUST_CHECK ssize_t os_read(const char *path, char *buf, size_t cap);
/* Reads an open fd from offset 0 again, otherwise like os_read(): a file of /proc or /sys then has new contents. */
CYC_MUST_CHECK ssize_t os_reread(int fd, char *buf, size_t cap);
/* Reads from an open fd to its end, at most `max` bytes, into malloc'ed memory that the caller
 * frees, and adds a NUL.  Returns the number of bytes, or -errno. */
CYC_MUST_CHECK ssize_t os_load(int fd, size_t max, char **ret);
/* Reads the first line of a file, without its newline and cut to cap - 1 bytes; "" if the file cannot be read. */
void os_read_line(const char *path, char *buf, size_t cap);
void os_read_line_at(int dir_fd, const char *path, char *buf, size_t cap);
/* Reads a decimal number from a file; returns `otherwise` if the file cannot be read or has no number. */
int64_t os_read_int(const char *path, int64_t otherwise);
int64_t os_read_int_at(int dir_fd, const char *path, int64_t otherwise);
/* Returns true if this -errno says that descriptors or memory ran out, so that a later call may succeed. */
static inline bool os_is_shortage(int code)
{
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM;
}
/* Opens a directory, to be closed by closedir().  Returns NULL, with the reason in errno, if this fails. */
DIR *os_opendir_at(int dir_fd, const char *path);
/* Reads on in a directory of /proc, up to the next entry that is a pid or tid, and returns this id.  Returns 0 if there
 * are no more, or `dir` is NULL. */
uint32_t os_next_id(DIR *dir);
/* Returns true if the effective uid of the process is `uid`. */
bool os_is_of_user(uint32_t pid, uid_t uid);
/* Returns an fd that is readable once the process has ended; -1 with errno, also before Linux 5.3. */
int os_pidfd(uint32_t pid);
/* Returns true if /proc shows the pid namespace of this process, so that its pids mean the same as getpid(). */
bool os_proc_is_ours(void);
/* Does what os_proc_is_ours() does, for the directory proc inside the directory `dir_fd`. */
bool os_proc_is_ours_at(int dir_fd);

#endif
