/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind.h - the kinds of changes: all that apply and the reports must know of each.
 * Room: sm/diff.  Pure.
 *
 * A kind is one row, a struct change_kind: which attribute its Sets write, whom they go to, what
 * they carry, what an answer proves, and what becomes known or unknown by it.  Each phase of a
 * sweep has one kind, and the order of CHANGE_KINDS is the order of the phases.  sm/apply sends the
 * changes of any row in the same way and names none.
 *
 * Invariants: the functions of a row keep no state.  Those that get a struct diff_view only read.
 * observe() and forget() alone write, and only to what is observed, never to the plan.
 *
 * A new kind is a file kind_NAME.c with its row, and a line in CHANGE_KINDS (HACKING.md has the
 * recipe).  Good ones to read first: kind_switch_info.c (the smallest), kind_port_info.c
 * (everything a row can say).
 */
#ifndef HEDDLE_SM_DIFF_KIND_H
#define HEDDLE_SM_DIFF_KIND_H

#include "fabric/snapshot/observed.h"
#include "sm/plan/plan.h"

/* Barriers: a phase begins when all of the one before has ended (docs/architecture.md). */
#define CHANGE_KINDS(K) \
	K(PKEYS, pkeys) K(SM_LID, sm_lid) K(LIDS, lids) K(SWITCH_INFO, switch_info) \
	K(LFT_SM, lft_sm) K(LFT, lft) K(QOS, qos) K(MFT_CUT, mft_cut) K(MFT, mft) K(GUIDS, guids) \
	K(LINKS, links) K(ARM, arm) K(ACTIVATE, activate)

enum change_phase {
#define K(id, name) CHANGE_##id,
	CHANGE_KINDS(K)
#undef K
	CHANGE_PHASE_COUNT
};

#define CHANGE_BYTES 64                 /* that a Set carries: the data of an SMP */

struct change {
	uint32_t subject;               /* port index or switch ordinal, as the kind says */
	uint32_t block;                 /* part of the table, as the kind says */
};

struct change_list {
	struct change *v;
	uint32_t n, cap;
};

struct change_kind;
struct changes {
	struct change_list phase[CHANGE_PHASE_COUNT];
	uint64_t total;
	const struct change_kind *const *kinds; /* by phase; NULL: change_kinds */
};

/* What kinds compare: wanted beside observed, all const. */
struct diff_view {
	const struct snapshot *s;       /* observed->s */
	const struct observed *observed;
	const struct plan *plan;
};

/* What the answer to a Set shows, or the Get that followed a refused Set. */
struct change_answer {
	const uint8_t *data;            /* CHANGE_BYTES */
	uint32_t modifier;              /* of the Set; 0 after a Get */
	bool effect;                    /* it shows what was wanted */
	bool fallback;                  /* the Set went out in its fallback form */
};

enum change_subject {
	CHANGE_OF_PORT,                 /* SMPs go by a route that ends at this very port */
	CHANGE_OF_SWITCH,
};

/* Members that are not set: no, 0, or nothing to do. */
struct change_kind {
	const char *name;               /* of the phase, in the log and in reports */
	enum change_subject subject;
	uint16_t attribute;             /* its ID; 0: attribute_of() has it, by change */
	uint8_t port_state;             /* kinds of PortInfo: the state that a Set commands */
	bool registered;                /* what is wanted follows what hosts register */
	bool payload_kept;              /* payload() returns bytes that outlive the Set */
	bool keeps_sent;                /* took_effect() compares with what was sent */
	bool bars_link;                 /* where it fails, neither end of the link gets ... */
	bool needs_link;                /* ... changes of these kinds */

	/* Adds all changes that are due, of its file's kinds; NULL: another row's find() does. */
	void (*find)(const struct diff_view *v, struct changes *out);
	uint16_t (*attribute_of)(const struct change *c);
	/* Attribute modifier; NULL: 0. */
	uint32_t (*modifier)(const struct diff_view *v, const struct change *c, bool fallback);
	/* The modifier as reports name it; NULL: 0.  'port': its number, 0 for a switch. */
	uint32_t (*reported)(const struct change *c, uint8_t port);
	/* The CHANGE_BYTES that a Set carries now: 'buf', or bytes that outlive the change. */
	const uint8_t *(*payload)(const struct change_kind *k, const struct diff_view *v,
		const struct change *c, uint8_t buf[static CHANGE_BYTES]);
	/*
	 * Whether the answer 'data' shows that the Set did what it should: a status of 0 alone
	 * proves nothing.  Called before observe().  'sent': what the Set carried, NULL unless
	 * keeps_sent.
	 */
	bool (*took_effect)(const struct change_kind *k, const struct diff_view *v,
		const struct change *c, const uint8_t *sent, const uint8_t *data);
	/* What the answer shows is known from now on. */
	void (*observe)(
		struct observed *o, const struct change *c, const struct change_answer *answer);
	/* The change failed without an answer that shows data: its effect is not known. */
	void (*forget)(struct observed *o, const struct change *c);
	/*
	 * A refused Set is followed by a Get: whether that shows what was wanted all the same.
	 * NULL: a refusal is final.
	 */
	bool (*reached)(const struct change_kind *k, const uint8_t *data);
	/* Whether a Set that was refused with 'status' may be sent again in its fallback form. */
	bool (*has_fallback)(const struct diff_view *v, const struct change *c, uint32_t modifier,
		uint16_t status);
	/* Whether a refusal, or an answer that shows no effect, is not reported. */
	bool (*is_quiet)(const struct plan *plan, const struct change *c);
};

/* The table: the kind of each phase. */
extern const struct change_kind *const change_kinds[CHANGE_PHASE_COUNT];

/* The name of a phase; "done" of CHANGE_PHASE_COUNT. */
const char *change_phase_text(enum change_phase p);
uint16_t change_attribute(const struct change_kind *k, const struct change *c);
/* The modifier for a report; 'port' as in reported(). */
uint32_t change_reported(const struct change_kind *k, const struct change *c, uint8_t port);

void changes_clear(struct changes *c);

/* ---- of single kinds ---- */

/* Adds the GUID table blocks of one port (index). */
void diff_guids(const struct observed *o, const struct plan *plan, uint32_t port,
	struct changes *out);
/* Makes '*out' of the multicast rows that have changed in the plan since they were last taken. */
void diff_groups(const struct observed *o, const struct plan *plan, struct changes *out);

/*
 * The block of a change of kind QOS is the attribute modifier, and CHANGE_QOS_VLARB marks a
 * VLArbitration block.  Several SL-to-VL tables of a switch can be written by one Set: all that
 * lead to an output port, or all it has.
 */
#define CHANGE_QOS_VLARB (UINT32_C(1) << 31)
#define CHANGE_QOS_ALL_INPUTS UINT32_C(0x20000)
#define CHANGE_QOS_ALL_PAIRS UINT32_C(0x30000)

/* Goes through the tables that a change of kind QOS writes: 'i' 0, 1, ... until false. */
bool diff_qos_table(
	const struct snapshot *s, const struct change *c, uint32_t i, struct qos_table *t);

#endif
