/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * aliases.h - alias GUIDs: the GUID tables of ports across sweeps, and requests that wait until
 * those are written.
 * Room: sm/registry.  Pure.
 *
 * sm/sub/alias.h says which alias belongs to which entry of which port; struct guid_tables
 * (sm/plan/guid.h) what each port is to hold and is known to hold.  The ports are the store: a new
 * master reads the tables of ports that were configured before (aliases_reader()), and what it
 * finds there is in force again.  Between sweeps, tables are written in rounds (table_round.h).  A
 * request whose table cannot be written is taken back and answered with "no resources".
 */
#ifndef HEDDLE_SM_REGISTRY_ALIASES_H
#define HEDDLE_SM_REGISTRY_ALIASES_H

#include "fabric/read/guid_read.h"
#include "sm/registry/registry.h"
#include "sm/sub/alias.h"

/* No port has an alias.  Requests that wait are counted in 'stats' and forgotten. */
void aliases_reset(struct registry *reg, struct subnet *net, struct sa_stats *stats);
void aliases_free(struct registry *reg);

/* The port of 's' that has that GUID as its own or as an alias; FAB_NONE. */
uint32_t aliases_port(const struct registry *reg, const struct snapshot *s, uint64_t guid);
/*
 * Whether the port with that GUID, its own or an alias, is served and has a LID.  There is a plan.
 */
bool aliases_is_served(const struct registry *reg, const struct subnet *net, uint64_t guid);
/* All aliases of a port; their number. */
uint32_t aliases_of(
	const struct registry *reg, uint64_t port_guid, uint64_t guids[static ALIAS_ENTRIES_MAX]);

/*
 * A reader of the GUID tables that a new master must know before it plans; the caller frees.  NULL:
 * there are none.
 */
struct guid_reader *aliases_reader(const struct subnet *net, const struct snapshot *fresh);
/*
 * What the reader found.  An alias that two ports hold, or that is some port's own GUID, is
 * dropped.
 */
void aliases_found(struct registry *reg, const struct subnet *net, const struct snapshot *fresh,
	const struct guid_row *rows, uint32_t n);
/* The GUID tables as they shall be; for plans, which borrow them. */
const struct guid_tables *aliases_wanted(const struct registry *reg);
/*
 * A plan of 's' is made: wants tables for the aliases that changed, and forgets what tables of
 * ports held whose link was down.
 */
void aliases_plan(struct registry *reg, const struct subnet *net, const struct snapshot *s);
void aliases_leave_served(struct registry *reg, struct subnet *net);
/* Aliases of ports that are gone are kept for some ports only. */
void aliases_swept(struct registry *reg, const struct subnet *net);

/* The entries that a Set or Delete of a GUIDInfoRecord is about, before it is granted. */
void aliases_entries_before(const struct registry *reg, const struct subnet *net,
	const struct dgram *req, uint64_t before[static ALIAS_BLOCK_GUIDS]);
/* Takes the answer 'mad' (256 bytes) to a granted one, and sends it when the table is written. */
void aliases_hold_answer(struct registry *reg, struct subnet *net, const struct dgram *req,
	const uint8_t *mad, const uint64_t before[static ALIAS_BLOCK_GUIDS]);
/*
 * Writes what has changed.  'sweep_writes': a sweep writes GUID tables right now, no round begins.
 */
void aliases_pump(struct registry *reg, struct subnet *net, bool sweep_writes);
void aliases_pause(struct registry *reg, struct subnet *net, bool pause);
/* A request of owner OWN_GUIDS has ended. */
void aliases_end(struct registry *reg, const struct txn_end *e);

#endif
