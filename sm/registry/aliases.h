/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * aliases.h - alias GUIDs: the GUID tables of ports across sweeps, and requests that wait until
 * those are written.
 * Room: sm/registry.  Pure.
 *
 * sm/sub/alias.h maps aliases to entries of ports.  struct guid_tables (sm/plan/guid.h) has the
 * wanted and the known contents of each port's table.  Aliases are stored in the ports only: a new
 * master reads the tables of ports that were configured before (aliases_reader()), and the aliases
 * it finds are in force again.  Between sweeps, tables are written in rounds (table_round.h).  If a
 * table cannot be written, the request is undone and answered with "no resources".
 */
#ifndef HEDDLE_SM_REGISTRY_ALIASES_H
#define HEDDLE_SM_REGISTRY_ALIASES_H

#include "fabric/read/guid_read.h"
#include "sm/registry/registry.h"
#include "sm/sub/alias.h"

/* Removes all aliases.  Held answers are dropped and counted in 'stats'. */
void aliases_reset(struct registry *reg, struct subnet *net, struct sa_stats *stats);
void aliases_free(struct registry *reg);

/* The port of 's' that has that GUID as its own or as an alias; FAB_NONE: none has. */
uint32_t aliases_port(const struct registry *reg, const struct snapshot *s, uint64_t guid);
/*
 * Whether the port with that GUID, its own or an alias, is served and has a LID.  Requires a served
 * plan.
 */
bool aliases_is_served(const struct registry *reg, const struct subnet *net, uint64_t guid);
/* Writes all aliases of a port to 'guids'; returns their number. */
uint32_t aliases_of(
	const struct registry *reg, uint64_t port_guid, uint64_t guids[static ALIAS_ENTRIES_MAX]);

/*
 * A reader of the GUID tables that a new master must know before it plans; the caller frees it.
 * NULL: no table has to be read.
 */
struct guid_reader *aliases_reader(const struct subnet *net, const struct snapshot *fresh);
/*
 * Takes the rows that the reader found.  An alias that two ports hold, or that is the own GUID of
 * any port, is dropped.
 */
void aliases_found(struct registry *reg, const struct subnet *net, const struct snapshot *fresh,
	const struct guid_row *rows, uint32_t n);
/* The wanted GUID tables; plans borrow them. */
const struct guid_tables *aliases_wanted(const struct registry *reg);
/*
 * A plan of 's' was made: updates the wanted tables of ports whose aliases changed.  The table
 * contents of ports whose link was down count as unknown.
 */
void aliases_plan(struct registry *reg, const struct subnet *net, const struct snapshot *s);
void aliases_leave_served(struct registry *reg, struct subnet *net);
/* Keeps the aliases of absent ports, but only for a limited number of ports. */
void aliases_swept(struct registry *reg, const struct subnet *net);

/* Copies the entries that a Set or Delete of a GUIDInfoRecord affects, before it is granted. */
void aliases_entries_before(const struct registry *reg, const struct subnet *net,
	const struct dgram *req, uint64_t before[static ALIAS_BLOCK_GUIDS]);
/* Holds the answer 'mad' (256 bytes) to a granted request until the table is written. */
void aliases_hold_answer(struct registry *reg, struct subnet *net, const struct dgram *req,
	const uint8_t *mad, const uint64_t before[static ALIAS_BLOCK_GUIDS]);
/*
 * Writes changed tables.  'sweep_writes': a sweep is writing GUID tables, so no round begins.
 */
void aliases_pump(struct registry *reg, struct subnet *net, bool sweep_writes);
void aliases_pause(struct registry *reg, struct subnet *net, bool pause);
/* A request of owner OWN_GUIDS has ended. */
void aliases_end(struct registry *reg, const struct txn_end *e);

#endif
