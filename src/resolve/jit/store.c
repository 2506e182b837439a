#include "resolve/jit/store.h"

#include "os/clock.h"
#include "resolve/jit/jvm_budget.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, TAIL = 64 };

/* How far a perf map, or a process's memory, was read.  Neither tells when code was made. */
struct map_state {
	uint64_t last_read_ns;	/* CLOCK_MONOTONIC at the start of the last read that reached the end; 0: none */
	uint64_t read_began_ns; /* CLOCK_MONOTONIC at the start of the read in progress; 0: none */
	/* the last bytes that were read (before jit_file.at); if they change, the file was rewritten */
	char tail[TAIL];
	size_t tail_n;
	uint64_t hash; /* memory: hash of all code of the last reading */
};

struct jit_file {
	struct jit_file *next;
	struct jit_store *store;
	enum jit_file_kind kind;
	dev_t dev;
	ino_t ino;
	uint32_t uid;
	size_t users;
	uint64_t at; /* position in the file up to which it was read */
	struct map_state map;
	struct jitdump dump;
	bool timed; /* times are by the samples' clock */
	struct jit_list list;
	bool news; /* the list changed since the last table was made */
	/* number of entries from which on a table is made before the end of the file is reached */
	size_t table_at;
	struct jit_table *table; /* newest table, kept only if several processes share the file */
	uint64_t version;	 /* version of the newest table, unique in the store */
	struct limit_set limits;
};

struct jit_store {
	struct jit_file *files;
	uint64_t versions;
	size_t other_bytes;
	struct jvm_budget budget;
};

struct jit_store *jit_store_create(void)
{
	return mem_calloc(1, sizeof(struct jit_store));
}

void jit_store_destroy(struct jit_store *s)
{
	free(s);
}

/* ---- limiting the memory of all files ---------------------------------------------- */

size_t jit_store_bytes(const struct jit_store *s)
{
	size_t n = 0;
	for (const struct jit_file *f = s->files; f; f = f->next)
		n += jit_list_bytes(&f->list);
	return n;
}

struct jvm_budget *jit_store_budget(struct jit_store *s)
{
	return &s->budget;
}

size_t jit_store_count_other(struct jit_store *s, ptrdiff_t more)
{
	s->other_bytes += (size_t)more;
	return s->other_bytes;
}

static size_t bytes_of_user(const struct jit_store *s, uint32_t uid)
{
	size_t n = 0;
	for (const struct jit_file *f = s->files; f; f = f->next)
		n += f->uid == uid ? jit_list_bytes(&f->list) : 0;
	return n;
}

/* Returns the largest file of the user whose files have the most code. */
static struct jit_file *largest(const struct jit_store *s)
{
	struct jit_file *most = NULL;
	size_t most_of_user = 0;
	for (struct jit_file *f = s->files; f; f = f->next) {
		size_t of_user = bytes_of_user(s, f->uid);
		if (!most || of_user > most_of_user ||
		    (f->uid == most->uid && jit_list_bytes(&f->list) > jit_list_bytes(&most->list))) {
			most = f;
			most_of_user = of_user;
		}
	}
	return most;
}

static void fit(struct jit_store *s)
{
	while (jit_store_bytes(s) > LIMIT_JIT_BYTES) {
		struct jit_file *f = largest(s);
		if (!f->list.code.n)
			return;
		jit_list_halve(&f->list, REACHED_JIT_BYTES);
		f->news = true;
	}
}

/* ---- using shared files ------------------------------------------------------------ */

bool jit_file_is(const struct jit_file *f, const struct stat *st)
{
	return f->ino == st->st_ino && f->dev == st->st_dev;
}

static void begin_list(struct jit_file *f)
{
	jit_list_init(&f->list);
	f->list.live = true;
	f->list.max_bytes = LIMIT_JIT_PROCESS_BYTES;
}

static struct jit_file *add_file(struct jit_store *s, enum jit_file_kind kind, uint32_t uid)
{
	struct jit_file *f = mem_calloc(1, sizeof(*f));
	f->store = s;
	f->kind = kind;
	f->uid = uid;
	begin_list(f);
	f->next = s->files;
	s->files = f;
	return f;
}

