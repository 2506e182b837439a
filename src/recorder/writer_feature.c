#include "recorder/writer.h"

#include "base/alloc.h"

bool feature_bytes(const struct writer *w, unsigned feature, struct pd_buffer *out)
{
	for (size_t i = 0; i < w->extra.n; i++)
		if (w->extra.data[i].id == feature) {
			pd_buffer_add(out, w->extra.data[i].bytes.data, w->extra.data[i].bytes.n);
			return true;
		}
	return pd_feature_encode(w->info, feature, out);
}

void writer_feature(struct writer *w, unsigned feature, const void *bytes, size_t n)
{
	struct extra_feature *f = &vec_push(&w->extra);
	*f = (struct extra_feature){.id = feature};
	pd_buffer_add(&f->bytes, bytes, n);
}
