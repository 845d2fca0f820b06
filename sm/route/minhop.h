/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * minhop.h - the engine minhop: shortest paths, without a check for deadlocks.
 * Room: sm/route.  Pure.  Users: the table in sm/route/engines.c.
 */
#ifndef HEDDLE_SM_ROUTE_MINHOP_H
#define HEDDLE_SM_ROUTE_MINHOP_H

#include "sm/route/model/engine.h"

#define MINHOP_OPTIONS \
	(ROUTE_OPTION_ORDER | ROUTE_OPTION_PORTS | ROUTE_OPTION_SHIFT | ROUTE_OPTION_SCATTER | \
		ROUTE_OPTION_WEIGHTS)

enum route_code minhop_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);

#endif
