/* How good are comparisons?  Simulated loads that change, or do not, against what a comparison says.
 *
 *   compare [--check] [PAIRS]    prints the tables; --check: fails if one is outside of its bounds
 *
 * The figures are those of doc/comparing-details.md.  Sides are 30 intervals of 1 s at 999 samples a second of one CPU,
 * unless it says otherwise.  Thousands of such pairs would take the synthetic source minutes: most of them are drawn
 * sample by sample (compare_load.h), and a fifth as many of each kind go through the whole chain. */
#include "compare_chain.h"
#include "compare_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures, pairs_n = 200;

/* Bounds are of what is right, and widened by two standard errors of a part of so many pairs. */
static void check_part(double part, double least, double most, double of, const char *what)
{
	double p = least > 0 ? least : most, slack = 2 * sqrt(p * (1 - p) / of);
	if (pairs_n >= 200)
		slack = 0; /* what 200 pairs with these seeds give does not change */
	if (part >= least - slack && part <= most + slack)
		return;
	failures++;
	fprintf(stderr, "out of bounds: %s: %.3f\n", what, part);
}

/* ---- loads ---------------------------------------------------------------------------- */

enum kind { STATIONARY, BURSTS, PHASES_2, PHASES_15, KINDS };
static const char *const kinds[KINDS] = {"stationary, 0.2 ms", "bursts of 50 ms", "phases of 2 s", "phases of 15 s"};
enum { ROWS = 20, SIDE = 30 };

static void normalise(double *weights, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += weights[i];
	for (size_t i = 0; i < n; i++)
		weights[i] /= sum;
}

/* Weights that fall like 1 / n^1.1.  With 20 rows, row 3 has 7.5 %, row 6 3.5 %, row 13 1.6 %, row 0 26 %. */
static void base_weights(double *ret, size_t rows)
{
	double rest = 1;
	for (size_t i = 0; i < rows; i++)
		ret[i] = pow((double)i + 1, -1.1);
	if (rows == ROWS) {
		ret[0] = ret[3] = ret[6] = ret[13] = 0;
		normalise(ret, rows);
		rest = 1 - 0.26 - 0.075 - 0.035 - 0.016;
		for (size_t i = 0; i < rows; i++)
			ret[i] *= rest;
		ret[0] = 0.26;
		ret[3] = 0.075;
		ret[6] = 0.035;
		ret[13] = 0.016;
	}
	normalise(ret, rows);
}

/* In phases, the same functions have other emphasis. */
static double emphasis(size_t phase, size_t row)
{
	return phase == 0 ? 1 : phase == 1 ? (row % 2 ? 0.5 : 2) : (row % 3 ? 1.5 : 0.4);
}

/* `row` has `factor` times its weight.  `busy`: the part of the time; the rest is idle, the row after the last. */
static struct compare_load make_load(enum kind kind, size_t rows, size_t row, double factor, double busy)
{
	struct compare_load l = {
		.rows = rows,
		.phases = kind == PHASES_2 || kind == PHASES_15 ? 3 : 1,
		.turn_s = kind == BURSTS ? 0.05 : 2e-4,
		.phase_s = kind == PHASES_2 ? 2 : 15,
		.hz = 999,
	};
	for (size_t p = 0; p < l.phases; p++) {
		double *w = l.weights[p];
		base_weights(w, rows);
		for (size_t i = 0; i < rows; i++)
			w[i] *= emphasis(l.phases == 1 ? 0 : p, i);
		normalise(w, rows);
		for (size_t i = 0; i < rows && busy < 1; i++)
			w[i] *= busy;
		w[row] *= factor;
		if (busy < 1) {
			double sum = 0;
			for (size_t i = 0; i < rows; i++)
				sum += w[i];
			w[rows] = 1 - sum;
		} else
			normalise(w, rows);
	}
	l.rows += busy < 1;
	return l;
}

