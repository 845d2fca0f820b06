/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * compare.h - the intended topology and the fabric as it is: what is missing, what is new, and what
 * contradicts.
 * Room: sm/intended (prefix intended_).  Pure.
 *
 * Missing switches, links and hosts are damage: the topology keeps them, so that no path moves
 * when they come back.  New ones are growth, of which adopt.h adds what moves no path.  A
 * contradiction is a port that leads to another port than intended: a link in the wrong place, or
 * an exchanged switch.  It can be damage or growth, and only an operator can decide which.
 *
 * Invariant: a link is listed only if both its switches are on the same side: an intended link
 * between switches of the fabric, a new one between known switches.  The links of a missing or new
 * switch are not listed.
 */
#ifndef HEDDLE_SM_INTENDED_COMPARE_H
#define HEDDLE_SM_INTENDED_COMPARE_H

#include "sm/intended/intended.h"

#define INTENDED_CHANGES(K) \
	/* damage */ \
	K(MISSING_SWITCH, "missing switch") \
	K(MISSING_LINK, "missing link") K(MISSING_HOST, "missing host") /* growth */ \
		K(NEW_SWITCH, "new switch") K(NEW_LINK, "new link") \
			K(NEW_HOST, "new host") /* contradictions */ \
		K(MOVED_HOST, "moved host") K(OTHER_PEER, "other peer")

enum intended_change_kind {
#define K(name, text) INTENDED_##name,
	INTENDED_CHANGES(K)
#undef K
		INTENDED_CHANGE_KINDS
};

struct intended_change {
	enum intended_change_kind kind;
	/* of the switch or of the host's port; of a link and of INTENDED_OTHER_PEER: of the switch
	 * at one end */
	uint64_t guid;
	/* of the switch at the other end of the link, of the switch that the host is linked to
	 * (missing: was); INTENDED_OTHER_PEER: of what is there now; 0 for switches */
	uint64_t other;
	uint8_t port, other_port; /* of 'guid' (0: switch or host), of 'other' */
};

struct intended_diff {
	struct arena arena;
	struct intended_change *v; /* by kind; within one in the order of GUIDs */
	uint32_t n, cap;
	uint32_t count[INTENDED_CHANGE_KINDS];
	uint32_t present, known; /* switches of the fabric, those of them that are known */
	uint32_t links, hosts; /* of the fabric: links between switches; hosts */
};

/* A place where a host can be: INTENDED_NONE and 0: nowhere. */
struct intended_place {
	uint32_t sw; /* ordinal in the snapshot */
	uint8_t port;
};

/* Compares; the caller frees the result.  Links that are left out of the snapshot and switches
 * that are cut off count as missing. */
struct intended_diff *intended_compare(const struct intended *t, const struct snapshot *s);
void intended_diff_free(struct intended_diff *d); /* NULL is fine */
/* "missing switch" */
const char *intended_change_text(enum intended_change_kind k);
/* Damage only: switches, links and hosts that are missing. */
uint32_t intended_diff_missing(const struct intended_diff *d);
/* Growth and contradictions. */
uint32_t intended_diff_pending(const struct intended_diff *d);
/* Returns true if most switches of the fabric are unknown: the topology belongs to another
 * fabric. */
bool intended_diff_foreign(const struct intended_diff *d);

/* Returns true if the switch is in the fabric and connected. */
bool intended_switch_there(const struct snapshot *s, uint32_t sw);
/* The switch port that the end port of a host is linked to. */
struct intended_place intended_place_of(const struct snapshot *s, uint32_t port);
/* Returns true if the sweep found the whole fabric, so that it may be learned: every node answered,
 * none contradicts itself, and all are connected. */
bool intended_is_whole(const struct snapshot *s);

#endif
