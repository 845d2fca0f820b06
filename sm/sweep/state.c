/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * state.c - the state of a sweep, and the times of its phases.
 * Room: sm/sweep.
 */
#include <config.h>
#include "sm/sweep/state.h"

const char *
sweep_state_text(enum sweep_state s)
{
	static const char *const text[SWEEP_STATE_COUNT] = {
#define S(name) [SWEEP_##name] = #name,
		SWEEP_STATES(S)
#undef S
	};

	return s < SWEEP_STATE_COUNT ? text[s] : "?";
}

void
sweep_set_state(struct sweep *w, enum sweep_state to)
{
	if (to != w->state)
		log_line(w->net->log, LOG_TRACE, "sweep", "state %s -> %s",
			sweep_state_text(w->state), sweep_state_text(to));
	w->state = to;
}

void
sweep_phase_begin(struct sweep *w)
{
	w->phase_began.us = subnet_clock_us(w->net);
}

void
sweep_phase_end(struct sweep *w, enum sweep_phase p)
{
	int64_t t = subnet_clock_us(w->net);

	w->cur.phase_us[p] = t - w->phase_began.us;
	w->phase_began.us = t;
}

void
sweep_phase_add(struct sweep *w, enum sweep_phase p)
{
	int64_t t = subnet_clock_us(w->net);

	w->cur.phase_us[p] += t - w->phase_began.us;
	w->phase_began.us = t;
}

bool
sweep_is_unsure(const struct sweep *w)
{
	return w->net->served.unsure || !monotime_reached(w->last.started, w->net->other_master);
}
