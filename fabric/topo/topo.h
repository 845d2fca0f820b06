/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo.h - a topology from a file or a generator: nodes, ports and cables.
 * Room: fabric/topo.  Pure.
 * Used by: the simulator (builds its hardware from it), the diagnostics (saved topologies), tests.
 *
 * A topology is what is plugged in, not what a subnet manager observed: struct snapshot is that,
 * and fabric/topo/snapshot_topo.h converts between them.  Nodes and ports are two arrays; a port is
 * addressed by the index of its node and its number.
 *
 * A topology is made in two steps.  A builder collects nodes and cables, and topo_builder_take()
 * checks them and makes a struct topo of them.  Invariants of a struct topo: cables
 * are symmetric (if A's peer is B, B's peer is A), ids and GUIDs are unique, and everything belongs
 * to its arena.  Where to look next: topo_read.c reads files, topo_write.c writes them, sim/gen
 * generates families of topologies.
 */
#ifndef HEDDLE_FABRIC_TOPO_TOPO_H
#define HEDDLE_FABRIC_TOPO_TOPO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "util/arena.h"

#define TOPO_NONE UINT32_MAX

enum topo_node_type { TOPO_CA = 1, TOPO_SWITCH = 2, TOPO_ROUTER = 3 };  /* NodeInfo's numbers */

struct topo_port {
	uint64_t guid;                  /* port GUID; switch: only port 0 has one */
	uint32_t peer_node;             /* index into nodes[], TOPO_NONE: nothing plugged in */
	uint8_t peer_port;
	/* active width code (1 1X, 2 4X, 4 8X, 8 12X, 16 2X); this and the speeds: 0 without a
	 * cable */
	uint8_t width;
	/* LinkSpeedActive bit: 1 SDR, 2 DDR, 4 QDR; also set when an extended speed is active */
	uint8_t speed;
	/* LinkSpeedExtActive bit: 1 FDR, 2 EDR, 4 HDR, 8 NDR; 0 none */
	uint8_t speed_ext;
	/* LinkSpeedExtActive2: 1 XDR (speed_ext is 0 then); 0 none */
	uint8_t speed_ext2;
	/* 1: the vendor's FDR10; speed is 4 and no extended speed is active then */
	uint8_t fdr10;
	uint8_t lmc;                    /* from the file's comment; 0 if not given */
	uint16_t lid;                   /* from the file's comment; 0 if not given */
};

struct topo_node {
	const char *id;                 /* "S-00fe1d0000000100", unique in the file */
	const char *desc;               /* NodeDescription, at most 64 bytes, never NULL */
	uint64_t guid, sys_guid;        /* node GUID; system image GUID, 0 not given */
	uint32_t vendor_id, device_id;
	/* index into ports[] of port 0; 1 + nports entries follow */
	uint32_t first_port;
	uint32_t line;                  /* in the file, for messages; 0 made by a generator */
	uint8_t type;                   /* enum topo_node_type */
	uint8_t nports;                 /* physical ports, 1..254 */
	uint8_t enhanced_port0;         /* switches: 1 when the file says "enhanced port 0" */
};

struct topo {
	struct arena arena;             /* owns everything below */
	struct topo_node *nodes;        /* in the order of the file or generator */
	struct topo_port *ports;
	uint32_t nnodes, nports;        /* nports: entries in ports[] */
};

/* The entry of a port; 'port' is at most the node's 'nports', 0 included. */
static inline struct topo_port *
topo_port(const struct topo *t, uint32_t node, uint8_t port)
{
	return &t->ports[t->nodes[node].first_port + port];
}

/* Frees what 't' owns and zeroes it. */
void topo_clear(struct topo *t);

struct topo_error {
	char text[256];                 /* "FILE:LINE: what is wrong, what was expected" */
};

/*
 * Reads ibnetdiscover's format and what ibsim adds to it (docs/topology.md: the grammar, the
 * limits). Returns 0 and a checked topology in '*t' (every cable seen from both ends agrees, ids
 * and GUIDs unique, port numbers within the node's count), or a negative errno and a sentence that
 * names file and line in '*e'; then '*t' is empty.  'name' is for messages, and include "FILE" is
 * searched in the same directory.
 */
int topo_read(FILE *in, const char *name, struct topo *t, struct topo_error *e);
int topo_read_file(const char *path, struct topo *t, struct topo_error *e);

/*
 * Writes ibnetdiscover's format: switches, then CAs, then routers, each in the order of 't'.
 * Reading it back gives the same nodes and cables, and writing that gives the same bytes.  0 or a
 * negative errno.
 */
int topo_write(FILE *out, const struct topo *t);

/* ---- building one (generators, the reader) ---- */
struct topo_builder;
struct topo_builder *topo_builder_new(void);
void topo_builder_free(struct topo_builder *b);         /* NULL is fine */
/*
 * Adds a node with unconnected ports (1..254); copies strings ('desc' at most 64 bytes of it).
 * Returns its index. Its id is "S-", "H-" or "R-" and the GUID; its port GUIDs are the node GUID
 * plus the port number.
 */
uint32_t topo_builder_node(struct topo_builder *b, enum topo_node_type type, uint8_t nports,
	uint64_t guid, const char *desc);
/* Each returns a node, or a port of it, for setting members that topo_builder_node() does not
 * take; valid until the next node is added. */
struct topo_node *topo_builder_at(struct topo_builder *b, uint32_t node);
struct topo_port *topo_builder_port(struct topo_builder *b, uint32_t node, uint8_t port);
/* The number of nodes so far. */
uint32_t topo_builder_count(const struct topo_builder *b);
/* Returns a copy of 's' that lives as long as the topology. */
const char *topo_builder_string(struct topo_builder *b, const char *s);
/* Connects two ports by a link, 4X and HDR; topo_builder_port() can change this.  Returns 0,
 * -EEXIST if a port is connected already, -EINVAL if a port does not exist. */
int topo_builder_cable(struct topo_builder *b, uint32_t node_a, uint8_t port_a, uint32_t node_b,
	uint8_t port_b);

enum topo_clash { TOPO_CLASH_NONE, TOPO_CLASH_ID, TOPO_CLASH_GUID, TOPO_CLASH_PORT_GUID };
/*
 * Checks whether two nodes have the same id or GUID, or two cabled ports the same port GUID, and
 * returns the two, the earlier first.  A port GUID may equal a node GUID, as in many adapters.
 */
enum topo_clash topo_builder_clash(const struct topo_builder *b, uint32_t *first, uint32_t *second);
/* Moves the result to '*t' and frees the builder.  0; -EEXIST if ids or GUIDs clash, and '*t' is
 * empty. */
int topo_builder_take(struct topo_builder *b, struct topo *t);

#endif
