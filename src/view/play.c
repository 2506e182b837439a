/* Playback of recordings: the keys, and the position in the title. */
#include "view/screen.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A step is 10 s, or a tenth of a recording that is shorter than 100 s. */
static const uint64_t step_max_ns = 10000000000u;
static const double speed_min = 1.0 / 16, speed_max = 1024;

static bool is_recording(const struct press *p)
{
	if (p->in->info->playable)
		return true;
	state_say(p->st, "This key works in recordings only (cyctop -i FILE); Space freezes the screen.");
	return false;
}

bool play_whole(const struct view_state *st, const struct view_input *in)
{
	return in->info->playable && st->play.speed <= 0;
}

static bool at_end(const struct view_input *in)
{
	return in->play_of_ns && in->play_at_ns >= in->play_of_ns;
}

/* Writes a position in a recording; with tenths of a second in a short recording, whose steps are that small. */
void position_text(char *buf, size_t cap, uint64_t ns, bool tenths)
{
	char seconds[24];
	if (!tenths) {
		fmt_duration(buf, cap, ns);
		return;
	}
	uint64_t tenth = ns / 100000000u; /* rounded down, so that a position is not later than what is shown */
	fmt_fixed(seconds, sizeof(seconds), (double)tenth / 10, 1);
	snprintf(buf, cap, "%s s", seconds);
}

void play_text(const struct view_state *st, const struct view_input *in, char *buf, size_t cap)
{
	char at[32], of[32], speed[24] = "";
	/* Playback ends with a whole interval, which may end after the recording: show at most its length. */
	bool end = at_end(in), tenths = in->play_of_ns && in->play_of_ns < 10 * step_max_ns;
	position_text(at, sizeof(at), end ? in->play_of_ns : in->play_at_ns, tenths);
	position_text(of, sizeof(of), in->play_of_ns, tenths);
	if (play_whole(st, in)) {
		snprintf(buf, cap, "%s", in->play_of_ns ? of : at);
		return;
	}
	if (st->play.speed > 0 && st->play.speed != 1)
		snprintf(speed, sizeof(speed), "  x%g", st->play.speed);
	snprintf(buf, cap, "%s%s%s%s%s", at, in->play_of_ns ? " of " : "", in->play_of_ns ? of : "", speed,
		 end		   ? "  end of recording"
		 : st->play.paused ? "  paused"
				   : "");
}

/* Plays from the beginning of the stretch that is shown, or of the recording. */
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
	if (at_end(p->in)) {
		state_say(p->st, "This is the end of the recording: [ goes back, g goes to a time.");
		return REACT_REDRAW;
	}
	p->st->play.paused ^= true;
	return REACT_PLAY | REACT_REDRAW;
}

unsigned play_go(const struct press *p, uint64_t to_ns)
{
	struct view_state *st = p->st;
	if (p->in->play_of_ns && to_ns >= p->in->play_of_ns)
		state_say(st, "End of the recording: [ goes back, g goes to a time, q leaves.");
	st->play.seek = true;
	st->play.to_ns = to_ns;
	return REACT_PLAY | REACT_REDRAW;
}

static uint64_t step_ns(const struct view_input *in)
{
	uint64_t tenth_ns = in->play_of_ns / 10;
	return tenth_ns && tenth_ns < step_max_ns ? tenth_ns : step_max_ns;
}

unsigned act_seek_back(const struct press *p)
{
	uint64_t at_ns = p->in->play_at_ns, step = step_ns(p->in);
	if (!is_recording(p))
		return REACT_REDRAW;
	if (at_end(p->in))
		at_ns = p->in->play_of_ns;
	return play_go(p, at_ns > step ? at_ns - step : 0);
}

unsigned act_seek_on(const struct press *p)
{
	if (!is_recording(p))
		return REACT_REDRAW;
	if (at_end(p->in)) {
		state_say(p->st, "This is the end of the recording: [ goes back, g goes to a time.");
		return REACT_REDRAW;
	}
	return play_go(p, p->in->play_at_ns + step_ns(p->in));
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

bool play_time_parse(const char *text, uint64_t of_ns, uint64_t *ret)
{
	enum { PARTS_MAX = 3 };
	double total = 0;
	int parts = 0;
	for (const char *s = text; *s; s++) {
		char digits[16];
		size_t n = strspn(s, "0123456789.,");
		if (!n || n >= sizeof(digits) || ++parts > PARTS_MAX)
			return false;
		double number = 0, unit = 1;
		bool fraction = false, any = false;
		for (size_t i = 0; i < n; i++) {
			bool point = s[i] == '.' || s[i] == ',';
			if (point && fraction)
				return false;
			fraction |= point;
			if (point)
				continue;
			any = true;
			unit = fraction ? unit / 10 : unit;
			number = fraction ? number + unit * (s[i] - '0') : number * 10 + (s[i] - '0');
		}
		s += n;
		if (!any)
			return false;
		if (*s == '%' && !s[1] && parts == 1 && of_ns && number <= 100) {
			*ret = (uint64_t)((double)of_ns * number / 100);
			return true;
		}
		total = total * 60 + number;
		if (!*s) {
			*ret = total < 1e9 ? (uint64_t)(total * 1e9) : UINT64_MAX;
			return true;
		}
		if (*s != ':' || fraction)
			return false;
	}
	return false;
}

unsigned play_typed(const struct press *p)
{
	uint64_t to_ns;
	if (!p->st->input[0])
		return REACT_REDRAW;
	if (!p->in->info->playable)
		return past_typed(p);
	if (!play_time_parse(p->st->input, p->in->play_of_ns, &to_ns)) {
		state_say(p->st,
			  "A time is written as 63, 1:03 or 0:01:03.5, or as a part of the whole: 90%%; not \"%s\".",
			  p->st->input);
		return REACT_REDRAW;
	}
	return play_whole(p->st, p->in) ? past_go(p, to_ns) : play_go(p, to_ns);
}

/* Asks for another rate of sampling.  A rate in step with timers is avoided by the usual one times a power of two. */
static unsigned rate(const struct press *p, double factor)
{
	uint64_t now = p->in->info->rate_hz;
	if (!now) {
		state_say(p->st, "A sample is taken each %" PRIu64 " events (-c), not so many times a second.",
			  p->in->info->period);
		return REACT_REDRAW;
	}
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
	if (st->play.speed <= 0 || next < speed_min || next > speed_max) {
		state_say(st, st->play.speed <= 0 ? "The whole recording is shown at once: Space plays it."
						  : "The speed goes from 1/16 to 1024.");
		return REACT_REDRAW;
	}
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
