/* Makes of a recording with call chains one in which the kernel has put off those of the user code, as Linux 6.19 does:
 * no kernel here does.
 *   deferred IN OUT whole|lost
 * Two samples of a thread in a row, with the same addresses of user code, share a cookie.  The record with them comes
 * before the next sample of the thread; `lost`: not at all for every second cookie.  Without the sections about the
 * machine. */
#include "base/alloc.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20, THREADS = 64 };

struct thread {
	uint32_t tid;
	uint64_t cookie; /* 0: nothing is put off */
	struct record from;
};
struct out {
	uint8_t bytes[4 * FILE_MAX];
	size_t n;
	struct record_layout layout;
	struct thread threads[THREADS];
	size_t threads_n;
	uint64_t cookies;
	bool loses;
};

static void put(struct out *o, const struct record *rec)
{
	o->n += record_encode(&o->layout, rec, o->bytes + o->n, sizeof(o->bytes) - o->n);
}

static struct thread *thread_of(struct out *o, uint32_t tid)
{
	for (size_t i = 0; i < o->threads_n; i++)
		if (o->threads[i].tid == tid)
			return &o->threads[i];
	if (o->threads_n == THREADS)
		exit(3);
	o->threads[o->threads_n] = (struct thread){.tid = tid};
	return &o->threads[o->threads_n++];
}

static struct record_words user_part(struct record_words chain)
{
	uint64_t i = 0;
	while (i < chain.n && record_u64(chain, i) != CALLCHAIN_USER)
		i++;
	return (struct record_words){(const uint8_t *)chain.data + 8 * i, chain.n - i, chain.swap};
}

static bool same(struct record_words a, struct record_words b)
{
	return a.n == b.n && memcmp(a.data, b.data, 8 * a.n) == 0;
}

/* The thread goes back to user code, shortly after its last sample. */
static void end_entry(struct out *o, struct thread *t)
{
	struct record rec = {.type = RECORD_CALLCHAIN_DEFERRED, .misc = MISC_USER, .id = t->from.id};
	rec.id.time_ns++;
	rec.u.deferred.cookie = t->cookie;
	rec.u.deferred.callchain = user_part(t->from.u.sample.callchain);
	if (t->cookie && !(o->loses && t->cookie % 2))
		put(o, &rec);
	t->cookie = 0;
}

static void put_sample(struct out *o, struct record *rec)
{
	uint64_t words[256];
	struct thread *t = thread_of(o, rec->id.tid);
	struct record_words chain = rec->u.sample.callchain, user = user_part(chain);
	struct record to = *rec;
	size_t n = 0;
	if (t->cookie && !same(user_part(t->from.u.sample.callchain), user))
		end_entry(o, t);
	if (!user.n) {
		put(o, rec);
		return;
	}
	for (; n < chain.n - user.n; n++)
		words[n] = record_u64(chain, n);
	words[n++] = CALLCHAIN_USER_DEFERRED;
	words[n++] = t->cookie = t->cookie ? t->cookie : ++o->cookies;
	t->from = *rec;
	to.u.sample.callchain = (struct record_words){words, n, false};
	put(o, &to);
}

static void put_records(struct out *o, const uint8_t *p, size_t size)
{
	struct record_header h;
	struct record rec;
	for (size_t at = 0; at < size; at += h.size) {
		memcpy(&h, p + at, sizeof(h));
		bool sample = h.type == RECORD_SAMPLE && record_decode(&o->layout, p + at, size - at, &rec) == 0;
		if (sample) {
			put_sample(o, &rec);
			continue;
		}
		for (size_t i = 0; i < o->threads_n && h.type != RECORD_COMM; i++)
			end_entry(o, &o->threads[i]); /* rounds end, threads begin and end */
		memcpy(o->bytes + o->n, p + at, h.size);
		o->n += h.size;
	}
	for (size_t i = 0; i < o->threads_n; i++)
		end_entry(o, &o->threads[i]);
}

int main(int argc, char **argv)
{
	static uint8_t in[FILE_MAX];
	struct out *o = mem_calloc(1, sizeof(*o));
	struct pd_header header;
	struct error err;
	struct perf_attr attr;
	uint32_t attr_size;
	FILE *f = argc == 4 ? fopen(argv[1], "rb") : NULL;
	size_t n = f ? fread(in, 1, sizeof(in), f) : 0;
	if (!n || fclose(f) || pd_header_parse(in, n, &header, &err) < 0 || header.pipe || header.swap ||
	    header.data.offset + header.data.size > n)
		return 1;
	uint8_t *at = in + header.attrs.offset;
	if (pd_attr_parse(at, header.attr_size - 16, false, &attr, &attr_size, &err) < 0 ||
	    record_layout_init(&o->layout, &attr) < 0)
		return 2;
	attr.flags |= ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT;
	memcpy(at + offsetof(struct perf_attr, flags), &attr.flags, sizeof(attr.flags));
	o->loses = strcmp(argv[3], "lost") == 0;
	memcpy(o->bytes, in, header.data.offset);
	o->n = header.data.offset;
	put_records(o, in + header.data.offset, header.data.size);
	header.data.size = o->n - header.data.offset;
	memset(header.features, 0, sizeof(header.features));
	pd_header_encode(&header, o->bytes);
	f = fopen(argv[2], "wb");
	bool ok = f && fwrite(o->bytes, 1, o->n, f) == o->n;
	ok = f && fclose(f) == 0 && ok;
	printf("%lu cookies\n", (unsigned long)o->cookies);
	free(o);
	return ok ? 0 : 4;
}
