/* Weights of rows by interval: how they vary over a window is what a comparison of two windows rests on. */
#ifndef MODEL_SERIES_H
#define MODEL_SERIES_H

#include "model/select.h"

/* Fills in the intervals of the selected window. */
void snapshot_fill_intervals(struct snapshot *s, const struct selection *sel);

#endif
