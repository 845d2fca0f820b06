/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * election.h - SM election: queries the other SMs, polls the master, hands the subnet over.
 * Room: sm/ha.  Pure: requests go to txn, their ends come in.
 *
 * ha.h decides from SMInfos and the time, without any datagram.  An election has the routes to the
 * other SMs, sends them Get(SMInfo), and passes their responses to ha.h.  A heavy sweep queries
 * every port that reports IsSM (election_ask), a light sweep queries the same ports again
 * (election_ask_known).  In both, election_open() says whether responses are outstanding.  sm/sweep
 * carries out the decision: this room neither configures a port nor frees a snapshot.  The polls of
 * a standby and a handover continue between sweeps; they have their own copies of routes, which
 * remain valid when the snapshot is freed.
 *
 * Other headers of the room: untrusted_sm.h (SMs excluded from the election), standbys.h (standby
 * SMs of this master), sminfo.h (SMInfo requests of other SMs), origin.h (the port that sent a
 * datagram).
 */
#ifndef HEDDLE_SM_HA_ELECTION_H
#define HEDDLE_SM_HA_ELECTION_H

#include "sm/ha/ha.h"
#include "sm/ha/standbys.h"
#include "sm/ha/untrusted_sm.h"
#include "sm/subnet/subnet.h"

#define ELECTION_SMS_MAX 64             /* maximum number of other SMs queried in a sweep */

/* A port that may have another SM, with a route that remains valid without the snapshot. */
struct sm_route {
	uint64_t guid;                  /* of the port */
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES];
};

struct election {
	struct ha ha;
	/* Ports that reported IsSM in the last heavy sweep. */
	struct sm_route asked[ELECTION_SMS_MAX];
	unsigned nasked, open;          /* open: outstanding queries */
	/* Responses of the SMs that take part in the election. */
	struct sm_info answers[ELECTION_SMS_MAX];
	unsigned nanswers;
	struct sm_route master;         /* the master that we poll */
	/* Copies of routes for outstanding polls and for an outstanding handover. */
	struct sm_route poll_to[OWNER_POLLS_MAX], hand_to;
	uint64_t polls_open;            /* bits: which of poll_to[] are in use */
	/* Consecutive early sweeps because a better SM is still starting. */
	unsigned rival_looks;
	struct untrusted_sms untrusted;
	struct standbys standbys;
};

void election_init(struct election *e, const struct subnet *n);
/* The configuration was reloaded. */
void election_set_conf(struct election *e, const struct subnet *n);

/* Queries all SMs of 's', the snapshot that is not served yet. */
void election_ask(struct election *e, struct subnet *n, const struct snapshot *s);
/* Queries again the SMs that are still reachable by the served snapshot. */
void election_ask_known(struct election *e, struct subnet *n);
bool election_open(const struct election *e);
/* After all responses to election_ask(): the decision of ha.h. */
enum ha_action election_decide(struct election *e, struct subnet *n, const struct snapshot *s);
/*
 * After all responses to election_ask_known(): whether there is another master, or a better
 * standby.
 */
bool election_has_rivals(struct election *e, const struct subnet *n);

/* HA_HAND_OVER: sends Set(SMInfo) HANDOVER to the better SM. */
void election_hand_over(struct election *e, struct subnet *n);
/* HA_STAND_BY: the master is polled from now on. */
void election_stand_by(struct election *e, struct subnet *n);
/* After a sweep as master: schedules an early sweep if a better SM is still starting. */
void election_watch_rivals(struct election *e, struct subnet *n);
/* As master, after all responses: updates the list of our standby SMs. */
void election_note_standbys(struct election *e, const struct subnet *n);

/* As standby: polls the master when ha.h says that a poll is due. */
void election_poll(struct election *e, struct subnet *n);
void election_on_sminfo_end(struct election *e, struct subnet *n, const struct txn_end *end);
void election_on_poll_end(struct election *e, struct subnet *n, const struct txn_end *end);
void election_on_handover_end(struct election *e, struct subnet *n, const struct txn_end *end);

#endif
