/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rcm.c - loads librdmacm.
 * Room: verbs/ibv.
 */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include "verbs/ibv/rcm.h"

static struct rcm_lib lib;

static void *
symbol(const char *name, const char **missing)
{
	void *p = dlsym(lib.handle, name);

	if (!p && !*missing)
		*missing = name;
	return p;
}

int
rcm_lib_load(const struct rcm_lib **out, char *why, size_t why_bytes)
{
	const char *missing = NULL;

	if (!lib.handle) {
		lib.handle = dlopen("librdmacm.so.1", RTLD_NOW);
		if (!lib.handle) {
			snprintf(why, why_bytes, "librdmacm.so.1 cannot be loaded (%s): install librdmacm1, or connect by the socket", dlerror());
			return -ENOENT;
		}
#define LOAD(result, member, name, args) *(void **)&lib.member = symbol(name, &missing);
		RCM_FUNCTIONS(LOAD)
#undef LOAD
	}
	if (missing) {
		snprintf(why, why_bytes, "librdmacm.so.1 is too old: it has no %s", missing);
		dlclose(lib.handle);
		lib.handle = NULL;
		return -ENOENT;
	}
	*out = &lib;
	return 0;
}
