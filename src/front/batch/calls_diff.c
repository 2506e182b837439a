/* Writes a comparison of counted calls: each number of a function on both sides. */
#include "front/batch/cells.h"
#include "front/batch/csv.h"
#include "front/batch/json.h"

#include <math.h>
#include <stdio.h>

static const char *const fields[] = {"before", "after", "change", "relative"};

/* Fills ret[] for one number of a function: before, after, difference, difference divided by before.  VALUE_NULL:
 * unknown. */
static void values_of(const struct calls_change *c, size_t number, struct value ret[static ARRAY_LEN(fields)])
{
	double v[DIFF_SIDES];
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		v[side] = c->known[side] ? c->v[side][number] : NAN;
		ret[side] = value_number(v[side]);
	}
	ret[2] = value_number(v[DIFF_AFTER] - v[DIFF_BEFORE]);
	ret[3] = value_number(v[DIFF_BEFORE] > 0 ? v[DIFF_AFTER] / v[DIFF_BEFORE] - 1 : NAN);
}

/* ---- writing the comparison as text ------------------------------------------------------------------- */

static void add_change(struct cells *t, const struct calls_change *c, size_t number)
{
	char buf[NUMBER] = "";
	double before = c->v[DIFF_BEFORE][number], after = c->v[DIFF_AFTER][number];
	if (!c->known[DIFF_BEFORE])
		snprintf(buf, sizeof(buf), "new");
	else if (!c->known[DIFF_AFTER])
		snprintf(buf, sizeof(buf), "gone");
	else if (before > 0 && after >= 0 && after != before)
		format_factor(buf, after / before);
	cells_add(t, buf);
}

static void add_row(struct cells *t, const struct calls_diff_output *o, const struct calls_change *c)
{
	for (size_t i = 0; i < o->numbers_n; i++) {
		const struct calls_number *number = &o->numbers[i];
		if (!*number->title)
			continue;
		for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
			double v = c->known[side] ? c->v[side][i] : NAN;
			if (isnan(v))
				cells_add(t, "-");
			else if (number->decimals)
				cells_add_number(t, v / number->unit, number->decimals);
			else
				cells_add_count(t, v / number->unit);
		}
		add_change(t, c, i);
	}
	cells_add(t, c->dso ? c->dso : "");
	cells_add(t, c->symbol);
}

static void put_side(FILE *out, const struct calls_diff_output *o, enum diff_side side)
{
	fputs(side == DIFF_BEFORE ? "before: " : "after:  ", out);
	put_line(out, o->files[side]);
	fprintf(out, " (%zu functions, %.3f ms)\n", o->sides[side]->n, o->sides[side]->self_ns / 1e6);
	put_notes(out, &o->sides[side]->notes);
}

void calls_diff_text(FILE *out, const struct calls_diff_output *o)
{
	struct cells t;
	size_t columns = 2;
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		put_side(out, o, side);
	fputs("Calls and events are exact; times are those of one run on each side.\n\n", out);
	for (size_t i = 0; i < o->numbers_n; i++)
		columns += *o->numbers[i].title ? 3 : 0;
	cells_init(&t, columns);
	t.left[columns - 2] = t.left[columns - 1] = true;
	for (size_t i = 0; i < o->numbers_n; i++) {
		if (!*o->numbers[i].title)
			continue;
		cells_add(&t, o->numbers[i].title);
		cells_add(&t, "AFTER");
		cells_add(&t, "CHANGE");
	}
	cells_add(&t, "DSO");
	cells_add(&t, "FUNCTION");
	for (size_t i = 0; i < o->n; i++)
		add_row(&t, o, &o->rows[i]);
	cells_write(&t, out);
	if (o->more)
		fprintf(out, "and %zu rows more (-n 0 prints all)\n", o->more);
}

/* ---- writing the comparison as CSV -------------------------------------------------------------------- */

void calls_diff_csv(FILE *out, const struct calls_diff_output *o)
{
	struct csv csv = {.out = out, .first = true};
	struct value v[ARRAY_LEN(fields)];
	csv_put_text(&csv, "dso");
	csv_put_text(&csv, "symbol");
	for (size_t i = 0; i < o->numbers_n; i++)
		for (size_t f = 0; f < ARRAY_LEN(fields); f++) {
			char head[sizeof(o->numbers[i].id) + 12];
			snprintf(head, sizeof(head), "%s.%s", o->numbers[i].id, fields[f]);
			csv_put_text(&csv, head);
		}
	csv_end_line(&csv);
	for (size_t r = 0; r < o->n; r++) {
		csv_put_text(&csv, o->rows[r].dso);
		csv_put_text(&csv, o->rows[r].symbol);
		for (size_t i = 0; i < o->numbers_n; i++) {
			values_of(&o->rows[r], i, v);
			for (size_t f = 0; f < ARRAY_LEN(fields); f++)
				csv_put_value(&csv, v[f]);
		}
		csv_end_line(&csv);
	}
	strbuf_deinit(&csv.text);
}

/* ---- writing the comparison as JSON ------------------------------------------------------------------- */

#if HAVE_JANSSON

static json_t *side_object(const struct calls_diff_output *o, enum diff_side side)
{
	json_t *object = json_object();
	json_set(object, "file", value_text(o->files[side]));
	json_set(object, "functions", value_int(o->sides[side]->n));
	json_set(object, "self_ns", value_number(o->sides[side]->self_ns));
	json_object_set_new(object, "notes", diff_notes_array(&o->sides[side]->notes));
	return object;
}

static json_t *row_object(const struct calls_diff_output *o, const struct calls_change *c)
{
	json_t *object = json_object();
	struct value v[ARRAY_LEN(fields)];
	json_set(object, "dso", value_text(c->dso));
	json_set(object, "symbol", value_text(c->symbol));
	for (size_t i = 0; i < o->numbers_n; i++) {
		json_t *number = json_object();
		values_of(c, i, v);
		for (size_t f = 0; f < ARRAY_LEN(fields); f++)
			json_set(number, fields[f], v[f]);
		json_set_named(object, o->numbers[i].id, number);
	}
	return object;
}

void calls_diff_json(FILE *out, const struct calls_diff_output *o)
{
	fputs("{\"schema\":\"cyctop-calls-diff/1\"", out);
	json_put_member(out, "before", side_object(o, DIFF_BEFORE));
	json_put_member(out, "after", side_object(o, DIFF_AFTER));
	json_put_member(out, "more", json_value(value_int(o->more)));
	fputs(",\"rows\":[", out);
	for (size_t i = 0; i < o->n; i++)
		json_put_element(out, i, row_object(o, &o->rows[i]));
	fputs("]}\n", out);
}

#endif
