/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind.h - the kinds of changes: everything that sm/apply and the reports need to know of each.
 * Room: sm/diff.  Pure.
 *
 * A kind is one row, a struct change_kind.  It defines which attribute its Sets write, where they
 * go, what they carry, what an answer proves, and what becomes known or unknown by it.  Each phase
 * of a sweep has one kind, and the order of CHANGE_KINDS is the order of the phases.  sm/apply
 * sends the changes of every row in the same way and names none of them.
 *
 * Invariants: the functions of a row keep no state.  Functions that get a struct diff_view only
 * read. Only observe() and forget() write, and only to the observed state, never to the plan.
 *
 * A new kind is a file kind_NAME.c with its row, and a line in CHANGE_KINDS (HACKING.md has the
 * recipe).  Read first: kind_switch_info.c (the smallest), kind_port_info.c (uses every member of a
 * row).
 */
#ifndef HEDDLE_SM_DIFF_KIND_H
#define HEDDLE_SM_DIFF_KIND_H

#include "fabric/snapshot/observed.h"
#include "sm/order/order.h"
#include "sm/plan/plan.h"

/* The phases are barriers: a phase begins when all changes of the one before have ended
 * (docs/architecture.md). */
#define CHANGE_KINDS(K) \
	K(LANES_WIDE, lanes_wide) K(LANES, lanes) K(PKEYS, pkeys) K(SM_LID, sm_lid) K(LIDS, lids) \
	K(SWITCH_INFO, switch_info) K(ARM_BACK, arm_back) K(ACTIVATE_BACK, activate_back) \
	K(LFT_SM, lft_sm) K(LFT, lft) K(QOS, qos) K(MFT_CUT, mft_cut) K(MFT, mft) K(GUIDS, guids) \
	K(LINKS, links) K(ARM, arm) K(ACTIVATE, activate)

enum change_phase {
#define K(id, name) CHANGE_##id,
	CHANGE_KINDS(K)
#undef K
	CHANGE_PHASE_COUNT
};

#define CHANGE_BYTES 64                 /* payload of a Set: the data of an SMP */

struct change {
	uint32_t subject;               /* port index or switch ordinal, depending on the kind */
	uint32_t block;                 /* part of the table, depending on the kind */
};

struct change_list {
	struct change *v;
	uint32_t n, cap;
};

/*
 * An order among the changes of one phase (docs/routing.md, "The order of writes").  The writes of
 * the order are the changes of the phase, with the same indices.
 */
struct change_order {
	enum change_phase phase;
	struct arena arena;             /* owns 'order' */
	struct order order;
};

struct change_kind;
struct changes {
	struct change_list phase[CHANGE_PHASE_COUNT];
	uint64_t total;
	const struct change_kind *const *kinds; /* by phase; NULL: change_kinds */
	struct change_order *ordered;   /* owned; NULL: the changes of a phase have no order */
};

/* The input of kinds: wanted and observed state, all const. */
struct diff_view {
	const struct snapshot *s;       /* observed->s */
	const struct observed *observed;
	const struct plan *plan;
	const struct order *order;      /* of the changes; NULL: none */
	/* bits by port index: ports that need no Set of PortInfo (sm/diff/settled.h); NULL: none is
	 * known to */
	const uint64_t *settled;
};

/* The result of the answer to a Set, or to the Get that followed a refused Set. */
struct change_answer {
	const uint8_t *data;            /* CHANGE_BYTES */
	uint32_t modifier;              /* of the Set; 0 for a Get */
	bool effect;                    /* the answer shows the wanted state */
	bool fallback;                  /* the Set was sent in its fallback form */
};

enum change_subject {
	CHANGE_OF_PORT,                 /* SMPs take a route that ends at this port */
	CHANGE_OF_SWITCH,
};

/* Members that are not set mean "no", 0, or "nothing to do". */
struct change_kind {
	const char *name;               /* of the phase, in the log and in reports */
	enum change_subject subject;
	uint16_t attribute;             /* attribute ID; 0: attribute_of() gives it per change */
	uint8_t port_state;             /* for kinds of PortInfo: the state that a Set commands */
	bool registered;                /* the wanted state depends on registrations of hosts */
	bool payload_borrowed;          /* payload() returns bytes that outlive the Set */
	bool keeps_sent;                /* took_effect() needs the payload that was sent */
	/* if it fails, both ends of the link are barred (needs_link) */
	bool bars_link;
	bool needs_link;                /* changes of this kind are not sent to barred ends */
	/* if a change of a switch fails, no later phase is sent: the subnet stays as it was */
	bool stops;

