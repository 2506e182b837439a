/* Parses the descriptions of tracepoint fields (files `format` in tracefs), and reads these fields from samples. */
#include <cyctop/event.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding a field in the description of its tracepoint ------------------------------------ */

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* One line of a description: "field:char prev_comm[16];	offset:8;	size:16;	signed:0;". */
struct line {
	const char *type, *name;
	size_t type_n, name_n;
	bool array;
	unsigned long offset, size, is_signed;
	unsigned long count; /* number of elements of an array; 0: the line does not tell; 1: no array */
};

static bool number_after(const char *at, const char *end, const char *what, unsigned long *ret)
{
	const char *s = memmem(at, (size_t)(end - at), what, strlen(what));
	*ret = s ? strtoul(s + strlen(what), NULL, 10) : 0;
	return s;
}

/* Parses the line at *at, and moves *at to the next line.  Returns false if the line does not describe a field. */
static bool parse_line(const char **at, struct line *ret)
{
	const char *s = *at, *end = s + strcspn(s, "\n");
	*at = *end ? end + 1 : end;
	s += strspn(s, "\t ");
	const char *semicolon = memchr(s, ';', (size_t)(end - s));
	if (strncmp(s, "field:", 6) != 0 || !semicolon)
		return false;
	const char *stop = semicolon;
	*ret = (struct line){.type = s + 6, .array = stop[-1] == ']'};
	while (ret->array && stop > ret->type && *stop != '[')
		stop--;
	ret->count = ret->array ? strtoul(stop + 1, NULL, 10) : 1;
	const char *name = stop;
	while (name > ret->type && in_name(name[-1]))
		name--;
	ret->name = name;
	ret->name_n = (size_t)(stop - name);
	ret->type_n = (size_t)(name - ret->type);
	return number_after(semicolon, end, "offset:", &ret->offset) &&
	       number_after(semicolon, end, "size:", &ret->size) &&
	       number_after(semicolon, end, "signed:", &ret->is_signed) && ret->offset <= UINT16_MAX &&
	       ret->size <= UINT16_MAX;
}

static bool type_has(const struct line *l, const char *word)
{
	return memmem(l->type, l->type_n, word, strlen(word));
}

static void classify(const struct line *l, struct event_field *ret)
{
	bool data = type_has(l, "__data_loc"), relative = type_has(l, "__rel_loc");
	bool text = type_has(l, "char") && (l->array || data || relative);
	unsigned long item = l->count && l->size % l->count == 0 ? l->size / l->count : 0;
	bool number = !text && !data && !relative && item && item <= 8 && !(item & (item - 1));
	*ret = (struct event_field){.offset = (uint16_t)l->offset,
				    .size = (uint16_t)l->size,
				    .item = (uint16_t)item,
				    .is_signed = l->is_signed};
	ret->place = data ? FIELD_AT : relative ? FIELD_AFTER : FIELD_HERE;
	if (number)
		ret->kind = type_has(l, "*") || type_has(l, "unsigned long") ? FIELD_HEX : FIELD_NUMBER;
	else
		ret->kind = text ? FIELD_TEXT : FIELD_BYTES;
}

/* ---- parsing the names of a field's values -------------------------------------------------------- */

/* Parses the quoted string at *at, and moves *at behind it. */
static bool take_string(const char **at, char ret[FIELD_WORD])
{
	const char *s = *at + strspn(*at, ", "), *end = *s == '"' ? strchr(s + 1, '"') : NULL;
	if (!end)
		return false;
	snprintf(ret, FIELD_WORD, "%.*s", (int)(end - s - 1), s + 1);
	*at = end + 1;
	return true;
}

/* Parses a pair of value and name, { 1, "NAME" }, and appends it to f->names. */
static bool take_pair(const char **at, struct event_field *f)
{
	const char *s = *at + strspn(*at, ", ");
	char *end;
	if (*s != '{')
		return false;
	f->names[f->names_n].value = strtoull(s + 1 + strspn(s + 1, " "), &end, 0);
	s = end + strspn(end, "UL ");
	if (*s != ',' || !take_string(&s, f->names[f->names_n].word))
		return false;
	s += strspn(s, " ");
	if (*s != '}')
		return false;
	*at = s + 1;
	f->names_n++;
	return true;
}

/* Finds "CALL(REC->NAME" in a tracepoint's "print fmt"; CALL is __print_flags or __print_symbolic, NAME the field's
 * name.  Returns the text after it; NULL if the field is not printed in this way. */
static const char *find_call(const char *print, const char *call, const struct line *l)
{
	for (const char *s = print; (s = strstr(s, call)); s++) {
		const char *name = s + strlen(call);
		if (strncmp(name, l->name, l->name_n) == 0 && !in_name(name[l->name_n]))
			return name + l->name_n;
	}
	return NULL;
}

static void read_names(const char *format, const struct line *l, struct event_field *f)
{
	const char *print = strstr(format, "print fmt:");
	const char *s = print ? find_call(print, "__print_symbolic(REC->", l) : NULL;
	const char *flags = print && !s ? find_call(print, "__print_flags(REC->", l) : NULL;
	char between[FIELD_WORD];
	if (flags && (s = strchr(flags, '"')) && !take_string(&s, between))
		s = NULL;
	while (s && f->names_n < FIELD_NAMES_MAX && take_pair(&s, f))
		;
	f->flags = flags;
	if (s && flags && strncmp(s, ") : ", 4) == 0) /* the name that is printed if no flag is set */
		s += 4, f->has_none = take_string(&s, f->none);
}

