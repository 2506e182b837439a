/* Gives the samples of a recording weights, as a CPU would that measures them: the 32 bits at WEIGHT in each sample.
 *   weights FILE WEIGHT
 * The weights are in each round of five 0 (not measured), 100, 200, 300 and 400. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	enum { SAMPLE = 9 };
	static const long data_place = 40; /* in the header: offset and size of the data */
	uint64_t data[2];
	FILE *f = argc == 3 ? fopen(argv[1], "r+b") : NULL;
	long at_weight = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	if (!f || fseek(f, data_place, SEEK_SET) || fread(data, sizeof(data), 1, f) != 1)
		return 2;
	uint32_t n = 0;
	for (uint64_t at = data[0]; at < data[0] + data[1];) {
		struct {
			uint32_t type;
			uint16_t misc, size;
		} head;
		if (fseek(f, (long)at, SEEK_SET) || fread(&head, sizeof(head), 1, f) != 1 || head.size < sizeof(head))
			return 2;
		uint32_t weight = n % 5 * 100;
		if (head.type == SAMPLE) {
			if (fseek(f, (long)at + at_weight, SEEK_SET) || fwrite(&weight, sizeof(weight), 1, f) != 1)
				return 2;
			n++;
		}
		at += head.size;
	}
	printf("%u\n", n);
	return fclose(f) ? 2 : 0;
}
