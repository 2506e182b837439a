/* Writes each part of a recording, as struct pd_visitor gets it, as a line of text or JSON. */
#include <cyctop/front.h>
#include <cyctop/perfdata.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "front/batch/batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 32 }; /* how many bytes of a raw field a line of text shows */

struct dump {
	FILE *out;
	bool json;
	bool more; /* the object or array has a value already, so a separator comes before the next one */
	unsigned depth;
	struct strbuf line;
	struct pd_visitor visitor;
};

/* Returns true if the text may be written without quotes. */
static bool is_plain(const char *s)
{
	for (const char *p = s; *p; p++) {
		bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
		if (!letter && !strchr("_-./:,+@%[]()", *p))
			return false;
	}
	return *s;
}

static void add_quoted(struct strbuf *b, const char *s, enum clean how)
{
	struct strbuf clean = {0};
	clean_add(&clean, s, how);
	strbuf_add(b, "\"");
	for (const char *p = clean.data; *p; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_addf(b, "\\%c", *p);
		else if ((unsigned char)*p < 0x20 || *p == 0x7f)
			strbuf_addf(b, "\\u%04x", (unsigned char)*p);
		else
			strbuf_add_bytes(b, p, 1);
	}
	strbuf_add(b, "\"");
	strbuf_deinit(&clean);
}

static void add_name(struct dump *d, const char *name)
{
	if (d->more)
		strbuf_add(&d->line, d->json ? "," : " ");
	d->more = true;
	if (!name)
		return;
	if (d->json)
		strbuf_addf(&d->line, "\"%s\":", name);
	else
		strbuf_addf(&d->line, "%s=", name);
}

static void on_u64(void *ctx, const char *name, uint64_t v)
{
	struct dump *d = ctx;
	add_name(d, name);
	strbuf_addf(&d->line, "%" PRIu64, v);
}

static void on_i64(void *ctx, const char *name, int64_t v)
{
	struct dump *d = ctx;
	add_name(d, name);
	strbuf_addf(&d->line, "%" PRId64, v);
}

/* Writes an address or mask.  In JSON it is a string, because many JSON readers round 64-bit integers. */
static void on_hex(void *ctx, const char *name, uint64_t v)
{
	struct dump *d = ctx;
	add_name(d, name);
	strbuf_addf(&d->line, d->json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, v);
}

static void on_text(void *ctx, const char *name, const char *s)
{
	struct dump *d = ctx;
	add_name(d, name);
	if (!d->json && is_plain(s))
		strbuf_add(&d->line, s);
	else
		add_quoted(&d->line, s, d->json ? CLEAN_ESCAPED : CLEAN_LINE);
}

static void on_bytes(void *ctx, const char *name, const void *data, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	struct dump *d = ctx;
	const uint8_t *p = data;
	size_t shown = d->json || n <= TEXT_BYTES ? n : TEXT_BYTES;
	add_name(d, name);
	strbuf_add(&d->line, d->json ? "\"" : "");
	if (!d->json)
		strbuf_addf(&d->line, "%zu:", n);
	for (size_t i = 0; i < shown; i++)
		strbuf_add_bytes(&d->line, (const char[]){digits[p[i] >> 4], digits[p[i] & 15]}, 2);
	strbuf_add(&d->line, d->json ? "\"" : shown < n ? ".." : "");
}

static void on_open(void *ctx, const char *name, bool list)
{
	struct dump *d = ctx;
	add_name(d, name);
	strbuf_add(&d->line, list ? "[" : "{");
	d->more = false;
	d->depth++;
}

static void on_close(void *ctx, bool list)
{
	struct dump *d = ctx;
	strbuf_add(&d->line, list ? "]" : "}");
	d->more = true;
	d->depth--;
}

struct dump *dump_create(FILE *out, bool json)
{
	struct dump *d = mem_calloc(1, sizeof(*d));
	*d = (struct dump){
		.out = out,
		.json = json,
		.visitor = {on_u64, on_i64, on_hex, on_text, on_bytes, on_open, on_close, d},
	};
	return d;
}

void dump_destroy(struct dump *d)
{
	if (!d)
		return;
	strbuf_deinit(&d->line);
	free(d);
}

const struct pd_visitor *dump_visitor(struct dump *d)
{
	return &d->visitor;
}

void dump_begin(struct dump *d, const char *kind)
{
	d->line.n = 0;
	d->more = true;
	if (d->json)
		strbuf_addf(&d->line, "{\"kind\":\"%s\"", kind);
	else
		strbuf_add(&d->line, kind);
}

bool dump_end(struct dump *d)
{
	strbuf_add(&d->line, d->json ? "}\n" : "\n");
	return fwrite(d->line.data, 1, d->line.n, d->out) == d->line.n;
}
