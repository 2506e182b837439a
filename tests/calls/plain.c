/* A program without counted functions, which calls a library with one: plain LIBRARY [SECONDS to sleep] */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *symbol = library ? dlsym(library, "plugin") : NULL;
	int (*plugin)(int);
	if (!symbol)
		return 1;
	memcpy(&plugin, &symbol, sizeof(plugin));
	for (int i = 0; i < 7; i++)
		plugin(i);
	if (argc > 2)
		sleep((unsigned)atoi(argv[2]));
	return 0;
}