	/* Adds all due changes of the kinds in its file; NULL: another row's find() adds them. */
	void (*find)(const struct diff_view *v, struct changes *out);
	uint16_t (*attribute_of)(const struct change *c);
	/* Attribute modifier; NULL: 0. */
	uint32_t (*modifier)(const struct diff_view *v, const struct change *c, bool fallback);
	/* The modifier shown in reports; NULL: 0.  'port': the port number, 0 for a switch. */
	uint32_t (*reported)(const struct change *c, uint8_t port);
	/* The CHANGE_BYTES that a Set carries now.  Returns 'buf', or bytes that outlive the
	 * change. */
	const uint8_t *(*payload)(const struct change_kind *k, const struct diff_view *v,
		const struct change *c, uint8_t buf[static CHANGE_BYTES]);
	/*
	 * Whether the answer 'data' shows that the Set took effect; a status of 0 alone proves
	 * nothing.  Called before observe().  'sent': the payload of the Set, NULL unless
	 * keeps_sent.
	 */
	bool (*took_effect)(const struct change_kind *k, const struct diff_view *v,
		const struct change *c, const uint8_t *sent, const uint8_t *data);
	/* Records what the answer shows in the observed state. */
	void (*observe)(
		struct observed *o, const struct change *c, const struct change_answer *answer);
	/* The change failed, and no answer showed data: records that the result is unknown. */
	void (*forget)(struct observed *o, const struct change *c);
	/*
	 * A Get follows a refused Set: whether its data shows the wanted state. NULL: a refusal is
	 * final.
	 */
	bool (*reached)(const struct change_kind *k, const uint8_t *data);
	/* Whether a Set that was refused with 'status' may be sent again in its fallback form. */
	bool (*has_fallback)(const struct diff_view *v, const struct change *c, uint32_t modifier,
		uint16_t status);
	/*
	 * The Set was refused, or its answer shows no effect: adds changes of later phases that do
	 * the same in another way, and the change does not count as failed.  NULL: there are none.
	 */
	void (*instead)(const struct diff_view *v, const struct change *c, struct changes *out);
	/* Whether to leave a refusal, or an answer without effect, out of the reports. */
	bool (*is_quiet)(const struct plan *plan, const struct change *c);
};

/* The kind of each phase. */
extern const struct change_kind *const change_kinds[CHANGE_PHASE_COUNT];

/* The name of a phase; "done" for CHANGE_PHASE_COUNT. */
const char *change_phase_text(enum change_phase p);
uint16_t change_attribute(const struct change_kind *k, const struct change *c);
/* The modifier for a report; 'port' as in reported(). */
uint32_t change_reported(const struct change_kind *k, const struct change *c, uint8_t port);

void changes_clear(struct changes *c);

/* ---- of single kinds ---- */

/* Adds changes for the GUID table blocks of one port (index). */
void diff_guids(const struct observed *o, const struct plan *plan, uint32_t port,
	struct changes *out);
/* Lists in '*out' the multicast rows that changed in the plan since they were last taken. */
void diff_groups(const struct observed *o, const struct plan *plan, struct changes *out);

/*
 * For kinds LFT_SM and LFT, the block of a change is the block of the table, and above that the
 * image of an ordered write (struct order_write).
 */
#define CHANGE_BLOCK_OF(c) ((c)->block & 0xffff)
#define CHANGE_IMAGE_OF(c) ((c)->block >> 16)
#define CHANGE_WITH_IMAGE(block, image) ((uint32_t)(image) << 16 | (block))
#define CHANGE_IMAGES_MAX 0xffff

/*
 * The same tables are of kinds LANES_WIDE and LANES if forwarding tables need them, and are then
 * written before everything else, otherwise of kind QOS and written after forwarding tables, which
 * may not need any more what is in them.
 *
 * For these kinds, the block of a change is the attribute modifier; CHANGE_QOS_VLARB marks a
 * VLArbitration block.  One Set can write several SL-to-VL tables of a switch: all tables of an
 * output port, or all tables of the switch (kind LANES_WIDE or QOS).  For all tables of an output
 * port, the block has in the place of the input port one whose table the Set carries.
 */
#define CHANGE_QOS_VLARB (UINT32_C(1) << 31)
#define CHANGE_QOS_ALL_INPUTS UINT32_C(0x20000)
#define CHANGE_QOS_ALL_PAIRS UINT32_C(0x30000)

/* Iterates over the tables that a change of these kinds writes: call it with 'i' = 0, 1, ... until
 * it returns false. */
bool diff_qos_table(
	const struct snapshot *s, const struct change *c, uint32_t i, struct qos_table *t);

#endif
