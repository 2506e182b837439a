#include "perfdata/fields.h"

enum { TEXT_MAX = 4096 };

void visit_chars(const struct pd_visitor *v, const char *name, struct chars s)
{
	char buf[TEXT_MAX + 1];
	size_t n = s.n < TEXT_MAX ? s.n : TEXT_MAX;
	memcpy(buf, s.data, n);
	buf[n] = 0;
	v->text(v->ctx, name, buf);
}

static void visit_element(const struct field *of, struct cursor *c, const struct pd_visitor *v)
{
	bool one = of[0].kind != FIELD_END && !of[0].name; /* elements without field names are shown as plain values */
	if (!one)
		v->open(v->ctx, NULL, false);
	fields_visit(of, c, v);
	if (!one)
		v->close(v->ctx, false);
}

static uint64_t list_count(const struct field *f, struct cursor *c)
{
	switch (f->kind) {
	case FIELD_LIST16:
		return cursor_u16(c);
	case FIELD_LIST32:
		return cursor_u32(c);
	case FIELD_LIST64:
		return cursor_u64(c);
	default:
		return UINT64_MAX;
	}
}

static void visit_list(const struct field *f, struct cursor *c, const struct pd_visitor *v)
{
	bool counted = f->kind != FIELD_LIST;
	uint64_t n = list_count(f, c);
	v->open(v->ctx, f->name, true);
	for (uint64_t i = 0; i < n && !c->bad && (counted || cursor_left(c)); i++) {
		const uint8_t *before = c->p;
		visit_element(f->of, c, v);
		if (c->p == before) /* an element took no bytes, so the list would never end */
			c->bad = true;
	}
	v->close(v->ctx, true);
}

static void visit_number(const struct field *f, struct cursor *c, const struct pd_visitor *v)
{
	uint64_t value;
	switch (f->kind) {
	case FIELD_U8: {
		const uint8_t *p = cursor_take(c, 1);
		value = p ? *p : 0;
		break;
	}
	case FIELD_U16:
		value = cursor_u16(c);
		break;
	case FIELD_U32:
	case FIELD_I32:
	case FIELD_X32:
		value = cursor_u32(c);
		break;
	default:
		value = cursor_u64(c);
	}
	if (c->bad)
		return;
	if (f->kind == FIELD_I32)
		v->i64(v->ctx, f->name, (int32_t)value);
	else if (f->kind == FIELD_X32 || f->kind == FIELD_X64)
		v->hex(v->ctx, f->name, value);
	else
		v->u64(v->ctx, f->name, value);
}

static void visit_data(const struct field *f, struct cursor *c, const struct pd_visitor *v)
{
	size_t n = f->kind == FIELD_BYTES || f->kind == FIELD_CHARS ? f->n : cursor_left(c);
	if (f->kind == FIELD_STRING || f->kind == FIELD_CHARS || f->kind == FIELD_TEXT) {
		struct chars s = f->kind == FIELD_STRING ? cursor_string(c) : cursor_chars(c, n);
		if (!c->bad)
			visit_chars(v, f->name, s);
		return;
	}
	const uint8_t *p = cursor_take(c, n);
	if (p)
		v->bytes(v->ctx, f->name, p, n);
}

static void visit_field(const struct field *f, struct cursor *c, const struct pd_visitor *v)
{
	switch (f->kind) {
	case FIELD_STRING:
	case FIELD_CHARS:
	case FIELD_TEXT:
	case FIELD_BYTES:
	case FIELD_REST:
		visit_data(f, c, v);
		break;
	case FIELD_SKIP:
		cursor_take(c, f->n);
		break;
	case FIELD_LIST16:
	case FIELD_LIST32:
	case FIELD_LIST64:
	case FIELD_LIST:
		visit_list(f, c, v);
		break;
	case FIELD_STRUCT:
		v->open(v->ctx, f->name, false);
		fields_visit(f->of, c, v);
		v->close(v->ctx, false);
		break;
	case FIELD_CALL:
		f->call(c, v);
		break;
	default:
		visit_number(f, c, v);
	}
}

void fields_visit(const struct field *fields, struct cursor *c, const struct pd_visitor *v)
{
	for (const struct field *f = fields; f->kind != FIELD_END && !c->bad; f++) {
		if (f->kind != FIELD_OPTIONAL)
			visit_field(f, c, v);
		else if (!cursor_left(c))
			return;
	}
}
