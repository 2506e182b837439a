/* The parts of resolver_retire() that are about code made at run time. */
#include "resolve/naming/jits.h"

void jits_mark_syms(const struct jits *js, bool *used)
{
	for (size_t i = 0; i < js->jit.n; i++)
		for (size_t k = 0; k < js->jit.data[i].wait.n; k++)
			used[js->jit.data[i].wait.data[k].sym] = true;
}

void jits_mark_dsos(const struct jits *js, bool *used)
{
	for (size_t i = 0; i < js->jit.n; i++) {
		const struct jit *j = &js->jit.data[i];
		if (j->table)
			used[j->dso] = true;
		for (size_t k = 0; k < j->wait.n; k++)
			used[j->wait.data[k].dso] = true;
	}
}

void jits_move_strings(struct jits *js)
{
	for (size_t i = 0; i < js->jit.n; i++) {
		struct jit *j = &js->jit.data[i];
		if (j->comm)
			j->comm = intern_string(js->names->strings, j->comm);
		if (j->key.marker.path)
			j->key.marker.path = intern_string(js->names->strings, j->key.marker.path);
	}
}
