#include "compare_chain.h"

#include "measure.h"

#include <stdlib.h>
#include <string.h>

static void write_script(FILE *out, const struct compare_load *load, size_t row, double ipc)
{
	fprintf(out, "interval 1s\nring 16Mi\nevent cycles speed=3G\nevent instructions\ndso app /usr/bin/app\n");
	for (size_t i = 0; i < load->rows; i++)
		fprintf(out, "sym app:f%zu %zu 0x100\n", i, 0x1000 + 0x100 * i);
	fprintf(out, "task 100 app maps=app\n");
	for (size_t p = 0; p < load->phases; p++) {
		fprintf(out, "profile p%zu\n", p);
		for (size_t i = 0; i < load->rows; i++)
			fprintf(out, "row app:f%zu %.6f instructions=%.6f\n", i, 1000 * load->weights[p][i],
				i == row ? ipc : 1);
	}
	fprintf(out, "always\nsimulate cpu=0 task=100 profiles=p0%s turn=%.0fus phase=%.0fms\n",
		load->phases == 3 ? ",p1,p2" : "", load->turn_s * 1e6, load->phase_s * 1e3);
}

struct filling {
	struct chain *chain;
	size_t rows, interval;
};

static void add_window(void *ctx, const struct outcome *w)
{
	struct filling *f = ctx;
	for (size_t i = 0; i < f->rows; i++)
		for (int e = 0; e < 2; e++) {
			f->chain->weight[e][i][f->interval] = w->rows[i].weight[e];
			f->chain->samples[e][i] += (double)w->rows[i].samples[e];
		}
	f->interval++;
}

void chain_run(const struct compare_load *load, size_t row, double ipc, unsigned seed, size_t n, struct chain *ret)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	write_script(out, load, row, ipc);
	fclose(out);
	memset(ret, 0, sizeof(*ret));
	struct filling f = {.chain = ret, .rows = load->rows};
	measure(&(struct measure){.script = text,
				  .functions = (unsigned)load->rows,
				  .warm = 2,
				  .windows = (unsigned)n,
				  .seed = seed},
		add_window, &f);
	free(text);
}
