/* Adds any number of symbols to a program:
 *
 *	big_elf PROGRAM NEW SYMBOLS [NAME-BYTES]
 *
 * NEW is a copy of PROGRAM with SYMBOLS more functions in its .symtab.  Their names have
 * NAME-BYTES bytes on average, by default 76 (with 24 bytes per symbol, two million symbols
 * make 200 MB).  NEW runs like PROGRAM, and PROGRAM's own symbols are unchanged: the added
 * functions are in a new section, at addresses that are never loaded.
 *
 * The added symbols look like those of a large C++ program: neighbours in the table have names
 * that begin alike; the addresses are in another order than the table; some are aliases.
 * Only for 64-bit ELF files in this machine's byte order. */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 64, NAME_MAX_BYTES = 4096, NAME_LEAST = 64 };

static void die(const char *what, const char *path)
{
	fprintf(stderr, "big_elf: %s: %s\n", path, what);
	exit(1);
}

static uint8_t *read_whole(const char *path, size_t *n_ret)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END) != 0)
		die(strerror(errno), path);
	long n = ftell(f);
	rewind(f);
	uint8_t *bytes = malloc(n > 0 ? (size_t)n : 1);
	if (n < (long)sizeof(Elf64_Ehdr) || !bytes || fread(bytes, 1, (size_t)n, f) != (size_t)n)
		die("cannot be read", path);
	fclose(f);
	*n_ret = (size_t)n;
	return bytes;
}

static void put(FILE *f, const void *p, size_t n)
{
	if (n && fwrite(p, 1, n, f) != n)
		die(strerror(errno), "the new file");
}

static void pad_to(FILE *f, uint64_t at)
{
	static const char zeros[64];
	for (long now = ftell(f); (uint64_t)now < at;) {
		size_t n = at - (uint64_t)now < sizeof(zeros) ? (size_t)(at - (uint64_t)now) : sizeof(zeros);
		put(f, zeros, n);
		now += (long)n;
	}
}

static uint64_t mixed(uint64_t v)
{
	v = (v ^ v >> 31) * 0x9e3779b97f4a7c15u;
	return v ^ v >> 29;
}

/* Makes the name of a method; sixteen methods are of one class.  Returns its length.  The last
 * quarter of the names is longer, so that the average is right. */
static size_t make_name(char *buf, uint64_t i, size_t average)
{
	size_t want = i % 4 == 3 ? average + (average - NAME_LEAST) * 3 : NAME_LEAST;
	int n = snprintf(buf, NAME_MAX_BYTES, "_ZN4made8internal14Class_%08xI%cE11method_%04xE", (unsigned)(i / 16),
			 "ijlmxy"[mixed(i) % 6], (unsigned)(mixed(i) >> 48));
	n += snprintf(buf + n, NAME_MAX_BYTES - (size_t)n, "PK%cRS_%x", "ijlmxy"[mixed(i) >> 8 & 3], (unsigned)i);
	for (; (size_t)n + 1 < want && n + 1 < NAME_MAX_BYTES; n++)
		buf[n] = "ijklmnop"[mixed(i * 64 + (uint64_t)n) >> 40 & 7];
	buf[n] = '\0';
	return (size_t)n + 1;
}

struct job {
	uint8_t *bytes; /* of the program */
	size_t n;
	Elf64_Ehdr eh;
	Elf64_Shdr *sections;
	size_t symtab, strtab; /* sections of the program; 0: there is none */
	uint64_t count, average;
	uint64_t at; /* address of the added section */
};

static void open_job(struct job *j, const char *path)
{
	j->bytes = read_whole(path, &j->n);
	memcpy(&j->eh, j->bytes, sizeof(j->eh));
	if (memcmp(j->eh.e_ident, ELFMAG, SELFMAG) != 0 || j->eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    j->eh.e_shoff + (uint64_t)j->eh.e_shnum * sizeof(Elf64_Shdr) > j->n)
		die("not a whole ELF file of 64 bits", path);
	j->sections = calloc(j->eh.e_shnum + 3u, sizeof(*j->sections));
	if (!j->sections)
		die("no memory", path);
	memcpy(j->sections, j->bytes + j->eh.e_shoff, j->eh.e_shnum * sizeof(Elf64_Shdr));
	for (size_t i = 0; i < j->eh.e_shnum; i++) {
		const Elf64_Shdr *s = &j->sections[i];
		if (s->sh_type == SHT_SYMTAB) {
			j->symtab = i;
			j->strtab = s->sh_link;
		}
		if (s->sh_flags & SHF_ALLOC && s->sh_addr + s->sh_size > j->at)
			j->at = s->sh_addr + s->sh_size;
	}
	j->at = (j->at + 0x10000000) & ~(uint64_t)0xfff;
}

