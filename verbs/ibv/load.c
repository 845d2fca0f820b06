/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * load.c - loads libraries at run time; see load.h.
 * Room: verbs/ibv.
 */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include "verbs/ibv/load.h"

int
load_library(const struct load_library *l, void **handle, char *why, size_t why_bytes)
{
	void *h;

	if (*handle)
		return 0;
	h = dlopen(l->file, l->flags);
	if (!h) {
		snprintf(why, why_bytes, "%s cannot be loaded (%s): %s", l->file, dlerror(),
			l->remedy);
		return -ENOENT;
	}
	for (size_t i = 0; i < l->nsymbols; i++) {
		*l->symbols[i].to = dlsym(h, l->symbols[i].name);
		if (!*l->symbols[i].to) {
			snprintf(why, why_bytes, "%s is too old: it has no %s", l->file,
				l->symbols[i].name);
			dlclose(h);
			return -ENOENT;
		}
	}
	*handle = h;
	return 0;
}
