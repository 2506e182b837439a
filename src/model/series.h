/* Weights of rows by interval: their spread is the noise in a comparison of two windows. */
#ifndef MODEL_SERIES_H
#define MODEL_SERIES_H

#include "model/select.h"

/* Fills in s->intervals from the selected window. */
void snapshot_fill_intervals(struct snapshot *s, const struct selection *sel);

#endif
