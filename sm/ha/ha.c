/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ha.c - who is master.
 * Room: sm/ha.  Pure.  In: SMInfos of others, polls, Set(SMInfo), time.  Out: what to do next.
 * A master is never challenged by a newcomer: whoever finds a master stands by, and the master itself hands over
 * when it meets a better one that stands by, and has the same SM_Key or shows none.  Two masters (merged subnets): the worse hands over to the better.
 */
#include <config.h>
#include <string.h>
#include "libmad/mad/dgram.h"
#include "sm/ha/ha.h"

enum { SET_HANDOVER = 1, SET_ACKNOWLEDGE = 2, SET_DISABLE = 3, SET_STANDBY = 4, SET_DISCOVER = 5 };

static void
set_state(struct ha *h, enum ha_state to)
{
	h->state = to;          /* the one place to trace a change */
}

void
ha_init(struct ha *h, const struct ha_conf *c)
{
	memset(h, 0, sizeof(*h));
	h->conf = *c;
	h->next_poll = MONOTIME_NEVER;
	set_state(h, HA_DISCOVERING);
}

const char *
ha_state_text(enum ha_state s)
{
	switch (s) {
	case HA_NOTACTIVE:
		return "not-active";
	case HA_DISCOVERING:
		return "discovering";
	case HA_STANDBY:
		return "standby";
	case HA_MASTER:
		return "master";
	}
	return "?";
}

struct sm_info
ha_sm_info(const struct ha *h, bool trusted)
{
	return (struct sm_info){
		.guid = h->conf.guid, .sm_key = trusted ? h->conf.sm_key : 0, .act_count = h->act_count,
		.priority = h->conf.priority, .state = (uint8_t)h->state,
	};
}

bool
ha_better(const struct ha *h, const struct sm_info *o)
{
	if (o->priority != h->conf.priority)
		return o->priority > h->conf.priority;
	return o->guid < h->conf.guid;
}

bool
ha_same_key(const struct ha *h, const struct sm_info *o)
{
	return o->sm_key == h->conf.sm_key || (!o->sm_key && !h->conf.protects);
}

static const struct sm_info *
best_in_state(const struct ha *own_key, const struct sm_info *v, unsigned n, enum ha_state state)
{
	const struct sm_info *best = NULL;

	for (unsigned i = 0; i < n; i++) {
		if (v[i].state != state || (own_key && !ha_same_key(own_key, &v[i])))
			continue;
		if (!best || v[i].priority > best->priority ||
		    (v[i].priority == best->priority && v[i].guid < best->guid))
			best = &v[i];
	}
	return best;
}

static enum ha_action
stand_by(struct ha *h, uint64_t master, struct monotime now)
{
	set_state(h, HA_STANDBY);
	h->master_guid = master;
	h->missed = 0;
	h->next_poll = monotime_add_us(now, h->conf.poll_us);
	return HA_STAND_BY;
}

static enum ha_action
lead(struct ha *h)
{
	set_state(h, HA_MASTER);
	h->handed_over = false;
	h->master_guid = h->conf.guid;
	h->next_poll = MONOTIME_NEVER;
	return HA_CONFIGURE;
}

static enum ha_action
hand_over(struct ha *h, uint64_t to, struct monotime now)
{
	stand_by(h, to, now);
	h->other = to;
	return HA_HAND_OVER;
}

/* As master: a better one that stands by, or a better second master, gets the subnet. */
static enum ha_action
master_discovered(struct ha *h, const struct sm_info *others, unsigned n, struct monotime now)
{
	const struct sm_info *master = best_in_state(h, others, n, HA_MASTER);
	const struct sm_info *standby = best_in_state(h, others, n, HA_STANDBY);

	if (master && ha_better(h, master))
		return hand_over(h, master->guid, now);
	if (standby && ha_better(h, standby))
		return hand_over(h, standby->guid, now);
	return lead(h);
}

