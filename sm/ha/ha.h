/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ha.h - the SM state machine: election, standby, takeover.
 * Room: sm/ha.  Pure: events and 'now' in, the next action out.  docs/wire.md: SMInfo.
 *
 * The SM with the higher priority is better; of equal priorities the one with the lower GUID
 * (compared in host order).
 *
 * A standby polls its master every poll_us.  If a poll is not answered at once, the standby sends
 * further polls at short intervals without waiting for the earlier ones to end: a response to any
 * of them shows that the master is alive.  If all of them stay unanswered, the standby sweeps the
 * subnet and queries the master once more in that sweep.  So a dead master is replaced soon, and
 * lost datagrams cause no takeover: with the default settings 13 consecutive polls must be lost.
 *
 * This header has no datagrams and no routes; election.h sends what the actions require.
 */
#ifndef HEDDLE_SM_HA_HA_H
#define HEDDLE_SM_HA_HA_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/sm_attr.h"
#include "sm/subnet/role.h"
#include "util/monotime.h"

enum ha_action {
	HA_NOTHING,
	HA_SWEEP,               /* discover the subnet, then ha_discovered() */
	HA_CONFIGURE,           /* we are master: plan and configure the subnet */
	HA_STAND_BY,            /* configure nothing; poll the master (ha_deadline()) */
	HA_POLL,                /* send the master a Get(SMInfo) now */
	HA_HAND_OVER,           /* send Set(SMInfo) HANDOVER to ha->other, then stand by */
};

struct ha_conf {
	uint64_t guid;          /* of our SM port */
	uint64_t sm_key;
	bool protects;          /* ports have our M_Key: an SM that has it too shows its SM_Key */
	uint8_t priority;
	int64_t poll_us;        /* between polls of the master */
	/*
	 * The higher, the more consecutive polls must stay unanswered before the master counts as
	 * dead.
	 */
	unsigned poll_tries;
};

/* An SM that we handed over to, and that died soon after. */
struct ha_lapse {
	uint64_t guid;
	struct monotime gave;   /* when we handed over to it last */
	/* Standby without interruption since then; MONOTIME_NEVER: it is absent. */
	struct monotime since;
	unsigned lapses;        /* consecutive */
};

struct ha {
	struct ha_conf conf;
	enum ha_state state;
	uint32_t act_count;
	uint64_t master_guid;   /* STANDBY: the SM that we poll; 0: unknown */
	uint64_t other;         /* HA_HAND_OVER: the new master */
	unsigned unanswered;    /* polls since the last answer */
	unsigned discovering;   /* consecutive responses with state DISCOVERING */
	unsigned false_alarms;  /* consecutive: polls unanswered, but the master was alive */
	/* The master that did not answer our polls, until the resulting sweep has ended. */
	uint64_t silent_guid;
	struct monotime next_poll, alarmed;
	uint64_t disabled_by;   /* NOTACTIVE: the master that disabled us */
	struct ha_lapse lapse;
	bool rests;             /* NOTACTIVE by ha_rest() */
	/* A HANDOVER was received: configure after the next discovery in any case. */
	bool handed_over;
};

void ha_init(struct ha *h, const struct ha_conf *c);
const char *ha_state_text(enum ha_state s);
/* Our own SMInfo as it is sent to other SMs.  'trusted': with the SM_Key. */
struct sm_info ha_sm_info(const struct ha *h, bool trusted);
/* A discovery has ended; 'others' are the SMInfos of other SMs. */
enum ha_action ha_discovered(
	struct ha *h, const struct sm_info *others, unsigned n, struct monotime now);
/*
 * No other node can be reached: this SM is neither master nor standby.  The next discovery that
 * finds a link decides anew.
 */
void ha_alone(struct ha *h);
/*
 * As standby or disabled, when ha_deadline() is reached: HA_POLL; HA_SWEEP if too many polls
 * stayed unanswered; or HA_NOTHING.
 */
enum ha_action ha_poll(struct ha *h, struct monotime now);
bool ha_deadline(const struct ha *h, struct monotime *at);
/* A poll was answered. */
enum ha_action ha_polled(struct ha *h, const struct sm_info *answer, struct monotime now);
/*
 * Between sweeps, with the SMs that responded in 'others': whether the subnet is to be handed over
 * to one of them, or there is another master.
 */
bool ha_rivals(struct ha *h, const struct sm_info *others, unsigned n, struct monotime now);
/* Whether the other SM is better (higher priority, then lower GUID). */
bool ha_better(const struct ha *h, const struct sm_info *other);
/*
 * Whether the other SM shows our SM_Key, or none while we have no M_Key.  With an M_Key, an SM that
 * has the same M_Key shows its SM_Key, and one that has not cannot manage our ports.  The subnet is
 * never handed over to an SM with another SM_Key.
 */
bool ha_same_key(const struct ha *h, const struct sm_info *other);
/* Stops: state NOTACTIVE without polling, until ha_resume(). */
void ha_rest(struct ha *h);
void ha_resume(struct ha *h);
/*
 * An SM whose port, keys and allowed_sm_guids entry have been checked sent Set(SMInfo) with
 * attribute modifier 'mod'.  '*status' is for the response.  A master does not change its state by
 * it.  A standby accepts it only from its own master.
 */
enum ha_action ha_set(struct ha *h, uint32_t mod, const struct sm_info *sender, struct monotime now,
	uint16_t *status);
/* Counts an SMInfo response as master (ActCount): other SMs see that we are alive. */
void ha_acted(struct ha *h);

#endif
