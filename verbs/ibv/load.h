/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * load.h - libraries that are loaded when they are asked for.
 * Room: verbs/ibv.
 */
#ifndef HEDDLE_VERBS_IBV_LOAD_H
#define HEDDLE_VERBS_IBV_LOAD_H

#include <stddef.h>

struct load_symbol {
	const char *name;
	/* where its address goes: a function pointer; POSIX lets a void * become one, ISO C has
	 * no cast for it */
	void **to;
};

struct load_library {
	const char *file;               /* its soname */
	int flags;                      /* dlopen's */
	const char *remedy;             /* what to do when there is none */
	const struct load_symbol *symbols;
	size_t nsymbols;
};

/* Loads 'l' and puts its handle into '*handle', which is NULL before the first call; the library
 * stays, later calls do nothing. -ENOENT with a sentence in 'why' (why_bytes): there is none, or
 * it lacks a symbol; then what the symbols point to is not to be used. */
int load_library(const struct load_library *l, void **handle, char *why, size_t why_bytes);

#endif
