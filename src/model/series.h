/* Weights of rows by interval; from their spread a comparison of two windows estimates the noise. */
#ifndef MODEL_SERIES_H
#define MODEL_SERIES_H

#include "model/select.h"

/* Fills in s->intervals from the selected window. */
void snapshot_fill_intervals(struct snapshot *s, const struct selection *sel);

#endif
