#include "base/alloc.h"
#include "compare/sorted.h"

#include <cyctop/compare.h>

#include <math.h>
#include <stdlib.h>

static const double share_min = 0.005; /* smaller rows are too noisy to say what the machine did */
static const double spread_min = 0.01, spreads_max = 2.5;
enum { ROWS_MIN = 3 }; /* of one or two rows nobody knows which one moved */

static double sum_of(const double *values, size_t n, const bool *only)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		if ((!only || only[i]) && values[i] > 0)
			sum += values[i];
	return sum;
}

void compare_reference(const double *before, const double *after, size_t n, bool *carries,
		       struct compare_reference *ret)
{
	double whole[2] = {sum_of(before, n, NULL), sum_of(after, n, NULL)};
	double *logs = mem_calloc(n, sizeof(*logs)), *sorted = mem_calloc(n, sizeof(*sorted));
	size_t eligible = 0;
	for (size_t i = 0; i < n; i++) {
		carries[i] = before[i] > 0 && after[i] > 0 && before[i] >= share_min * whole[0] &&
			     after[i] >= share_min * whole[1];
		logs[i] = carries[i] ? log(after[i] / before[i]) : 0;
		if (carries[i] && !isfinite(logs[i]))
			carries[i] = false;
		if (carries[i])
			sorted[eligible++] = logs[i];
	}
	*ret = (struct compare_reference){.change = 1, .share = {1, 1}};
	if (eligible < ROWS_MIN) {
		for (size_t i = 0; i < n; i++)
			carries[i] = true;
	} else {
		sort_values(sorted, eligible);
		double middle = sorted_median(sorted, eligible);
		for (size_t i = 0; i < eligible; i++)
			sorted[i] = fabs(sorted[i] - middle);
		sort_values(sorted, eligible);
		double spread =
			1.4826 * sorted_median(sorted, eligible); /* the standard deviation if they are normal */
		spread = spread > spread_min ? spread : spread_min;
		for (size_t i = 0; i < n; i++) {
			carries[i] = carries[i] && fabs(logs[i] - middle) <= spreads_max * spread;
			ret->rows += carries[i];
		}
		ret->change = exp(middle);
		ret->spread = spread;
		ret->share[0] = sum_of(before, n, carries) / whole[0];
		ret->share[1] = sum_of(after, n, carries) / whole[1];
	}
	free(logs);
	free(sorted);
}
