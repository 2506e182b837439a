/* Calls a library through its PLT most of the time. */
#include "burn.h"

#include <dlfcn.h>

uint64_t zoo_leaf(uint64_t x);
uint64_t zoo_chosen(uint64_t x, uint64_t rounds);
uint64_t hot_caller(uint64_t x, uint64_t rounds);

HOT uint64_t hot_caller(uint64_t x, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = zoo_leaf(x);
	return x;
}

int main(void)
{
	volatile uint64_t x = 1;
	zoo_begin();
	/* the address of the function, not that of its PLT entry in this program */
	void *lib = dlopen("libleaf.so", RTLD_NOW | RTLD_NOLOAD);
	printf("at hot_caller %p\nat zoo_leaf %p libleaf.so\nat chosen_impl %p libleaf.so\n", (void *)hot_caller,
	       lib ? dlsym(lib, "zoo_leaf") : NULL, lib ? dlsym(lib, "zoo_chosen") : NULL);
#ifdef TAKE_ADDRESS /* taking an address makes entries of .plt.got */
	uint64_t (*volatile leaf)(uint64_t) = zoo_leaf;
	x = leaf(x);
#endif
	zoo_ready();
	for (;;) {
		for (int i = 0; i < PASSES; i++) {
			x = hot_caller(x, zoo_rounds(3 * ROUNDS));
			x = zoo_chosen(x, zoo_rounds(ROUNDS));
		}
		zoo_rest();
	}
}
