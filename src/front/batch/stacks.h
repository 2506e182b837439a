/* Call chains of commands, as a tree whose functions are told apart by name, for formats that other tools read. */
#ifndef FRONT_BATCH_STACKS_H
#define FRONT_BATCH_STACKS_H

#include "front/batch/batch.h"

#define STACKS_NONE UINT32_MAX

/* A function, or a command; its texts have no control characters. */
struct stack_function {
	const char *name;
	const char *file; /* path of its file; NULL: a command */
	uint32_t file_id; /* index into stacks.files; STACKS_NONE: a command */
	uint64_t addr;	  /* start address in the file, before relocation; 0: unknown */
	bool kernel;
};
/* A function as called by the functions above it in the tree; at depth 0, a command. */
struct stack_node {
	uint32_t caller; /* index of the caller's node; STACKS_NONE: a command, which has no caller */
	uint32_t function, depth;
	double share; /* 0..1, without callees: row.share, or the fraction of the weight of stacks.event */
};
struct stacks {
	const struct view_input *in;
	struct stack_function *functions; /* [functions_n], sorted by name */
	struct stack_node *nodes;	  /* [nodes_n], depth first, siblings sorted by name */
	const char **files;		  /* [files_n], sorted by path */
	uint32_t functions_n, nodes_n, files_n;
	struct sum *sums; /* [nodes_n * sums_n]: sums of each node, without callees */
	size_t sums_n;
	size_t event;	      /* the event of -s, else the primary event; stack_node.share is of it */
	struct intern *names; /* owns the names of functions and files */
};
/* Makes the tree of a table that groups samples by command and call chain. */
void stacks_init(struct stacks *s, const struct view_input *in, const struct pivot *pivot,
		 const struct batch_config *config);
void stacks_deinit(struct stacks *s);
/* Returns the weight of an event in `sums`, which are those of a node or a total of nodes.  If it is not known how many
 * events a sample stands for, returns the number of samples instead. */
double stacks_value(const struct stacks *s, const struct sum *sums, size_t event);
uint64_t stacks_samples(const struct stacks *s, uint32_t node, size_t event);
/* Returns true if the event was counted, and its samples are wanted. */
bool stacks_has(const struct stacks *s, size_t event);
/* Returns true if the unit of the event is ns. */
bool stacks_in_ns(const struct stacks *s, size_t event);

#endif