/* Adds `seconds` of the load to an interval of a side. */
static void simulate(struct table *t, int side, size_t interval, double seconds, struct compare_run *run,
		     const struct compare_load *load)
{
	double counts[ROWS_MAX] = {0};
	compare_run_interval(run, load, seconds, counts);
	for (size_t r = 0; r < t->rows; r++)
		t->num[side][r][interval] += counts[r];
}

static void clear(struct table *t)
{
	for (int side = 0; side < 2; side++)
		memset(t->num[side], 0, t->rows * sizeof(t->num[side][0]));
}

/* One stretch after the other, of intervals of 1 s. */
static void simulate_stretches(struct table *t, const struct compare_load *before, const struct compare_load *after,
			       unsigned seed)
{
	struct compare_run run;
	compare_run_start(&run, before, seed);
	clear(t);
	for (size_t i = 0; i < t->n[0]; i++)
		simulate(t, 0, i, 1, &run, before);
	for (size_t i = 0; i < t->n[1]; i++)
		simulate(t, 1, i, 1, &run, after);
}

/* Turns of `seconds`, two of them a pair, in random order. */
static void simulate_turns(struct table *t, const struct compare_load *before, const struct compare_load *after,
			   double seconds, unsigned seed)
{
	struct compare_run run;
	compare_run_start(&run, before, seed);
	clear(t);
	for (size_t i = 0; i < t->n[0]; i++) {
		int first = compare_random(&run) < 0.5;
		simulate(t, first, i, seconds, &run, first ? after : before);
		simulate(t, !first, i, seconds, &run, first ? before : after);
	}
}

/* ---- what comparisons say ----------------------------------------------------------------- */

struct tally {
	double pairs, rows;	      /* looked at; rows: that did not change, and were tested */
	double tables, flagged;	      /* with a row that is said to have changed and did not; such rows */
	double unlikely, covered;     /* of rows that did not change: p up to 0.05; interval with 1 */
	double found, right;	      /* of the row that changed: real; its interval has the true change */
	double tested;		      /* that row was */
	double little, effective;     /* said to be low sensitivity; sum of the effective number of intervals */
	double smallest;	      /* sum of log(smallest) of the row that changed, where it is finite */
	double smallest_n, new_bound; /* new_bound: sum of the lower bounds */
};

static double part(double a, double b)
{
	return b > 0 ? a / b : 0;
}

/* `row`: the one that changed by `factor`; rows: none. */
static void count(struct tally *y, const struct table *t, size_t row, double factor)
{
	bool any = false;
	for (size_t i = 0; i < t->rows; i++) {
		const struct compare_change *c = &t->changes[i];
		if (i == row) {
			y->found += c->real;
			y->tested += c->tested;
			y->right += c->tested && c->low <= factor && c->high >= factor;
			if (isfinite(c->smallest)) {
				y->smallest += log(c->smallest);
				y->smallest_n++;
			}
			y->new_bound += c->low;
		} else if (c->tested) {
			y->rows++;
			y->flagged += c->real;
			any |= c->real;
			y->unlikely += c->p <= 0.05;
			y->covered += c->low <= 1 && c->high >= 1;
		}
	}
	y->pairs++;
	y->tables += any;
	y->little += t->summary.low_sensitivity;
	y->effective += t->summary.effective;
}

static struct table table; /* large, and the same for all */

static void table_start(size_t rows, size_t before, size_t after, enum unit unit)
{
	table.rows = rows;
	table.n[0] = before;
	table.n[1] = after;
	table.unit = unit;
	table.paired = false;
	table.weight_of_sample = 1;
}

/* ---- stretches that do not differ --------------------------------------------------------- */

static struct tally nothing_changed(enum kind kind, size_t rows, size_t before, size_t after)
{
	struct tally y = {0};
	struct compare_load load = make_load(kind, rows, 0, 1, 1);
	table_start(rows, before, after, UNIT_REFERENCE);
	for (unsigned i = 0; i < pairs_n; i++) {
		simulate_stretches(&table, &load, &load, 1 + i);
		table_compare(&table);
		count(&y, &table, rows, 1);
	}
	return y;
}

