/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mkeys.h - which M_Key a request to a port carries.
 * Room: fabric/snapshot.  Pure.
 *
 * Every end port may have an M_Key of its own, which the owner of the keys derives from the port's
 * GUID.  Rooms that make requests only call this function and do not depend on how keys are made.
 * The ports of a switch share the key of its port 0; a channel adapter checks the key of the port
 * at which a request arrives.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_MKEYS_H
#define HEDDLE_FABRIC_SNAPSHOT_MKEYS_H

#include "fabric/snapshot/snapshot.h"

#define MKEYS_CIPHER_WORDS 40          /* at least what the owner of the keys needs */

/* A value type: a copy stays valid independently of the original. */
struct mkeys {
	/* The M_Key of the end port with that GUID, 0 for none; GUID 0: a port whose GUID is not
	 * known yet.  NULL: no keys. */
	uint64_t (*of)(const struct mkeys *k, uint64_t port_guid);
	uint64_t one;                   /* the key of all ports, or */
	/* what each port's is derived from: the state of a cipher that has its key, because setting
	 * the key costs ten times as much as deriving from it */
	uint64_t cipher[MKEYS_CIPHER_WORDS];
};

static inline uint64_t
mkeys_of(const struct mkeys *k, uint64_t port_guid)
{
	return k->of ? k->of(k, port_guid) : 0;
}

/* Caches the last key, for several requests to one port in a row. */
struct mkeys_last {
	uint64_t guid, key;             /* { 0 }: none yet */
};

static inline uint64_t
mkeys_of_again(const struct mkeys *k, struct mkeys_last *last, uint64_t port_guid)
{
	if (last->guid != port_guid || !port_guid)
		*last = (struct mkeys_last){ port_guid, mkeys_of(k, port_guid) };
	return last->key;
}

/* The same key for all ports; 0: none. */
struct mkeys mkeys_one(uint64_t key);
/* The end port that checks the M_Key of a request to 'port': port 0 of a switch, the port itself
 * of anything else. */
uint32_t mkeys_end_port(const struct snapshot *s, uint32_t port);
/* The end port at which a request by the node's own route arrives. */
uint32_t mkeys_node_port(const struct snapshot *s, uint32_t node);
/*
 * The key for a Set to end port 'end': the one that the port shows, whoever wrote it; otherwise
 * ours.  A port shows its key to those who already know it, and to everyone once its lease has
 * expired.
 */
uint64_t mkeys_to_write(const struct mkeys *k, struct mkeys_last *last, const struct snapshot *s,
	uint32_t end);

#endif
