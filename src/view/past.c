/* The keys that choose which time range of the past the panes show (struct stretch), and the range of the timeline. */
#include "view/screen.h"

#include "base/fmt.h"

#define SECOND UINT64_C(1000000000)

/* the timeline covers at most SPAN times the stretch, but more if its columns would become shorter than an interval */
enum { SPAN = 16 };

/* The durations that columns of the timeline and stretches can have. */
static const uint64_t lengths_ns[] = {
	SECOND / 10,   SECOND / 5,    SECOND / 2,    SECOND,	     2 * SECOND,     5 * SECOND,     10 * SECOND,
	20 * SECOND,   30 * SECOND,   60 * SECOND,   120 * SECOND,   300 * SECOND,   600 * SECOND,   1200 * SECOND,
	1800 * SECOND, 3600 * SECOND, 7200 * SECOND, 14400 * SECOND, 28800 * SECOND, 86400 * SECOND,
};

static uint64_t length_from(uint64_t ns)
{
	size_t i = 0;
	while (i + 1 < ARRAY_LEN(lengths_ns) && lengths_ns[i] < ns)
		i++;
	return lengths_ns[i];
}

static uint64_t length_below(uint64_t ns)
{
	size_t i = ARRAY_LEN(lengths_ns) - 1;
	while (i > 0 && lengths_ns[i] >= ns)
		i--;
	return lengths_ns[i];
}

/* Returns the length of the stretch.  Without a stretch, returns that of the sliding window or, if a recording is shown
 * as a whole, a tenth of the recording. */
static uint64_t stretch_ns(const struct view_state *st, const struct view_input *in)
{
	const struct stretch *s = &st->query.stretch, *kept = &in->past.extent;
	if (s->to_ns)
		return s->to_ns - s->from_ns;
	if (play_whole(st, in))
		return length_below((kept->to_ns - kept->from_ns) / 10 + 1);
	return st->query.window == WINDOW_SLIDING ? st->query.sliding_ns : 5 * SECOND;
}

void view_past_plan(struct view_state *st, const struct view_input *in, int rows, int cols, struct view_past *ret)
{
	struct layout l;
	ret->n = 0;
	layout_for(st, in, rows, cols, &l);
	if (l.past < 0)
		return;
	uint64_t n = (uint64_t)past_width(in, cols), least = length_from(in->delay_ns);
	ret->n = (size_t)n;
	ret->event = past_event(in);
	if (play_whole(st, in)) {
		ret->from_ns = ret->extent.from_ns;
		ret->column_ns = (ret->extent.to_ns - ret->extent.from_ns) / n + 1;
		return;
	}
	uint64_t column_ns = length_below(stretch_ns(st, in) * SPAN / n + 1);
	while (column_ns > least && n * column_ns > in->past.extent.to_ns) /* nothing lies before time 0 */
		column_ns = length_below(column_ns);
	column_ns = column_ns > least ? column_ns : least;
	/* The timeline begins at a multiple of a column's length, so that columns keep their values as time goes on. */
	uint64_t end = (in->past.extent.to_ns + column_ns - 1) / column_ns;
	if (st->query.stretch.to_ns && st->query.stretch.from_ns / column_ns + n < end + n / 4)
		end = st->query.stretch.from_ns / column_ns + n - n / 4;
	uint64_t newest = (in->past.extent.to_ns + column_ns - 1) / column_ns;
	end = end > newest ? newest : end;
	ret->column_ns = column_ns;
	ret->from_ns = end > n ? (end - n) * column_ns : 0;
}

/* ---- handling the keys that move, widen and narrow the stretch ---------------------------------------------- */

static unsigned say_stretch(const struct press *p)
{
	char length[32], ago[32];
	const struct stretch *s = &p->st->query.stretch;
	seconds_text(length, sizeof(length), (double)(s->to_ns - s->from_ns));
	if (play_whole(p->st, p->in)) {
		state_say(p->st, "%s of the recording: [ ] move, { } widen and narrow it, 0 shows all, Space plays.",
			  length);
		return REACT_QUERY | REACT_REDRAW;
	}
	uint64_t now_ns = p->in->past.extent.to_ns;
	fmt_duration(ago, sizeof(ago), now_ns > s->to_ns ? now_ns - s->to_ns : 0);
	state_say(p->st, "%s, up to %s ago: [ ] move it, { } widen and narrow it, 0 returns to now.", length, ago);
	return REACT_QUERY | REACT_REDRAW;
}

