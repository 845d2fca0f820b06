/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ha.c - who is master.
 * Room: sm/ha.  Pure.  In: SMInfos of others, polls, Set(SMInfo), time.  Out: what to do next.
 * A master is never challenged by a newcomer: whoever finds a master stands by, and the master
 * itself hands over when it meets a better one that stands by, and has the same SM_Key or shows
 * none.  Two masters (merged subnets): the worse hands over to the better.
 */
#include <config.h>
#include <string.h>
#include "libmad/mad/dgram.h"
#include "sm/ha/ha.h"

#define POLLS_A_TRY 4u                  /* polls in a hurry for each of conf.poll_tries */
#define POLL_ANSWER_US 100000           /* wait for the answer to a poll before the hurry begins */
#define POLL_HURRY_US 25000             /* between polls then */
#define FALSE_ALARMS_MAX 3              /* so often the number of polls doubles */
#define CALM_US INT64_C(60000000)       /* without an alarm: false ones are forgotten */
#define STABLE_US INT64_C(600000000)    /* who leads for so long has not lapsed */
/* Who lapsed once must have stood by for so long; then twice as long, ... */
#define PROOF_US INT64_C(30000000)
#define PROOF_MAX_US INT64_C(900000000)

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
	h->next_poll = h->lapse.since = MONOTIME_NEVER;
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
		.guid = h->conf.guid,
		.sm_key = trusted ? h->conf.sm_key : 0,
		.act_count = h->act_count,
		.priority = h->conf.priority,
		.state = (uint8_t)h->state,
	};
}

static bool
is_better(const struct sm_info *a, const struct sm_info *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a->guid < b->guid;
}

bool
ha_better(const struct ha *h, const struct sm_info *o)
{
	struct sm_info own = { .guid = h->conf.guid, .priority = h->conf.priority };

	return is_better(o, &own);
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
		if (!best || is_better(&v[i], best))
			best = &v[i];
	}
	return best;
}

static enum ha_action
stand_by(struct ha *h, uint64_t master, struct monotime now)
{
	set_state(h, HA_STANDBY);
	h->master_guid = master;
	h->disabled_by = 0;
	h->unanswered = 0;
	h->next_poll = monotime_add_us(now, h->conf.poll_us);
	/* It was silent, and is there all the same: an alarm for nothing. */
	if (h->silent_guid && h->silent_guid == master && h->false_alarms < FALSE_ALARMS_MAX)
		h->false_alarms++;
	h->silent_guid = 0;
	return HA_STAND_BY;
}

/* The master that we gave the subnet to is gone: too soon, or after it had led for a good while. */
static void
note_lapse(struct ha *h, uint64_t guid, struct monotime now)
{
	if (guid != h->lapse.guid)
		return;
	if (monotime_sub_us(now, h->lapse.gave) < STABLE_US)
		h->lapse.lapses++;
	else
		h->lapse = (struct ha_lapse){ 0 };
	h->lapse.since = MONOTIME_NEVER;
}

static enum ha_action
become_master(struct ha *h, struct monotime now)
{
	if (h->silent_guid)
		note_lapse(h, h->silent_guid, now);
	set_state(h, HA_MASTER);
	h->handed_over = false;
	h->silent_guid = h->disabled_by = 0;
	h->false_alarms = 0;
	h->master_guid = h->conf.guid;
	h->next_poll = MONOTIME_NEVER;
	return HA_CONFIGURE;
}

static enum ha_action
hand_over(struct ha *h, uint64_t to, struct monotime now)
{
	if (h->lapse.guid != to)
		h->lapse = (struct ha_lapse){ .guid = to };
	h->lapse.gave = now;
	h->lapse.since = MONOTIME_NEVER;
	stand_by(h, to, now);
	h->other = to;
	return HA_HAND_OVER;
}

/*
 * Who died again and again after it got the subnet must have stood by for a while, the longer the
 * oftener.
 */
static int64_t
proof_us(const struct ha_lapse *l)
{
	int64_t us = PROOF_US;

	for (unsigned i = 1; i < l->lapses && us < PROOF_MAX_US; i++)
		us *= 2;
	return l->lapses ? (us < PROOF_MAX_US ? us : PROOF_MAX_US) : 0;
}

