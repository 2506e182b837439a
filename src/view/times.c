/* Times as text: the time range that is shown, the position in a recording; and times that are typed. */
#include "view/screen.h"

#include "base/fmt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

void seconds_text(char *buf, size_t cap, double ns)
{
	double s = ns / 1e9;
	char digits[32];
	if (s >= 60) {
		fmt_duration(buf, cap, (uint64_t)ns);
		return;
	}
	bool whole = s >= 10 || fabs(s - round(s)) < 0.05;
	fmt_fixed(digits, sizeof(digits), s, whole ? 0 : 1);
	snprintf(buf, cap, "%s s", digits);
}

bool play_whole(const struct view_state *st, const struct view_input *in)
{
	return in->info->playable && st->play.speed <= 0;
}

bool play_at_end(const struct view_input *in)
{
	return in->play_of_ns && in->play_at_ns >= in->play_of_ns;
}

/* Writes a time since the beginning of a recording: "1:03", with tenths "63.2 s". */
static void position_text(char *buf, size_t cap, uint64_t ns, bool tenths)
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
	/* The last interval may end after the recording: show at most the recording's length. */
	bool end = play_at_end(in), tenths = in->play_of_ns && in->play_of_ns < 10 * PLAY_STEP_NS;
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

/* Writes a time of day, "12:01:05"; in a recording, or if that is not known, the time since the beginning. */
static void clock_text(const struct view_input *in, uint64_t ns, bool tenths, char *buf, size_t cap)
{
	if (in->info->playable || !in->utc_ns) {
		uint64_t at_ns = ns + (in->info->playable ? in->play_at_ns : in->uptime_ns);
		position_text(buf, cap, u64_sub_sat(at_ns, in->past.extent.to_ns), tenths);
		return;
	}
	uint64_t local_ns = in->utc_ns - (in->snap->end_ns - ns) + (uint64_t)(in->local_s * (int64_t)SECOND);
	local_ns += tenths ? SECOND / 20 : SECOND / 2;
	uint64_t day_s = local_ns / SECOND % 86400;
	int n = snprintf(buf, cap, "%02u:%02u:%02u", (unsigned)(day_s / 3600), (unsigned)(day_s / 60 % 60),
			 (unsigned)(day_s % 60));
	if (tenths && n > 0 && (size_t)n < cap)
		snprintf(buf + n, cap - (size_t)n, ".%u", (unsigned)(local_ns % SECOND / (SECOND / 10)));
}

void view_stretch_text(const struct view_input *in, uint64_t from_ns, uint64_t to_ns, char *buf, size_t cap)
{
	char from[32], to[32];
	bool tenths = to_ns - from_ns < 3 * SECOND;
	clock_text(in, from_ns, tenths, from, sizeof(from));
	clock_text(in, to_ns, tenths, to, sizeof(to));
	snprintf(buf, cap, "%s to %s", from, to);
}

/* Writes the time range of the past that is shown: "12:01:05 to 12:01:10 (5 s)". */
static void past_text(const struct view_input *in, char *buf, size_t cap)
{
	char times[64], length[32];
	if (!in->snap || in->snap->end_ns <= in->snap->start_ns) {
		snprintf(buf, cap, "the past");
		return;
	}
	view_stretch_text(in, in->snap->start_ns, in->snap->end_ns, times, sizeof(times));
	seconds_text(length, sizeof(length), (double)(in->snap->end_ns - in->snap->start_ns));
	snprintf(buf, cap, "%s (%s)", times, length);
}

void window_text(const struct view_state *st, const struct view_input *in, char *buf, size_t cap)
{
	char time[40];
	double asked = (double)st->query.sliding_ns;
	double real = in->snap ? window_ns(in->snap) : 0;
	enum window window = st->query.window;
	if (in->comparison && in->comparison->tables_n) { /* in a comparison the window is as long as the tests need */
		window = WINDOW_SLIDING;
		asked = real;
	}
	if (st->query.stretch.to_ns) {
		past_text(in, buf, cap);
		return;
	}
	switch (window) {
	case WINDOW_SLIDING:
		/* Intervals do not end exactly on time.  Show the requested length if the real
		 * one is close to it, so that the number does not flicker. */
		if (real <= 0 || fabs(real - asked) < 0.15 * asked)
			real = asked;
		seconds_text(time, sizeof(time), real);
		snprintf(buf, cap, "last %s", time);
		break;
	case WINDOW_INTERVAL:
		snprintf(buf, cap, "last interval");
		break;
	case WINDOW_TOTAL:
		snprintf(buf, cap, play_whole(st, in) ? "all of it" : "since start");
		break;
	}
}

/* ---- parsing times that users type ---------------------------------------------------------- */

bool decimal_parse(const char **s, double *ret, bool *fraction_ret)
{
	double number = 0, unit = 1;
	bool fraction = false, any = false;
	for (; (**s >= '0' && **s <= '9') || ((**s == '.' || **s == ',') && !fraction); ++*s) {
		int digit = **s - '0';
		if (**s == '.' || **s == ',') {
			fraction = true;
			continue;
		}
		any = true;
		unit = fraction ? unit / 10 : unit;
		number = fraction ? number + unit * digit : number * 10 + digit;
	}
	*ret = number;
	*fraction_ret = fraction;
	return any;
}

bool play_time_parse(const char *text, uint64_t of_ns, uint64_t *ret)
{
	enum { PARTS_MAX = 3 };
	double total = 0;
	int parts = 0;
	for (const char *s = text; *s; s++) {
		double number;
		bool fraction;
		if (++parts > PARTS_MAX || !decimal_parse(&s, &number, &fraction))
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

bool live_time_parse(const struct view_input *in, const char *text, uint64_t *ret)
{
	const uint64_t day_ns = 86400 * SECOND;
	const char *colon = strchr(text, ':');
	bool ago = *text == '-', minutes = colon && !strchr(colon + 1, ':');
	uint64_t ns;
	if (!play_time_parse(text + ago, 0, &ns))
		return false;
	if (ago) {
		*ret = u64_sub_sat(in->past.extent.to_ns, ns);
		return true;
	}
	ns = minutes && in->utc_ns ? ns * 60 : ns;
	if (!in->utc_ns) {
		*ret = u64_add_sat(u64_sub_sat(in->past.extent.to_ns, in->uptime_ns), ns);
		return true;
	}
	if (!colon || ns >= day_ns)
		return false;
	uint64_t now_ns = (in->utc_ns + (uint64_t)(in->local_s * (int64_t)SECOND)) % day_ns;
	now_ns += in->past.extent.to_ns - in->snap->end_ns;
	*ret = u64_sub_sat(in->past.extent.to_ns, (now_ns + day_ns - ns) % day_ns);
	return true;
}
