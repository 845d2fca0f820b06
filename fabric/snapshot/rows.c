/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rows.c - the memory of forwarding tables that several hold.
 * Room: fabric/snapshot.  Pure.
 */
#include <config.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "fabric/snapshot/rows.h"
#include "util/xalloc.h"

struct fwd_rows {
	atomic_uint holds;
	_Alignas(16) uint8_t bytes[];
};

struct fwd_rows *
fwd_rows_new(size_t bytes)
{
	struct fwd_rows *r;

	if (bytes > SIZE_MAX / 2)
		xalloc_overflow();
	r = xcalloc(1, sizeof(*r) + bytes);
	atomic_init(&r->holds, 1);
	return r;
}

uint8_t *
fwd_rows_bytes(struct fwd_rows *r)
{
	return r->bytes;
}

struct fwd_rows *
fwd_rows_hold(struct fwd_rows *r)
{
	if (r)
		atomic_fetch_add(&r->holds, 1);
	return r;
}

void
fwd_rows_drop(struct fwd_rows *r)
{
	if (r && atomic_fetch_sub(&r->holds, 1) == 1)
		free(r);
}

bool
fwd_rows_shared(const struct fwd_rows *r)
{
	return atomic_load(&r->holds) > 1;
}
