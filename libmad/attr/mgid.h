/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mgid.h - the fields of multicast GIDs.  docs/wire.md: MCMemberRecord.
 * Room: libmad/attr.  Pure, header only.
 *
 * Every MGID is ones:8, flags:4, scope:4 and 112 more bits.  In MGIDs of IP and in those that
 * subnet administration makes, a signature of 16 bits follows, then the rest by its kind:
 *   IPv4, IPv6     P_Key:16, group:80; the broadcast group of a P_Key has 48 zeros and 32 ones
 *   made by an SA  subnet prefix:64, number:32
 * The values are in codes.h (MGID_).  libmad/wire/gid.h says whether a GID is an MGID.
 */
#ifndef HEDDLE_LIBMAD_ATTR_MGID_H
#define HEDDLE_LIBMAD_ATTR_MGID_H

#include "libmad/attr/codes.h"
#include "libmad/wire/gid.h"

static inline unsigned mgid_flags(const uint8_t mgid[static 16]) { return mgid[1] >> 4; }
static inline uint8_t mgid_scope(const uint8_t mgid[static 16]) { return mgid[1] & 0xf; }

static inline void
mgid_set_scope(uint8_t mgid[static 16], unsigned scope)
{
	mgid[1] = (uint8_t)((mgid[1] & 0xf0) | (scope & 0xf));
}

static inline uint16_t
mgid_signature(const uint8_t mgid[static 16])
{
	return wire_get16(mgid + 2);
}

static inline bool
mgid_is_ip(const uint8_t mgid[static 16])
{
	return mgid_signature(mgid) == MGID_SIGNATURE_IPV4 ||
		mgid_signature(mgid) == MGID_SIGNATURE_IPV6;
}

/* The P_Key of an MGID of IP. */
static inline uint16_t mgid_pkey(const uint8_t mgid[static 16]) { return wire_get16(mgid + 4); }

static inline void
mgid_set_pkey(uint8_t mgid[static 16], uint16_t pkey)
{
	wire_put16(mgid + 4, pkey);
}

/* Whether this is a group for IPv6 address resolution: ff1s:601b:P_Key::1:ffXX:XXXX. */
static inline bool
mgid_is_solicited_node(const uint8_t mgid[static 16])
{
	return gid_is_multicast(mgid) && mgid_flags(mgid) == MGID_FLAG_TRANSIENT &&
		mgid_signature(mgid) == MGID_SIGNATURE_IPV6 && wire_get32(mgid + 6) == 0 &&
		wire_get16(mgid + 10) == 1 && mgid[12] == 0xff;
}

/* A transient MGID with that signature; the bits behind it are zero. */
static inline void
mgid_init(uint8_t mgid[static 16], unsigned scope, uint16_t signature)
{
	memset(mgid, 0, 16);
	mgid[0] = 0xff;
	mgid[1] = MGID_FLAG_TRANSIENT << 4;
	mgid_set_scope(mgid, scope);
	wire_put16(mgid + 2, signature);
}

/* The broadcast group of IPv4 in a partition: ff1s:401b:P_Key::ffff:ffff, with the P_Key of a full
 * member. */
static inline void
mgid_make_broadcast(uint8_t mgid[static 16], unsigned scope, uint16_t pkey)
{
	mgid_init(mgid, scope, MGID_SIGNATURE_IPV4);
	mgid_set_pkey(mgid, pkey | PKEY_MEMBER_FULL);
	wire_put32(mgid + 12, UINT32_MAX);
}

/* An MGID that subnet administration makes. */
static inline void
mgid_make_own(uint8_t mgid[static 16], unsigned scope, uint64_t prefix, uint32_t number)
{
	mgid_init(mgid, scope, MGID_SIGNATURE_SA);
	wire_put64(mgid + 4, prefix);
	wire_put32(mgid + 12, number);
}

#endif
