/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * port_keys.c - counts the end ports that have our M_Key.
 * Room: sm/sweep.  In: PortInfo of the served snapshot.  Out: numbers, a log line.
 */
#include <config.h>
#include "sm/sweep/port_keys.h"

struct port_keys
port_keys_count(const struct subnet *n)
{
	const struct snapshot *s = n->served.s;
	struct port_keys k = { 0 };

	for (uint32_t i = 0; s && i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct port_info info = port_info_decode(p->info);
		uint64_t ours = subnet_mkey(n, p->guid);

		if (!(p->flags & FAB_PORT_INFO))
			k.unknown++;
		else if (!info.mkey && !info.mkey_protect)
			k.open++;
		else if (ours && info.mkey == ours)
			k.ours++;
		else
			k.others++;
	}
	return k;
}

void
port_keys_log(const struct subnet *n, struct port_keys *logged)
{
	struct port_keys k = port_keys_count(n);

	if (!subnet_protects(n) ||
	    (k.open == logged->open && k.others == logged->others && k.unknown == logged->unknown))
		return;
	log_line(n->log, k.others ? LOG_WARN : LOG_NOTE, "keys",
		"M_Keys: %u ports protected, %u unprotected, %u protected by a foreign key, %u not read",
		k.ours, k.open, k.others, k.unknown);
	*logged = k;
}
