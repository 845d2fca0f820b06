/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lib.c - loads libibverbs.
 * Room: verbs/ibv.
 */
#include <config.h>
#include <dlfcn.h>
#include "verbs/ibv/impl.h"
#include "verbs/ibv/load.h"

static struct ibvb_lib lib;

int
ibvb_lib_load(const struct ibvb_lib **out, char *why, size_t why_bytes)
{
#define SYMBOL(result, member, name, args) { name, (void **)&lib.member },
	static const struct load_symbol symbols[] = { IBVB_FUNCTIONS(SYMBOL) };
#undef SYMBOL
	static const struct load_library library = {
		.file = "libibverbs.so.1", .flags = RTLD_NOW | RTLD_GLOBAL,
		.remedy = "install libibverbs1 and ibverbs-providers, or use --backend soft",
		.symbols = symbols, .nsymbols = sizeof(symbols) / sizeof(symbols[0]),
	};
	int err = load_library(&library, &lib.handle, why, why_bytes);

	if (!err)
		*out = &lib;
	return err;
}
