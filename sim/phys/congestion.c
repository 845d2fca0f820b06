/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * congestion.c - the congestion control state of a port, allocated when first needed.
 * Room: sim/phys.  Pure.  The agent in sim/agents/cc.c shows and sets it; rates.c writes its log.
 */
#include <config.h>
#include <stdlib.h>
#include "sim/phys/phys.h"
#include "util/xalloc.h"

struct hw_cc *
congestion_of(struct hw_port *p)
{
	if (!p->cc)
		p->cc = xcalloc(1, sizeof(*p->cc));
	return p->cc;
}

void
congestion_forget(struct hw_port *p)
{
	if (p->cc)
		free(p->cc->ports);
	free(p->cc);
	p->cc = NULL;
}
