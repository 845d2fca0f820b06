/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_line.h - parses single lines of a topology file (docs/topology.md); only the reader uses it.
 * Room: fabric/topo.  Pure: text in, values or a reason out.
 *
 * Each kind of line has a struct with what the line says, and a function that fills it.  The
 * functions know one line at a time: they do not know which node the line belongs to, and they
 * keep nothing.  Every line is either parsed or refused with a reason.  topo_read.c decides which
 * function a line needs and adds the file's name and line number to the reason.
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
	uint16_t lid;                   /* 0: not given */
	uint8_t lmc, nports;
	bool enhanced_port0;
};

/* `[1](guid) "peer"[2](guid) w=2 # lid 4 lmc 0 "name" lid 3 4xHDR`, or `@[1] "alias"` */
struct topo_port_line {
	char peer[TOPO_ID_BYTES];       /* as written; of an alias line: the alias */
	uint64_t guid, peer_guid;       /* 0: not given */
	struct topo_caps caps;
	uint16_t lid, peer_lid;         /* 0: not given */
	uint8_t lmc, port, peer_port;
	bool alias;
};

/* `word = value` or `word + value`; 'value' points into the line */
struct topo_setting {
	const char *value;
	size_t word_length;
	bool relative;                  /* '+' */
};

/* Parses a node line without its first word.  Returns true, or false and a sentence without file
 * and line in 'why'. */
bool topo_line_node(const char *rest, struct topo_node_line *out, char why[static TOPO_WHY_BYTES]);
/* Parses a port line of a switch ('of_switch') or of another node; 'defaults' are the widths and
 * speeds for a line that names none.  Returns as topo_line_node() does. */
bool topo_line_port(const char *line, bool of_switch, const struct topo_caps *defaults,
	struct topo_port_line *out, char why[static TOPO_WHY_BYTES]);
/* Returns true if the line is a word, '=' or '+', and a value. */
bool topo_line_setting(const char *line, struct topo_setting *out);
/*
 * Parses a number, decimal or with 0x, at most 'max', and the GUID in brackets that may follow it
 * (0: none; 'extra' may be NULL: none allowed).  Only blanks or a comment may follow.  Returns as
 * topo_line_node() does.
 */
bool topo_line_number(const char *text, uint64_t max, uint64_t *out, uint64_t *extra,
	char why[static TOPO_WHY_BYTES]);
/* Parses text in double quotes of at most 'size' - 1 bytes.  Returns as topo_line_node() does. */
bool topo_line_quoted(const char *text, char *out, size_t size, char why[static TOPO_WHY_BYTES]);

/* Stores in 'active' the width and speed that a link of both ends uses.  False: they have none in
 * common. */
bool topo_caps_meet(const struct topo_caps *a, const struct topo_caps *b, struct topo_caps *active);

#endif
