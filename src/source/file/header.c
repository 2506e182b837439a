/* Reads a file's header: attrs and features. */
#include "base/limits.h"
#include "source/file/file.h"

#include <errno.h>
#include <stdlib.h>

static int add_event(struct file *f, const struct reader_attr *a, struct error *err)
{
	struct perf_attr attr;
	uint32_t size;
	int rc = pd_attr_parse(a->bytes, a->n, f->swap, &attr, &size, err);
	if (rc < 0)
		return rc;
	uint8_t *raw = reader_section(f->in, a->ids);
	if (!raw)
		return error_set(err, EBADMSG, "The ids of an event lie outside the file.");
	rc = pd_info_add_file_event(&f->pd, &attr, size, raw, a->ids.size, f->swap, err);
	free(raw);
	return rc;
}

static int read_attrs(struct file *f, struct error *err)
{
	struct reader_attr a = {0};
	int rc = 0;
	while (rc == 0 && f->pd.events_n < PD_EVENTS_MAX && (rc = reader_next_attr(f->in, &a)) == 0)
		rc = add_event(f, &a, err);
	if (rc < 0 && rc != -ENOENT)
		return a.next ? rc : error_set(err, EBADMSG, "Its list of events is empty, or lies outside the file.");
	const struct pd_section *types = &reader_header(f->in)->event_types;
	uint8_t *names = types->size ? reader_section(f->in, *types) : NULL;
	if (names)
		pd_info_event_types(&f->pd, names, types->size, f->swap);
	free(names);
	return 0;
}

/* Returns true if the feature is needed to show the records.  Other features are skipped, because they may be large. */
static bool is_needed(const struct file *f, unsigned feature)
{
	switch (feature) {
	case PD_TRACING_DATA:
		return f->config.fields || f->config.off_cpu;
	case PD_AUXTRACE:
	case PD_BPF_PROG_INFO:
	case PD_BPF_BTF:
		return false;
	default:
		return true;
	}
}

static void read_feature(struct file *f, const struct reader_feature *s)
{
	const char *name = pd_feature_name(s->feature) ? pd_feature_name(s->feature) : "unknown";
	uint8_t *data = reader_section(f->in, s->section);
	struct error err;
	if (!data && s->section.size > LIMIT_RECORDING_SECTION && s->section.size <= reader_size(f->in))
		file_note(f, "too large", "Limit reached: %s (%s).", limit_row(REACHED_RECORDING_SECTION)->sentence,
			  name);
	else if (!data)
		file_note(f, "damaged", "Its %s section lies outside the file.", name);
	else if (pd_info_feature(&f->pd, s->feature, data, s->section.size, f->swap, &err) < 0)
		file_note(f, "damaged", "Its %s section is damaged: %s", name, err.text);
	free(data);
}

static void note_code(struct file *f)
{
	if (f->pd.code_packed)
		file_note(f, "names left out",
			  "The names that it has of JIT code are compressed, and this cyctop was built "
			  "without libzstd.");
	if (f->pd.code_cut)
		file_note(f, "names left out", "Limit reached: %s.", limit_row(REACHED_CODE_NAMES)->sentence);
}

static void read_features(struct file *f)
{
	struct reader_feature s = {0};
	int rc;
	while ((rc = reader_next_feature(f->in, &s)) == 0)
		if (is_needed(f, s.feature))
			read_feature(f, &s);
	note_code(f);
	if (rc == -ENODATA)
		file_note(f, "cut off", "Its features, which describe the machine, are missing at its end.");
}

int file_read_header(struct file *f, struct error *err)
{
	const struct pd_header *h = reader_header(f->in);
	f->swap = h->swap;
	f->pd.stream = h->pipe;
	if (h->pipe)
		return 0;
	int rc = read_attrs(f, err);
	if (rc < 0)
		return rc;
	f->stats.truncated = reader_data(f->in) != READER_CLOSED;
	if (reader_data(f->in) == READER_NOT_CLOSED)
		file_note(
			f, "not closed",
			"The recording was not closed (perf was killed, or the disk was full): it is read to its end.");
	read_features(f);
	if (h->data.offset >= reader_size(f->in))
		return error_set(err, EBADMSG, "Its records lie outside the file.");
	return 0;
}
