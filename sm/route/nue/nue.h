/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nue.h - the engine nue: any fabric on one VL.
 * Room: sm/route/nue.  Pure.  Users: the table in sm/route/engines.c.
 */
#ifndef HEDDLE_SM_ROUTE_NUE_NUE_H
#define HEDDLE_SM_ROUTE_NUE_NUE_H

#include "sm/route/model/engine.h"

#define NUE_OPTIONS ROUTE_OPTION_WEIGHTS

enum route_code nue_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);

#endif
