/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gid.h - GIDs: the two halves of the 16 bytes.
 * Room: libmad/wire.  Pure, header only.
 *
 * A GID is kept as its 16 bytes, in records, packets and structures alike, and compared with
 * memcmp().  The GID of a port consists of the subnet prefix and a GUID of the port.  A multicast
 * GID begins with a byte of ones: libmad/attr/mgid.h.
 */
#ifndef HEDDLE_LIBMAD_WIRE_GID_H
#define HEDDLE_LIBMAD_WIRE_GID_H

#include "libmad/wire/wire.h"

/* The prefix of a subnet without a configured one, and of link-local GIDs. */
#define GID_PREFIX_DEFAULT UINT64_C(0xfe80000000000000)

static inline uint64_t gid_prefix(const uint8_t gid[static 16]) { return wire_get64(gid); }
static inline uint64_t gid_guid(const uint8_t gid[static 16]) { return wire_get64(gid + 8); }

static inline bool gid_is_multicast(const uint8_t gid[static 16]) { return gid[0] == 0xff; }

/* Whether the GID is in fe80::/10, the link-local addresses of IPv6. */
static inline bool
gid_is_link_local(const uint8_t gid[static 16])
{
	return wire_bits_get(gid, 0, 10) == GID_PREFIX_DEFAULT >> 54;
}

static inline void
gid_set(uint8_t gid[static 16], uint64_t prefix, uint64_t guid)
{
	wire_put64(gid, prefix);
	wire_put64(gid + 8, guid);
}

#endif
