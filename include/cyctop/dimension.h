/* Dimensions: by what facts (samples of one task, context, CPU and event) are grouped and filtered; for model.h. */
#ifndef CYCTOP_DIMENSION_H
#define CYCTOP_DIMENSION_H

#include <cyctop/base.h>
#include <cyctop/catalog.h>
#include <cyctop/event.h>

/* The tables that explain the ids in facts. */
struct model_names {
	const struct catalog *cat;
	const struct cpu_place *places; /* [cpus_n]; NULL: the topology is unknown */
	unsigned cpus_n;
	const char *const *pmus; /* [events_n]; NULL: unknown */
	size_t events_n;
	const struct field_names *fields; /* of tracepoints; NULL: none */
};

/* The ids that a fact consists of.  Each dimension depends on one of these ids. */
enum fact_part { PART_TASK, PART_CONTEXT, PART_CPU, PART_EVENT, PART_COUNT };

enum dimension_id {
	DIM_NONE,
	DIM_SYMBOL,
	DIM_DSO,
	DIM_MODE,
	DIM_ORIGIN,
	DIM_CHAIN,
	DIM_CALLERS,
	DIM_SYMBOL_TO, /* function to which a taken branch led; only samples of branches have rows */
	DIM_PID,
	DIM_TID,
	DIM_COMM,
	DIM_COMM_NODIGIT,
	DIM_USER,
	DIM_PARENT,
	DIM_CGROUP,
	DIM_PARALLELISM,
	DIM_CONTEXT,
	DIM_MEM_LEVEL, /* from here to DIM_PHYS_PAGE: memory accesses, in the order of enum memory_part */
	DIM_MEM_OP,
	DIM_SNOOP,
	DIM_TLB,
	DIM_LOCKED,
	DIM_BLOCKED,
	DIM_DATA_PAGE,
	DIM_PHYS_PAGE,
	DIM_CPU,
	DIM_CORE,
	DIM_SOCKET,
	DIM_NODE,
	DIM_PMU,
	DIM_FIELD1, /* fields of tracepoints, whose names struct model_names has */
	DIM_ADDRESS =
		DIM_FIELD1 + FIELDS_MAX, /* only in the function that session_annotate() chose; no option names it */
	DIM_COUNT,
};
#define DIM_BIT(dim) (UINT64_C(1) << (dim))

/* The value of a key as people and files write it: a path, a raw function name, a pid. */
struct key_value {
	enum { KEY_UNKNOWN, KEY_NUMBER, KEY_TEXT } kind;
	uint64_t number;
	const char *text; /* borrowed from struct model_names */
};

/* The key of an unknown value; no id has this key. */
#define KEY_NONE UINT64_MAX

struct dimension {
	const char *id;		/* "symbol", its name in --sort, CSV and JSON */
	const char *title;	/* heading of its column, "SYMBOL" */
	const char *table;	/* "symbols", its table's name in --table and JSON */
	const char *name;	/* title of a pane with a row for each key, "Symbols" */
	const char *help;	/* one line that says what a key is */
	const char *one, *many; /* "user", "users": for sentences; one "": a key needs no word before it */
	enum fact_part part;
	bool is_tree;	  /* rows are a tree, which only the screen shows, not reports */
	uint64_t implies; /* DIM_BIT of each dimension whose key follows from a key of this one */
	/* Returns the key of an id of `part`.  The upper half of the key is the generation of the id in its lower
	 * half, so that a reused id gives another key.  NULL: the key is the value, or the hash of the value. */
	uint64_t (*key)(const struct model_names *names, uint32_t id);
	bool key_is_id; /* the lower half of a key is an id of `part` */
	struct key_value (*value)(const struct model_names *names, uint32_t id);
};
extern const struct dimension dimensions[DIM_COUNT]; /* [DIM_NONE] is empty */

/* Finds a dimension of reports by its id, or by the name of its table; DIM_NONE: there is none. */
enum dimension_id dimension_find(const char *id);
enum dimension_id dimension_find_table(const char *table);
/* Returns the field's name for the dimensions from DIM_FIELD1 on; for all others, `fixed`. */
const char *dimension_word(const struct field_names *fields, enum dimension_id dim, const char *fixed);
/* The key of an id of dimensions[dim].part; KEY_NONE: unknown. */
uint64_t dimension_key(const struct model_names *names, enum dimension_id dim, uint32_t id);
struct key_value dimension_value(const struct model_names *names, enum dimension_id dim, uint32_t id);

#endif
