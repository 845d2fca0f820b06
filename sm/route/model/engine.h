/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine.h - what a routing engine gets and returns: from the subnet and its LIDs to forwarding
 * tables.
 * Room: sm/route/model.  Pure: no clock, no randomness, no state; equal input gives equal bytes.
 * docs/routing.md.
 *
 * An engine either returns tables, or refuses with a code, a sentence and evidence.  Its result is
 * not trusted: before anything is written, the caller verifies it (fabric/verify/verify.h) with the
 * scope that the engine's row names.
 * Where to look next: model.h (the input of engines in numbers), fill.h (the choice of ports),
 * sm/route/engines.c (the table of engines).
 */
#ifndef HEDDLE_SM_ROUTE_MODEL_ENGINE_H
#define HEDDLE_SM_ROUTE_MODEL_ENGINE_H

#include "fabric/snapshot/tables.h"
#include "fabric/verify/verify.h"
#include "sm/intended/intended.h"
#include "util/stripes.h"

/* Why an engine refuses.  Reports print these words, so they never change. */
#define ROUTE_CODES(C) \
	C(OK) C(NO_HOSTS) C(NO_SWITCH) C(SHAPE) C(UNREACHABLE) C(VLS) C(SL2VL) C(LMC) C(CAP) \
	C(CYCLE) C(INPUT)

enum route_code {
#define C(name) ROUTE_##name,
	ROUTE_CODES(C)
#undef C
};

const char *route_code_text(enum route_code c);

/* The torus that torus_config describes. */
#define ROUTE_TORUS_DIMS 3

struct route_torus {
	unsigned ndims;
	struct {
		uint16_t size;
		bool mesh;              /* open: no link from the last coordinate to the first */
	} dim[ROUTE_TORUS_DIMS];
};

/* What the configuration prefers among legal routes, and what OpenSM calls it.  Not every engine
 * leaves room for each. */
#define ROUTE_OPTIONS(O) \
	O(ORDER, "guid_routing_order_file") O(PORTS, "port_search_ordering_file") \
	O(SHIFT, "port_shifting") O(SCATTER, "scatter_ports") \
	O(WEIGHTS, "hop_weights_file") O(IDS, "ids_guid_file")

enum {
#define O(name, key) ROUTE_AT_##name,
	ROUTE_OPTIONS(O)
#undef O
#define O(name, key) ROUTE_OPTION_##name = 1 << ROUTE_AT_##name,
	ROUTE_OPTIONS(O)
#undef O
};

struct lfts;
struct routing_groups;
struct routing_lines;

struct route_conf {
	const uint64_t *roots;          /* GUIDs of root switches; NULL: found by rules */
	uint32_t nroots;
	uint8_t lash_start_vl;          /* the first SL and VL that engine lash uses */
	/* torus-2qos: refuses a fabric that is no such torus; NULL: any torus will do */
	const struct route_torus *torus;
	/* file: the tables to take (sm/conf/routing/lfts.h); NULL: none are given */
	const struct lfts *lfts;
	/* ROUTE_OPTIONS (sm/conf/routing/lines.h); NULL: none */
	const struct routing_lines *order, *ports, *weights, *ids;
	/* groups of switches with engines of their own (sm/route/groups.h); no engine reads it;
	 * NULL: none */
	const struct routing_groups *groups;
	bool shift_ports;
	uint32_t scatter;               /* seed; 0: off */
};

#define ROUTE_EVIDENCE_MAX 10

struct route_evidence {
	uint32_t node, other;           /* snapshot node indices; FAB_NONE: none */
	uint16_t lid;                   /* 0: none */
	uint32_t value;                 /* the number that the sentence refers to */
};

/* What became of the groups of route_conf; engines leave it zeroed. */
struct route_groups {
	uint64_t in_force;              /* a bit per group: its engine made its entries */
	uint32_t refused;               /* number of the others */
	bool hosts_only;                /* an engine in force has scope hosts */
	/* "group a: engine ftree; group b is not in force: ..."; "": there are no groups */
	char said[512];
};

