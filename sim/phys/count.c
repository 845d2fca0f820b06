/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * count.c - the counters of a port.
 * Room: sim/phys.  Pure.  What grows with time is added by settle.c.
 */
#include <config.h>
#include <stdlib.h>
#include "sim/phys/phys.h"
#include "util/xalloc.h"

static struct hw_counters *
counters_of(struct hw_port *p)
{
	if (!p->count)
		p->count = xcalloc(1, sizeof(*p->count));
	return p->count;
}

struct hw_details *
count_details(struct hw_port *p)
{
	struct hw_counters *k = counters_of(p);

	if (!k->more)
		k->more = xcalloc(1, sizeof(*k->more));
	return k->more;
}

/* The counter that counts the same and more, or itself. */
static unsigned
whole_of(unsigned c)
{
	if (c >= COUNT_LOCAL_PHYS && c <= COUNT_RCV_OVERRUN)
		return COUNT_RCV_ERRORS;
	if (c >= COUNT_DLID_MAPPING && c <= COUNT_LOOPING)
		return COUNT_RCV_SWITCH_RELAY;
	if (c >= COUNT_INACTIVE && c <= COUNT_SW_HOQ)
		return COUNT_XMIT_DISCARDS;
	return c;
}

void
count_add(struct hw_port *p, unsigned c, uint64_t n)
{
	unsigned whole = whole_of(c);

	if (!n)
		return;
	if (c >= COUNT_CORE)
		count_details(p)->total[c - COUNT_CORE] += n;
	if (whole < COUNT_CORE)
		counters_of(p)->total[whole] += n;
}

void
count_op(struct hw_port *p, uint8_t op, unsigned vl, uint64_t packets, uint64_t words)
{
	struct hw_details *m = p->count ? p->count->more : NULL;

	if (!m || !op)
		return;
	if (m->op[OP_RCV] == op) {
		count_add(p, COUNT_OP_RCV_PKTS, packets);
		count_add(p, COUNT_OP_RCV_DATA, words);
	}
	if (m->op[OP_VL_PKTS] == op)
		count_add(p, COUNT_VL_PKTS + vl, packets);
	if (m->op[OP_VL_DATA] == op)
		count_add(p, COUNT_VL_DATA + vl, words);
}

/* SL 0 has what no other has: ports that see nothing else need no details. */
void
count_sl(struct hw_port *p, bool out, unsigned sl, uint64_t words)
{
	if (sl)
		count_add(p, (out ? COUNT_SL_XMIT : COUNT_SL_RCV) + sl, words);
}

uint64_t
count_total(const struct hw_counters *k, unsigned c)
{
	unsigned first = c == COUNT_SL_XMIT ? COUNT_SL_XMIT : COUNT_SL_RCV;
	uint64_t v;

	if (c < COUNT_CORE)
		return k->total[c];
	if (c != COUNT_SL_XMIT && c != COUNT_SL_RCV)
		return k->more ? k->more->total[c - COUNT_CORE] : 0;
	v = k->total[first == COUNT_SL_XMIT ? COUNT_XMIT_DATA : COUNT_RCV_DATA];
	for (unsigned sl = 1; k->more && sl < 16; sl++)
		v -= k->more->total[first + sl - COUNT_CORE];
	return v;
}

uint64_t
count_get(const struct hw_port *p, unsigned c, bool ext)
{
	const struct hw_counters *k = p->count;

	if (!k)
		return 0;
	if (c < COUNT_CORE)
		return k->total[c] - (ext ? k->base_ext : k->base)[c];
	return count_total(k, c) - (k->more ? k->more->base[c - COUNT_CORE] : 0);
}

void
count_write(struct hw_port *p, unsigned c, bool ext, uint64_t value)
{
	struct hw_counters *k;

	if (count_get(p, c, ext) == value)
		return;
	k = counters_of(p);
	if (c < COUNT_CORE)
		(ext ? k->base_ext : k->base)[c] = k->total[c] - value;
	else
		count_details(p)->base[c - COUNT_CORE] = count_total(k, c) - value;
}

void
count_forget(struct hw_port *p)
{
	if (p->count)
		free(p->count->more);
	free(p->count);
	p->count = NULL;
	free(p->sample);
	p->sample = NULL;
}
