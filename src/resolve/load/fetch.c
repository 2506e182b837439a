/* Downloads debug files; the only user of libdebuginfod.  The library is opened (dlopen) only at the first download,
 * because it loads thirty others for HTTP, which takes longer than the rest of cyctop's start.  The download thread
 * drops its privileges before it connects to a server. */
#include "resolve/load/fetch.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_DEBUGINFOD

#include "base/strbuf.h"
#include "os/clock.h"
#include "os/library.h"
#include "os/signals.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { JOIN_SECONDS = 2 };
static const char urls_variable[] = DEBUGINFOD_URLS_ENV_VAR;
static const char cache_variable[] = DEBUGINFOD_CACHE_PATH_ENV_VAR;
static const char root_cache[] = "/var/cache/cyctop";
static const char root_cache_files[] = "/var/cache/cyctop/debuginfod";

struct fetch {
	struct build_id id;
	pthread_t thread;
	int wake_fd;
	uint64_t woken_ms;    /* CLOCK_MONOTONIC at the last write to wake_fd */
	pthread_mutex_t lock; /* guards the members below */
	int users;	      /* the thread and the caller of fetch_start(); the last of them frees the memory */
	bool cancelled, ended;
	uint64_t done, total;
	int result;
	struct dso_image image;
};

struct library {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find;
	__typeof__(debuginfod_set_progressfn) *set_progress;
	__typeof__(debuginfod_set_user_data) *set_data;
};

/* ---- configuring servers and cache ---------------------------------------------------------- */

/* Appends the server URLs in a file. The login scripts of distributions set $DEBUGINFOD_URLS from these files, but do
 * not run under sudo and in services. */
static void add_urls_of(const char *path, struct strbuf *urls)
{
	enum { MAX = 16 * 1024 };
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	for (ssize_t i = 0; i < n && urls->n < MAX; i++) {
		char c = isspace((unsigned char)text[i]) || !text[i] ? ' ' : text[i];
		strbuf_add_bytes(urls, &c, 1);
	}
	if (n > 0)
		strbuf_add(urls, " ");
	if (fd >= 0)
		close(fd);
}

static void set_distribution_urls(void)
{
	struct strbuf urls = {0};
	glob_t files;
	if (glob("/etc/debuginfod/*.urls", 0, NULL, &files) != 0)
		return;
	for (size_t i = 0; i < files.gl_pathc; i++)
		add_urls_of(files.gl_pathv[i], &urls);
	globfree(&files);
	if (urls.n)
		setenv(urls_variable, urls.data, 1);
	strbuf_deinit(&urls);
}

void fetch_prepare(const char *urls)
{
	if (urls)
		setenv(urls_variable, urls, 1);
	else if (!getenv(urls_variable))
		set_distribution_urls();
	/* the library must not write to the terminal */
	unsetenv(DEBUGINFOD_VERBOSE_ENV_VAR);
	unsetenv(DEBUGINFOD_PROGRESS_ENV_VAR);
	/* Root may run with another user's HOME (sudo), who could place symbolic links there to make the library write
	 * anywhere. */
	if (geteuid() == 0 && !getenv(cache_variable))
		setenv(cache_variable, root_cache_files, 1);
}

bool fetch_has_servers(void)
{
	const char *urls = getenv(urls_variable);
	return urls && urls[strspn(urls, " ")];
}

/* Makes a directory, or checks that an existing one is this user's and not writable by others.  Returns 0 or an
 * errno. */
static int make_private(const char *path)
{
	struct stat st;
	if (mkdir(path, 0700) == 0)
		return 0;
	int code = errno;
	if (code != EEXIST)
		return code;
	if (lstat(path, &st) != 0)
		return errno;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022) ? 0 : EPERM;
}

static int check_cache(struct error *err)
{
	const char *path = getenv(cache_variable);
	if (!path || strcmp(path, root_cache_files) != 0)
		return 0;
	int code = make_private(root_cache);
	if (!code)
		code = make_private(root_cache_files);
	if (!code)
		return 0;
	return error_set(err, code, "There is no safe place for what is fetched: %s: %s. Set %s to one.",
			 root_cache_files, strerror(code), cache_variable);
}

/* ---- functions of the download thread ------------------------------------------------ */

static bool load_library(struct library *lib)
{
	static const char *const names[] = {"debuginfod_begin", "debuginfod_end", "debuginfod_find_debuginfo",
					    "debuginfod_set_progressfn", "debuginfod_set_user_data"};
	void *functions[ARRAY_LEN(names)];
	if (!library_load(DEBUGINFOD_SONAME, names, functions, ARRAY_LEN(names)))
		return false;
	_Static_assert(sizeof(functions) == sizeof(*lib), "a function each");
	memcpy(lib, functions, sizeof(functions));
	return true;
}

