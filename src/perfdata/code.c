/* Reads and writes the feature CODE_NAMES: the names of JIT code that had samples.
 *
 *   u32 version (1), u32 compression (0: none, 1: zstd), then the body:
 *   u32 number of processes; of each: s32 pid, u32 n, u64 first_ns, u64 last_ns,
 *   n times u64 addr, n times u64 size, n times u64 from_ns, n NUL-terminated names. */
#include "perfdata/internal.h"
#include "perfdata/compress.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <stdlib.h>

enum { VERSION = 1 };
enum packing { PLAIN, ZSTD };
/* Smallest sizes in bytes of a process and of a function in the body of the feature. */
enum { PROCESS_MIN = 24, FUNCTION_MIN = 25 };

void pd_code_free(struct pd_code *code, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(code[i].functions);
		free(code[i].names);
	}
	free(code);
}

/* ---- reading the feature CODE_NAMES ---------------------------------------------- */

/* Appends the decompressed body of the feature to `body`.  Returns false if it cannot be read.  *cut_ret: the body was
 * cut off because it exceeds the limit. */
static bool take_body(struct cursor *c, struct pd_buffer *body, bool *cut_ret)
{
	uint32_t version = cursor_u32(c), packing = cursor_u32(c);
	size_t n = cursor_left(c);
	*cut_ret = false;
	if (c->bad || version != VERSION || packing > ZSTD)
		return false;
	const uint8_t *bytes = cursor_take(c, n);
	bool whole = packing == ZSTD ? pd_decompress(bytes, n, LIMIT_CODE_NAMES, body) : n <= LIMIT_CODE_NAMES;
	if (packing == PLAIN)
		pd_buffer_add(body, bytes, whole ? n : LIMIT_CODE_NAMES);
	*cut_ret = !whole && body->n >= LIMIT_CODE_NAMES;
	return whole || *cut_ret;
}

struct process {
	struct pd_code code;
	const uint8_t *addr, *size, *from; /* arrays of u64 in the input, with functions_n elements each */
};

static bool take_process(struct cursor *c, struct process *ret)
{
	*ret = (struct process){.code.pid = (int32_t)cursor_u32(c)};
	size_t n = ret->code.functions_n = cursor_u32(c);
	ret->code.first_ns = cursor_u64(c);
	ret->code.last_ns = cursor_u64(c);
	if (c->bad || n > cursor_left(c) / FUNCTION_MIN)
		return false;
	ret->addr = cursor_array(c, n, 8);
	ret->size = cursor_array(c, n, 8);
	ret->from = cursor_array(c, n, 8);
	return !c->bad;
}

/* Reads function `i`, whose name is at the cursor.  Returns false if its data is invalid. */
static bool take_function(struct cursor *c, const struct process *p, size_t i, struct pd_function *ret)
{
	const uint8_t *end = memchr(c->p, 0, cursor_left(c));
	*ret = (struct pd_function){
		.addr = swap_u64(load_u64(p->addr + 8 * i), c->swap),
		.size = swap_u64(load_u64(p->size + 8 * i), c->swap),
		.from_ns = swap_u64(load_u64(p->from + 8 * i), c->swap),
		.name = (const char *)c->p,
	};
	if (!end || end == c->p || !ret->size || ret->addr > UINT64_MAX - ret->size)
		return false;
	c->p = end + 1;
	return true;
}

/* Reads the functions of a process, and copies their names.  Returns false if one is invalid; those before it are
 * kept. */
static bool take_functions(struct cursor *c, struct process *p)
{
	struct pd_code *code = &p->code;
	const uint8_t *names = c->p;
	size_t n = code->functions_n, i = 0;
	code->functions = mem_calloc(n ? n : 1, sizeof(*code->functions));
	while (i < n && take_function(c, p, i, &code->functions[i]))
		i++;
	code->functions_n = i;
	size_t bytes = (size_t)(c->p - names);
	code->names = mem_calloc(bytes + 1, 1);
	memcpy(code->names, names, bytes);
	for (size_t k = 0; k < i; k++)
		code->functions[k].name = code->names + (code->functions[k].name - (const char *)names);
	return i == n;
}

static int by_pid(const void *va, const void *vb)
{
	const struct pd_code *a = va, *b = vb;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->last_ns < b->last_ns ? -1 : a->last_ns > b->last_ns;
}

static bool parse_body(struct pd_info *info, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	if (c->bad || n > cursor_left(c) / PROCESS_MIN)
		return false;
	struct process p;
	bool whole = true;
	info->code = mem_calloc(n ? n : 1, sizeof(*info->code));
	while (info->code_n < n && whole && (whole = take_process(c, &p))) {
		whole = take_functions(c, &p);
		info->code[info->code_n++] = p.code;
	}
	qsort(info->code, info->code_n, sizeof(*info->code), by_pid);
	return whole;
}

