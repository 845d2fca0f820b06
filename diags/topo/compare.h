/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * compare.h - compares a fabric with another one: its planned or an earlier topology.
 * Room: diags/topo.
 *
 * Nodes are matched by GUID, or by name for hardware that was replaced; then each link of one
 * fabric is searched in the other. The result is a list of differences, each with its ends on both
 * sides and one kind (TOPO_CHANGES). report.h shows them; ibtopo --golden and ibcheck's golden
 * check use both.
 */
#ifndef HEDDLE_DIAGS_TOPO_COMPARE_H
#define HEDDLE_DIAGS_TOPO_COMPARE_H

#include "diags/fabric/fabric.h"

/* D(name, code, word for a plan, word for an earlier topology) */
#define TOPO_CHANGES(D) \
	D(NODE_MISSING, "node_missing", "MISSING", "GONE") \
	D(NODE_EXTRA, "node_extra", "EXTRA", "NEW") \
	D(NODE_REPLACED, "node_replaced", "REPLACED", "REPLACED") \
	D(NODE_RENAMED, "node_renamed", "NAME", "RENAMED") \
	D(NODE_PORTS, "node_ports", "PORTS", "PORTS") \
	D(CABLE_MISSING, "cable_missing", "MISSING", "GONE") \
	D(CABLE_EXTRA, "cable_extra", "EXTRA", "NEW") \
	D(CABLE_SWAPPED, "cable_swapped", "SWAPPED", "SWAPPED") \
	D(CABLE_MOVED, "cable_moved", "MISCABLED", "MOVED") \
	D(CABLE_WIDTH, "cable_width", "WIDTH", "WIDTH") \
	D(CABLE_SPEED, "cable_speed", "SPEED", "SPEED")

enum topo_change {
#define D(name, code, plan, diff) TOPO_##name,
	TOPO_CHANGES(D)
#undef D
	TOPO_NCHANGES
};

enum topo_aspects { TOPO_CABLES = 1, TOPO_WIDTHS = 2, TOPO_SPEEDS = 4, TOPO_NAMES = 8 };
#define TOPO_ASPECTS_ALL 15

/*
 * Ports of 'was' belong to the first fabric, ports of 'is' to the second; port 0 stands for its
 * node. A node: was[0], is[0]. CABLE_MISSING: was[0..1]. EXTRA: is[0..1]. WIDTH, SPEED: both pairs,
 * which are the same link. SWAPPED: was[0..1] and was[2..3] are now is[0..1] and is[2..3], where
 * is[0] = was[0] and is[2] = was[2]. MOVED: was[0..1]; is[0..1] is the present link of was[0],
 * is[2..3] that of was[1]; NULL: no link.
 */
struct topo_difference {
	enum topo_change change;
	const struct fab_port *was[4], *is[4];
	unsigned links;                 /* links of a missing or extra node */
};

struct topo_comparison {
	struct topo_difference *d;
	size_t n;
	/* links of the first fabric; those that are the same in the second */
	uint32_t links, same;
};

/*
 * Compares two fabrics into '*out'. Nodes are matched by node GUID and the remaining ones by name
 * and type (replaced hardware); with 'by_name' all by name. Links are compared exactly, to the port
 * number. 'aspects' are the bits above. The result points into both snapshots; the caller frees it
 * by topo_comparison_clear().
 */
void topo_compare(const struct diag_fabric *was, const struct diag_fabric *is, unsigned aspects,
	bool by_name, struct topo_comparison *out);
void topo_comparison_clear(struct topo_comparison *c);

/* Return the stable code of a change, and the word that a list shows for it ('plan': compared with
 * a plan). */
const char *topo_change_code(enum topo_change c);
const char *topo_change_word(enum topo_change c, bool plan);
/* Writes a sentence about a difference to 'buf' and returns it. The caller passes the two fabrics
 * that were compared. */
#define TOPO_TEXT_BYTES 2400
const char *topo_difference_text(struct diag *d, const struct diag_fabric *was,
	const struct diag_fabric *is, const struct topo_difference *x,
	char buf[static TOPO_TEXT_BYTES]);
/* Writes the object of a difference, from which the id of the finding is made: the same in every
 * run. */
#define TOPO_OBJECT_BYTES 128
const char *topo_difference_object(const struct diag_fabric *was, const struct diag_fabric *is,
	const struct topo_difference *x,
	char buf[static TOPO_OBJECT_BYTES]);

#endif
