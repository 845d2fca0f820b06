/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * family.h - a family of topologies, and the functions that build them; only for sim/gen.
 * Room: sim/gen.  Pure.  A family is a row: its name, its keys with their ranges, and a function
 * that turns values into nodes and cables. Before that function runs, the parser (gen.c) has
 * checked every value against its row; the function itself checks combinations of keys before it
 * builds.
 */
#ifndef HEDDLE_SIM_GEN_FAMILY_H
#define HEDDLE_SIM_GEN_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include "fabric/topo/topo.h"

#define GEN_KEYS_MAX 8
#define GEN_LIST_MAX 8
/* LIDs 1..0xBFFF are unicast; every switch and every host port takes one. */
#define GEN_LIDS_MAX 49151

enum gen_kind {
	GEN_NUMBER,             /* key=7 */
	GEN_LIST,               /* key=4/4/2 */
	GEN_DIMS,               /* 4x4x2, without a key, first */
};

struct gen_key {
	const char *name;
	enum gen_kind kind;
	bool required;
	uint64_t min, max;      /* of each number */
	uint64_t otherwise;     /* default value */
};

struct gen_value {
	uint64_t n;                             /* GEN_NUMBER */
	uint32_t list[GEN_LIST_MAX];            /* GEN_LIST, GEN_DIMS */
	uint32_t count;                         /* of 'list' */
	bool given;
};

struct gen {
	const char *family;
	struct topo_builder *b;
	struct topo_error *e;
	const struct gen_value *v;              /* in the order of the family's keys */
	uint8_t radix;                          /* ports of every switch */
	uint32_t hosts;                         /* hosts made so far */
};

struct gen_family {
	const char *name, *usage;
	struct gen_key keys[GEN_KEYS_MAX];      /* ends with a NULL name */
	int (*build)(struct gen *g);
};

/* The last key of every family; gen.c puts its value into 'radix'. */
#define GEN_RADIX(otherwise) { "radix", GEN_NUMBER, false, 1, 254, otherwise }

extern const struct gen_family gen_fattree, gen_xgft, gen_torus, gen_mesh, gen_hyperx,
	gen_hypercube,
	gen_dragonfly, gen_dragonfly_plus, gen_random;

/* "FAMILY: sentence" into the error; returns -EINVAL. */
int gen_refuse(struct gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Refuses if a switch needs more than 'radix' ports; 'what' explains 'need'. */
int gen_check_radix(struct gen *g, uint64_t need, const char *what);
/* Refuses if there are not enough LIDs. */
int gen_check_lids(struct gen *g, uint64_t switches, uint64_t host_ports);

/* Adds a switch; returns its node index. */
uint32_t gen_switch(struct gen *g, const char *desc_fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds the next host, with 'nports' ports and no cable. */
uint32_t gen_host(struct gen *g, uint8_t nports);
/* Connects 'per_switch' new hosts of one port each to ports 1.. of each of 'count' switches from
 * index 'first'. */
void gen_hosts(struct gen *g, uint32_t first, uint32_t count, uint32_t per_switch);
/* Plugs a cable between two free ports; aborts with bug() if one is not free. */
void gen_cable(struct gen *g, uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b);

#endif