/* Shows the stretch of length `ns` that ends at `to_ns`, moved into the time range of which data is kept. */
static unsigned go(const struct press *p, uint64_t ns, uint64_t to_ns)
{
	struct stretch kept = p->in->past.extent, *s = &p->st->query.stretch;
	uint64_t whole = kept.to_ns - kept.from_ns;
	ns = ns < whole ? ns : whole;
	to_ns = to_ns < kept.to_ns ? to_ns : kept.to_ns;
	bool first = to_ns - kept.from_ns < ns || to_ns < kept.from_ns;
	if (first)
		to_ns = kept.from_ns + ns;
	*s = (struct stretch){to_ns - ns, to_ns};
	return say_stretch(p);
}

static bool has_past(const struct press *p)
{
	if (p->in->past.extent.to_ns > p->in->past.extent.from_ns)
		return true;
	state_say(p->st, "Nothing was measured yet.");
	return false;
}

unsigned act_whole(const struct press *p)
{
	struct view_state *st = p->st;
	if (play_whole(st, p->in))
		return act_now(p);
	st->query.window = WINDOW_TOTAL;
	st->query.stretch = (struct stretch){0};
	st->play.speed = 0;
	st->play.paused = false;
	state_say(st, "All of the recording: [ ] show a part of it, Space plays it.");
	st->play.seek = true;
	st->play.to_ns = UINT64_MAX;
	return REACT_PLAY | REACT_REDRAW;
}

unsigned act_now(const struct press *p)
{
	bool whole = play_whole(p->st, p->in);
	if (!p->st->query.stretch.to_ns && !whole && p->in->info->playable)
		return act_whole(p);
	if (!p->st->query.stretch.to_ns)
		return state_say(p->st, whole ? "This is all of the recording.  ] shows its first part, [ its last one."
					      : "This is now.  [ shows what was before.");
	p->st->query.stretch = (struct stretch){0};
	state_say(p->st, whole ? "All of the recording." : "Back to now.");
	return REACT_QUERY | REACT_REDRAW;
}

/* Returns true if the keys [ and ] move the position of playback: a recording is played, and no stretch is shown. */
static bool plays(const struct press *p)
{
	return p->in->info->playable && !play_whole(p->st, p->in) && !p->st->query.stretch.to_ns;
}

unsigned act_earlier(const struct press *p)
{
	const struct stretch *s = &p->st->query.stretch, *kept = &p->in->past.extent;
	if (plays(p))
		return act_seek_back(p);
	if (!has_past(p))
		return REACT_REDRAW;
	bool whole = play_whole(p->st, p->in);
	uint64_t ns = stretch_ns(p->st, p->in), to_ns = s->to_ns ? s->to_ns : kept->to_ns;
	if (s->to_ns && s->from_ns <= kept->from_ns)
		return state_say(p->st, whole ? "This is the beginning of the recording."
					      : "This is the oldest that is kept; --history MB keeps more.");
	if (whole && !s->to_ns) /* the first stretch is the end of the recording */
		return go(p, ns, to_ns);
	return go(p, ns, to_ns > ns ? to_ns - ns : 0);
}

unsigned act_later(const struct press *p)
{
	const struct stretch *s = &p->st->query.stretch;
	if (plays(p))
		return act_seek_on(p);
	uint64_t ns = stretch_ns(p->st, p->in);
	if (!s->to_ns && play_whole(p->st, p->in))
		return go(p, ns, p->in->past.extent.from_ns + ns);
	if (!s->to_ns || s->to_ns >= p->in->past.extent.to_ns)
		return act_now(p);
	return go(p, ns, s->to_ns + ns);
}

/* Shows the stretch that begins `at_ns` after the beginning of a recording that is shown as a whole. */
static unsigned past_go(const struct press *p, uint64_t at_ns)
{
	uint64_t ns = stretch_ns(p->st, p->in);
	return go(p, ns, u64_add_sat(u64_add_sat(p->in->past.extent.from_ns, at_ns), ns));
}

/* Shows the stretch of a live measurement that begins at the time that was typed. */
static unsigned past_typed(const struct press *p)
{
	const struct stretch *kept = &p->in->past.extent;
	uint64_t at_ns, ns = stretch_ns(p->st, p->in);
	if (!p->in->snap || !has_past(p))
		return REACT_REDRAW;
	if (!live_time_parse(p->in, p->st->input, &at_ns))
		return state_say(p->st,
				 "A time is 12:01 or 12:01:05, or as long ago as -90 (seconds) or -1:30; not \"%s\".",
				 p->st->input);
	unsigned react = go(p, ns, u64_add_sat(at_ns, ns));
	if (at_ns + ns < kept->from_ns)
		state_say(p->st, "So far back nothing is kept; this is the oldest (--history MB keeps more).");
	return react;
}