enum ha_action
ha_discovered(struct ha *h, const struct sm_info *others, unsigned n, struct monotime now)
{
	const struct sm_info *master, *rival;

	if (h->state == HA_NOTACTIVE)
		return HA_NOTHING;
	if (h->handed_over)
		return lead(h);
	if (h->state == HA_MASTER)
		return master_discovered(h, others, n, now);
	master = best_in_state(NULL, others, n, HA_MASTER);
	if (master)
		return stand_by(h, master->guid, now);
	for (unsigned i = 0; i < n; i++) {
		rival = &others[i];
		if (rival->state != HA_NOTACTIVE && ha_same_key(h, rival) && ha_better(h, rival))
			return stand_by(h, rival->guid, now);
	}
	return lead(h);
}

void
ha_alone(struct ha *h)
{
	if (h->state == HA_MASTER || h->state == HA_STANDBY)
		set_state(h, HA_DISCOVERING);
	h->handed_over = false;
	h->next_poll = MONOTIME_NEVER;
}

bool
ha_poll_due(const struct ha *h, struct monotime now)
{
	return h->state == HA_STANDBY && monotime_reached(now, h->next_poll);
}

bool
ha_deadline(const struct ha *h, struct monotime *at)
{
	*at = h->next_poll;
	return h->state == HA_STANDBY;
}

enum ha_action
ha_polled(struct ha *h, const struct sm_info *answer, struct monotime now)
{
	if (h->state != HA_STANDBY)
		return HA_NOTHING;
	h->next_poll = monotime_add_us(now, h->conf.poll_us);
	/* Whoever answers but does not lead (any more): look who does. One that still discovers may yet lead. */
	if (answer && answer->guid == h->master_guid &&
	    (answer->state == HA_MASTER || (answer->state == HA_DISCOVERING && h->missed + 1 < h->conf.poll_tries))) {
		h->missed = answer->state == HA_MASTER ? 0 : h->missed + 1;
		return HA_NOTHING;
	}
	if (!answer && ++h->missed < h->conf.poll_tries)
		return HA_NOTHING;
	h->missed = 0;
	set_state(h, HA_DISCOVERING);
	return HA_SWEEP;
}

/* The state a sender must be in for this modifier; docs/wire.md. */
static bool
sender_may(uint32_t mod, uint8_t state)
{
	switch (mod) {
	case SET_HANDOVER:
	case SET_DISABLE:
	case SET_STANDBY:
	case SET_DISCOVER:
		return state == HA_MASTER;
	case SET_ACKNOWLEDGE:
		return state == HA_STANDBY;
	default:
		return false;
	}
}

static enum ha_action
handed_over(struct ha *h)
{
	h->handed_over = true;
	if (h->state == HA_STANDBY)
		set_state(h, HA_DISCOVERING);
	h->next_poll = MONOTIME_NEVER;
	return HA_SWEEP;
}

enum ha_action
ha_set(struct ha *h, uint32_t mod, const struct sm_info *sender, struct monotime now, uint16_t *status)
{
	*status = STATUS_OK;
	if (!sender_may(mod, sender->state)) {
		*status = STATUS_BAD_VALUE;
		return HA_NOTHING;
	}
	switch (mod) {
	case SET_HANDOVER:
		if (h->state == HA_NOTACTIVE)
			break;
		return handed_over(h);
	case SET_ACKNOWLEDGE:
		if (h->state == HA_MASTER || h->state == HA_STANDBY)
			return HA_NOTHING;
		break;
	case SET_DISABLE:
		if (h->state != HA_STANDBY)
			break;
		set_state(h, HA_NOTACTIVE);
		return HA_NOTHING;
	case SET_STANDBY:
		if (h->state != HA_NOTACTIVE)
			break;
		return stand_by(h, sender->guid, now);
	case SET_DISCOVER:
		if (h->state != HA_STANDBY && h->state != HA_MASTER)
			break;
		set_state(h, HA_DISCOVERING);
		return HA_SWEEP;
	default:
		break;
	}
	*status = STATUS_BAD_VALUE;
	return HA_NOTHING;
}

void
ha_acted(struct ha *h)
{
	h->act_count++;
}
