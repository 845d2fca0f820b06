/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rcm.c - loads librdmacm.
 * Room: verbs/ibv.
 */
#include <config.h>
#include <dlfcn.h>
#include "verbs/ibv/load.h"
#include "verbs/ibv/rcm.h"

static struct rcm_lib lib;

int
rcm_lib_load(const struct rcm_lib **out, char *why, size_t why_bytes)
{
#define SYMBOL(result, member, name, args) { name, (void **)&lib.member },
	static const struct load_symbol symbols[] = { RCM_FUNCTIONS(SYMBOL) };
#undef SYMBOL
	static const struct load_library library = {
		.file = "librdmacm.so.1", .flags = RTLD_NOW,
		.remedy = "install librdmacm1, or connect by the socket",
		.symbols = symbols, .nsymbols = sizeof(symbols) / sizeof(symbols[0]),
	};
	int err = load_library(&library, &lib.handle, why, why_bytes);

	if (!err)
		*out = &lib;
	return err;
}
