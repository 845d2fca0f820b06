/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * schedule.c - the time of the next sweep, and its reason.
 * Room: sm/subnet.  In: requests of all rooms.  Out: deadlines that sm/manager acts on.
 */
#include <config.h>
#include <stdio.h>
#include "sm/conf/conf.h"
#include "sm/subnet/subnet.h"

void
schedule_init(struct schedule *s)
{
	*s = (struct schedule){ .next_sweep = MONOTIME_NEVER, .trap_sweep = MONOTIME_NEVER, .election = MONOTIME_NEVER };
	s->last_start = s->last_election = (struct monotime){ INT64_MIN / 2 };
}

void
schedule_want(struct subnet *n, const char *why)
{
	n->schedule.want = true;
	snprintf(n->schedule.why, sizeof(n->schedule.why), "%s", why);
}

static void
add_place(struct schedule_places *p, uint64_t guid)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->guids[i] == guid)
			return;
	if (p->n < SCHEDULE_PLACES_MAX)
		p->guids[p->n++] = guid;
	else
		p->whole = true;
}

static void
look_again(struct subnet *n, const char *why)
{
	struct schedule *s = &n->schedule;
	struct monotime at =
		monotime_add_us(s->last_start, (int64_t)n->conf->sweep_holddown_ms * 1000);

	if (at.us < n->now.us)
		at = n->now;
	if (at.us < s->trap_sweep.us) {
		s->trap_sweep = at;
		snprintf(s->why, sizeof(s->why), "%s", why);
	}
}

void
schedule_look_again(struct subnet *n, const char *why)
{
	if (!subnet_is_master(n))
		return;
	n->schedule.places.whole = true;
	look_again(n, why);
}

void
schedule_look_at(struct subnet *n, const char *why, uint64_t node_guid)
{
	if (!subnet_is_master(n))
		return;
	add_place(&n->schedule.places, node_guid);
	look_again(n, why);
}

void
schedule_election(struct subnet *n)
{
	struct schedule *s = &n->schedule;
	/* For a master it is not urgent: it hands over only after a sweep of its own. */
	int64_t holddown_us =
		(int64_t)n->conf->sweep_holddown_ms * (subnet_is_master(n) ? 10000 : 1000);
	struct monotime at = monotime_add_us(s->last_election, holddown_us);

	s->election = monotime_min(s->election, monotime_reached(n->now, at) ? n->now : at);
}

void
schedule_begun(struct subnet *n)
{
	struct schedule *s = &n->schedule;

	s->want = false;
	s->places.n = 0;
	s->places.whole = false;
	s->trap_sweep = s->next_sweep = s->election = MONOTIME_NEVER;
	s->last_start = n->now;
}

void
schedule_clear(struct subnet *n)
{
	struct schedule *s = &n->schedule;

	s->next_sweep = s->trap_sweep = s->election = MONOTIME_NEVER;
	s->want = false;
	s->places.n = 0;
	s->places.whole = false;
}