unsigned time_typed(const struct press *p)
{
	uint64_t to_ns;
	if (!p->st->input[0])
		return REACT_REDRAW;
	if (!p->in->info->playable)
		return past_typed(p);
	if (!play_time_parse(p->st->input, p->in->play_of_ns, &to_ns))
		return state_say(
			p->st,
			"A time is written as 63, 1:03 or 0:01:03.5, or as a part of the whole: 90%%; not \"%s\".",
			p->st->input);
	return play_whole(p->st, p->in) ? past_go(p, to_ns) : play_go(p, to_ns);
}

unsigned past_click(const struct press *p)
{
	const struct view_past *past = &p->in->past;
	int x = past_column(p->in, p->g->cols, p->ev->col);
	if (x < 0)
		return REACT_REDRAW;
	uint64_t ns = stretch_ns(p->st, p->in),
		 at_ns = past->from_ns + (uint64_t)x * past->column_ns + past->column_ns / 2;
	if (plays(p))
		return play_go(p, u64_sub_sat(at_ns, past->extent.from_ns));
	return go(p, ns, u64_add_sat(at_ns, ns / 2));
}

/* Makes the live window longer or shorter. */
static unsigned resize_window(const struct press *p, bool wider)
{
	struct query *q = &p->st->query;
	char length[32];
	uint64_t next = q->sliding_ns;
	if (q->window == WINDOW_SLIDING)
		next = wider ? length_from(next + 1) : length_below(next);
	if (next > 3600 * SECOND || next < SECOND || next < p->in->delay_ns)
		return state_say(p->st, wider ? "No longer window: i shows all since the start, [ the past."
					      : "No shorter window: i shows the last interval, d changes its length.");
	q->window = WINDOW_SLIDING;
	q->sliding_ns = next;
	seconds_text(length, sizeof(length), (double)next);
	state_say(p->st, "Window: the last %s: { } longer and shorter, i the last interval and all, [ the past.",
		  length);
	return REACT_QUERY | REACT_REDRAW;
}

/* Changes the length of the stretch, around its middle; a stretch that ends at the present keeps its end. */
static unsigned resize(const struct press *p, uint64_t ns)
{
	const struct stretch *s = &p->st->query.stretch, *kept = &p->in->past.extent;
	if (!s->to_ns || s->to_ns >= kept->to_ns)
		return go(p, ns, kept->to_ns);
	uint64_t was = stretch_ns(p->st, p->in);
	return go(p, ns, ns > was ? s->to_ns + (ns - was) / 2 : s->to_ns - (was - ns) / 2);
}

unsigned act_widen(const struct press *p)
{
	const struct stretch *kept = &p->in->past.extent;
	if (!has_past(p))
		return REACT_REDRAW;
	bool whole = play_whole(p->st, p->in);
	if (whole && !p->st->query.stretch.to_ns)
		return act_now(p);
	if (!p->in->info->playable && !p->st->query.stretch.to_ns)
		return resize_window(p, true);
	if (stretch_ns(p->st, p->in) >= kept->to_ns - kept->from_ns && p->st->query.stretch.to_ns)
		return state_say(p->st, whole ? "This is all of the recording."
					      : "This is all that is kept; 0 returns to now.");
	return resize(p, length_from(stretch_ns(p->st, p->in) + 1));
}

unsigned act_narrow(const struct press *p)
{
	const struct snapshot *snap = p->in->snap;
	uint64_t ns = stretch_ns(p->st, p->in), next = length_below(ns);
	if (!has_past(p))
		return REACT_REDRAW;
	if (!p->in->info->playable && !p->st->query.stretch.to_ns)
		return resize_window(p, false);
	/* Old intervals are joined into longer ones.  Where those shown are already longer than the stretch, a shorter
	 * stretch would show the same. */
	bool least = p->st->query.stretch.to_ns && snap && (double)(snap->end_ns - snap->start_ns) > 1.5 * (double)ns;
	if (least || next >= ns)
		return state_say(p->st,
				 "No shorter time can be shown here: the older the time, the longer the intervals that "
				 "are kept.");
	return resize(p, next);
}
