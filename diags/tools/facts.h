/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * facts.h - a cache of attributes read from the fabric, for tools that need only a few nodes.
 * Room: diags/tools. Used by ibtracert and part.c.
 *
 * A fact is the answer to one Get: an attribute of one place, read along a directed route from the
 * own port. A caller requests facts with fact_get(). A fact that is not known yet is queued, and
 * the caller stops there. facts_fetch() then reads all queued facts at once, and the caller starts
 * again from its beginning; each round it gets further, until all facts that it needs are known. In
 * this way thousands of callers share each request and each wait.
 *
 * Invariants: each fact is requested once, whether it is answered or not, and it is never dropped
 * before facts_clear(). Places and facts stay at their address, so callers may keep pointers to
 * them. trace.h shows how facts are used.
 */
#ifndef HEDDLE_DIAGS_TOOLS_FACTS_H
#define HEDDLE_DIAGS_TOOLS_FACTS_H

#include <uthash.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "libmad/attr/sm_attr.h"

/* A destination for MADs: a switch (its port 0), or one port of an adapter or router. */
struct place {
	UT_hash_handle hh;
	uint64_t port_guid;             /* key of the hash 'places' */
	uint64_t node_guid;
	uint8_t type, nports;
	uint8_t port;                   /* the local port on which the first route to it arrives */
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES];
	uint8_t node_info[NODE_INFO_BYTES];
};

enum fact_kind {
	FACT_SELF,                      /* NodeInfo of the own port; no place, no modifier */
	/* NodeInfo of the node at the other end of a port's link; the modifier is the port */
	FACT_LINK,
	FACT_PORT, /* PortInfo with attribute modifier 0: of this port, or of a switch's port 0 */
	FACT_DESC, FACT_SWITCH,
	FACT_LFT, FACT_MFT,             /* a block of the table; the modifier selects it */
	FACT_PORT_NUM,                  /* PortInfo of the port that the modifier selects */
	/* NodeInfo and PortInfo of a LID; the modifier is the LID, there is no place */
	FACT_LID_NODE, FACT_LID_PORT,
};

struct fact {
	struct fact *older;             /* list of all facts */
	struct fact_key {
		const struct place *place;
		uint32_t modifier, kind;
	} key;
	struct fact *next;              /* of those to be asked */
	bool known;                     /* answered, or never to be */
	bool reported;                  /* its failure was reported */
	enum diag_end end;
	uint16_t status;
	/* FACT_SELF, FACT_LINK: the place found; 'far_port' is its local port */
	const struct place *far;
	uint8_t far_port;
	uint8_t data[64];
};

struct facts {
	struct diag *d;
	struct place *places;           /* hash by port GUID */
	struct fact *facts;             /* list of all facts, newest first */
	struct fact_slot {
		uint64_t hash;
		struct fact *f;
	} * slots; /* hash table by key; its size is a power of two and it is never full */
	size_t nslots, nfacts;
	struct fact *wanted;            /* list of the facts to be requested */
};

/* Returns the fact, or NULL if it is not known yet; then the next facts_fetch() requests it. 'end'
 * of a fact that failed is not DIAG_OK. The fact belongs to 'k'. */
const struct fact *fact_get(struct facts *k, const struct place *p, enum fact_kind kind,
	uint32_t modifier);
/* Requests all queued facts and waits for the answers. Returns 0, or the exit status of a reported
 * failure; a fact without an answer is no failure. */
int facts_fetch(struct facts *k);
/* Reports a fact that was not answered or answered with an error status; once per fact. */
void fact_report(struct facts *k, const struct fact *f);
/* Returns the address to which the request for a fact is sent. */
struct diag_addr fact_address(const struct fact *f);
/* Frees all facts and places; pointers to them become invalid. */
void facts_clear(struct facts *k);

#endif
