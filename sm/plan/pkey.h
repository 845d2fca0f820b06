/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey.h - the wanted P_Key table of every port, and partition enforcement.
 * Room: sm/plan.  Pure.  In: the snapshot, the partitions.  Out: wanted blocks, enforcement bits,
 * problems (keys that did not fit).
 *
 * Without a partition file every port is a full member of the default partition, other keys in its
 * table stay, and no switch enforces partitions.  With a file, the tables of end ports hold exactly
 * the keys of the file, and a switch port that faces a host checks packets against the partitions
 * of that host.
 * Where to look next: pkey.c (the algorithm), sm/diff/kind_pkeys.c (writes the blocks).
 */
#ifndef HEDDLE_SM_PLAN_PKEY_H
#define HEDDLE_SM_PLAN_PKEY_H

#include "fabric/read/pkey_read.h"
#include "fabric/snapshot/snapshot.h"
#include "sm/conf/conf.h"

struct pkey_conf {
	const struct partitions *partitions;
	unsigned enforce;               /* CONF_ENFORCE_* together */
	/* a member as "both" holds both keys; otherwise the full one */
	bool allow_both;
	/* keys keep their indices; otherwise tables are packed by P_Key */
	bool keep_indexes;
};

enum pkey_problem_kind {
	/* the end port has too few entries: some keys are left out */
	PKEY_OVERFLOW,
	/* the switch port has too few entries for the keys of its host, or was not read */
	PKEY_NOT_ENFORCED,
};

struct pkey_problem {
	uint32_t port;                  /* index */
	uint8_t kind;                   /* enum pkey_problem_kind */
	uint32_t wanted, room;          /* P_Keys */
};

struct pkey_plan {                      /* all zeros: nothing is wanted */
	uint32_t nports;
	/* by port index: 1 + index of its block 0 in blocks[]; 0: leave the table unchanged */
	uint32_t *first;
	uint16_t *nblocks;              /* by port index */
	/* by port index: CONF_ENFORCE_* of a switch port with a link */
	uint8_t *enforce;
	uint8_t (*blocks)[PKEY_TABLE_BYTES];
	struct pkey_problem *problems;  /* sorted by port */
	uint32_t nproblems;
};

/* The tables that must be read before pkey_plan_make(); none without a partition file.  Returns
 * the number of requests; '*asks' is malloc'ed. */
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

/* Whether the port's table in the snapshot equals the wanted one. */
bool pkey_plan_holds(const struct pkey_plan *p, const struct snapshot *s, uint32_t port);

/*
 * Without a partition file: writes the wanted block 0 of an end port's P_Key table to 'want'.  The
 * default partition is full at index 0.  Every other key stays at its index; so does the limited
 * default key if the device already has it (never twice).  A foreign key at index 0 moves to the
 * first free index, because queue pairs of the default partition refer to index 0.  False: there is
 * nothing to plan (not an end port, the block was not received, PartitionCap 0).
 */
bool plan_pkeys(const struct snapshot *s, uint32_t port, uint8_t want[static PKEY_TABLE_BYTES]);

#endif