static uint64_t write_strings(const struct job *j, FILE *f)
{
	char name[NAME_MAX_BYTES];
	uint64_t size = j->symtab ? j->sections[j->strtab].sh_size : 1;
	put(f, j->symtab ? j->bytes + j->sections[j->strtab].sh_offset : (const uint8_t *)"", size);
	for (uint64_t i = 0; i < j->count; i++) {
		size_t n = make_name(name, i, j->average);
		put(f, name, n);
		size += n;
	}
	return size;
}

/* A step without a common factor with `count`, so that adding it repeatedly (modulo count)
 * reaches every number once. */
static uint64_t step_for(uint64_t count)
{
	uint64_t step = count * 618 / 1000 | 1;
	for (;; step += 2) {
		uint64_t a = step, b = count;
		while (b) {
			uint64_t t = a % b;
			a = b;
			b = t;
		}
		if (a == 1)
			return step;
	}
}

static void write_symbols(const struct job *j, FILE *f, uint16_t section)
{
	char name[NAME_MAX_BYTES];
	uint64_t at = j->symtab ? j->sections[j->strtab].sh_size : 1, step = step_for(j->count);
	if (j->symtab)
		put(f, j->bytes + j->sections[j->symtab].sh_offset, j->sections[j->symtab].sh_size);
	else
		put(f, &(Elf64_Sym){0}, sizeof(Elf64_Sym));
	for (uint64_t i = 0; i < j->count; i++) {
		uint64_t place = i * step % j->count;
		if (i % 64 == 63)
			place = (i - 1) * step % j->count; /* an alias */
		Elf64_Sym sym = {
			.st_name = (uint32_t)at,
			.st_info = ELF64_ST_INFO(i % 3 ? STB_GLOBAL : STB_WEAK, STT_FUNC),
			.st_shndx = section,
			.st_value = j->at + place * EACH,
			.st_size = EACH - mixed(i) % 16,
		};
		put(f, &sym, sizeof(sym));
		at += make_name(name, i, j->average);
	}
}

static void write_job(struct job *j, const char *path)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		die(strerror(errno), path);
	size_t n = j->eh.e_shnum;
	Elf64_Shdr *code = &j->sections[n], *symbols = &j->sections[n + 1], *strings = &j->sections[n + 2];
	put(f, j->bytes, j->n);
	uint64_t strings_at = (j->n + 63) & ~(size_t)63;
	pad_to(f, strings_at);
	uint64_t strings_n = write_strings(j, f), symbols_at = (strings_at + strings_n + 63) & ~(uint64_t)63;
	if (strings_n > UINT32_MAX)
		die("too many names", path);
	pad_to(f, symbols_at);
	write_symbols(j, f, (uint16_t)n);
	uint64_t sections_at = (uint64_t)ftell(f);
	*code = (Elf64_Shdr){
		.sh_type = SHT_NOBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = j->at,
		.sh_size = j->count * EACH,
	};
	*symbols = (Elf64_Shdr){
		.sh_type = SHT_SYMTAB,
		.sh_link = (uint32_t)n + 2,
		.sh_info = 1,
		.sh_offset = symbols_at,
		.sh_size = sections_at - symbols_at,
		.sh_entsize = sizeof(Elf64_Sym),
		.sh_addralign = 8,
	};
	*strings = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = strings_at, .sh_size = strings_n};
	if (j->symtab)
		j->sections[j->symtab] = (Elf64_Shdr){0};
	put(f, j->sections, (n + 3) * sizeof(Elf64_Shdr));
	j->eh.e_shoff = sections_at;
	j->eh.e_shnum = (uint16_t)(n + 3);
	rewind(f);
	put(f, &j->eh, sizeof(j->eh));
	if (fclose(f) != 0)
		die(strerror(errno), path);
}

int main(int argc, char **argv)
{
	struct job j = {.average = 76};
	if (argc < 4) {
		fprintf(stderr, "usage: big_elf PROGRAM NEW SYMBOLS [NAME-BYTES]\n");
		return 2;
	}
	j.count = strtoull(argv[3], NULL, 10);
	if (argc > 4)
		j.average = strtoull(argv[4], NULL, 10);
	if (!j.count || j.average < NAME_LEAST || j.average > NAME_MAX_BYTES / 4)
		die("no number, or one out of reach", argv[3]);
	open_job(&j, argv[1]);
	write_job(&j, argv[2]);
	free(j.bytes);
	free(j.sections);
	return 0;
}