static void
watch_lapse(struct ha *h, const struct sm_info *v, unsigned n, struct monotime now)
{
	bool there = false;

	for (unsigned i = 0; i < n; i++)
		there |= v[i].guid == h->lapse.guid && v[i].state == HA_STANDBY;
	if (!there)
		h->lapse.since = MONOTIME_NEVER;
	else if (h->lapse.since.us == MONOTIME_NEVER.us)
		h->lapse.since = now;
}

/*
 * A better manager that stands by, has our key, and has not just come back from another crash;
 * NULL: none.
 */
static const struct sm_info *
better_standby(const struct ha *h, const struct sm_info *v, unsigned n, struct monotime now)
{
	const struct sm_info *best = NULL;

	for (unsigned i = 0; i < n; i++) {
		bool on_trial = v[i].guid == h->lapse.guid && h->lapse.lapses &&
			(h->lapse.since.us == MONOTIME_NEVER.us ||
				monotime_sub_us(now, h->lapse.since) < proof_us(&h->lapse));

		if (v[i].state == HA_STANDBY && ha_same_key(h, &v[i]) && ha_better(h, &v[i]) &&
			!on_trial && (!best || is_better(&v[i], best)))
			best = &v[i];
	}
	return best;
}

/* As master: a better one that stands by, or a better second master, gets the subnet. */
static enum ha_action
master_discovered(struct ha *h, const struct sm_info *others, unsigned n, struct monotime now)
{
	const struct sm_info *master = best_in_state(h, others, n, HA_MASTER), *standby;

	watch_lapse(h, others, n, now);
	if (master && ha_better(h, master))
		return hand_over(h, master->guid, now);
	standby = better_standby(h, others, n, now);
	return standby ? hand_over(h, standby->guid, now) : become_master(h, now);
}

bool
ha_rivals(struct ha *h, const struct sm_info *others, unsigned n, struct monotime now)
{
	watch_lapse(h, others, n, now);
	return best_in_state(h, others, n, HA_MASTER) || better_standby(h, others, n, now);
}

enum ha_action
ha_discovered(struct ha *h, const struct sm_info *others, unsigned n, struct monotime now)
{
	const struct sm_info *master, *rival;

	if (h->state == HA_NOTACTIVE)
		return HA_NOTHING;
	if (h->handed_over)
		return become_master(h, now);
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
	return become_master(h, now);
}

void
ha_alone(struct ha *h)
{
	if (h->state == HA_MASTER || h->state == HA_STANDBY)
		set_state(h, HA_DISCOVERING);
	h->handed_over = false;
	h->silent_guid = 0;
	h->next_poll = MONOTIME_NEVER;
}

static bool
is_polling(const struct ha *h)
{
	return h->state == HA_STANDBY || (h->state == HA_NOTACTIVE && !h->rests);
}

bool
ha_deadline(const struct ha *h, struct monotime *at)
{
	*at = h->next_poll;
	return is_polling(h);
}

/*
 * Twelve in a hurry with three tries, after the one that was not answered: at 10 % loss each way,
 * which costs 19 % of the polls, all are lost with a probability of 4e-10.  After a false alarm,
 * twice as many.
 */
static unsigned
alarm_tries(const struct ha *h)
{
	return (h->conf.poll_tries * POLLS_A_TRY) << h->false_alarms;
}

static enum ha_action
look_for_master(struct ha *h)
{
	h->unanswered = 0;
	h->next_poll = MONOTIME_NEVER;
	h->disabled_by = 0;
	set_state(h, HA_DISCOVERING);
	return HA_SWEEP;
}

enum ha_action
ha_poll(struct ha *h, struct monotime now)
{
	if (!is_polling(h) || !monotime_reached(now, h->next_poll))
		return HA_NOTHING;
	if (h->unanswered > alarm_tries(h)) {
		h->silent_guid = h->master_guid;
		h->alarmed = now;
		return look_for_master(h);
	}
	/* A busy master gets some time for its answer; from then on we are in a hurry. */
	h->next_poll = monotime_add_us(now, h->unanswered++ ? POLL_HURRY_US : POLL_ANSWER_US);
	return HA_POLL;
}

