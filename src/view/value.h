/* The value functions of the columns' table. */
#ifndef VIEW_VALUE_H
#define VIEW_VALUE_H

#include <cyctop/view.h>

typedef struct cell value_fn(const struct view_input *in, const struct column *col, const struct row *row);
value_fn share_value, metric_value, cpu_metric_value, samples_value, mode_value, dso_value, symbol_value, pid_value,
	tid_value, threads_value, user_value, command_value, task_cpu_value, hottest_value, cpu_value, busy_value,
	ghz_value, rate_value;

#endif
