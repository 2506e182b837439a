/* notes PROGRAM COPY: copies a program, with 2,500 sections of notes in place of its own, each of
 * nearly a megabyte that all share.  The copy runs: the kernel does not look at sections. */
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 2500, NOTES = 1 << 20, PROGRAM_MAX = 64 << 20 };

int main(int argc, char **argv)
{
	FILE *from = argc == 3 ? fopen(argv[1], "rb") : NULL, *to = from ? fopen(argv[2], "wb") : NULL;
	uint8_t *bytes = calloc(1, PROGRAM_MAX), *notes = calloc(1, NOTES);
	static ElfW(Shdr) sections[SECTIONS];
	ElfW(Ehdr) head;
	if (!to || !bytes || !notes)
		return 2;
	size_t n = fread(bytes, 1, PROGRAM_MAX, from);
	if (n < sizeof(head) || n == PROGRAM_MAX)
		return 1;
	n = (n + 7) & ~(size_t)7;
	for (unsigned i = 1; i < SECTIONS; i++)
		sections[i] = (ElfW(Shdr)){.sh_type = SHT_NOTE, .sh_offset = n + i, .sh_size = NOTES - i};
	memcpy(&head, bytes, sizeof(head));
	head.e_shoff = n + NOTES;
	head.e_shnum = SECTIONS;
	head.e_shentsize = sizeof(sections[0]);
	head.e_shstrndx = 0;
	memcpy(bytes, &head, sizeof(head));
	bool ok = fwrite(bytes, 1, n, to) == n && fwrite(notes, 1, NOTES, to) == NOTES &&
		  fwrite(sections, 1, sizeof(sections), to) == sizeof(sections);
	return fclose(to) == 0 && ok ? 0 : 1;
}
