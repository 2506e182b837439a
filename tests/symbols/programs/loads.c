/* Loads two libraries in turn at the same address:
 *   loads LIBRARY FUNCTION LIBRARY FUNCTION */
#include "burn.h"

#include <dlfcn.h>

typedef uint64_t spin_fn(uint64_t x, uint64_t rounds);

static int turn(const char *path, const char *name, uint64_t ms)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	spin_fn *spin = lib ? (spin_fn *)(uintptr_t)dlsym(lib, name) : NULL;
	if (!spin) {
		fprintf(stderr, "loads: %s\n", dlerror());
		return 1;
	}
	volatile uint64_t x = 1;
	uint64_t from = zoo_now_ns(), to = from;
	while (to - from < ms * 1000000) {
		x = spin(x, ROUNDS);
		to = zoo_now_ns();
	}
	printf("run %s %p 0 %llu %llu\n", name, (void *)spin, (unsigned long long)from, (unsigned long long)to);
	return dlclose(lib);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	zoo_begin();
	zoo_ready();
	for (;; zoo_rest())
		for (int i = 0; i < 4; i++)
			if (turn(argv[1], argv[2], 2) || turn(argv[3], argv[4], 1))
				return 1;
}
