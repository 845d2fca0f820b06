/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trace.h - io.heddle.Manager.Trace: the path of a packet by the tables that are served, and what
 * partitions say of it.
 * Room: sm/status.  Pure.
 */
#ifndef HEDDLE_SM_STATUS_TRACE_H
#define HEDDLE_SM_STATUS_TRACE_H

#include "sm/status/view.h"

/*
 * 0, or -ENOENT with '*out' saying what was not found; -EAGAIN before the first sweep.  '*out' is
 * the caller's.
 */
int trace_json(const struct served_view *v, const char *from, const char *to, json_t **out);

#endif
