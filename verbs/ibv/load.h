/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * load.h - loads libraries at run time.
 * Room: verbs/ibv.
 *
 * Programs of Heddle start on machines without RDMA libraries, so they are not linked with them:
 * a struct load_library lists the symbols, and load_library() finds them with dlopen() at the
 * first use.  A missing library is an error with a remedy, not a failure to start.  lib.c loads
 * libibverbs so, rcm.c librdmacm.
 */
#ifndef HEDDLE_VERBS_IBV_LOAD_H
#define HEDDLE_VERBS_IBV_LOAD_H

#include <stddef.h>

struct load_symbol {
	const char *name;
	/* Where to store the address: a function pointer.  POSIX lets a void * become one, ISO C
	 * has no cast for it. */
	void **to;
};

struct load_library {
	const char *file;               /* its soname */
	int flags;                      /* dlopen's */
	const char *remedy;             /* what the operator should do when it is missing */
	const struct load_symbol *symbols;
	size_t nsymbols;
};

/* Loads 'l' and stores its handle in '*handle', which is NULL before the first call; later calls
 * do nothing. -ENOENT with a sentence in 'why' (why_bytes): the library is missing or lacks a
 * symbol; the symbols are then invalid. */
int load_library(const struct load_library *l, void **handle, char *why, size_t why_bytes);

#endif
