/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fabric.h - the whole fabric, as every tool gets it.
 * Room: diags/fabric (prefix diag_fabric_, and fab_ for what is read from it).
 *
 * A tool asks for the fabric once and then only reads. Where it comes from is decided here: a file
 * (--load), else what the heddled of this host saw, else a sweep with directed-route SMPs. The data
 * are a snapshot (fabric/snapshot/snapshot.h); a node or port is a pointer into it, and lives as
 * long as it.
 *
 * diag_fabric.order lists nodes as infiniband-diags lists them; text output depends on it. What did
 * not answer is reported when the fabric comes, and is missing afterwards: look at FAB_PORT_INFO
 * before the PortInfo of a port.
 *
 * Where to look next: fabric.c (the three sources), sweep.c, fabric_show.c (words and JSON),
 * select.h (--select), gmp.h (addresses of performance agents), save.h (captures).
 */
#ifndef HEDDLE_DIAGS_FABRIC_FABRIC_H
#define HEDDLE_DIAGS_FABRIC_FABRIC_H

#include <jansson.h>
#include <stdbool.h>
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "fabric/snapshot/snapshot.h"

struct diag;

struct diag_fabric {
	struct snapshot *s;
	/* all node indices in the order of infiniband-diags: breadth first by port, then
	 * reversed */
	uint32_t *order;
	unsigned max_hops;              /* length of the longest route of a request */
	uint64_t mads;
	/* from a topology file: only links, names and LIDs are real, other attributes are
	 * made up */
	bool drawn;
};

enum diag_fabric_wants {
	DIAG_WANT_LFT = 1,              /* forwarding tables too (live only) */
	DIAG_WANT_PKEYS = 2,            /* block 0 of P_Key tables (live only) */
};

/*
 * Provides the fabric: from --load FILE, otherwise from a running heddled (unless --live is given
 * or 'wants' needs more than heddled has), otherwise by discovery. Nodes without an answer are
 * reported, and make the exit status 3. Returns 0 or the status of a reported failure. The caller
 * clears '*f'.
 */
int diag_fabric(struct diag *d, unsigned wants, struct diag_fabric *f);
/* Reports whether diag_fabric(d, 0) has a fabric without discovery: from --load or from heddled.
 * Then it is in '*f', or the status of the reported failure in '*status'. */
bool diag_fabric_known(struct diag *d, struct diag_fabric *f, int *status);
/* Discovers a part of the fabric: the nodes up to 'reach' links around the end of the directed
 * route 'from', and with 'beyond' one more, as infiniband-diags does. f->s->sm_port is the port at
 * the end of the route. Returns 0 or the status of a reported failure. */
int diag_fabric_around(struct diag *d, const struct diag_addr *from, unsigned reach, bool beyond,
	struct diag_fabric *f);
/* Frees the snapshot and everything else of '*f'; pointers into it become invalid. */
void diag_fabric_clear(struct diag_fabric *f);
/* Loads the fabric from this file only, for --diff and --golden: a topology file of ibnetdiscover,
 * or a document with a snapshot. Returns 0 or the status of a reported failure. */
int diag_fabric_load(struct diag *d, const char *path, struct diag_fabric *f);
/* Writes the document that --load reads. Returns 0 or the status of a reported failure. */
int diag_fabric_save(struct diag *d, const struct diag_fabric *f, const char *path);

/* Node indices of one type (1 CA, 2 switch, 3 router; 0 all) in f->order: for (i = ...; (n =
 * ...)); */
#define DIAG_EACH_NODE(f, i, n, kind) \
	for (uint32_t i = 0; i < (f)->s->nnodes; i++) \
		for (const struct fab_node *n = &(f)->s->nodes[(f)->order[i]]; \
			n && (!(kind) || n->type == (kind)); n = NULL)

static inline const struct fab_port *
fab_port_of(const struct diag_fabric *f, const struct fab_node *n, unsigned num)
{
	return &f->s->ports[n->first_port + num];
}
static inline const struct fab_node *
fab_node_of(const struct diag_fabric *f, const struct fab_port *p)
{
	return &f->s->nodes[p->node];
}
static inline const struct fab_port *
fab_peer_of(const struct diag_fabric *f, const struct fab_port *p)
{
	return p->peer == FAB_NONE ? NULL : &f->s->ports[p->peer];
}
/* Return the LID and the LMC of a port; those of a switch belong to its port 0. */
uint16_t fab_lid(const struct diag_fabric *f, const struct fab_port *p);
uint8_t fab_lmc(const struct diag_fabric *f, const struct fab_port *p);

/* The active speed in the fields of all generations, of which the highest counts. As in
 * infiniband-diags, extended speeds count only if the capability mask (of port 0 on a switch) has
 * them. */
struct fab_link {
	uint8_t width;                  /* code of LinkWidthActive */
	uint8_t speed, speed_ext, speed_ext2;
	bool fdr10;
	uint8_t vl_cap, state, phys_state;
};
struct fab_link fab_link_of(const struct diag_fabric *f, const struct fab_port *p);
const char *fab_width_word(uint8_t code);               /* "4x", "??" */
const char *fab_speed_word(const struct fab_link *l);   /* "NDR", "FDR10", "???" */
double fab_lane_gbps(const struct fab_link *l);         /* 0 unknown */
unsigned fab_lanes(uint8_t width);                      /* 0 unknown */
/* Reports whether devices of this kind have the vendor's extended PortInfo, which has FDR10. */
bool fab_has_vendor_port_info(uint32_t vendor_id, uint16_t device_id);

/* Writes the name of a node, as text output shows it, to 'buf' and returns 'buf'. */
const char *fab_name(struct diag *d, const struct fab_node *n, char buf[static DIAG_NAME_BYTES]);
const char *fab_type_word(uint8_t type);                /* "ca", "switch", "router" */

/* Returns an end of a link as JSON: {node_guid, port_guid, system_guid, type, name, node_desc, lid,
 * port, ext_port}, or null for NULL. The caller owns the values that these functions return. */
json_t *fab_json_end(struct diag *d, const struct diag_fabric *f, const struct fab_port *p);
/* Returns a row about a port: local, peer, status, state, phys_state, width and speed of both ends,
 * lmc and others. */
json_t *fab_json_port(struct diag *d, const struct diag_fabric *f, const struct fab_port *p);
json_t *fab_json_node(struct diag *d, const struct diag_fabric *f, const struct fab_node *n);
/* Adds "snapshot" to the document, which --load reads; called after all rows of the tool. */
void fab_json_snapshot(struct diag *d, const struct diag_fabric *f);
/* Adds the counts nodes, switches, cas, routers, ports, links and unanswered to diag_summary(). */
void fab_summary(struct diag *d, const struct diag_fabric *f);

#endif