static void wake(struct fetch *f)
{
	if (eventfd_write(f->wake_fd, 1) != 0)
		return; /* the counter is full, so the fd is readable already */
}

/* Returns the library's user data.  As the callback has no context argument and the program no globals,
 * debuginfod_get_user_data() is looked up at each call. */
static struct fetch *fetch_of(debuginfod_client *c)
{
	__typeof__(debuginfod_get_user_data) *get_data = NULL;
	void *handle = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_NOLOAD);
	void *function = handle ? dlsym(handle, "debuginfod_get_user_data") : NULL;
	memcpy(&get_data, &function, sizeof(function));
	struct fetch *f = get_data ? get_data(c) : NULL;
	if (handle)
		dlclose(handle);
	return f;
}

/* Notes the progress; returns 1 to cancel the download. The library calls this function at least once a second, even if
 * no data arrives. */
static int on_progress(debuginfod_client *c, long done, long total)
{
	enum { TELL_MS = 200 };
	struct fetch *f = fetch_of(c);
	if (!f)
		return 0;
	pthread_mutex_lock(&f->lock);
	bool cancelled = f->cancelled;
	/* without a total, `done` is not in bytes */
	f->done = total > 0 && done > 0 ? (uint64_t)done : 0;
	f->total = total > 0 ? (uint64_t)total : 0;
	pthread_mutex_unlock(&f->lock);
	uint64_t now = clock_ms(CLOCK_MONOTONIC);
	if (!cancelled && now - f->woken_ms >= TELL_MS) {
		f->woken_ms = now;
		wake(f);
	}
	return cancelled;
}

/* Drops all capabilities of the thread: the download needs none. */
static void give_up_privileges(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	syscall(SYS_capset, &header, none); /* the raw system call changes only this thread and those that it starts */
}

static int fail(struct dso_image *image, int code)
{
	char buf[64];
	switch (code) {
	case ENOENT:
		return dso_image_fail(image, code, "no debuginfod server has its debug file");
	case ETIME:
	case ETIMEDOUT:
		return dso_image_fail(image, ETIME, "the debuginfod server did not answer in time");
	case ENOSYS:
		return dso_image_fail(image, code, "no debuginfod server is named");
	case EFBIG:
		return dso_image_fail(image, code,
				      "its debug file is larger than " DEBUGINFOD_MAXSIZE_ENV_VAR " allows");
	default:
		return dso_image_fail(image, code, "debuginfod: %s", strerror_r(code, buf, sizeof(buf)));
	}
}

static int read_table(const struct fetch *f, int fd, struct dso_image *image)
{
	struct stat st;
	struct build_id id;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return dso_image_fail(image, EINVAL, "the file that debuginfod delivered is not a regular file");
	elf_build_id_file(fd, &image->limits, &id);
	if (!build_id_is(&id, &f->id))
		return dso_image_fail(image, ESTALE,
				      "the file that debuginfod delivered is of another build: its build-id differs");
	int r = elf_read_debug(fd, (uint64_t)st.st_size, image);
	return r == 0 && !image->symtab ? dso_image_fail(image, ENODATA, "its debug file has no symbol table") : r;
}

/* Writes the path of the library's cache directory to `buf`. Returns false if it is unknown. */
static bool cache_path(char *buf, size_t cap)
{
	const char *given = getenv(cache_variable), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat st;
	int n = -1;
	if (given && given[0])
		n = snprintf(buf, cap, "%s", given);
	else if (home && snprintf(buf, cap, "%s/.debuginfod_client_cache", home) < (int)cap && stat(buf, &st) == 0)
		return true;
	else if (xdg && xdg[0])
		n = snprintf(buf, cap, "%s/debuginfod_client", xdg);
	else if (home)
		n = snprintf(buf, cap, "%s/.cache/debuginfod_client", home);
	return n > 0 && (size_t)n < cap;
}

/* Removes the empty file by which the library remembers for ten minutes that no server has the file: it also writes one
 * when a download is cancelled. */
static void forget_nothing_found(const struct fetch *f)
{
	char path[4200], hex[2 * sizeof(f->id.bytes) + 1] = "";
	struct stat st;
	for (size_t i = 0; i < f->id.size; i++)
		snprintf(hex + 2 * i, 3, "%02x", f->id.bytes[i]);
	if (!cache_path(path, 4096))
		return;
	size_t n = strlen(path);
	snprintf(path + n, sizeof(path) - n, "/%s/debuginfo", hex);
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
		unlink(path);
}

