/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * allowed.c - which subnet managers the configuration admits.
 * Room: conf.  Pure: apart from conf.c, which reads files, so that pure rooms may ask.
 */
#include <config.h>
#include "sm/conf/conf.h"

bool
conf_sm_allowed(const struct conf *c, uint64_t port_guid)
{
	const struct conf_guids *g = &c->allowed_sm_guids;

	for (unsigned i = 0; i < g->n; i++)
		if (g->guid[i] == port_guid)
			return true;
	return g->n == 0;
}
