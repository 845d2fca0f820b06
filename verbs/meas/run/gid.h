/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gid.h - chooses the entries of their GID tables that two ends use: of the same kind, and in
 * one network if possible.
 * Room: verbs/meas/run.  Pure.
 *
 * A RoCE port has a GID per network and version, and two ends reach each other only by entries that
 * fit.  The ends exchange their tables; the client chooses with meas_route_choose(), and the server
 * checks with the same function that the choice is possible.  InfiniBand ports of one subnet are
 * addressed by LID, unless the operator chose an entry.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_GID_H
#define HEDDLE_VERBS_MEAS_RUN_GID_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEAS_GIDS_MAX 256

enum meas_gid_type { MEAS_GID_IB, MEAS_GID_ROCE1, MEAS_GID_ROCE2, MEAS_GID_TYPES };

struct meas_gid {
	uint16_t index;
	enum meas_gid_type type;
	uint8_t raw[16];
};

struct meas_gids {
	bool infiniband;                /* the link layer */
	uint16_t lid;
	unsigned n;
	struct meas_gid v[MEAS_GIDS_MAX];
};

struct meas_route {
	bool grh;                       /* addresses by GID; otherwise by LID alone */
	/* the chosen entries; for InfiniBand without GRH the first ones, for display */
	struct meas_gid a, b;
};

/* Chooses for ends 'a' and 'b'; 'a_index', 'b_index' >= 0: only that entry.  Prefers RoCE
 * version 2 to version 1, IPv4 to others, then the most leading bits in common.  -ENOENT with a
 * sentence when nothing matches. */
int meas_route_choose(const struct meas_gids *a, int a_index, const struct meas_gids *b,
	int b_index, struct meas_route *r, char *why, size_t why_bytes);

/* "RoCE v2, IPv4", "InfiniBand", ... */
const char *meas_gid_kind(const struct meas_gid *g);
/* Writes 8 groups of 4 digits; at least 40 bytes. */
void meas_gid_text(const uint8_t raw[16], char *text, size_t bytes);

/* The table as JSON; a new object. */
json_t *meas_gids_json(const struct meas_gids *g);
/* Fills 'g' from any JSON value.  Returns 0, or -EINVAL with the name of the bad member in
 * '*bad'. */
int meas_gids_from_json(const json_t *o, struct meas_gids *g, const char **bad);

#endif