static bool is_cancelled(struct fetch *f)
{
	pthread_mutex_lock(&f->lock);
	bool cancelled = f->cancelled;
	pthread_mutex_unlock(&f->lock);
	return cancelled;
}

static int find(struct fetch *f, struct dso_image *image)
{
	struct library lib;
	char *path = NULL;
	if (!load_library(&lib))
		return dso_image_fail(image, ENOSYS, "the library " DEBUGINFOD_SONAME " is not installed");
	debuginfod_client *client = lib.begin();
	if (!client)
		return dso_image_fail(image, ENOMEM, "debuginfod could not be started");
	lib.set_data(client, f);
	lib.set_progress(client, on_progress);
	int fd = lib.find(client, f->id.bytes, f->id.size, &path);
	if (fd < 0 && is_cancelled(f))
		forget_nothing_found(f);
	int r = fd < 0 ? fail(image, -fd) : read_table(f, fd, image);
	if (r == 0) {
		free(image->file);
		image->file = path ? mem_strdup(path) : NULL;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	lib.end(client);
	return r;
}

static void release(struct fetch *f)
{
	pthread_mutex_lock(&f->lock);
	bool last = --f->users == 0;
	pthread_mutex_unlock(&f->lock);
	if (!last)
		return;
	close(f->wake_fd);
	pthread_mutex_destroy(&f->lock);
	dso_image_deinit(&f->image);
	free(f);
}

static void *run(void *arg)
{
	struct fetch *f = arg;
	struct dso_image image = {0};
	give_up_privileges();
	int result = find(f, &image);
	pthread_mutex_lock(&f->lock);
	f->image = image;
	f->result = result;
	f->ended = true;
	pthread_mutex_unlock(&f->lock);
	wake(f);
	release(f);
	return NULL;
}

/* ---- functions of the calling thread ------------------------------------------------------- */

int fetch_start(const struct build_id *id, int wake_fd, struct fetch **ret, struct error *err)
{
	if (!fetch_has_servers())
		return error_set(err, ENOSYS,
				 "No debuginfod server is named: give --debuginfod URLS, or set DEBUGINFOD_URLS "
				 "(sudo takes it away: sudo --preserve-env=DEBUGINFOD_URLS cyctop).");
	int code = check_cache(err);
	if (code < 0)
		return code;
	struct fetch *f = mem_calloc(1, sizeof(*f));
	f->id = *id;
	f->users = 2;
	f->wake_fd = fcntl(wake_fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_init(&f->lock, NULL);
	code = f->wake_fd < 0 ? errno : signals_off_thread(&f->thread, run, f);
	if (code) {
		if (f->wake_fd >= 0)
			close(f->wake_fd);
		pthread_mutex_destroy(&f->lock);
		free(f);
		return error_set(err, code, "The thread that fetches cannot be started: %s.", strerror(code));
	}
	*ret = f;
	return 0;
}

bool fetch_look(struct fetch *f, uint64_t *done_ret, uint64_t *total_ret)
{
	pthread_mutex_lock(&f->lock);
	*done_ret = f->done;
	*total_ret = f->total;
	bool ended = f->ended;
	pthread_mutex_unlock(&f->lock);
	return ended;
}

int fetch_take(struct fetch *f, struct dso_image *ret)
{
	pthread_join(f->thread, NULL); /* returns at once: the thread has ended */
	int result = f->result;
	*ret = f->image;
	f->image = (struct dso_image){0};
	release(f);
	return result;
}

void fetch_abandon(struct fetch *f, bool wait)
{
	struct timespec until = clock_deadline(CLOCK_REALTIME, JOIN_SECONDS);
	pthread_mutex_lock(&f->lock);
	f->cancelled = true;
	pthread_mutex_unlock(&f->lock);
	if (!wait || pthread_timedjoin_np(f->thread, NULL, &until) != 0)
		pthread_detach(f->thread);
	release(f);
}

#else

void fetch_prepare(const char *urls)
{
	(void)urls;
}

bool fetch_has_servers(void)
{
	return false;
}

int fetch_start(const struct build_id *id, int wake_fd, struct fetch **ret, struct error *err)
{
	(void)id, (void)wake_fd, (void)ret;
	return error_set(err, ENOSYS, "This build cannot ask debuginfod servers (it was made without libdebuginfod).");
}

bool fetch_look(struct fetch *f, uint64_t *done_ret, uint64_t *total_ret)
{
	(void)f;
	*done_ret = *total_ret = 0;
	return false;
}

int fetch_take(struct fetch *f, struct dso_image *ret)
{
	(void)f;
	return dso_image_fail(ret, ENOSYS, "it was not asked for");
}

void fetch_abandon(struct fetch *f, bool wait)
{
	(void)f, (void)wait;
}

#endif