static void print_nothing(const char *name, const struct tally *y)
{
	printf("  %-36s %8.3f %8.4f %8.3f %8.3f %10.1f %10.2f\n", name, y->tables / y->pairs, part(y->flagged, y->rows),
	       part(y->unlikely, y->rows), part(y->covered, y->rows), y->effective / y->pairs, y->little / y->pairs);
}

static void nothing_table(void)
{
	printf("Nothing changed: part of the tables with a row that is said to have changed, of the rows; of the rows "
	       "with "
	       "p <= .05,\nand with no change in their interval; effective number of intervals (median of the rows), "
	       "tables said to have low sensitivity\n"
	       "  %-36s %8s %8s %8s %8s %10s %10s\n",
	       "load", "tables", "rows", "p", "covered", "effective", "little");
	for (int kind = 0; kind < KINDS; kind++) {
		struct tally y = nothing_changed(kind, ROWS, SIDE, SIDE);
		print_nothing(kinds[kind], &y);
		check_part(y.tables / y.pairs, 0, kind == PHASES_15 ? 0.20 : 0.05, y.pairs, kinds[kind]);
		if (kind != PHASES_15)
			check_part(part(y.flagged, y.rows), 0, 0.01, y.pairs, kinds[kind]);
		if (kind < PHASES_2)
			check_part(y.little / y.pairs, 0, 0.05, y.pairs, "little worth without phases");
		else
			check_part(y.little / y.pairs, 0.6, 1, y.pairs, "little worth of phases");
	}
	static const struct {
		const char *name;
		enum kind kind;
		size_t rows, before, after;
		double most;
	} others[] = {
		{"phases of 15 s, 60 intervals", PHASES_15, ROWS, 60, 60, 0.12},
		{"stationary, 300 rows", STATIONARY, 300, SIDE, SIDE, 0.05},
		{"bursts of 50 ms, 300 rows", BURSTS, 300, SIDE, SIDE, 0.05},
		{"stationary, 30 against 3", STATIONARY, ROWS, SIDE, 3, 0.05},
		{"bursts of 50 ms, 30 against 3", BURSTS, ROWS, SIDE, 3, 0.05},
		{"phases of 2 s, 30 against 3", PHASES_2, ROWS, SIDE, 3, 0.05},
		{"stationary, 8 against 8", STATIONARY, ROWS, 8, 8, 0.05},
	};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct tally y = nothing_changed(others[i].kind, others[i].rows, others[i].before, others[i].after);
		print_nothing(others[i].name, &y);
		check_part(y.tables / y.pairs, 0, others[i].most, y.pairs, others[i].name);
	}
}

