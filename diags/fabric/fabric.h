/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fabric.h - the whole fabric for a tool.
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
	/* all node indices as infiniband-diags lists them: breadth first by port, then reversed */
	uint32_t *order;
	unsigned max_hops;              /* the longest route that was asked along */
	uint64_t mads;
	bool drawn; /* from a topology file: beyond links, names and LIDs the images are made up */
};

enum diag_fabric_wants {
	DIAG_WANT_LFT = 1,              /* forwarding tables too (live only) */
	DIAG_WANT_PKEYS = 2,            /* block 0 of P_Key tables (live only) */
};

/*
 * Gets the fabric: --load FILE, else a running heddled (unless --live, or 'wants' asks for more
 * than it tells), else a sweep. What did not answer is reported, and makes the exit status 3. 0, or
 * the status of a failure that is reported.
 */
int diag_fabric(struct diag *d, unsigned wants, struct diag_fabric *f);
/* Whether diag_fabric(d, 0) has one without asking the fabric: --load, or a heddled. If so it is in
 * '*f', or the failure told in '*status'. */
bool diag_fabric_known(struct diag *d, struct diag_fabric *f, int *status);
/*
 * A part of it, swept now: the nodes up to 'reach' cables around the end of the directed route
 * 'from', and with 'beyond' one more, as infiniband-diags reads it. f->s->sm_port is at the end
 * of the route. 0, or the status of a failure that is reported.
 */
int diag_fabric_around(struct diag *d, const struct diag_addr *from, unsigned reach, bool beyond,
	struct diag_fabric *f);
void diag_fabric_clear(struct diag_fabric *f);
/* Only from this file: for --diff, --golden.  A topology of ibnetdiscover's, or a document that has
 * a snapshot. */
int diag_fabric_load(struct diag *d, const char *path, struct diag_fabric *f);
/* Writes the document that --load reads again; 0, or the status of a failure that is reported. */
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
/* LID and LMC that reach the port: a switch's are those of its port 0. */
uint16_t fab_lid(const struct diag_fabric *f, const struct fab_port *p);
uint8_t fab_lmc(const struct diag_fabric *f, const struct fab_port *p);

/* The speed in force, all generations in one: bits of LinkSpeedActive, LinkSpeedExtActive << 8,
 * ExtActive2 << 16; as infiniband-diags does, extended speeds count only where the capability mask
 * (of port 0 on a switch) has them. */
struct fab_link {
	uint8_t width;                  /* codes */
	uint8_t speed, speed_ext, speed_ext2;
	bool fdr10;
	uint8_t vl_cap, state, phys_state;
};
struct fab_link fab_link_of(const struct diag_fabric *f, const struct fab_port *p);
const char *fab_width_word(uint8_t code);               /* "4x", "??" */
const char *fab_speed_word(const struct fab_link *l);   /* "NDR", "FDR10", "???" */
double fab_lane_gbps(const struct fab_link *l);         /* 0 unknown */
unsigned fab_lanes(uint8_t width);                      /* 0 unknown */
/* Whether the vendor's extended PortInfo (FDR10) is known for this kind of device. */
bool fab_has_vendor_port_info(uint32_t vendor_id, uint16_t device_id);

/* The name as text tools print it. */
const char *fab_name(struct diag *d, const struct fab_node *n, char buf[static DIAG_NAME_BYTES]);
const char *fab_type_word(uint8_t type);                /* "ca", "switch", "router" */

/* JSON: an end of a link {node_guid, port_guid, system_guid, type, name, node_desc, lid, port,
 * ext_port}, null for NULL. */
json_t *fab_json_end(struct diag *d, const struct diag_fabric *f, const struct fab_port *p);
/* A whole row about a port: local, peer, status, state, phys_state, width, speed of both ends, lmc
 * ... */
json_t *fab_json_port(struct diag *d, const struct diag_fabric *f, const struct fab_port *p);
json_t *fab_json_node(struct diag *d, const struct diag_fabric *f, const struct fab_node *n);
/* The document's "snapshot", which --load reads again; behind all rows of the tool. */
void fab_json_snapshot(struct diag *d, const struct diag_fabric *f);
/* The counts nodes, switches, cas, routers, ports, links, unanswered in diag_summary(). */
void fab_summary(struct diag *d, const struct diag_fabric *f);

#endif
