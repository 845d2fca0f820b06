/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shaped_engines.h - the engines that route by the coordinates of a recognised shape.
 * Room: sm/route/shaped.  Pure.  Users: the table in sm/route/engines.c.
 */
#ifndef HEDDLE_SM_ROUTE_SHAPED_SHAPED_ENGINES_H
#define HEDDLE_SM_ROUTE_SHAPED_SHAPED_ENGINES_H

#include "sm/route/model/engine.h"

#define DOR_OPTIONS ROUTE_OPTION_PORTS

enum route_code dor_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code torus_2qos_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code hyperx_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code dragonfly_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);

#endif
