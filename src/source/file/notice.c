/* Writes notices for the user: what is missing or wrong in a recording. */
#include "base/limits.h"
#include "source/file/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(char *to, size_t cap, const char *separator, const char *text)
{
	size_t n = strnlen(to, cap - 1);
	for (const char *p = n ? separator : ""; *p && n < cap - 1; p++)
		to[n++] = *p;
	for (; *text && n < cap - 1; text++)
		to[n++] = *text;
	to[n] = '\0';
}

void file_note(struct file *f, const char *brief, const char *fmt, ...)
{
	char text[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	append(f->info.notice, sizeof(f->info.notice), " ", text);
	if (brief && !strstr(f->info.short_notice, brief))
		append(f->info.short_notice, sizeof(f->info.short_notice), ", ", brief);
}

static const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

void file_say_over(struct file *f)
{
	static const char *const briefs[] = {
		[ENDING_CUT] = "cut off",
		[ENDING_NO_SIZE] = "damaged",
		[ENDING_FAILED] = "unreadable",
		[ENDING_STOPPED] = "stopped",
	};
	enum reader_ending ending = reader_ending(f->in);
	char text[200];
	reader_ending_text(f->in, text, sizeof(text));
	if (text[0]) {
		f->stats.truncated |= ending != ENDING_STOPPED;
		file_note(f, briefs[ending], "%s", text);
	}
	if (f->parts_cut)
		file_note(f, "cut off", "%llu of its %zu files with records %s in the middle of a record.",
			  (unsigned long long)f->parts_cut, f->parts_n, plural(f->parts_cut, "ends", "end"));
	if (f->unordered)
		file_note(f, "unordered", "Limit reached: %s, and some names may be wrong.",
			  limit_row(REACHED_RECORDING_ROUND)->sentence);
	if (reader_lacks_zstd(f->in))
		file_note(f, "compressed", "Compressed records are left out: this cyctop was built without libzstd.");
	if (f->stats.damaged)
		file_note(f, "damaged", "%llu %s damaged and left out.", (unsigned long long)f->stats.damaged,
			  plural(f->stats.damaged, "record is", "records are"));
	if (f->stats.unknown_types)
		file_note(f, NULL, "%llu %s of unknown types left out.", (unsigned long long)f->stats.unknown_types,
			  plural(f->stats.unknown_types, "record is", "records are"));
	if (f->stats.unknown_ids)
		file_note(f, "unknown ids", "%llu %s an id that no event has, and left out.",
			  (unsigned long long)f->stats.unknown_ids,
			  plural(f->stats.unknown_ids, "sample has", "samples have"));
	if (f->cpus_beyond)
		file_note(f, NULL, "%llu %s of CPUs beyond the last known one, and counted there.",
			  (unsigned long long)f->cpus_beyond, plural(f->cpus_beyond, "sample is", "samples are"));
}

int file_error(const struct file *f, const struct error *why, struct error *err)
{
	return error_set(err, why->code, "%s: %s", strcmp(f->path, "-") == 0 ? "standard input" : f->path, why->text);
}
