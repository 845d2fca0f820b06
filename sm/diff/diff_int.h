/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff_int.h - common functions of the kinds of changes (kind_*.c).
 * Room: sm/diff, inside only.  Pure.
 *
 * A kind decides which changes its phase needs, and what their answers prove; kind.h explains the
 * members of a kind. The functions here answer questions that many kinds have: which ports and
 * switches may get changes, and how an answer is compared with the Set.
 */
#ifndef HEDDLE_SM_DIFF_DIFF_INT_H
#define HEDDLE_SM_DIFF_DIFF_INT_H

#include "sm/diff/kind.h"

/* The rows of the table in kinds.c. */
#define K(id, name) extern const struct change_kind change_kind_##name;
CHANGE_KINDS(K)
#undef K

/* ---- changes.c ---- */
void diff_add(struct changes *c, enum change_phase phase, uint32_t subject, uint32_t block);

/* Common functions for modifier() and reported() of kinds whose modifier is the block. */
uint32_t diff_block_modifier(const struct diff_view *v, const struct change *c, bool fallback);
uint32_t diff_block_reported(const struct change *c, uint8_t port);
/* For took_effect(): reports whether the answer equals the payload of the Set, byte for byte. */
bool diff_answer_is_payload(const struct change_kind *k, const struct diff_view *v,
	const struct change *c, const uint8_t *sent, const uint8_t *data);

/* ---- kind_port_info.c ---- */
/* Whether no change of PortInfo is listed for the port; 'last' as in plan_port_wanted_next(). */
bool diff_port_is_settled(const struct diff_view *v, struct mkeys_last *last, uint32_t port);

/* ---- what was read of the subject ---- */

static inline bool
diff_port_read(const struct fab_port *p)
{
	return p->flags & FAB_PORT_INFO && !(p->flags & FAB_PORT_FAILED);
}

/* Reports whether the port may get changes: it was read, and its node is not left out. */
static inline bool
diff_port_planned(const struct snapshot *s, const struct fab_port *p)
{
	return diff_port_read(p) && !(s->nodes[p->node].flags & FAB_NODE_CUT);
}

static inline bool
diff_switch_planned(const struct fab_node *n)
{
	return n->flags & FAB_NODE_SWITCH_INFO && !(n->flags & FAB_NODE_CUT);
}

static inline const struct fab_node *
diff_switch(const struct snapshot *s, uint32_t sw)
{
	return &s->nodes[s->switches[sw]];
}

#endif
