/* Goes to a time of a recording: replays the recording up to it, and shows only the intervals just before. */
#include <cyctop/session.h>

#include <errno.h>

int session_rewind(struct session *s)
{
	int rc = session_source(s)->ops->playback->seek(session_source(s), 0);
	if (rc > 0)
		session_rewound(s);
	return rc < 0 ? rc : 0;
}

int session_seek(struct session *s, uint64_t to_ns, uint64_t window_ns)
{
	struct source *source = session_source(s);
	const struct playback_ops *playback = source->ops->playback;
	uint64_t first_ns, end_ns, from_ns = to_ns > window_ns ? to_ns - window_ns : 0;
	playback->extent(source, &first_ns, &end_ns);
	if (!first_ns)
		return -ENODATA;
	if (u64_add_sat(first_ns, to_ns) < session_now_ns(s)) {
		int rc = session_rewind(s);
		if (rc < 0)
			return rc;
	}
	/* The records before the window become one interval, so that the total is complete. */
	if (u64_add_sat(first_ns, from_ns) > session_now_ns(s)) {
		playback->seek(source, from_ns);
		session_tick(s);
	}
	playback->seek(source, to_ns);
	if (playback->behind(source))
		session_reset(s);
	else
		session_tick(s);
	return 0;
}