struct jit_file *jit_file_get(struct jit_store *s, enum jit_file_kind kind, const struct stat *st, bool timed)
{
	struct jit_file *f = s->files;
	while (f && (f->kind != kind || !jit_file_is(f, st) || f->uid != st->st_uid))
		f = f->next;
	if (!f) {
		f = add_file(s, kind, st->st_uid);
		f->dev = st->st_dev;
		f->ino = st->st_ino;
		f->timed = kind == JIT_FILE_DUMP && timed;
	}
	f->users++;
	return f;
}

struct jit_file *jit_memory_get(struct jit_store *s, uint32_t uid)
{
	struct jit_file *f = add_file(s, JIT_MEMORY, uid);
	f->users = 1;
	return f;
}

void jit_file_put(struct jit_file *f)
{
	if (!f || --f->users)
		return;
	struct jit_file **at = &f->store->files;
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	jit_list_deinit(&f->list);
	jit_table_destroy(f->table);
	free(f);
}

bool jit_file_has_code(const struct jit_file *f)
{
	return f->list.code.n > 0;
}

void jit_file_limits(const struct jit_file *f, struct limit_set *ret)
{
	limit_add(ret, &f->limits);
	limit_add(ret, &f->list.reached);
}

/* ---- reading a perf map -------------------------------------------------------------- */

static void keep_tail(struct map_state *m, const char *text, size_t n)
{
	m->tail_n = n < TAIL ? n : TAIL;
	memcpy(m->tail, text + n - m->tail_n, m->tail_n);
}

/* Returns true if the file was rewritten, as some JIT agents do, so that it must be read from its beginning. */
static bool is_written_anew(const struct jit_file *f, int fd, uint64_t size)
{
	char now[TAIL];
	size_t n = f->map.tail_n;
	return size < f->at ||
	       (n && (pread(fd, now, n, (off_t)(f->at - n)) != (ssize_t)n || memcmp(now, f->map.tail, n) != 0));
}

/* Adds the code of a line in a perf map. The code's time is the start of the last read that did not find the line. */
static void add_line(void *ctx, const struct jit_code *code)
{
	struct jit_file *f = ctx;
	struct jit_code dated = *code;
	dated.time_ns = f->map.last_read_ns;
	jit_list_add(&f->list, &dated);
}

static void begin_map_again(struct jit_file *f)
{
	jit_list_deinit(&f->list);
	begin_list(f);
	f->at = f->map.tail_n = 0;
}

static void read_map(struct jit_file *f, int fd, char *buf, uint64_t *budget)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return;
	if (!f->map.read_began_ns)
		f->map.read_began_ns = clock_ns(CLOCK_MONOTONIC);
	if (is_written_anew(f, fd, (uint64_t)st.st_size))
		begin_map_again(f);
	while (*budget && f->at < LIMIT_PERF_MAP_BYTES) {
		ssize_t n = pread(fd, buf, CHUNK, (off_t)f->at);
		if (n <= 0)
			break;
		size_t used = perf_map_read(buf, (size_t)n, false, add_line, f);
		if (!used && n == CHUNK)
			used = CHUNK; /* no line is so long, so this is no perf map: skip these bytes */
		if (!used)
			break;
		keep_tail(&f->map, buf, used);
		f->at += used;
		f->news = true;
		*budget -= used < *budget ? used : *budget;
		fit(f->store);
	}
	if (f->at >= LIMIT_PERF_MAP_BYTES)
		limit_reached(&f->limits, REACHED_PERF_MAP_BYTES);
	if (*budget) {
		f->map.last_read_ns = f->map.read_began_ns;
		f->map.read_began_ns = 0;
	}
}

/* ---- adding code from the memory of a JVM ---------------------------------------------- */

static uint64_t hash_of(const struct jit_list *l)
{
	uint64_t h = 1;
	for (size_t i = 0; i < l->code.n; i++) {
		const struct jit_entry *e = &l->code.data[i];
		h = hash_u64(h ^ e->addr);
		h = hash_u64(h ^ e->size);
		for (const char *s = e->name; *s; s++)
			h = (h ^ (unsigned char)*s) * 0x100000001b3;
	}
	return h;
}

