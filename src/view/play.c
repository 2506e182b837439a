/* The keys that control the playback of recordings. */
#include "view/screen.h"

#include <inttypes.h>

static const double speed_min = 1.0 / 16, speed_max = 1024;

static bool is_recording(const struct press *p)
{
	if (p->in->info->playable)
		return true;
	state_say(p->st, "This key works in recordings only (cyctop -i FILE); Space freezes the screen.");
	return false;
}

/* Plays a recording from the beginning of the stretch that is shown; without a stretch, from its own beginning. */
static unsigned play_whole_from(const struct press *p)
{
	struct view_state *st = p->st;
	uint64_t begin_ns = p->in->past.extent.from_ns, from_ns = st->query.stretch.from_ns;
	st->query.stretch = (struct stretch){0};
	if (st->query.window == WINDOW_TOTAL)
		st->query.window = WINDOW_SLIDING;
	st->play.paused = false;
	st->play.speed = 1;
	state_say(st, "This is played as it was recorded: + faster, Space stops, End shows the whole again.");
	return play_go(p, from_ns > begin_ns ? from_ns - begin_ns : 0);
}

unsigned act_pause(const struct press *p)
{
	if (!is_recording(p))
		return REACT_REDRAW;
	if (play_whole(p->st, p->in))
		return play_whole_from(p);
	if (play_at_end(p->in))
		return state_say(p->st, "This is the end of the recording: [ goes back, : goes to a time.");
	p->st->play.paused ^= true;
	return REACT_PLAY | REACT_REDRAW;
}

unsigned play_go(const struct press *p, uint64_t to_ns)
{
	struct view_state *st = p->st;
	if (p->in->play_of_ns && to_ns >= p->in->play_of_ns)
		state_say(st, "End of the recording: [ goes back, : goes to a time, q leaves.");
	st->play.seek = true;
	st->play.to_ns = to_ns;
	return REACT_PLAY | REACT_REDRAW;
}

static uint64_t step_ns(const struct view_input *in)
{
	uint64_t tenth_ns = in->play_of_ns / 10;
	return tenth_ns && tenth_ns < PLAY_STEP_NS ? tenth_ns : PLAY_STEP_NS;
}

unsigned act_seek_back(const struct press *p)
{
	uint64_t at_ns = p->in->play_at_ns, step = step_ns(p->in);
	if (!is_recording(p))
		return REACT_REDRAW;
	if (play_at_end(p->in))
		at_ns = p->in->play_of_ns;
	return play_go(p, at_ns > step ? at_ns - step : 0);
}

unsigned act_seek_on(const struct press *p)
{
	if (!is_recording(p))
		return REACT_REDRAW;
	if (play_at_end(p->in))
		return state_say(p->st, "This is the end of the recording: [ goes back, : goes to a time.");
	return play_go(p, p->in->play_at_ns + step_ns(p->in));
}

/* Requests a sampling rate of `factor` (a power of two) times the present one.  The default rate is not in step with
 * timers of round frequencies; its multiples by powers of two are not, either. */
static unsigned rate(const struct press *p, double factor)
{
	uint64_t now = p->in->info->rate_hz;
	if (p->in->over)
		return state_say(p->st, "All that was to be measured has ended: no more samples are taken.");
	if (!now)
		return state_say(p->st, "A sample is taken each %" PRIu64 " events (-c), not so many times a second.",
				 p->in->info->period);
	p->st->rate_hz = (uint64_t)((double)now * factor);
	if (!p->st->rate_hz)
		p->st->rate_hz = 1;
	return REACT_RATE | REACT_REDRAW;
}

static unsigned speed(const struct press *p, double factor)
{
	struct view_state *st = p->st;
	if (p->in->rate_change)
		return rate(p, factor);
	if (!is_recording(p))
		return REACT_REDRAW;
	double next = st->play.speed * factor;
	if (st->play.speed <= 0 || next < speed_min || next > speed_max)
		return state_say(st, st->play.speed <= 0 ? "The whole recording is shown at once: Space plays it."
							 : "The speed goes from 1/16 to 1024.");
	st->play.speed = next;
	return REACT_PLAY | REACT_REDRAW;
}

unsigned act_slower(const struct press *p)
{
	return speed(p, 0.5);
}

unsigned act_faster(const struct press *p)
{
	return speed(p, 2);
}