/* ---- one row changed ---------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t row;
	double factor;
} changes[] = {{"7.5 % by +20 %", 3, 1.2}, {"3.5 % by +50 %", 6, 1.5}, {"1.6 % by +20 %", 13, 1.2}};

static void print_change(const char *name, const char *what, const struct tally *y)
{
	printf("  %-24s %-22s %8.3f %8.3f %8.4f", name, what, y->found / y->pairs, part(y->right, y->tested),
	       part(y->flagged, y->rows));
	if (y->smallest_n > y->pairs / 2)
		printf(" %+9.0f %%\n", 100 * (exp(y->smallest / y->smallest_n) - 1));
	else
		printf(" %11s\n", "none");
}

static struct tally changed(enum kind kind, size_t c, size_t after)
{
	struct tally y = {0};
	struct compare_load a = make_load(kind, ROWS, 0, 1, 1);
	struct compare_load b = make_load(kind, ROWS, changes[c].row, changes[c].factor, 1);
	table_start(ROWS, SIDE, after, UNIT_REFERENCE);
	for (unsigned i = 0; i < pairs_n; i++) {
		simulate_stretches(&table, &a, &b, 1 + i);
		table_compare(&table);
		count(&y, &table, changes[c].row, changes[c].factor);
	}
	return y;
}

static void changed_table(void)
{
	printf("\nOne row changed, against the reference: found, interval with the truth, part of the other rows that "
	       "is flagged,\nsmallest change that could have been found\n"
	       "  %-24s %-22s %8s %8s %8s %11s\n",
	       "load", "row", "found", "covered", "others", "smallest");
	for (int kind = 0; kind < KINDS; kind++)
		for (size_t c = 0; c < ARRAY_LEN(changes); c++) {
			struct tally y = changed(kind, c, SIDE);
			print_change(kinds[kind], changes[c].name, &y);
			if (kind == STATIONARY && c < 2)
				check_part(y.found / y.pairs, c ? 0.95 : 0.90, 1, y.pairs, changes[c].name);
			if (kind != PHASES_15) {
				check_part(part(y.right, y.tested), 0.93, 1, y.pairs, "interval of a row that changed");
				check_part(part(y.flagged, y.rows), 0, 0.01, y.pairs, "others beside a change");
			}
		}
	struct tally y = changed(STATIONARY, 1, 3);
	print_change("stationary, 30 against 3", changes[1].name, &y);
	check_part(y.found / y.pairs, 0.4, 1, y.pairs, "a change in 3 s");
	check_part(part(y.right, y.tested), 0.93, 1, y.pairs, "interval of a change in 3 s");
}

/* ---- new rows ------------------------------------------------------------------------------- */

static void new_table(void)
{
	static const double parts[] = {0.001, 0.002, 0.01};
	printf("\nA new row: found, its bound, part of the other rows that is flagged\n"
	       "  %-36s %8s %14s %8s\n",
	       "row", "found", "grew at least", "others");
	for (int kind = STATIONARY; kind <= BURSTS; kind++)
		for (size_t p = 0; p < ARRAY_LEN(parts); p++) {
			struct tally y = {0};
			struct compare_load a = make_load(kind, ROWS, ROWS - 1, 0, 1), b = a;
			for (size_t i = 0; i < ROWS; i++)
				b.weights[0][i] *= 1 - parts[p];
			b.weights[0][ROWS - 1] = parts[p];
			table_start(ROWS, SIDE, SIDE, UNIT_REFERENCE);
			for (unsigned i = 0; i < pairs_n; i++) {
				simulate_stretches(&table, &a, &b, 1 + i);
				table_compare(&table);
				count(&y, &table, ROWS - 1, INFINITY);
			}
			printf("  %-24s %9.1f %% %8.3f %12.1f x %8.4f\n", kinds[kind], 100 * parts[p],
			       y.found / y.pairs, y.new_bound / y.pairs, part(y.flagged, y.rows));
			if (kind == STATIONARY && p > 0)
				check_part(y.found / y.pairs, p == 1 ? 0.75 : 0.95, 1, y.pairs, "a new row");
			check_part(part(y.flagged, y.rows), 0, 0.01, y.pairs, "others beside a new row");
		}
}

/* ---- more load besides ------------------------------------------------------------------------ */

static void load_table(void)
{
	static const char *const units[] = {"reference", "share", "per second"};
	/* 40 % busy, then 30 % more of everything; row 0, of 26 %, half as much again */
	struct compare_load a = make_load(STATIONARY, ROWS, 0, 1, 0.4), b = make_load(STATIONARY, ROWS, 0, 1.5, 0.52);
	printf("\n30 %% more load, and a row of 26 %% by +50 %%: found, interval with +50 %%, part of the other rows "
	       "that is flagged\n  %-36s %8s %8s %8s\n",
	       "unit", "found", "covered", "others");
	for (int unit = 0; unit < 3; unit++) {
		struct tally y = {0};
		table_start(ROWS, SIDE, SIDE, unit);
		for (unsigned i = 0; i < pairs_n; i++) {
			simulate_stretches(&table, &a, &b, 1 + i);
			table_compare(&table);
			count(&y, &table, 0, 1.5);
		}
		printf("  %-36s %8.3f %8.3f %8.3f\n", units[unit], y.found / y.pairs, part(y.right, y.tested),
		       part(y.flagged, y.rows));
		if (unit == UNIT_REFERENCE) {
			check_part(part(y.flagged, y.rows), 0, 0.02, y.pairs, "others beside more load");
			check_part(y.found / y.pairs, 0.99, 1, y.pairs, "a change beside more load");
			check_part(part(y.right, y.tested), 0.93, 1, y.pairs, "interval beside more load");
		}
	}
}

