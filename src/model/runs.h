/* The variance of a sampled weight, from the runs of its samples.  See doc/statistics.md. */
#ifndef MODEL_RUNS_H
#define MODEL_RUNS_H

/* Sums over the runs of a fact.  A run: consecutive samples of one counter (event and CPU) that are all of the fact. */
struct runs {
	double var;	   /* sum of the squared weights of all samples */
	double edges, far; /* see struct sum; each at most 2 * var */
	double share;	   /* fraction of the whole weight, 0..1 */
	double random;	   /* the variance if samples were independent; at most `var` */
	double unit;	   /* mean squared weight of all samples, not only of this fact */
	double running;	   /* fraction of the time for which the event had a counter, above 0 */
	double gap;	   /* number of samples that would fit into a stretch of time in which the event had no
			    * counter */
};
double runs_variance(const struct runs *r);

#endif
