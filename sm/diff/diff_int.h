/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff_int.h - what the files of the room share.
 * Room: sm/diff, inside only.  Pure.
 */
#ifndef HEDDLE_SM_DIFF_DIFF_INT_H
#define HEDDLE_SM_DIFF_DIFF_INT_H

#include "sm/diff/diff.h"

/* ---- diff.c ---- */
void diff_add(struct changes *c, enum change_phase phase, uint32_t subject, uint32_t block);

/* ---- diff_qos.c ---- */
/* Tables of lanes that are not known to be as planned. */
void diff_qos(const struct snapshot *s, const struct plan *plan, struct changes *out);
const uint8_t *diff_qos_payload(const struct snapshot *s, const struct plan *plan, const struct change *c,
	uint8_t buf[static 64]);

#endif
