/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * alias.h - alias GUIDs: further addresses of end ports.
 * Room: sm/sub.  Pure.  In: Set and Delete of GUIDInfoRecords with what is known of the port;
 * tables that ports were found with.  Out: the entries of every port, whose an alias is, which
 * ports have other entries than before.  docs/sa.md: alias GUIDs.
 *
 * An alias belongs to one entry of one port.  It stays when the port goes, until another port asks
 * for it.  Entry 0 of a port is its own GUID and not kept here: it reads 0.
 */
#ifndef HEDDLE_SM_SUB_ALIAS_H
#define HEDDLE_SM_SUB_ALIAS_H

#include <stdbool.h>
#include <stdint.h>

#define ALIAS_BLOCK_GUIDS 8
#define ALIAS_ENTRIES_MAX 256           /* of one port: as many as GUIDCap can say */
/* of all ports; those that ports were found with are taken over */
#define ALIAS_MAX 1048576u

struct alias_table;
struct alias_table *alias_new(void);
void alias_free(struct alias_table *t);         /* NULL is fine */

/* The port whose alias 'guid' is; 0: nobody's. */
uint64_t alias_owner(const struct alias_table *t, uint64_t guid);
uint32_t alias_count(const struct alias_table *t);
/* Entries 8 * block to 8 * block + 7 of a port. */
void alias_block(const struct alias_table *t, uint64_t port_guid, uint8_t block,
	uint64_t out[static ALIAS_BLOCK_GUIDS]);
/* The ports that have entries, each once, sorted; their number, '*guids' is the caller's. */
uint32_t alias_ports(const struct alias_table *t, uint64_t **guids);
/* Puts an alias, or 0, into an entry (not entry 0).  False: the alias is another entry's; nothing
 * happened. */
bool alias_put(struct alias_table *t, uint64_t port_guid, uint8_t entry, uint64_t guid);
/* Takes an alias from whoever has it. */
void alias_release(struct alias_table *t, uint64_t guid);
void alias_drop_port(struct alias_table *t, uint64_t port_guid);
/* A GUID that is nobody's alias: 0x001405, 'assigned', a number. */
uint64_t alias_make(struct alias_table *t, uint8_t assigned);

/* What subnet administration knows of one request before it comes here. */
struct alias_request {
	uint64_t port_guid;
	uint8_t cap;                    /* entries that the port has, its own GUID among them */
	uint8_t block;
	uint8_t entries;                /* which of the block it is about */
	uint64_t want[ALIAS_BLOCK_GUIDS];       /* 0: what is there stays */
	uint8_t taken;                  /* of these, those that are some port's own GUID */
	uint8_t away;                   /* those that are the alias of a port that has gone */
	uint8_t pinned;                 /* entries whose present alias is in a multicast group */
	bool entitled;                  /* the requester is that port, or trusted */
};
/* STATUS_OK: 'got' is the block as it is now, but 0 for an entry that was asked for and is
 * somebody's already. */
uint16_t alias_set(struct alias_table *t, const struct alias_request *a,
	uint64_t got[static ALIAS_BLOCK_GUIDS]);
uint16_t alias_delete(struct alias_table *t, const struct alias_request *a,
	uint64_t got[static ALIAS_BLOCK_GUIDS]);

/* A port whose entries are others than when it was last taken; false: none. */
bool alias_take_changed(struct alias_table *t, uint64_t *port_guid);
bool alias_has_changed(const struct alias_table *t);

#endif
