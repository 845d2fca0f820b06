/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine.c - codes of refusals as text, and the end of an engine's state.
 * Room: sm/route/model.
 */
#include <config.h>
#include "sm/route/model/engine.h"

const char *
route_code_text(enum route_code c)
{
	switch (c) {
#define C(name) case ROUTE_##name: return #name;
	ROUTE_CODES(C)
#undef C
	}
	return "?";
}

void
route_state_free(struct route_state *s)
{
	if (s)
		s->free(s);
}
