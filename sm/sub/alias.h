/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * alias.h - alias GUIDs: additional GUIDs of end ports, for example of virtual functions.
 * Room: sm/sub.  Pure.  In: Set and Delete of GUIDInfoRecords with what is known of the port; GUID
 * tables that were found on ports.  Out: the entries of every port, the owner of an alias, the
 * ports whose entries changed.  docs/sa.md: alias GUIDs.
 *
 * An alias belongs to one entry of one port.  It is kept when the port leaves the fabric, until
 * another port requests it.  Entry 0 of a port is its own GUID; it is not stored here and reads as
 * 0.
 * This module holds the registrations.  sm/registry turns them into wanted GUID tables
 * (sm/plan/guid.h).
 */
#ifndef HEDDLE_SM_SUB_ALIAS_H
#define HEDDLE_SM_SUB_ALIAS_H

#include <stdbool.h>
#include <stdint.h>

#define ALIAS_BLOCK_GUIDS 8
#define ALIAS_ENTRIES_MAX 256           /* per port: the maximum of GUIDCap */
/* of all ports; aliases found on ports count, too */
#define ALIAS_MAX 1048576u

struct alias_table;
struct alias_table *alias_new(void);
void alias_free(struct alias_table *t);         /* 't' may be NULL */

/* The GUID of the port that owns the alias 'guid'; 0: none. */
uint64_t alias_owner(const struct alias_table *t, uint64_t guid);
uint32_t alias_count(const struct alias_table *t);
/* Entries 8 * block to 8 * block + 7 of a port. */
void alias_block(const struct alias_table *t, uint64_t port_guid, uint8_t block,
	uint64_t out[static ALIAS_BLOCK_GUIDS]);
/* The ports that have entries, sorted, each once.  Returns their number; the caller frees
 * '*guids'. */
uint32_t alias_ports(const struct alias_table *t, uint64_t **guids);
/* Puts an alias, or 0, into an entry (not entry 0).  False: another entry holds the alias, and
 * nothing changed. */
bool alias_put(struct alias_table *t, uint64_t port_guid, uint8_t entry, uint64_t guid);
/* Removes an alias from its owner. */
void alias_release(struct alias_table *t, uint64_t guid);
void alias_drop_port(struct alias_table *t, uint64_t port_guid);
/* A GUID that is not yet an alias: 0x001405, 'assigned', a number. */
uint64_t alias_make(struct alias_table *t, uint8_t assigned);

/* A GUIDInfoRecord request, with what the SA knows about the port. */
struct alias_request {
	uint64_t port_guid;
	uint8_t cap;                    /* number of entries of the port, including its own GUID */
	uint8_t block;
	uint8_t entries;                /* the requested entries of the block */
	uint64_t want[ALIAS_BLOCK_GUIDS];       /* 0: keep the present value */
	/* of the requested entries: those that are some port's own GUID */
	uint8_t taken;
	uint8_t away;                   /* those that are an alias of a port that has left */
	/* entries whose present alias is a member of a multicast group */
	uint8_t pinned;
	bool entitled;                  /* the requester is that port, or is trusted */
};
/* Returns STATUS_OK and the resulting block in 'got'; a requested entry that another port owns
 * reads 0 there. */
uint16_t alias_set(struct alias_table *t, const struct alias_request *a,
	uint64_t got[static ALIAS_BLOCK_GUIDS]);
uint16_t alias_delete(struct alias_table *t, const struct alias_request *a,
	uint64_t got[static ALIAS_BLOCK_GUIDS]);

/* A port whose entries changed since it was last taken; false: none. */
bool alias_take_changed(struct alias_table *t, uint64_t *port_guid);
bool alias_has_changed(const struct alias_table *t);

#endif
