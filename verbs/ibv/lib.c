/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lib.c - loads libibverbs.
 * Room: verbs/ibv.
 */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include "verbs/ibv/impl.h"

static struct ibvb_lib lib;

/* POSIX lets a symbol's address become a function's; ISO C has no cast for it. */
static void *
symbol(const char *name, const char **missing)
{
	void *p = dlsym(lib.handle, name);

	if (!p && !*missing)
		*missing = name;
	return p;
}

int
ibvb_lib_load(const struct ibvb_lib **out, char *why, size_t why_bytes)
{
	const char *missing = NULL;

	if (!lib.handle) {
		lib.handle = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_GLOBAL);
		if (!lib.handle) {
			snprintf(why, why_bytes, "libibverbs.so.1 cannot be loaded (%s): install libibverbs1 and ibverbs-providers, or use --backend soft",
				dlerror());
			return -ENOENT;
		}
#define LOAD(result, member, name, args) *(void **)&lib.member = symbol(name, &missing);
		IBVB_FUNCTIONS(LOAD)
#undef LOAD
	}
	if (missing) {
		snprintf(why, why_bytes, "libibverbs.so.1 is too old: it has no %s", missing);
		dlclose(lib.handle);
		lib.handle = NULL;
		return -ENOENT;
	}
	*out = &lib;
	return 0;
}
