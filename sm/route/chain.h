/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chain.h - which routing engines are tried, in which order, and the result of each.
 * Room: sm/route (prefix chain_).  Pure: equal input gives equal bytes.  docs/routing.md.
 *
 * routing_engine names engines; the first one whose tables the verifier accepts is used.  The
 * name auto means several engines: the one that is best for the shape of the fabric (sm/shape),
 * followed by engines that accept more fabrics.  nue routes every connected fabric with one VL,
 * so it ends each chain, unless the list ends with no_fallback.
 *
 * A chain is made before the engines run, from the configuration and the input of the engines.
 * The callers of the engines (sm/planner/routes.c, heddle-route) store the result of each in the
 * chain, and reports show it.  The shape is that of the intended topology, if there is one, so
 * damage does not change the order of engines.
 *
 * Invariant: no engine is in a chain twice; names are static text, so a chain may be copied.
 * Where to look next: route.h (the engines), sm/shape/shape.h (the shapes).
 */
#ifndef HEDDLE_SM_ROUTE_CHAIN_H
#define HEDDLE_SM_ROUTE_CHAIN_H

#include <jansson.h>
#include "sm/conf/conf.h"
#include "sm/route/route.h"

/* The names of a list, those that auto means, and the end. */
#define CHAIN_MAX (CONF_ENGINES_MAX + 5)
#define CHAIN_AUTO "auto"

/* Why an engine is in the chain. */
enum chain_why {
	CHAIN_NAMED,                    /* by routing_engine */
	CHAIN_SHAPE,                    /* auto: the engine of this shape */
	CHAIN_GENERAL,                  /* auto: takes many shapes */
	CHAIN_LAST,                     /* routes every fabric */
};

enum chain_end { CHAIN_UNTRIED, CHAIN_REFUSED, CHAIN_TAKEN };

struct chain_step {
	const char *name;
	const struct route_engine *engine;      /* NULL: there is none of that name */
	uint8_t why, end;               /* enum chain_why, enum chain_end */
	char said[320];                 /* a refusal as a sentence; "" */
};

struct chain {
	unsigned n;
	struct chain_step step[CHAIN_MAX];
	/* The shape that auto found, "torus 6x6x6 of 216 switches, all 648 links present"; "":
	 * auto is not in the list. */
	char shape[160];
	/* What the configuration names and this fabric does not have; which options the engine
	 * that was taken does not serve (options.h).  "": nothing. */
	char unknown[320], unserved[200];
	struct route_groups groups;     /* of the engine that was taken */
};

/* The shape of an intended topology that auto recognised. */
struct chain_seen;
/* NULL is fine. */
void chain_seen_free(struct chain_seen *k);
/* Makes the chain of 'e' for the input of the engines.  With 'fallback', and unless the list ends
 * with no_fallback, nue is its end.  'seen' (NULL: nothing is kept; '*seen' NULL: the first time)
 * keeps the shape, so that it is recognised again only from another topology. */
void chain_make(struct chain *c, const struct conf_engines *e, const struct route_in *in,
	bool fallback, struct chain_seen **seen);
/* Reads a list of engines separated by commas, for programs without a configuration.  False: 'why'
 * has a sentence. */
bool chain_list_read(const char *text, struct conf_engines *e, char *why, size_t why_len);

/* Stores the result of step 'i'. */
void chain_refused(struct chain *c, unsigned i, const char *said);
void chain_taken(struct chain *c, unsigned i);
/* The step whose tables are used; NULL: none. */
const struct chain_step *chain_choice(const struct chain *c);
/* The shape and the engine used, in one sentence without a full stop: "tree of 3 levels and 20
 * switches: engine ftree", "engine nue, the fallback, after minhop refused".  "" if nothing was
 * tried. */
const char *chain_text(const struct chain *c, char *buf, size_t len);
/* {shape, chosen, tried: [{engine, why, refusal}], remarks: [sentence]}; shape and chosen may be
 * null. */
json_t *chain_json(const struct chain *c);

#endif
