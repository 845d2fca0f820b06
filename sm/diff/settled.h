/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settled.h - ports that need no Set of PortInfo, because nothing has changed since a sweep in
 * which they needed none.
 * Room: sm/diff.  Pure.
 *
 * A port is settled under a plan if no change of PortInfo is listed for it.  That depends on images
 * and on the plan only.  After a sweep has written, sm/diff looks at every port and notes which
 * ones are settled, in the observed state.  In the next sweep, a port whose input is still the same
 * (its own image, those of its peer and of port 0 of its switch, its part of the plan) is settled
 * again, and is not compared.  So no event need be reported here: whoever reads another image, or
 * plans something else, unsettles the port.
 */
#ifndef HEDDLE_SM_DIFF_SETTLED_H
#define HEDDLE_SM_DIFF_SETTLED_H

#include "fabric/snapshot/observed.h"
#include "sm/plan/plan.h"

/* The sweep before: what was known after its last write, and its plan. */
struct diff_before {
	const struct observed *observed;        /* NULL: there is none */
	const struct plan *plan;
};

/*
 * Bits by port index of 'o': ports that are settled under 'plan', because they were under the plan
 * before and their input is the same.  NULL: none is known to be.  The caller frees.
 */
uint64_t *settled_still(
	const struct observed *o, const struct plan *plan, const struct diff_before *before);

#endif