bool event_field_find(const char *format, const char *name, struct event_field *ret)
{
	const size_t n = strlen(name);
	for (const char *at = format; *at && n;) {
		struct line l;
		if (!parse_line(&at, &l) || l.name_n != n || memcmp(l.name, name, n) != 0)
			continue;
		classify(&l, ret);
		bool raw =
			strncmp(format, "name: sys_enter\n", 16) == 0 || strncmp(format, "name: sys_exit\n", 15) == 0;
		ret->syscall = strcmp(name, "__syscall_nr") == 0 || (raw && strcmp(name, "id") == 0);
		if (ret->kind == FIELD_NUMBER || ret->kind == FIELD_HEX)
			read_names(format, &l, ret);
		return true;
	}
	return false;
}

void event_field_list(const char *format, char *buf, size_t cap)
{
	size_t at = strlen(buf);
	for (const char *s = format; *s && at < cap;) {
		struct line l;
		if (!parse_line(&s, &l) || !l.name_n || strncmp(l.name, "common_", 7) == 0)
			continue;
		at += (size_t)snprintf(buf + at, cap - at, "%s%.*s", at ? ", " : "", (int)l.name_n, l.name);
	}
}

/* ---- reading a field from a sample ----------------------------------------------------------- */

static uint64_t number_at(const uint8_t *data, size_t size, bool swap)
{
	uint64_t v = 0;
	const uint16_t probe = 1;
	uint8_t first;
	memcpy(&first, &probe, 1);
	bool little = (first == 1) != swap;
	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)data[i] << 8 * (little ? i : size - 1 - i);
	return v;
}

static void put_names(const struct event_field *f, uint64_t v, char *buf, size_t cap)
{
	uint64_t left = v;
	size_t at = 0;
	buf[0] = '\0';
	for (size_t i = 0; i < f->names_n && at < cap; i++) {
		uint64_t of = f->names[i].value;
		if (f->flags ? !of || (left & of) != of : v != of)
			continue;
		at += (size_t)snprintf(buf + at, cap - at, "%s%s", at ? "|" : "", f->names[i].word);
		left &= ~of;
		if (!f->flags)
			return;
	}
	if (at == 0 && f->has_none)
		at = (size_t)snprintf(buf, cap, "%s", f->none);
	if (at == 0)
		snprintf(buf, cap, "%" PRIu64, v);
	else if (left && f->flags && at < cap)
		snprintf(buf + at, cap - at, "+");
}

static void put_number(const struct event_field *f, uint64_t v, char *buf, size_t cap)
{
	const char *name = f->syscall ? event_syscall_name(v) : NULL;
	unsigned unused = f->item && f->item < sizeof(v) ? 8 * (unsigned)(sizeof(v) - f->item) : 0; /* high bits */
	if (name)
		snprintf(buf, cap, "%s", name);
	else if (f->names_n)
		put_names(f, v, buf, cap);
	else if (f->kind == FIELD_HEX)
		snprintf(buf, cap, "%#" PRIx64, v);
	else if (f->is_signed)
		snprintf(buf, cap, "%" PRId64, (int64_t)(v << unused) >> unused);
	else
		snprintf(buf, cap, "%" PRIu64, v);
}

/* Writes as many elements of an array as fit into `buf`, such as "3,0x7ffd". */
static void put_numbers(const struct event_field *f, const uint8_t *data, bool swap, char *buf, size_t cap)
{
	size_t put = 0;
	buf[0] = '\0';
	for (size_t i = 0; i + f->item <= f->size && f->item && put + 1 < cap; i += f->item) {
		if (i)
			buf[put++] = ',';
		put_number(f, number_at(data + i, f->item, swap), buf + put, cap - put);
		put += strlen(buf + put);
	}
}

bool event_field_text(const struct event_field *f, const uint8_t *data, size_t n, bool swap, char *buf, size_t cap)
{
	size_t at = f->offset, size = f->size;
	if (at + size > n || (f->place != FIELD_HERE && size != 4))
		return false;
	if (f->place != FIELD_HERE) {
		uint32_t where = (uint32_t)number_at(data + at, 4, swap);
		at = (where & 0xffff) + (f->place == FIELD_AFTER ? at + 4 : 0);
		size = where >> 16;
		if (at > n || size > n - at)
			return false;
	}
	if (f->kind == FIELD_NUMBER || f->kind == FIELD_HEX) {
		put_numbers(f, data + at, swap, buf, cap);
	} else if (f->kind == FIELD_TEXT) {
		snprintf(buf, cap, "%.*s", (int)strnlen((const char *)data + at, size), (const char *)data + at);
	} else {
		size_t put = 0;
		buf[0] = '\0';
		for (size_t i = 0; i < size && put < cap; i++)
			put += (size_t)snprintf(buf + put, cap - put, "%02x", data[at + i]);
	}
	return true;
}

bool event_field_number(const struct event_field *f, const uint8_t *data, size_t n, bool swap, uint64_t *ret)
{
	if (f->kind != FIELD_NUMBER || f->place != FIELD_HERE || f->size > sizeof(*ret) || f->offset + f->size > n)
		return false;
	*ret = number_at(data + f->offset, f->size, swap);
	return true;
}
