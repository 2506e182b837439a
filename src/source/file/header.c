/* What comes before and behind the records of a file: attrs and features. */
#include "source/file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURE_BYTES_MAX = 64 << 20, ATTR_BYTES_MAX = 4096 };

/* Memory for a section that is really there; NULL, where it is not. */
static uint8_t *read_section(const struct file *f, struct pd_section s)
{
	if (!s.size || s.size > f->bytes.size || s.offset > f->bytes.size - s.size)
		return NULL;
	uint8_t *data = mem_calloc(1, s.size);
	if (bytes_get(&f->bytes, s.offset, data, s.size) == 0)
		return data;
	free(data);
	return NULL;
}

static struct pd_section section_at(const uint8_t *p, bool swap)
{
	return (struct pd_section){.offset = load_u64_as(p, swap), .size = load_u64_as(p + 8, swap)};
}

/* ---- attrs ------------------------------------------------------------------------ */

static int read_attr(struct file *f, const uint8_t *entry, size_t attr_n, uint64_t *ids_left, struct error *err)
{
	struct perf_attr attr;
	uint32_t size;
	int rc = pd_attr_parse(entry, attr_n, f->header.swap, &attr, &size, err);
	if (rc < 0)
		return rc;
	struct pd_section s = section_at(entry + attr_n, f->header.swap);
	if (s.size > *ids_left) /* sections of ids do not overlap, so that all fit the file */
		return error_set(err, EBADMSG, "An event claims more ids than the file has bytes.");
	*ids_left -= s.size;
	uint8_t *raw = read_section(f, s);
	if (s.size && !raw)
		return error_set(err, EBADMSG, "The ids of an event lie outside the file.");
	size_t n = s.size / 8;
	uint64_t *ids = mem_calloc(n ? n : 1, sizeof(*ids));
	for (size_t i = 0; i < n; i++)
		ids[i] = load_u64_as(raw + 8 * i, f->header.swap);
	rc = pd_info_add_event(&f->pd, &attr, size, ids, n, err);
	free(ids);
	free(raw);
	return rc;
}

static int read_attrs(struct file *f, struct error *err)
{
	const struct pd_header *h = &f->header;
	if (h->attr_size < 64 + 16 || h->attr_size > ATTR_BYTES_MAX)
		return error_set(err, EBADMSG, "Its entries for events are of %llu bytes, which cannot be.",
				 (unsigned long long)h->attr_size);
	uint8_t *entries = read_section(f, h->attrs);
	if (!entries)
		return error_set(err, EBADMSG, "Its list of events is empty, or lies outside the file.");
	int rc = 0;
	uint64_t ids_left = f->bytes.size;
	size_t n = h->attrs.size / h->attr_size;
	n = n <= PD_EVENTS_MAX ? n : PD_EVENTS_MAX;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = read_attr(f, entries + i * h->attr_size, h->attr_size - 16, &ids_left, err);
	free(entries);
	return rc;
}

/* ---- features ----------------------------------------------------------------------- */

/* Large, and not needed to read the records. */
static bool is_needed(unsigned feature)
{
	switch (feature) {
	case PD_TRACING_DATA:
	case PD_AUXTRACE:
	case PD_BPF_PROG_INFO:
	case PD_BPF_BTF:
		return false;
	default:
		return true;
	}
}

static void read_feature(struct file *f, unsigned feature, struct pd_section s)
{
	struct error err;
	uint8_t *data = s.size <= FEATURE_BYTES_MAX ? read_section(f, s) : NULL;
	if (s.size && !data)
		file_note(f, "damaged", "Its %s section lies outside the file.",
			  pd_feature_name(feature) ? pd_feature_name(feature) : "unknown");
	else if (s.size && pd_info_feature(&f->pd, feature, data, s.size, f->header.swap, &err) < 0)
		file_note(f, "damaged", "Its %s section is damaged: %s",
			  pd_feature_name(feature) ? pd_feature_name(feature) : "unknown", err.text);
	free(data);
}

static void read_features(struct file *f)
{
	uint64_t at = f->data_end; /* the table follows the data */
	for (unsigned feature = 0; feature < PD_FEATURES; feature++) {
		uint8_t entry[16];
		if (!pd_has_feature(&f->header, feature))
			continue;
		if (bytes_get(&f->bytes, at, entry, sizeof(entry)) < 0) {
			file_note(f, "cut off", "What should say which machine it is from is missing at its end.");
			return;
		}
		at += sizeof(entry);
		if (is_needed(feature))
			read_feature(f, feature, section_at(entry, f->header.swap));
	}
}

/* ---- the header itself --------------------------------------------------------------- */

static int read_file_mode(struct file *f, struct error *err)
{
	const struct pd_header *h = &f->header;
	int rc = read_attrs(f, err);
	if (rc < 0)
		return rc;
	f->data_begin = h->data.offset;
	if (h->data.size == 0) {
		f->data_end = f->bytes.size;
		f->stats.truncated = true;
		file_note(
			f, "not closed",
			"The recording was not closed (perf was killed, or the disk was full): it is read to its end.");
	} else if (h->data.offset > f->bytes.size || h->data.size > f->bytes.size - h->data.offset) {
		f->data_end =
			UINT64_MAX - h->data.offset < h->data.size ? UINT64_MAX - 1 : h->data.offset + h->data.size;
		f->stats.truncated = true;
	} else {
		f->data_end = h->data.offset + h->data.size;
		read_features(f);
	}
	if (f->data_begin >= f->bytes.size)
		return error_set(err, EBADMSG, "Its records lie outside the file.");
	return 0;
}

int file_read_header(struct file *f, struct error *err)
{
	uint8_t raw[PD_HEADER_SIZE];
	int rc = bytes_get(&f->bytes, 0, raw, PD_PIPE_HEADER_SIZE);
	if (rc < 0)
		return rc == -ENODATA ? error_set(err, EINVAL, "It is too short for a recording.")
				      : error_set(err, -rc, "It cannot be read: %s.", strerror(-rc));
	rc = pd_header_parse(raw, PD_PIPE_HEADER_SIZE, &f->header, err);
	if (rc == -EAGAIN) {
		rc = bytes_get(&f->bytes, PD_PIPE_HEADER_SIZE, raw + PD_PIPE_HEADER_SIZE,
			       PD_HEADER_SIZE - PD_PIPE_HEADER_SIZE);
		if (rc < 0)
			return error_set(err, EINVAL, "It ends within its header.");
		rc = pd_header_parse(raw, PD_HEADER_SIZE, &f->header, err);
	}
	if (rc < 0)
		return rc;
	if (!f->header.pipe && !f->bytes.seekable)
		return error_set(err, ESPIPE,
				 "It is a file, whose parts lie apart, and does not come through a pipe: use -i FILE.");
	if (!f->header.pipe)
		return read_file_mode(f, err);
	f->data_begin = PD_PIPE_HEADER_SIZE;
	f->data_end = f->bytes.size;
	return 0;
}
