/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_line.h - parses single lines of a topology file (docs/topology.md); only the reader uses it.
 * Room: fabric/topo.  Pure: text in, values or a reason out; every line is either understood or
 * refused.
 */
#ifndef HEDDLE_FABRIC_TOPO_TOPO_LINE_H
#define HEDDLE_FABRIC_TOPO_TOPO_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOPO_ID_BYTES 128               /* longest id with its module prefix, and the NUL */
#define TOPO_DESC_BYTES 65              /* NodeDescription and a NUL */
#define TOPO_WHY_BYTES 160

/* Widths and speeds that one end of a cable allows: masks of codes as in LinkWidthEnabled and
 * LinkSpeedEnabled. */
struct topo_caps {
	uint8_t width, speed, ext, ext2;
	bool fdr10;
};

/* `Switch 36 "id" # "name" base port 0 lid 3 lmc 0`, without its first word */
struct topo_node_line {
	char id[TOPO_ID_BYTES];
	char desc[TOPO_DESC_BYTES];     /* empty: the line has no comment */
	uint16_t lid;                   /* 0: not said */
	uint8_t lmc, nports;
	bool enhanced_port0;
};

/* `[1](guid) "peer"[2](guid) w=2 # lid 4 lmc 0 "name" lid 3 4xHDR`, or `@[1] "alias"` */
struct topo_port_line {
	char peer[TOPO_ID_BYTES];       /* as written; of an alias line: the alias */
	uint64_t guid, peer_guid;       /* 0: not said */
	struct topo_caps caps;
	uint16_t lid, peer_lid;         /* 0: not said */
	uint8_t lmc, port, peer_port;
	bool alias;
};

/* `word = value` or `word + value`; 'value' points into the line */
struct topo_setting {
	const char *value;
	size_t word_length;
	bool relative;                  /* '+' */
};

/* Each returns true, or false and a sentence without file and line in 'why'. */
bool topo_line_node(const char *rest, struct topo_node_line *out, char why[static TOPO_WHY_BYTES]);
bool topo_line_port(const char *line, bool of_switch, const struct topo_caps *defaults,
	struct topo_port_line *out, char why[static TOPO_WHY_BYTES]);
/* True if the line is a word, '=' or '+', and something. */
bool topo_line_setting(const char *line, struct topo_setting *out);
/*
 * A number, decimal or with 0x, at most 'max', and the GUID in brackets that may follow it (0:
 * none; 'extra' may be NULL: none allowed).  Only blanks or a comment may follow.
 */
bool topo_line_number(const char *text, uint64_t max, uint64_t *out, uint64_t *extra,
	char why[static TOPO_WHY_BYTES]);
/* Text in double quotes of at most 'size' - 1 bytes. */
bool topo_line_quoted(const char *text, char *out, size_t size, char why[static TOPO_WHY_BYTES]);

/* The width and speed that both ends have in common; false: there is none. */
bool topo_caps_meet(const struct topo_caps *a, const struct topo_caps *b, struct topo_caps *active);

#endif
