/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine.h - the engines of this room: one function each, for the table in engines.c.
 * Room: sm/route.  Private to the room.
 *
 * route.h defines what an engine receives and returns.  engines.c lists the engines; no engine
 * calls another one.
 */
#ifndef HEDDLE_SM_ROUTE_ENGINE_H
#define HEDDLE_SM_ROUTE_ENGINE_H

#include "sm/route/route.h"

enum route_code ftree_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code updn_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code dnup_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code minhop_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code nue_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code sssp_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code dfsssp_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code lash_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code dor_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code torus_2qos_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code hyperx_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);
enum route_code dragonfly_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);

#endif
