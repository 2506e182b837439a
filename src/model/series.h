/* Weights of rows in each interval, whose spread tells a comparison of two windows what is noise. */
#ifndef MODEL_SERIES_H
#define MODEL_SERIES_H

#include "model/select.h"

/* Fills in s->intervals from the selected window. */
void snapshot_fill_intervals(struct snapshot *s, const struct selection *sel);

#endif
