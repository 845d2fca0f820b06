/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trace.h - io.heddle.Manager.Trace: the path of a packet according to the served tables, and
 * whether partitions allow it.
 * Room: sm/status.  Pure.
 *
 * The path comes from the planned forwarding tables, not from the switches: the answer needs no
 * request to the fabric. ends.h resolves the two names.
 */
#ifndef HEDDLE_SM_STATUS_TRACE_H
#define HEDDLE_SM_STATUS_TRACE_H

#include "sm/status/view.h"

/* Traces a packet from the end port 'from' to the end port 'to'. Returns 0 with the document in
 * '*out', -ENOENT with the name that was not found, or -EAGAIN with the reason before the first
 * plan. The caller owns '*out'. */
int trace_json(const struct served_view *v, const char *from, const char *to, json_t **out);

#endif
