/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * election.h - who leads: asks the other subnet managers, polls the master, hands the subnet over.
 * Room: sm/ha.  Pure: requests go to txn, their ends come in.
 *
 * ha.h decides, from SMInfos and the time, and knows no datagram.  An election knows where the
 * other managers are, asks them, and gives ha.h their answers.  A heavy sweep asks every port that
 * says IsSM (election_ask), a light sweep asks those again (election_ask_known); in both,
 * election_open() tells whether answers are still to come.  What follows from the decision is up to
 * sm/sweep: this room neither configures a port nor frees a snapshot.  A standby's polls and a
 * handover go on between sweeps, with routes of their own that outlive the snapshot they were taken
 * from.
 *
 * Beside it: untrusted_sm.h (managers that get nothing), standbys.h (those that stand by for us),
 * sminfo.h (what others ask us), origin.h (where a datagram came from).
 */
#ifndef HEDDLE_SM_HA_ELECTION_H
#define HEDDLE_SM_HA_ELECTION_H

#include "sm/ha/ha.h"
#include "sm/ha/standbys.h"
#include "sm/ha/untrusted_sm.h"
#include "sm/subnet/subnet.h"

#define ELECTION_SMS_MAX 64             /* other managers that are asked in one sweep */

/* A port where another manager may be, with a route that outlives the snapshot. */
struct sm_route {
	uint64_t guid;                  /* of the port */
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES];
};

struct election {
	struct ha ha;
	/* Ports that said IsSM in the last heavy sweep. */
	struct sm_route asked[ELECTION_SMS_MAX];
	unsigned nasked, open;          /* open: so many of them have not ended */
	/* Of managers that take part in the election. */
	struct sm_info answers[ELECTION_SMS_MAX];
	unsigned nanswers;
	struct sm_route master;         /* where the master is that we poll */
	/* The same, of the requests under way. */
	struct sm_route poll_to[OWNER_POLLS_MAX], hand_to;
	uint64_t polls_open;            /* bits: which of poll_to[] */
	/* In a row, early ones, at a better manager that is still starting. */
	unsigned rival_looks;
	struct untrusted_sms untrusted;
	struct standbys standbys;
};

void election_init(struct election *e, const struct subnet *n);
/* The configuration was read again. */
void election_set_conf(struct election *e, const struct subnet *n);

/* Asks all managers of 's', the snapshot that is not served yet. */
void election_ask(struct election *e, struct subnet *n, const struct snapshot *s);
/* Asks those again that are still where the served snapshot has them. */
void election_ask_known(struct election *e, struct subnet *n);
bool election_open(const struct election *e);
/* With all answers to election_ask(): what ha.h says. */
enum ha_action election_decide(struct election *e, struct subnet *n, const struct snapshot *s);
/*
 * With all answers to election_ask_known(): another manager leads too, or a better one stands by.
 */
bool election_has_rivals(struct election *e, const struct subnet *n);

/* HA_HAND_OVER: tells the better manager that the subnet is its own. */
void election_hand_over(struct election *e, struct subnet *n);
/* HA_STAND_BY: the master is polled from now on. */
void election_stand_by(struct election *e, struct subnet *n);
/* After a sweep as master: a better manager that is still starting is looked at again soon. */
void election_watch_rivals(struct election *e, struct subnet *n);
/* As master, all managers have been asked: who stands by for us. */
void election_note_standbys(struct election *e, const struct subnet *n);

/* Asks the master that we stand by for whether it lives, as often as ha.h says. */
void election_poll(struct election *e, struct subnet *n);
void election_on_sminfo_end(struct election *e, struct subnet *n, const struct txn_end *end);
void election_on_poll_end(struct election *e, struct subnet *n, const struct txn_end *end);
void election_on_handover_end(struct election *e, struct subnet *n, const struct txn_end *end);

#endif
