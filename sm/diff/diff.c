/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff.c - compares wanted with observed state, for all kinds.
 * Room: sm/diff.  Pure.  In: observed state, plan.  Out: ordered changes; payloads on demand.
 * The kinds themselves compare images (kind_*.c).  docs/wire.md: barriers of a sweep.
 */
#include <config.h>
#include <string.h>
#include "sm/diff/diff.h"
#include "util/xalloc.h"

static void
find_changes(
	const struct observed *o, const struct plan *plan, bool registered, struct changes *out)
{
	struct diff_view v = { .s = o->s, .observed = o, .plan = plan };

	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		if (change_kinds[p]->find && change_kinds[p]->registered == registered)
			change_kinds[p]->find(&v, out);
}

void
diff_planned(const struct observed *o, const struct plan *plan, struct changes *out)
{
	memset(out, 0, sizeof(*out));
	find_changes(o, plan, false, out);
}

void
diff_registered(const struct observed *o, const struct plan *plan, struct changes *out)
{
	find_changes(o, plan, true, out);
}

void
diff_make(const struct observed *o, const struct plan *plan, struct changes *out)
{
	diff_planned(o, plan, out);
	diff_registered(o, plan, out);
}

const uint8_t *
diff_payload(const struct observed *o, const struct plan *plan, enum change_phase phase,
	const struct change *c, uint8_t buf[static CHANGE_BYTES])
{
	struct diff_view v = { .s = o->s, .observed = o, .plan = plan };

	if (phase >= CHANGE_PHASE_COUNT)
		bug("diff: no payload for phase %d", (int)phase);
	return change_kinds[phase]->payload(change_kinds[phase], &v, c, buf);
}
