/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * weights_engines.h - the engines that balance shortest paths by weights of links.
 * Room: sm/route/weights.  Pure.  Users: the table in sm/route/engines.c.
 */
#ifndef HEDDLE_SM_ROUTE_WEIGHTS_WEIGHTS_ENGINES_H
#define HEDDLE_SM_ROUTE_WEIGHTS_WEIGHTS_ENGINES_H

#include "sm/route/model/engine.h"

/* Of sssp and dfsssp. */
#define SSSP_OPTIONS ROUTE_OPTION_WEIGHTS

enum route_code sssp_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code dfsssp_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code lash_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);

#endif
