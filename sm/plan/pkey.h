/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey.h - the P_Key table that every port should have, and who enforces it.
 * Room: sm/plan.  Pure.  In: the snapshot, the partitions.  Out: wanted blocks, enforcement bits,
 * what did not fit.
 *
 * Without a file of partitions everybody is a full member of the default one, keys of others stay,
 * and no switch enforces anything. With a file, end ports hold what it says and nothing else, and a
 * switch port that faces a host checks packets against the partitions of that host.
 */
#ifndef HEDDLE_SM_PLAN_PKEY_H
#define HEDDLE_SM_PLAN_PKEY_H

#include "fabric/read/pkey_read.h"
#include "fabric/snapshot/snapshot.h"
#include "sm/conf/conf.h"

struct pkey_conf {
	const struct partitions *partitions;
	unsigned enforce;               /* CONF_ENFORCE_* together */
	bool allow_both;                /* a member as both holds two keys; else the full one */
	/* a key stays where it is; else tables are packed by P_Key */
	bool keep_indexes;
};

enum pkey_problem_kind {
	PKEY_OVERFLOW,                  /* keys that the end port has no room for are left out */
	/* the switch port has no room for the keys of its host, or was not read */
	PKEY_NOT_ENFORCED,
};

struct pkey_problem {
	uint32_t port;                  /* index */
	uint8_t kind;                   /* enum pkey_problem_kind */
	uint32_t wanted, room;          /* P_Keys */
};

struct pkey_plan {                      /* all zeros: nothing is wanted */
	uint32_t nports;
	/* by port index: 1 + index of its block 0 in blocks[]; 0: leave it alone */
	uint32_t *first;
	uint16_t *nblocks;              /* by port index */
	/* by port index: CONF_ENFORCE_* of a switch's cabled port */
	uint8_t *enforce;
	uint8_t (*blocks)[PKEY_TABLE_BYTES];
	struct pkey_problem *problems;  /* by port */
	uint32_t nproblems;
};

/* What has to be read before pkey_plan_make(): nothing without a file of partitions.  malloc'd; the
 * number of asks. */
uint32_t pkey_plan_asks(
	const struct snapshot *s, const struct pkey_conf *c, struct pkey_ask **asks);
/* Plans all tables.  '*out' is owned by 'a'. */
void pkey_plan_make(const struct snapshot *s, const struct pkey_conf *c, struct arena *a,
	struct pkey_plan *out);

static inline uint32_t
pkey_plan_blocks(const struct pkey_plan *p, uint32_t port)
{
	return port < p->nports && p->first[port] ? p->nblocks[port] : 0;
}

/* The wanted image; block < pkey_plan_blocks(). */
static inline const uint8_t *
pkey_plan_block(const struct pkey_plan *p, uint32_t port, uint32_t block)
{
	return p->blocks[p->first[port] - 1 + block];
}

/* Whether the port's table, as the snapshot shows it, is the wanted one. */
bool pkey_plan_holds(const struct pkey_plan *p, const struct snapshot *s, uint32_t port);

/*
 * Without a file: the wanted block 0 of an end port's P_Key table into 'want'.  The default
 * partition is full at index 0; every other key stays at its index, the limited default key too
 * where the device already has it (never twice).  A foreign key found at index 0 moves to the first
 * free index, since queue pairs of the default partition refer to index 0.  False: there is nothing
 * to plan (not an end port, the block was not received, PartitionCap 0).
 */
bool plan_pkeys(const struct snapshot *s, uint32_t port, uint8_t want[static PKEY_TABLE_BYTES]);

#endif
