/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * real.c - the C library's own functions, which libc.c replaces.
 * Room: sim/shim.
 *
 * The shim must call these functions by real_libc(), never by their names: a name would lead to
 * the shim's own function.  They are looked up on first use.
 */
#include <config.h>
#include <dlfcn.h>
#include "sim/shim/shim.h"

static struct real table;
static _Atomic bool known;

/* Looks up all functions.  Without pthread_once(), because a sanitizer's runtime opens files before
 * it can take a lock; two lookups give the same result. */
static void
look_up(void)
{
#define LOOK(name) table.name = (__typeof__(table.name))(uintptr_t)dlsym(RTLD_NEXT, #name)
	LOOK(open);
	LOOK(openat);
	LOOK(close);
	LOOK(read);
	LOOK(write);
	LOOK(ioctl);
	LOOK(poll);
	LOOK(ppoll);
	LOOK(select);
	LOOK(pselect);
	LOOK(epoll_ctl);
#undef LOOK
	atomic_store_explicit(&known, true, memory_order_release);
}

const struct real *
real_libc(void)
{
	if (!atomic_load_explicit(&known, memory_order_acquire))
		look_up();
	return &table;
}
