/* What the keys do to a recording that is being played. */
#include "view/internal.h"

#include "base/fmt.h"

#include <stdio.h>

static const int64_t step_ns = 10000000000;
static const double speed_min = 1.0 / 16, speed_max = 1024;

static bool is_recording(struct view_state *st, const struct view_input *in)
{
	if (in->info->kind == SOURCE_FILE)
		return true;
	state_say(st, "Only a recording can be paused, wound and sped up (cyctop -i FILE); Space freezes the screen.");
	return false;
}

void play_text(const struct view_state *st, const struct view_input *in, char *buf, size_t cap)
{
	char at[24], of[24], speed[24] = "";
	fmt_duration(at, sizeof(at), in->play_at_ns);
	fmt_duration(of, sizeof(of), in->play_of_ns);
	if (st->play.speed > 0 && st->play.speed != 1)
		snprintf(speed, sizeof(speed), "  x%g", st->play.speed);
	snprintf(buf, cap, "%s%s%s%s%s", at, in->play_of_ns ? " of " : "", in->play_of_ns ? of : "", speed,
		 st->play.paused ? "  paused" : "");
}

unsigned act_pause(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev)
{
	(void)g, (void)ev;
	if (!is_recording(st, in))
		return REACT_REDRAW;
	st->play.paused = !st->play.paused;
	return REACT_PLAY | REACT_REDRAW;
}

static unsigned seek(struct view_state *st, const struct view_input *in, int64_t by_ns)
{
	if (!is_recording(st, in))
		return REACT_REDRAW;
	st->play.seek_ns += by_ns;
	return REACT_PLAY | REACT_REDRAW;
}

unsigned act_seek_back(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct input_event *ev)
{
	(void)g, (void)ev;
	return seek(st, in, -step_ns);
}

unsigned act_seek_on(struct view_state *st, const struct view_input *in, const struct grid *g,
		     const struct input_event *ev)
{
	(void)g, (void)ev;
	return seek(st, in, step_ns);
}

static unsigned speed(struct view_state *st, const struct view_input *in, double factor)
{
	if (!is_recording(st, in))
		return REACT_REDRAW;
	double next = st->play.speed * factor;
	if (st->play.speed <= 0 || next < speed_min || next > speed_max) {
		state_say(st, st->play.speed <= 0
				      ? "The whole recording is shown at once; start with --speed 1 to play it."
				      : "That is as far as the speed goes.");
		return REACT_REDRAW;
	}
	st->play.speed = next;
	return REACT_PLAY | REACT_REDRAW;
}

unsigned act_slower(struct view_state *st, const struct view_input *in, const struct grid *g,
		    const struct input_event *ev)
{
	(void)g, (void)ev;
	return speed(st, in, 0.5);
}

unsigned act_faster(struct view_state *st, const struct view_input *in, const struct grid *g,
		    const struct input_event *ev)
{
	(void)g, (void)ev;
	return speed(st, in, 2);
}