/* ---- many rows -------------------------------------------------------------------------------- */

static struct tally many_rows(size_t moved, enum unit unit, unsigned n)
{
	struct tally y = {0};
	table_start(ROWS_MAX, SIDE, SIDE, unit);
	for (unsigned seed = 0; seed < n; seed++) {
		table_fill_many(&table, moved, 1 + seed);
		table_compare(&table);
		for (size_t r = 0; r < table.rows; r++)
			*(r < moved ? &y.found : &y.flagged) += table.changes[r].real;
		y.rows += (double)(table.rows - moved);
		y.pairs++;
	}
	return y;
}

static void many_rows_table(unsigned n)
{
	static const size_t moved[] = {0, 120};
	printf("\n4,000 rows, of which the largest ones grew by 10 to 50 %%: found, other rows that are flagged in a "
	       "table\n  %-16s %-20s %8s %8s\n",
	       "grew", "unit", "found", "others");
	for (size_t k = 0; k < ARRAY_LEN(moved); k++)
		for (int unit = UNIT_REFERENCE; unit <= UNIT_SHARE; unit++) {
			struct tally y = many_rows(moved[k], unit, n);
			printf("  %-16zu %-20s %8.1f %8.1f\n", moved[k], unit == UNIT_SHARE ? "share" : "reference",
			       y.found / y.pairs, y.flagged / y.pairs);
			if (unit == UNIT_SHARE)
				continue;
			check_part(part(y.flagged, y.rows), 0, 0.001, y.pairs, "others of many rows");
			check_part(part(y.found, y.pairs * (double)moved[k]), moved[k] ? 0.9 : 0, 1, y.pairs,
				   "changes of many rows");
		}
}

/* ---- turns ------------------------------------------------------------------------------------ */

static struct tally turns(enum kind kind, size_t pairs, double seconds, double factor)
{
	struct tally y = {0};
	struct compare_load a = make_load(kind, ROWS, 0, 1, 1), b = make_load(kind, ROWS, 3, factor, 1);
	table_start(ROWS, pairs, pairs, UNIT_REFERENCE);
	table.paired = true;
	for (unsigned i = 0; i < pairs_n; i++) {
		simulate_turns(&table, &a, &b, seconds, 1 + i);
		table_compare(&table);
		count(&y, &table, factor > 1 ? 3 : ROWS, factor);
	}
	return y;
}

