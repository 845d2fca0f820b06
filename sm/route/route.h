/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * route.h - the routing engines by name.
 * Room: sm/route.  Pure.  docs/routing.md.
 *
 * Engines are in rooms by what they share: sm/route/tree (up/down), sm/route/nue,
 * sm/route/weights (balanced shortest paths, layers of SLs), sm/route/shaped (coordinates of tori,
 * HyperX, dragonflies).  No engine calls another one.
 * Where to look next: sm/route/model/engine.h, what an engine gets and returns.
 */
#ifndef HEDDLE_SM_ROUTE_ROUTE_H
#define HEDDLE_SM_ROUTE_ROUTE_H

#include "sm/route/model/engine.h"

/* All engines, in order of preference; '*n' of them. */
const struct route_engine *route_engines(uint32_t *n);
/* The engine of that name; NULL if unknown, with a sentence in 'why' that lists the engines. */
const struct route_engine *route_find(const char *name, char *why, size_t why_len);

#endif
