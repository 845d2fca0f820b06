/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * early.h - stored forwarding tables: served until the first sweep of a master ends, and taken for
 * the next run.
 * Room: sm/sweep (prefix early_).  Pure.
 *
 * sm/sa/stored.h says what can be answered from stored tables, and why that is safe.  This file owns
 * them: history.stored, and served.early, which is set only from the election that makes this
 * manager master until its first sweep ends, or anything else ends it.
 */
#ifndef HEDDLE_SM_SWEEP_EARLY_H
#define HEDDLE_SM_SWEEP_EARLY_H

#include "sm/planner/sweep_job.h"
#include "sm/sweep/sweep_parts.h"

/* Takes the bytes of the run before (malloc'ed, NULL: none). */
void early_begin(struct sweep *w, uint8_t *bytes, size_t len);
/* Takes what STEP_SEAL made of stored tables. */
void early_take(struct sweep *w, struct sweep_job *j);
/* This manager is master: subnet administration answers from them. */
void early_serve(struct sweep *w);
/* No longer. */
void early_end(struct sweep *w);
/* They are not needed any more: tables have been read. */
void early_forget(struct sweep *w);
/*
 * The tables to store.  False: they are stored already, or they change too often.  'last': before
 * the program ends.
 */
bool early_store(struct sweep *w, bool last, struct sa_stored_doc *out);

#endif