/* Sixty-four entries of one switch. */
struct route_block {
	uint32_t sw;                    /* ordinal */
	uint16_t block;
};

struct route_report {
	const char *engine;
	enum route_code code;
	char sentence[256];             /* ROUTE_OK: empty, or a remark */
	struct route_evidence evidence[ROUTE_EVIDENCE_MAX];
	unsigned nevidence;

	/* "given", "histogram", "tree", "center", "single" (retry); NULL: no roots */
	const char *root_rule;
	uint32_t *roots;                /* snapshot node indices, ascending; owned by the arena */
	uint32_t nroots;
	/* per switch ordinal, smaller is higher; owned by the arena; NULL: no roots */
	uint16_t *rank;
	uint32_t max_rank;              /* distance of the farthest switch from the roots */
	/* switches without hosts, placed below all others so that all reach them */
	uint32_t lowered;
	/* node index of the first pivot leaf; FAB_NONE: no entry needed one */
	uint32_t pivot;
	uint32_t npivots;               /* leaves tried */
	uint64_t completed;             /* entries filled through a pivot */
	/* entries left at 255, at switches without hosts: no legal path */
	uint64_t declared;
	/* With state, after a run that computed only what a change affects ('again'): the blocks
	 * in which the tables differ from route_in.previous. */
	bool again;
	struct route_block *changed;
	uint32_t nchanged;
	/* (switch with hosts, LID) pairs that are connected but have no legal path */
	uint64_t unreachable;
	struct route_groups groups;
};

/* A LID that is reserved for a host that is absent now.  Its entries stay as if it were there, so
 * that switching a host off and on writes nothing. */
struct route_absent {
	uint16_t lid;
	uint32_t sw;                    /* ordinal of the switch */
	uint8_t port;                   /* of that switch */
};

/* What an engine keeps from one run to the next (costs, the order of channels), to compute only
 * what a change affects; a run without it gives the same tables.  Each engine that keeps state has a
 * struct of its own that begins with this one. */
struct route_state {
	void (*free)(struct route_state *s);
};
/* NULL is fine. */
void route_state_free(struct route_state *s);

struct route_in {
	const struct snapshot *snapshot;
	const struct lid_map *lids;
	const struct route_conf *conf;  /* NULL: defaults */
	/* NULL: the snapshot is taken as intended */
	const struct intended *intended;
	/* Tables now in the switches, by the switch ordinals of 'snapshot'; an entry that is
	 * unknown is FAB_LFT_DROP.  An engine uses them only to keep entries that are still
	 * legal.  NULL: nothing is known. */
	const struct fwd_tables *previous;
	/* The intended topology may not be the one that 'previous' was made for: an entry of
	 * 'previous' that is still legal stays, also where its intended port is another one.
	 * Engines that keep such entries anyway, or that cannot keep them, do not read it. */
	bool hold;
	const struct route_absent *absent;
	uint32_t nabsent;
	/* data VLs that every link between switches has, after those that quality of service
	 * needs; 0 counts as 1 */
	uint8_t vls;
	/* switch ordinals that cannot map SLs to VLs by in-port; NULL: all can */
	const uint64_t *no_sl2vl;
	const struct stripes *stripes;  /* NULL: one thread */
	/* NULL: nothing is kept; '*state' NULL: the first run.  With state, it holds the tables
	 * (fabric/snapshot/rows.h): they stay as they are in the next run, which should get them as
	 * 'previous', and are gone after the one that follows, unless the caller holds them, too. */
	struct route_state **state;
};

struct route_engine {
	const char *name;
	enum verify_scope scope;        /* the verification that its tables must pass */
	unsigned options;               /* ROUTE_OPTION bits: those that it serves */
	const char *promise;            /* a sentence for --help and reports */
	/* Fills '*out' (owned by 'a') and '*r'.  Returns r->code; on a refusal '*out' is zeroed. */
	enum route_code (*run)(const struct route_in *in, struct arena *a, struct fwd_tables *out,
		struct route_report *r);
};

#endif