/* Adds all present code again if anything is new, so that it is on top of earlier code. */
void jit_memory_read(struct jit_file *f, jit_memory_fn *read, void *ctx)
{
	struct jit_list now;
	jit_list_init(&now);
	now.max_bytes = LIMIT_JIT_PROCESS_BYTES;
	uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
	enum jit_look look = read(ctx, jit_list_add, &now, &f->limits);
	if (look == JIT_LOOK_SAME)
		f->map.last_read_ns = began_ns;
	if (look == JIT_LOOK_NEW) {
		limit_add(&f->limits, &now.reached);
		uint64_t hash = hash_of(&now);
		for (size_t i = 0; hash != f->map.hash && i < now.code.n; i++) {
			const struct jit_entry *e = &now.code.data[i];
			add_line(f,
				 &(struct jit_code){
					 .addr = e->addr, .size = e->size, .name = e->name, .name_n = strlen(e->name)});
		}
		f->news |= hash != f->map.hash;
		f->map.hash = hash;
		f->map.last_read_ns = began_ns;
		fit(f->store);
	}
	jit_list_deinit(&now);
}

/* ---- reading a jitdump --------------------------------------------------------------- */

/* Adds the code of a record. A time in the future proves that the jitdump's times are not of cyctop's clock. */
static void add_record(void *ctx, const struct jit_code *code)
{
	struct jit_file *f = ctx;
	static const uint64_t slack_ns = 1000000000;
	struct jit_code dated = *code;
	if (f->timed && (f->dump.ticks || code->time_ns > clock_ns(CLOCK_MONOTONIC) + slack_ns)) {
		f->timed = false;
		jit_list_forget_times(&f->list);
	}
	if (!f->timed)
		dated.time_ns = 0;
	jit_list_add(&f->list, &dated);
}

static void read_dump(struct jit_file *f, int fd, char *buf, uint64_t *budget)
{
	while (*budget && !f->dump.why && !f->dump.closed && f->at < INT64_MAX) {
		ssize_t n = pread(fd, buf, CHUNK, (off_t)f->at);
		if (n <= 0)
			break;
		uint64_t used = jitdump_read(&f->dump, (const uint8_t *)buf, (size_t)n, add_record, f);
		if (!used)
			break;
		f->at += used;
		f->news = true;
		*budget -= (uint64_t)n < *budget ? (uint64_t)n : *budget;
		fit(f->store);
	}
}

void jit_file_read(struct jit_file *f, int fd, uint64_t *budget)
{
	char *buf = mem_calloc(CHUNK, 1);
	if (f->kind == JIT_FILE_MAP)
		read_map(f, fd, buf, budget);
	else
		read_dump(f, fd, buf, budget);
	free(buf);
}

/* ---- making tables ----------------------------------------------------------------------- */

static struct jit_table *make_table(struct jit_file *f, size_t max_bytes)
{
	static const enum sym_origin origins[] = {
		[JIT_FILE_MAP] = ORIGIN_PERF_MAP, [JIT_FILE_DUMP] = ORIGIN_JITDUMP, [JIT_MEMORY] = ORIGIN_JVM};
	struct jit_table *t = jit_table_within(&f->list, origins[f->kind], f->timed, max_bytes);
	jit_table_destroy(f->table);
	f->table = f->users > 1 ? jit_table_ref(t) : NULL;
	f->version = ++f->store->versions;
	f->table_at = f->list.code.n * 2;
	f->news = false;
	return t;
}

struct jit_table *jit_file_table(struct jit_file *f, size_t max_bytes, bool more, uint64_t *given)
{
	bool is_due = f->news && (!more || f->list.code.n >= f->table_at);
	struct jit_table *t = NULL;
	if (is_due || (!f->news && !f->table && *given != f->version))
		t = make_table(f, max_bytes);
	else if (*given != f->version && f->table)
		t = jit_table_bytes(f->table) <= max_bytes ? jit_table_ref(f->table) : make_table(f, max_bytes);
	if (t)
		*given = f->version;
	return t;
}
