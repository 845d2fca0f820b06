/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * prefs.h - what the configuration prefers among choices that an engine holds for equal: which
 * destinations come first, which ports, which links.
 * Room: sm/route/model (prefix prefs_).  Pure; private to the engines.
 *
 * Engines that choose the least loaded port leave room for preferences: any order of destinations
 * and any order of ports gives legal tables.  An engine says by ROUTE_OPTION bits which of the
 * options of struct route_conf it serves; prefs_make() turns those into numbers of the model, and
 * fill.c obeys them (route_model.prefs).  Hop weights change the costs of links: prefs_weigh()
 * gives each group of parallel links a weight, and leaves only its lightest links in it.
 *
 * Invariant: what names a GUID or a port that the fabric does not have changes nothing here; it is
 * sm/route/options.h that tells of it.  Without options nothing is made, and tables are as ever.
 */
#ifndef HEDDLE_SM_ROUTE_MODEL_PREFS_H
#define HEDDLE_SM_ROUTE_MODEL_PREFS_H

#include "sm/route/model/model.h"

#define PREFS_LAST UINT32_MAX

struct prefs {
	/* hosts whose LIDs are routed before all others: the first of their LIDs in host_lids[],
	 * and their columns */
	uint32_t *early, *early_col, nearly;
	bool *is_early; /* per host_lids[]; NULL: none is */
	/* per switch: its port order; NULL: none has one */
	const struct routing_line **ports;
	bool shift; /* the order of ports moves on at switches with hosts, too */
	uint32_t scatter; /* seed of orders that depend on it; 0: none */
};

/* Finds where the host with that port GUID is: its switch and the port there. */
typedef bool prefs_place(const void *data, uint64_t guid, uint32_t *sw, uint8_t *via);

/* The preferences of 'c' that are in 'options' (ROUTE_OPTION bits); 'place' finds hosts for the
 * order of destinations.  NULL: there are none.  Owned by 'a'. */
const struct prefs *prefs_make(const struct route_model *m, const struct route_conf *c,
	unsigned options, prefs_place *place, const void *data, struct arena *a);
/* Hosts of the present fabric; 'data' is the model. */
bool prefs_place_present(const void *data, uint64_t guid, uint32_t *sw, uint8_t *via);
/* Sort keys by port number for the ports of a switch: those that are listed first, as listed.
 * False: all ports are equal. */
bool prefs_port_keys(
	const struct prefs *p, const struct route_model *m, uint32_t sw, uint32_t key[static 256]);
/* A number below 'n' that looks like chance, for the 'turn'-th turn at a switch. */
uint32_t prefs_scatter(
	const struct prefs *p, const struct route_model *m, uint32_t sw, uint32_t turn, uint32_t n);
/* Sets m->weight, if 'c' has weights; heavier links than its lightest are taken out of a group.
 * Owned by 'a'. */
void prefs_weigh(struct route_model *m, const struct route_conf *c, struct arena *a);

#endif
