/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tree_engines.h - the engines for trees, and for any fabric as if it were one.
 * Room: sm/route/tree.  Pure.  Users: the table in sm/route/engines.c.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_TREE_ENGINES_H
#define HEDDLE_SM_ROUTE_TREE_TREE_ENGINES_H

#include "sm/route/model/engine.h"

/* What updn and dnup leave room for; ftree's formula leaves none. */
#define UPDN_OPTIONS \
	(ROUTE_OPTION_ORDER | ROUTE_OPTION_PORTS | ROUTE_OPTION_SHIFT | ROUTE_OPTION_SCATTER | \
		ROUTE_OPTION_IDS)

enum route_code ftree_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code updn_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code dnup_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);

#endif
