/* Makes the key of a row: for each dimension a letter for the kind of value, the value as text, and a NUL. */
#include "diff/meaning.h"
#include "diff/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_UNKNOWN = 'u', NAME_NUMBER = 'n', NAME_TEXT = 't' };

/* Appends the letter for a value's kind to a key, and the value if it is a number; the caller appends a text. */
static void key_begin(struct strbuf *b, const struct key_value *v)
{
	static const char letters[] = {
		[KEY_UNKNOWN] = NAME_UNKNOWN, [KEY_NUMBER] = NAME_NUMBER, [KEY_TEXT] = NAME_TEXT};
	strbuf_add_bytes(b, &letters[v->kind], 1);
	if (v->kind == KEY_NUMBER)
		strbuf_addf(b, "%" PRIu64, v->number);
}

void key_add(struct strbuf *b, const struct key_value *v)
{
	key_begin(b, v);
	if (v->kind == KEY_TEXT)
		strbuf_add(b, v->text);
	strbuf_add_bytes(b, "", 1);
}

void key_add_meaning(struct strbuf *b, enum dimension_id dim, const struct key_value *v)
{
	key_begin(b, v);
	if (v->kind == KEY_TEXT)
		meaning_add(b, dim, v->text);
	strbuf_add_bytes(b, "", 1);
}

void key_names(const char *key, size_t n, size_t dims_n, struct key_value *ret)
{
	const char *end = key + n;
	for (size_t i = 0; i < dims_n; i++) {
		ret[i] = (struct key_value){.kind = KEY_UNKNOWN};
		if (key == end)
			continue;
		char letter = *key++;
		if (letter == NAME_NUMBER)
			ret[i] = (struct key_value){.kind = KEY_NUMBER, .number = strtoull(key, NULL, 10)};
		else if (letter == NAME_TEXT)
			ret[i] = (struct key_value){.kind = KEY_TEXT, .text = key};
		key += strlen(key) + 1;
	}
}
