/* Runs a fuzz target over the files of its corpus, for compilers without a fuzzer.
 *   replay DIRECTORY */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1024 * 1024 };

static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		return 1;
	}
	uint8_t *data = malloc(INPUT_MAX);
	size_t n = data ? fread(data, 1, INPUT_MAX, f) : 0;
	fclose(f);
	/* exactly as large as the file, so that a sanitizer detects a read beyond the end */
	uint8_t *exact = malloc(n ? n : 1);
	for (size_t i = 0; exact && i < n; i++)
		exact[i] = data[i];
	free(data);
	if (exact)
		LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	if (!dir) {
		fprintf(stderr, "usage: replay DIRECTORY\n");
		return 2;
	}
	int status = 0, files = 0;
	for (struct dirent *e; (e = readdir(dir));) {
		char path[4096];
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
		status |= run_file(path);
		files++;
	}
	closedir(dir);
	printf("%d files\n", files);
	return files ? status : 1; /* an empty corpus tests nothing */
}
