/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rows.h - the memory of forwarding tables that several hold.
 * Room: fabric/snapshot (prefix fwd_rows_).  Pure.
 *
 * The tables of a large subnet take tens of megabytes, and a copy takes longer than to compute what
 * a lost link changes.  So whoever needs tables that somebody else made holds them: a plan, the
 * engine that will go on from them, the proof of the next change.  They are freed with the last.
 *
 * Invariant: rows are written only by the one who made them, and only while nobody else holds them.
 * Holders may be on different threads; each has its own hold.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_ROWS_H
#define HEDDLE_FABRIC_SNAPSHOT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fwd_rows;

/* 'bytes' zeroes, held once. */
struct fwd_rows *fwd_rows_new(size_t bytes);
uint8_t *fwd_rows_bytes(struct fwd_rows *r);
/* Returns 'r', held once more.  NULL is fine. */
struct fwd_rows *fwd_rows_hold(struct fwd_rows *r);
/* Ends one hold.  NULL is fine. */
void fwd_rows_drop(struct fwd_rows *r);
/* Whether somebody else holds them, too. */
bool fwd_rows_shared(const struct fwd_rows *r);

#endif
