/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fake.h - a fabric for tests: answers directed-route Gets from a struct topo, and a driver for discovery.
 * Shares no code with the simulator: it walks the cables of the topology, nothing more.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_FAKE_H
#define HEDDLE_TESTS_UNIT_FABRIC_FAKE_H

#include "fabric/discover/discover.h"
#include "fabric/topo/topo.h"

#define FAKE_ANY UINT32_MAX

struct fake_ask {
	uint32_t node;                  /* index in the topology of the node that was reached */
	uint8_t in_port;
	uint16_t attr_id;
	uint32_t modifier;
	uint64_t number;                /* of the question, from 1 */
};

struct fake {
	struct topo t;                  /* tests may change cables and GUIDs at any time */
	uint32_t sm_node;
	uint8_t sm_port;
	uint16_t lft_top;               /* of all switches */
	/* May change the answer or its status before it goes; false: silence.  NULL: every answer is right. */
	bool (*hook)(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status);
	void *arg;
	/* the hook invents nodes: wrong modifiers are answered, too */
	bool lenient;
	/* 0: answers in the order of the questions; else in an order of its own */
	uint64_t seed;
	uint64_t asked[64];             /* by attribute id */
	uint64_t total, open_max;
	uint8_t mismatched;             /* reported with every silence */
	bool beyond;                    /* discover_beyond() before the end */
	/* silence ends only when nothing else is on its way, as with real time-outs */
	bool patient;
	/* at the end: why a discovery with a seed cannot go on; NULL */
	const char *spoiled;
};

/* k-ary fat tree of 2 or 3 levels; torus a x b x c with 'hosts' per switch; a row of switches with a host on the first. */
void fake_fattree(struct fake *f, unsigned k, unsigned levels);
void fake_torus(struct fake *f, unsigned a, unsigned b, unsigned c, unsigned hosts);
void fake_chain(struct fake *f, unsigned switches);
/* Takes over what the builder holds; looks from port 1 of 'sm_node'. */
void fake_take(struct fake *f, struct topo_builder *b, uint32_t sm_node);
void fake_clear(struct fake *f);

void fake_unplug(struct fake *f, uint32_t node, uint8_t port);
void fake_plug(struct fake *f, uint32_t a, uint8_t pa, uint32_t b, uint8_t pb);
uint64_t fake_guid(unsigned n);

struct discover_conf fake_conf(void);
/* Runs discovery to its end.  NULL when the own node did not answer, or it was spoiled. */
struct snapshot *fake_discover(struct fake *f, const struct discover_conf *c);
/* What routing.md calls the minimum: E + 1, S * (P + 1) + H, S + H, S, S + H. */
uint64_t fake_minimum(const struct fake *f);

#endif
