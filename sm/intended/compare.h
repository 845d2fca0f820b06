/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * compare.h - the intended topology and the fabric as it is: what is missing, what is new, and what
 * contradicts.
 * Room: sm/intended (prefix intended_).  Pure.
 *
 * Missing things are damage: the topology keeps them, so that nothing moves when they come back.
 * New things are growth, of which adopt.h takes what moves no path.  A contradiction is a port that
 * leads to something else than intended: a cable in the wrong place, or an exchanged switch.  It is
 * damage and growth at once, and only an operator can tell which is meant.
 *
 * Invariant: a link is listed only if both its switches are on the same side: an intended link
 * between switches that are there, a new one between switches that are known.  The links of a
 * missing or new switch go without saying.
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
	/* of the switch at the other end of the link, of the switch that the host is cabled to
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
/* Most of the switches that are there are unknown: the topology is of another fabric, and tells
 * nothing of this one. */
bool intended_diff_foreign(const struct intended_diff *d);

/* Whether the switch is there and not cut off. */
bool intended_switch_there(const struct snapshot *s, uint32_t sw);
/* The switch port that the end port of a host is cabled to. */
struct intended_place intended_place_of(const struct snapshot *s, uint32_t port);
/* Whether all of the fabric was seen, so that it may be learned: no node failed to answer, none
 * contradicts itself and none is cut off. */
bool intended_is_whole(const struct snapshot *s);

#endif
