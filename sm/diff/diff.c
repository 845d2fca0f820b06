/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff.c - compares wanted with observed state, for all kinds.
 * Room: sm/diff.  Pure.  In: observed state, plan.  Out: ordered changes; payloads on demand.
 * The kinds themselves compare images (kind_*.c).  docs/wire.md: barriers of a sweep.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/diff/diff.h"
#include "sm/diff/diff_int.h"
#include "util/xalloc.h"

static void
find_changes(const struct diff_view *v, bool registered, struct changes *out)
{
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		if (change_kinds[p]->find && change_kinds[p]->registered == registered)
			change_kinds[p]->find(v, out);
}

void
diff_planned(const struct observed *o, const struct plan *plan, const struct diff_before *before,
	struct changes *out)
{
	uint64_t *settled = settled_still(o, plan, before);
	struct diff_view v = { .s = o->s, .observed = o, .plan = plan, .settled = settled };

	memset(out, 0, sizeof(*out));
	find_changes(&v, false, out);
	free(settled);
}

void
diff_registered(const struct observed *o, const struct plan *plan, struct changes *out)
{
	struct diff_view v = { .s = o->s, .observed = o, .plan = plan };

	find_changes(&v, true, out);
}

void
diff_make(const struct observed *o, const struct plan *plan, struct changes *out)
{
	diff_planned(o, plan, NULL, out);
	diff_registered(o, plan, out);
}

uint64_t *
diff_settled(const struct observed *o, const struct plan *plan, const struct diff_before *before)
{
	uint64_t *settled = settled_still(o, plan, before);
	struct diff_view v = { .s = o->s, .observed = o, .plan = plan };
	struct mkeys_last last = { 0, 0 };

	if (!settled)
		settled = xcalloc(BITS_WORDS(o->s->nports) + 1, sizeof(*settled));
	for (uint32_t p = 0; p < o->s->nports; p++)
		if (!bits_test(settled, p) && diff_port_is_settled(&v, &last, p))
			bits_set(settled, p);
	return settled;
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
