/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_plug.h - the cables of a topology file, collected while reading and joined when every node
 * is known; only the reader uses it.
 * Room: fabric/topo.  Pure.
 *
 * A port line names its peer by an id that may come later in the file, so a cable cannot be
 * connected when its line is read.  The reader adds every port line and every alias to struct
 * topo_plugs, each with its position; at the end of the file topo_plugs_join() resolves the names,
 * checks that both lines of a cable agree, and connects the ports in the builder.  Messages name
 * the line where the contradiction is.  topo_read.c is the only user.
 */
#ifndef HEDDLE_FABRIC_TOPO_TOPO_PLUG_H
#define HEDDLE_FABRIC_TOPO_TOPO_PLUG_H

#include "fabric/topo/topo.h"
#include "fabric/topo/topo_line.h"

/* A position in a file. */
struct topo_place {
	const char *file;
	uint32_t line;
};

/* One port line. */
struct topo_plug {
	struct topo_place place;
	const char *peer;               /* full id, or "module@alias" */
	uint64_t guid, peer_guid;       /* 0: not given */
	uint32_t node;
	struct topo_caps caps;
	uint16_t lid, peer_lid;
	uint8_t lmc, port, peer_port;
};

/* One `@[n] "alias"` line. */
struct topo_alias {
	struct topo_place place;
	const char *name;               /* "module@alias" */
	uint32_t node;
	uint8_t port;
};

struct topo_plugs {
	struct arena arena;             /* strings */
	struct topo_plug *plugs;
	struct topo_alias *aliases;
	struct topo_place *nodes;       /* position of each node's header */
	uint32_t nplugs, plugs_cap, naliases, aliases_cap, nnodes, nodes_cap;
};

/* Each returns the new entry, zeroed, valid until the next call; strings in it must outlive 'p'
 * (its arena will do). */
struct topo_plug *topo_plugs_add(struct topo_plugs *p);
struct topo_alias *topo_plugs_add_alias(struct topo_plugs *p);
struct topo_place *topo_plugs_add_node(struct topo_plugs *p);
/* Frees everything that 'p' owns. */
void topo_plugs_clear(struct topo_plugs *p);

/*
 * Checks the ids and GUIDs of 'b' and plugs all cables into it.  Sorts the aliases.
 * 0, or -EINVAL and a sentence in 'e'.
 */
int topo_plugs_join(struct topo_plugs *p, struct topo_builder *b, struct topo_error *e);

/* Writes "FILE:LINE: sentence" into 'e' (FILE alone for line 0) and returns -EINVAL. */
int topo_complain(struct topo_error *e, struct topo_place at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
