/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ha.h - who is master: election, standing by, taking over.
 * Room: sm/ha.  Pure: events and 'now' in, what to do next out.  docs/wire.md: SMInfo.
 *
 * Best is the higher priority, then the lower GUID (compared in host order).
 *
 * A standby polls its master every poll_us.  When a poll is not answered at once, it sends further
 * ones at short intervals without waiting for the earlier ones to end: any answer to any of them
 * shows that the master lives.  When all of them stay unanswered the standby looks at the subnet,
 * and asks the master once more there.  So a dead master is replaced soon, and lost datagrams do
 * not look like one: with the default settings 13 polls must be lost in a row.
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
	HA_CONFIGURE,           /* we are master: plan and apply what was discovered */
	HA_STAND_BY,            /* configure nothing; poll the master when ha_poll_due() says */
	HA_POLL,                /* ask the master for its SMInfo now, and once more soon */
	HA_HAND_OVER,           /* send Set(SMInfo) HANDOVER to ha->other, then stand by */
};

struct ha_conf {
	uint64_t guid;          /* of our SM port */
	uint64_t sm_key;
	bool protects;          /* ports have our M_Key: whoever shares it shows us his SM_Key */
	uint8_t priority;
	int64_t poll_us;        /* between polls of the master */
	/*
	 * The more, the more polls in a row must stay unanswered before the master counts as gone.
	 */
	unsigned poll_tries;
};

/* A manager that we handed over to, and that died soon after. */
struct ha_lapse {
	uint64_t guid;
	struct monotime gave;   /* when we handed over to it last */
	/* It has stood by without a gap since then; MONOTIME_NEVER: it is not there. */
	struct monotime since;
	unsigned lapses;        /* in a row */
};

struct ha {
	struct ha_conf conf;
	enum ha_state state;
	uint32_t act_count;
	uint64_t master_guid;   /* STANDBY: whom we poll; 0 none known */
	uint64_t other;         /* HA_HAND_OVER: to whom */
	unsigned unanswered;    /* polls since the last answer */
	unsigned discovering;   /* answers in a row that say: still discovering */
	unsigned false_alarms;  /* in a row: the master was silent, but lived */
	/* The master that did not answer our polls, until the look that this led to has ended. */
	uint64_t silent_guid;
	struct monotime next_poll, alarmed;
	uint64_t disabled_by;   /* NOTACTIVE: the master that disabled us */
	struct ha_lapse lapse;
	bool rests;             /* NOTACTIVE by ha_rest() */
	/* A HANDOVER came in: configure after the next discovery whatever it finds. */
	bool handed_over;
};

void ha_init(struct ha *h, const struct ha_conf *c);
const char *ha_state_text(enum ha_state s);
/* Our own SMInfo as others read it.  'trusted': with the SM_Key. */
struct sm_info ha_sm_info(const struct ha *h, bool trusted);
/* A discovery has ended; 'others' are the SMInfos that other SMs answered. */
enum ha_action ha_discovered(
	struct ha *h, const struct sm_info *others, unsigned n, struct monotime now);
/*
 * Nobody can be reached, so there is nobody to lead or to stand by for: the next discovery that
 * finds a link decides anew.
 */
void ha_alone(struct ha *h);
/*
 * As standby or disabled, when ha_deadline() is reached: HA_POLL, HA_SWEEP when too many polls
 * stayed unanswered, or HA_NOTHING.
 */
enum ha_action ha_poll(struct ha *h, struct monotime now);
bool ha_deadline(const struct ha *h, struct monotime *at);
/* A poll was answered. */
enum ha_action ha_polled(struct ha *h, const struct sm_info *answer, struct monotime now);
/*
 * Between sweeps, 'others' are the managers that answer: whether the subnet is to be handed to one
 * of them, or another leads too.
 */
bool ha_rivals(struct ha *h, const struct sm_info *others, unsigned n, struct monotime now);
/* Whether the other one has more right to lead. */
bool ha_better(const struct ha *h, const struct sm_info *other);
/*
 * Whether it shows our SM_Key; or none, unless we have an M_Key: who shares that shows his, and who
 * does not could not manage our ports.  Whoever shows another is handed nothing.
 */
bool ha_same_key(const struct ha *h, const struct sm_info *other);
/* Stops: neither leads, nor stands by, nor polls, until ha_resume(). */
void ha_rest(struct ha *h);
void ha_resume(struct ha *h);
/*
 * A manager whose port, keys and right to lead have been checked sent Set(SMInfo) with attribute
 * modifier 'mod'.  '*status' is for the answer.  A master takes orders from nobody.  A standby
 * takes them only from the master that it stands by for.
 */
enum ha_action ha_set(struct ha *h, uint32_t mod, const struct sm_info *sender, struct monotime now,
	uint16_t *status);
/* Each SMInfo answered as master counts: others see that we live. */
void ha_acted(struct ha *h);

#endif
