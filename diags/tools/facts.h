/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * facts.h - what is known of the fabric so far, asked for along directed routes from our own port
 * as it is needed.
 * Room: diags/tools.  Of ibtracert.
 *
 * A caller asks for facts; those that are not there yet are queued, and facts_fetch() gets all of
 * them at once. Then it begins again from its start: in the end it comes through. So thousands of
 * callers share each request and each wait.
 */
#ifndef HEDDLE_DIAGS_TOOLS_FACTS_H
#define HEDDLE_DIAGS_TOOLS_FACTS_H

#include <uthash.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "libmad/attr/sm_attr.h"

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

enum fact_kind {
	FACT_SELF,                      /* where we are: no place, no modifier */
	FACT_LINK,                      /* the far end of the cable of a port */
	FACT_PORT, /* PortInfo as asked with 0: of the port, or a switch's port 0 */
	FACT_DESC, FACT_SWITCH,
	FACT_LFT, FACT_MFT,             /* a block, by its attribute modifier */
	FACT_PORT_NUM,                  /* PortInfo of the port that the modifier names */
	/* NodeInfo and PortInfo by LID, which is the modifier; no place */
	FACT_LID_NODE, FACT_LID_PORT,
};

struct fact {
	struct fact *older;             /* of all */
	struct fact_key {
		const struct place *place;
		uint32_t modifier, kind;
	} key;
	struct fact *next;              /* of those to be asked */
	bool known;                     /* answered, or never to be */
	bool reported;                  /* its failure was reported */
	enum diag_end end;
	uint16_t status;
	const struct place *far;        /* FACT_SELF, FACT_LINK: and the port it is entered by */
	uint8_t far_port;
	uint8_t data[64];
};

struct facts {
	struct diag *d;
	struct place *places;           /* hash */
	struct fact *facts;             /* all of them */
	struct fact_slot {
		uint64_t hash;
		struct fact *f;
	} * slots; /* by key: a power of two, never full; each is looked up in every round of every caller */
	size_t nslots, nfacts;
	struct fact *wanted;            /* to be asked */
};

/* NULL: it is asked by the next facts_fetch().  A fact that failed has another 'end' than
 * DIAG_OK. */
const struct fact *fact_get(struct facts *k, const struct place *p, enum fact_kind kind,
	uint32_t modifier);
/* Asks all that is wanted.  0, or the status of a failure that is reported. */
int facts_fetch(struct facts *k);
/* Reports that nothing, or something bad, was answered; once for each fact. */
void fact_report(struct facts *k, const struct fact *f);
/* The address that a fact is asked at. */
struct diag_addr fact_address(const struct fact *f);
void facts_clear(struct facts *k);

#endif
