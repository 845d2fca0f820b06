/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * file.h - engine file: tables that a file gives (lfts_file).
 * Room: sm/route.  Pure.
 */
#ifndef HEDDLE_SM_ROUTE_FILE_H
#define HEDDLE_SM_ROUTE_FILE_H

#include "sm/route/model/engine.h"

enum route_code file_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);

#endif