enum ha_action
ha_polled(struct ha *h, const struct sm_info *answer, struct monotime now)
{
	if (!is_polling(h))
		return HA_NOTHING;
	/*
	 * Whoever answers but does not lead (any more): look who does.  One that still discovers
	 * may yet lead.
	 */
	if (answer->guid != h->master_guid ||
		(answer->state != HA_MASTER && answer->state != HA_DISCOVERING))
		return look_for_master(h);
	if (answer->state == HA_DISCOVERING && ++h->discovering >= h->conf.poll_tries)
		return look_for_master(h);
	if (answer->state == HA_MASTER)
		h->discovering = 0;
	if (h->false_alarms && monotime_sub_us(now, h->alarmed) > CALM_US)
		h->false_alarms = 0;
	h->unanswered = 0;
	h->next_poll = monotime_add_us(now, h->conf.poll_us);
	return HA_NOTHING;
}

void
ha_rest(struct ha *h)
{
	set_state(h, HA_NOTACTIVE);
	h->rests = true;
	h->handed_over = false;
	h->master_guid = h->disabled_by = h->silent_guid = 0;
	h->next_poll = MONOTIME_NEVER;
}

void
ha_resume(struct ha *h)
{
	h->rests = false;
	set_state(h, HA_DISCOVERING);
}

/* The state a sender must be in for this modifier; docs/wire.md. */
static bool
sender_may(uint32_t mod, uint8_t state)
{
	switch (mod) {
	case SM_INFO_SET_HANDOVER:
	case SM_INFO_SET_DISABLE:
	case SM_INFO_SET_STANDBY:
	case SM_INFO_SET_DISCOVER:
		return state == HA_MASTER;
	case SM_INFO_SET_ACKNOWLEDGE:
		return state == HA_STANDBY;
	default:
		return false;
	}
}

static enum ha_action
handed_over(struct ha *h)
{
	h->handed_over = true;
	set_state(h, HA_DISCOVERING);
	h->next_poll = MONOTIME_NEVER;
	return HA_SWEEP;
}

/*
 * As master: another one wants to give its subnet to us.  We look at it; whoever wants us to stop
 * leading is not obeyed.
 */
static enum ha_action
set_of_master(uint32_t mod, uint16_t *status)
{
	if (mod == SM_INFO_SET_HANDOVER)
		return HA_SWEEP;
	if (mod != SM_INFO_SET_ACKNOWLEDGE)
		*status = STATUS_BAD_VALUE;
	return HA_NOTHING;
}

static enum ha_action
set_of_standby(struct ha *h, uint32_t mod, uint16_t *status)
{
	switch (mod) {
	case SM_INFO_SET_HANDOVER:
		return handed_over(h);
	case SM_INFO_SET_DISABLE:
		/* It goes on polling: who else would notice that the master has died? */
		set_state(h, HA_NOTACTIVE);
		h->disabled_by = h->master_guid;
		return HA_NOTHING;
	case SM_INFO_SET_DISCOVER:
		return look_for_master(h);
	default:
		*status = STATUS_BAD_VALUE;
		return HA_NOTHING;
	}
}

enum ha_action
ha_set(struct ha *h, uint32_t mod, const struct sm_info *sender, struct monotime now,
	uint16_t *status)
{
	*status = STATUS_OK;
	if (!sender_may(mod, sender->state)) {
		*status = STATUS_BAD_VALUE;
		return HA_NOTHING;
	}
	if (h->state == HA_MASTER)
		return set_of_master(mod, status);
	if (h->state == HA_STANDBY && mod == SM_INFO_SET_ACKNOWLEDGE)
		return HA_NOTHING;
	if (!h->master_guid || sender->guid != h->master_guid) {
		*status = STATUS_BAD_VALUE;
		return HA_NOTHING;
	}
	if (h->state == HA_STANDBY)
		return set_of_standby(h, mod, status);
	if (h->state == HA_DISCOVERING && mod == SM_INFO_SET_HANDOVER)
		return handed_over(h);
	if (h->state == HA_NOTACTIVE && !h->rests && mod == SM_INFO_SET_STANDBY)
		return stand_by(h, sender->guid, now);
	*status = STATUS_BAD_VALUE;
	return HA_NOTHING;
}

void
ha_acted(struct ha *h)
{
	h->act_count++;
}
