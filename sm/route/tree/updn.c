/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * updn.c - engine updn: up/down from the roots, and in the intended topology the least loaded port.
 * Room: sm/route/tree.  Pure.
 */
#include <config.h>
#include "sm/route/tree/tree.h"
#include "sm/route/tree/tree_engines.h"

enum route_code
updn_run(const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	static const struct tree_kind kind = {
		.name = "updn", .single = true,
	};

	return tree_run(&kind, in, a, out, r);
}
