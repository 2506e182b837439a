/* The variance of a sampled weight, from the runs of its samples.  See doc/statistics.md. */
#ifndef MODEL_RUNS_H
#define MODEL_RUNS_H

/* Consecutive samples of one counter (event and CPU) that belong to the same fact are a run.  `edges` sums the
 * squared weights at the two ends of each run, `far` those of them at the ends of runs of one sample. */
struct runs {
	double var;	   /* sum of the squared weights of all samples */
	double edges, far; /* each at most 2 * var */
	double share;	   /* of the whole, 0..1 */
	double random;	   /* the variance if each sample were drawn on its own; at most `var` */
	double unit;	   /* mean squared weight of a sample of the whole */
	double running;	   /* fraction of the time for which the event had a counter, above 0 */
	double gap;	   /* how many samples would fit into the time between two turns of the event on a counter */
};
double runs_variance(const struct runs *r);

#endif
