/* Reads source files.  Their paths come from debug information, which is not trusted.  So only regular files are read,
 * and open() never blocks. */
#include "base/alloc.h"
#include "os/file.h"

#include <cyctop/code.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 256, FILE_BYTES_MAX = 8 << 20 };

struct source_text {
	char *path, *text;
	VEC(const char *) lines; /* beginning of each line in `text` */
};
struct source_texts {
	VEC(struct source_text) files;
};

struct source_texts *source_texts_create(void)
{
	return mem_calloc(1, sizeof(struct source_texts));
}

void source_texts_destroy(struct source_texts *s)
{
	for (size_t i = 0; i < s->files.n; i++) {
		free(s->files.data[i].path);
		free(s->files.data[i].text);
		vec_free(&s->files.data[i].lines);
	}
	vec_free(&s->files);
	free(s);
}

/* Returns the text of a file, malloc'ed; NULL: it is unreadable, larger than FILE_BYTES_MAX, or no regular file. */
static char *read_text(const char *path)
{
	struct stat st;
	char *text = NULL;
	int fd = path[0] == '/' ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	/* files of /proc have size 0; reading one may have side effects */
	bool fits = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= FILE_BYTES_MAX;
	if (fits && os_load(fd, FILE_BYTES_MAX, &text) < 0)
		text = NULL;
	close(fd);
	return text;
}

static void split(struct source_text *f)
{
	for (char *line = f->text, *end; line && *line; line = end) {
		vec_push(&f->lines) = line;
		end = strchr(line, '\n');
		if (!end)
			break;
		*end++ = '\0';
	}
}

static struct source_text *find(struct source_texts *s, const char *path)
{
	for (size_t i = 0; i < s->files.n; i++)
		if (strcmp(s->files.data[i].path, path) == 0)
			return &s->files.data[i];
	if (s->files.n == FILES_MAX)
		return NULL;
	struct source_text *f = &vec_push(&s->files);
	*f = (struct source_text){.path = mem_strdup(path), .text = read_text(path)};
	split(f);
	return f;
}

const char *source_text(struct source_texts *s, const char *file, uint32_t line)
{
	const struct source_text *f = file && line ? find(s, file) : NULL;
	return f && line <= f->lines.n ? f->lines.data[line - 1] : NULL;
}