static void turns_table(void)
{
	static const struct {
		enum kind kind;
		size_t pairs;
		double seconds;
	} ways[] = {
		{PHASES_2, 12, 5},     {PHASES_2, 30, 1},  {PHASES_2, 60, 0.5}, {PHASES_2, 60, 1},
		{PHASES_2, 120, 0.25}, {PHASES_15, 12, 5}, {PHASES_15, 30, 1},	{BURSTS, 30, 1},
	};
	printf("\nTurns in random order, a row of 7.5 %% by +20 %%: found, interval with the truth; and where nothing "
	       "changed, tables\nwith a row that is said to have, rows with p <= .05\n"
	       "  %-20s %8s %8s %8s %8s %8s %8s\n",
	       "load", "pairs", "of s", "found", "covered", "tables", "p");
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct tally y = turns(ways[i].kind, ways[i].pairs, ways[i].seconds, 1.2);
		struct tally no = turns(ways[i].kind, ways[i].pairs, ways[i].seconds, 1);
		printf("  %-20s %8zu %8.2f %8.3f %8.3f %8.3f %8.3f\n", kinds[ways[i].kind], ways[i].pairs,
		       ways[i].seconds, y.found / y.pairs, part(y.right, y.tested), no.tables / no.pairs,
		       part(no.unlikely, no.rows));
		check_part(no.tables / no.pairs, 0, 0.07, no.pairs, "turns in which nothing changed");
		check_part(part(y.right, y.tested), ways[i].pairs < 30 ? 0.91 : 0.93, 1, y.pairs, "interval of turns");
		/* 30 s of each state */
		if (ways[i].kind == PHASES_2 && ways[i].pairs == 60 && ways[i].seconds < 1)
			check_part(y.found / y.pairs, 0.6, 1, y.pairs, "a change in turns");
	}
}

/* ---- through the whole chain ---------------------------------------------------------------------- */

static struct chain chains[2]; /* before, after */

static void fill_table(size_t before, size_t after)
{
	double weight = 0, samples = 0;
	table_start(ROWS, before, after, UNIT_REFERENCE);
	for (int side = 0; side < 2; side++)
		for (size_t r = 0; r < ROWS; r++) {
			for (size_t i = 0; i < table.n[side]; i++)
				weight += table.num[side][r][i] = chains[side].weight[0][r][i];
			samples += chains[side].samples[0][r];
		}
	table.weight_of_sample = weight / samples;
	table_compare(&table);
}

/* The IPC of each row, into the changes of the table. */
static void compare_ipc(void)
{
	struct compare_series s[2][ROWS];
	for (int side = 0; side < 2; side++)
		for (size_t r = 0; r < ROWS; r++)
			s[side][r] = (struct compare_series){
				.num = chains[side].weight[1][r],
				.den = chains[side].weight[0][r],
				.n = SIDE,
				.num_samples = (uint64_t)chains[side].samples[1][r],
				.den_samples = (uint64_t)chains[side].samples[0][r],
			};
	compare_rows(s[0], s[1], ROWS, table.changes);
	table.summary = compare_judge(table.changes, ROWS, 0.05, 0.01);
}

static void chain_table(unsigned n)
{
	enum { ROW = 6 };
	printf("\nThrough the synthetic source, %u pairs: found, interval with the truth, part of the other rows that "
	       "is flagged\n  %-52s %8s %8s %8s\n",
	       n, "load", "found", "covered", "others");
	for (int kind = STATIONARY; kind <= PHASES_2; kind++) {
		struct tally y = {0};
		struct compare_load load = make_load(kind, ROWS, 0, 1, 1);
		for (unsigned i = 0; i < n; i++) {
			chain_run(&load, 0, 1, 1 + 2 * i, SIDE, &chains[0]);
			chain_run(&load, 0, 1, 2 + 2 * i, SIDE, &chains[1]);
			fill_table(SIDE, SIDE);
			count(&y, &table, ROWS, 1);
		}
		printf("  %-52s %8s %8.3f %8.4f\n", kinds[kind], "-", part(y.covered, y.rows), part(y.flagged, y.rows));
		check_part(part(y.flagged, y.rows), 0, 0.02, y.pairs, "rows through the chain");
		check_part(part(y.covered, y.rows), 0.93, 1, y.pairs, "intervals through the chain");
	}
	struct compare_load a = make_load(STATIONARY, ROWS, 0, 1, 1), b = make_load(STATIONARY, ROWS, ROW, 1.5, 1);
	struct tally time = {0}, ipc = {0}, still = {0};
	for (unsigned i = 0; i < n; i++) {
		chain_run(&a, 0, 1, 1 + 2 * i, SIDE, &chains[0]);
		chain_run(&b, 0, 1, 2 + 2 * i, SIDE, &chains[1]);
		fill_table(SIDE, SIDE);
		count(&time, &table, ROW, 1.5);
		chain_run(&a, ROW, 0.6, 2 + 2 * i, SIDE, &chains[1]);
		fill_table(SIDE, SIDE);
		count(&still, &table, ROW, 1);
		compare_ipc();
		count(&ipc, &table, ROW, 0.6);
	}
	const struct {
		const char *name;
		const struct tally *y;
	} rows[] = {
		{"3.5 % by +50 %", &time}, {"IPC of 3.5 % from 1 to 0.6", &ipc}, {"the same, by its cycles", &still}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct tally *y = rows[i].y;
		printf("  %-52s %8.3f %8.3f %8.4f\n", rows[i].name, y->found / y->pairs, part(y->right, y->tested),
		       part(y->flagged, y->rows));
		check_part(part(y->flagged, y->rows), 0, 0.02, y->pairs, rows[i].name);
	}
	check_part(time.found / time.pairs, 0.8, 1, time.pairs, "a change through the chain");
	check_part(ipc.found / ipc.pairs, 0.8, 1, ipc.pairs, "a change of IPC through the chain");
	check_part(still.found / still.pairs, 0, 0.2, still.pairs, "a change of IPC alone, by cycles");
}

