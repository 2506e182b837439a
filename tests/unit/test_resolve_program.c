#include "test_resolve_program.h"

#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void program_load(struct program *p)
{
	unsigned long offset;
	char said[SCRATCH_PATH + 32];
	const char *const argv[] = {FIXTURE_DIR "/where_pie", NULL};
	assert_int_equal(scratch_run(NULL, argv, said, sizeof(said)), 0);
	assert_int_equal(sscanf(said, "%lx %4095[^\n]", &offset, p->path), 2);
	p->ip = STAGE_AT + offset;
	p->bytes = scratch_read(p->path, &p->n);
	elf_build_id_memory(p->bytes, p->n, NULL, &p->id);
	if (!p->id.size)
		skip(); /* this linker writes no build-id */
}

void program_rebuild(struct program *p)
{
	uint8_t *at = memmem(p->bytes, p->n, p->id.bytes, p->id.size);
	assert_non_null(at);
	at[0] ^= 0xff;
}

void program_strip(struct program *p)
{
	ElfW(Ehdr) header;
	memcpy(&header, p->bytes, sizeof(header));
	header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
	memcpy(p->bytes, &header, sizeof(header));
}

void program_forget(struct program *p)
{
	program_strip(p);
	ElfW(Ehdr) header;
	memcpy(&header, p->bytes, sizeof(header));
	for (size_t i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) ph;
		uint8_t *at = p->bytes + header.e_phoff + i * sizeof(ph);
		memcpy(&ph, at, sizeof(ph));
		if (ph.p_type == PT_GNU_EH_FRAME || ph.p_type == PT_DYNAMIC)
			ph.p_type = PT_NULL;
		memcpy(at, &ph, sizeof(ph));
	}
}
