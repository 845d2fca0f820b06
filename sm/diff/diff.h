/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff.h - wanted against observed: the ordered list of changes, and nothing else is ever sent.
 * Room: sm/diff.  Pure.
 *
 * A change names its subject; what it carries is made when it is sent (diff_payload), from the image last
 * received, so that a Set never undoes what an earlier Set of the same run brought.
 * What several steps write to one attribute of one port travels in one Set, with the last of them.
 */
#ifndef HEDDLE_SM_DIFF_DIFF_H
#define HEDDLE_SM_DIFF_DIFF_H

#include "sm/plan/plan.h"

/* Barriers: a phase begins when all of the one before has ended (docs/architecture.md). */
#define CHANGE_PHASES(P) \
	P(PKEYS, "pkeys") P(SM_LID, "sm_lid") P(LIDS, "lids") P(SWITCH_INFO, "switch_info") \
	P(LFT_SM, "lft_sm") P(LFT, "lft") P(QOS, "qos") P(MFT_CUT, "mft_cut") P(MFT, "mft") P(GUIDS, "guids") \
	P(LINKS, "links") P(ARM, "arm") P(ACTIVATE, "activate")

enum change_phase {
#define P(name, word) CHANGE_##name,
	CHANGE_PHASES(P)
#undef P
	CHANGE_PHASE_COUNT
};
const char *change_phase_text(enum change_phase p);

struct change {
	uint32_t subject;               /* port index; SWITCH_INFO, LFT*, MFT*: switch ordinal */
	uint32_t block;                 /* LFT*, PKEYS, GUIDS: block; MFT*: row (sm/plan/mcast.h); QOS: see below */
};

/*
 * Multicast trees that move: phase MFT_CUT removes the old entries that the new tree lacks, then phase MFT writes the
 * new ones.  Parts of two trees together can have a loop, in which packets multiply; parts of one cannot.
 *
 * A change of phase QOS: subject is the port, block the modifier on the wire; CHANGE_QOS_VLARB marks a VLArbitration
 * block.  SLtoVL tables of a switch may be written many at a time: all that lead to the output port, or all it has.
 */
#define CHANGE_QOS_VLARB (UINT32_C(1) << 31)
#define CHANGE_QOS_ALL_INPUTS UINT32_C(0x20000)
#define CHANGE_QOS_ALL_PAIRS UINT32_C(0x30000)

struct change_list {
	struct change *v;
	uint32_t n, cap;
};

struct changes {
	struct change_list phase[CHANGE_PHASE_COUNT];
	uint64_t total;
};

/* All that must be sent so that the fabric of 's' becomes 'plan'.  Ports of a link whose other end was not
 * read are left alone.  Owned by the caller (changes_clear). */
void diff_make(const struct snapshot *s, const struct plan *plan, struct changes *out);
/* The same in steps, for whom joins and leaves go on meanwhile: all but multicast and GUID tables (plan.mcast, mft_seen and guids
 * are not looked at), which makes '*out'; then those, which add to it. */
void diff_all_but_groups(const struct snapshot *s, const struct plan *plan, struct changes *out);
void diff_all_groups(const struct snapshot *s, const struct plan *plan, struct changes *out);
void diff_all_guids(const struct snapshot *s, const struct plan *plan, struct changes *out);
/* Only one port's. */
void diff_guids(const struct snapshot *s, const struct plan *plan, uint32_t port, struct changes *out);
/* Only the multicast rows that have changed in the plan since they were last taken. */
void diff_groups(const struct plan *plan, struct changes *out);
void changes_clear(struct changes *c);

/* Goes through the tables that a change of phase QOS writes: 'i' 0, 1, ... until false. */
bool diff_qos_table(const struct snapshot *s, const struct change *c, uint32_t i, struct qos_table *t);

/* The 64 bytes a change carries now.  Returns them: 'buf', or a row of the plan that outlives the change. */
const uint8_t *diff_payload(const struct snapshot *s, const struct plan *plan, enum change_phase phase,
	const struct change *c, uint8_t buf[static 64]);

#endif