/* ---- runs ------------------------------------------------------------------------------------- */

static void runs_table(void)
{
	static const struct {
		size_t n;
		double outliers;
	} ways[] = {{5, 0}, {7, 0}, {8, 0}, {10, 0}, {10, 0.1}, {20, 0.1}};
	printf("\nRuns of two commands that differ by 5 %%, 2 %% noise of each, shared drift: interval with the truth, "
	       "half "
	       "of its width\n  %-36s %8s %10s\n",
	       "pairs", "covered", "width");
	unsigned rounds = pairs_n * 20;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct compare_load unused = {.rows = 1, .phases = 1, .weights = {{1}}};
		struct compare_run run;
		compare_run_start(&run, &unused, 1 + w);
		double covered = 0, width = 0;
		for (unsigned k = 0; k < rounds; k++) {
			double a[20], b[20], drift = 0;
			for (size_t i = 0; i < ways[w].n; i++) {
				double z[3];
				for (int j = 0; j < 3; j++)
					z[j] = compare_normal(&run);
				drift += 0.03 * z[2];
				a[i] = exp(drift + 0.02 * z[0]);
				b[i] = exp(drift + 0.02 * z[1]) * 1.05;
				if (compare_random(&run) < ways[w].outliers)
					*(compare_random(&run) < 0.5 ? &a[i] : &b[i]) *= 1.3;
			}
			struct compare_change c;
			compare_runs(a, b, ways[w].n, &c);
			covered += c.low <= 1.05 && c.high >= 1.05;
			width += log(c.high / c.low) / 2;
		}
		printf("  %3zu, %2.0f %% outliers %18s %8.3f %8.1f %%\n", ways[w].n, 100 * ways[w].outliers, "",
		       covered / rounds, 100 * width / rounds);
		check_part(covered / rounds, 0.935, 1, rounds, "runs");
	}
}

int main(int argc, char **argv)
{
	bool checks = argc > 1 && strcmp(argv[1], "--check") == 0;
	const char *number = checks ? (argc > 2 ? argv[2] : NULL) : (argc > 1 ? argv[1] : NULL);
	if (number)
		pairs_n = (unsigned)strtoul(number, NULL, 10);
	if (!pairs_n || pairs_n > 100000) {
		fprintf(stderr, "compare [--check] [PAIRS]\n");
		return 2;
	}
	nothing_table();
	changed_table();
	new_table();
	load_table();
	many_rows_table(pairs_n / 40 ? pairs_n / 40 : 1);
	turns_table();
	chain_table(pairs_n / 5 ? pairs_n / 5 : 1);
	runs_table();
	return checks && failures ? 1 : 0;
}