bool code_parse(struct pd_info *info, struct cursor *c)
{
	struct pd_buffer body = {0};
	struct cursor in = *c;
	bool packed = cursor_left(c) >= 8 && (cursor_u32(&in), cursor_u32(&in)) == ZSTD;
	if (info->code)
		return true;
	info->code_packed = packed && !pd_can_compress();
	if (info->code_packed)
		return true;
	bool ok = take_body(c, &body, &info->code_cut);
	if (ok) {
		in = cursor_of(body.data, body.n, c->swap);
		ok = parse_body(info, &in) || info->code_cut;
	}
	free(body.data);
	return ok;
}

/* ---- writing the feature CODE_NAMES ---------------------------------------------- */

static void put_process(struct pd_buffer *out, const struct pd_code *code)
{
	pd_buffer_u32(out, (uint32_t)code->pid);
	pd_buffer_u32(out, (uint32_t)code->functions_n);
	pd_buffer_u64(out, code->first_ns);
	pd_buffer_u64(out, code->last_ns);
	for (size_t i = 0; i < code->functions_n; i++)
		pd_buffer_u64(out, code->functions[i].addr);
	for (size_t i = 0; i < code->functions_n; i++)
		pd_buffer_u64(out, code->functions[i].size);
	for (size_t i = 0; i < code->functions_n; i++)
		pd_buffer_u64(out, code->functions[i].from_ns);
	for (size_t i = 0; i < code->functions_n; i++)
		pd_buffer_add(out, code->functions[i].name, strlen(code->functions[i].name) + 1);
}

bool code_encode(const struct pd_info *info, struct pd_buffer *out)
{
	struct pd_buffer body = {0}, packed = {0};
	if (!info->code_n)
		return false;
	pd_buffer_u32(&body, (uint32_t)info->code_n);
	for (size_t i = 0; i < info->code_n; i++)
		put_process(&body, &info->code[i]);
	bool small = pd_compress(body.data, body.n, &packed) && packed.n < body.n;
	const struct pd_buffer *use = small ? &packed : &body;
	pd_buffer_u32(out, VERSION);
	pd_buffer_u32(out, small ? ZSTD : PLAIN);
	pd_buffer_add(out, use->data, use->n);
	free(body.data);
	free(packed.data);
	return true;
}

/* ---- showing the feature CODE_NAMES ---------------------------------------------- */

static void visit_process(struct cursor *c, const struct pd_visitor *v)
{
	struct process p;
	struct pd_function f;
	if (!take_process(c, &p)) {
		c->bad = true;
		return;
	}
	v->open(v->ctx, NULL, false);
	v->i64(v->ctx, "pid", p.code.pid);
	v->u64(v->ctx, "first", p.code.first_ns);
	v->u64(v->ctx, "last", p.code.last_ns);
	v->open(v->ctx, "functions", true);
	for (size_t i = 0; i < p.code.functions_n && !c->bad; i++) {
		c->bad = !take_function(c, &p, i, &f);
		if (c->bad)
			break;
		v->open(v->ctx, NULL, false);
		v->hex(v->ctx, "addr", f.addr);
		v->u64(v->ctx, "size", f.size);
		v->u64(v->ctx, "from", f.from_ns);
		v->text(v->ctx, "name", f.name);
		v->close(v->ctx, false);
	}
	v->close(v->ctx, true);
	v->close(v->ctx, false);
}

void code_visit(struct cursor *c, const struct pd_visitor *v)
{
	struct pd_buffer body = {0};
	struct cursor in = *c;
	uint32_t version = cursor_u32(&in), packing = cursor_u32(&in);
	bool cut;
	if (in.bad) {
		c->bad = true;
		return;
	}
	v->u64(v->ctx, "version", version);
	v->text(v->ctx, "packing", packing == ZSTD ? "zstd" : packing == PLAIN ? "none" : "unknown");
	if (version != VERSION || packing > ZSTD || (packing == ZSTD && !pd_can_compress())) {
		size_t n = cursor_left(&in);
		v->bytes(v->ctx, "bytes", cursor_take(&in, n), n);
		return;
	}
	bool ok = take_body(c, &body, &cut);
	in = cursor_of(body.data, body.n, c->swap);
	uint32_t n = ok ? cursor_u32(&in) : 0;
	v->open(v->ctx, "processes", true);
	for (uint32_t i = 0; i < n && !in.bad; i++)
		visit_process(&in, v);
	v->close(v->ctx, true);
	c->bad = !ok || (in.bad && !cut);
	free(body.data);
}
