/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * know.h - what is known of the fabric so far, asked for along directed routes from our own port as it is needed.
 * Room: diags.  Of ibtracert.
 *
 * A caller asks for facts; those that are not there yet are queued, and know_fetch() gets all of them at once.  Then it begins
 * again from its start: by and by it comes through.  So thousands of callers share each question and each wait.
 */
#ifndef HEDDLE_DIAGS_KNOW_H
#define HEDDLE_DIAGS_KNOW_H

#include <uthash.h>
#include "diags/common/diag.h"

/* Where a MAD can go: a switch (by its port 0), or one port of something else. */
struct place {
	UT_hash_handle hh;
	uint64_t port_guid;             /* the key */
	uint64_t node_guid;
	uint8_t type, nports;
	uint8_t port;                   /* by which the first route to it ends */
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES];
	uint8_t node_info[NODE_INFO_BYTES];
};

enum know_kind {
	KNOW_SELF,                      /* where we are: no place, no modifier */
	KNOW_LINK,                      /* the far end of the cable of a port */
	KNOW_PORT,                      /* PortInfo as asked with 0: of the port, or a switch's port 0 */
	KNOW_DESC, KNOW_SWITCH,
	KNOW_LFT, KNOW_MFT,             /* a block, by its attribute modifier */
	KNOW_PORT_NUM,                  /* PortInfo of the port that the modifier names */
	KNOW_LID_NODE, KNOW_LID_PORT,   /* NodeInfo and PortInfo by LID, which is the modifier; no place */
};

struct fact {
	struct fact *older;             /* of all */
	struct fact_key {
		const struct place *place;
		uint32_t modifier, kind;
	} key;
	struct fact *next;              /* of those to be asked */
	bool known;                     /* answered, or never to be */
	bool told;                      /* its failure was reported */
	enum diag_end end;
	uint16_t status;
	const struct place *far;        /* KNOW_SELF, KNOW_LINK: and the port it is entered by */
	uint8_t far_port;
	uint8_t data[64];
};

struct knowledge {
	struct diag *d;
	struct place *places;           /* hash */
	struct fact *facts;             /* all of them */
	struct fact_slot {
		uint64_t hash;
		struct fact *f;
	} *slots;                       /* by key: a power of two, never full; each is looked up in every round of every caller */
	size_t nslots, nfacts;
	struct fact *wanted;            /* to be asked */
};

/* NULL: it is asked by the next know_fetch().  A fact that failed has another 'end' than DIAG_OK. */
const struct fact *know(struct knowledge *k, const struct place *p, enum know_kind kind, uint32_t modifier);
/* Asks all that is wanted.  0, or the status of a failure that is reported. */
int know_fetch(struct knowledge *k);
/* Reports that nothing, or something bad, was answered; once for each fact. */
void know_report(struct knowledge *k, const struct fact *f);
/* The address that a fact is asked at. */
struct diag_addr know_address(const struct fact *f);
void know_clear(struct knowledge *k);

#endif
