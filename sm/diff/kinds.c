/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kinds.c - the table of kinds.
 * Room: sm/diff.  Pure.
 */
#include <config.h>
#include "sm/diff/diff_int.h"

const struct change_kind *const change_kinds[CHANGE_PHASE_COUNT] = {
#define K(id, name) [CHANGE_##id] = &change_kind_##name,
	CHANGE_KINDS(K)
#undef K
};

const char *
change_phase_text(enum change_phase p)
{
	return p < CHANGE_PHASE_COUNT ? change_kinds[p]->name : "done";
}

uint16_t
change_attribute(const struct change_kind *k, const struct change *c)
{
	return k->attribute ? k->attribute : k->attribute_of(c);
}

uint32_t
change_reported(const struct change_kind *k, const struct change *c, uint8_t port)
{
	return k->reported ? k->reported(c, port) : 0;
}
