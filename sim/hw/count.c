/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * count.c - the counters of a port, and the errors an operator lets it make.
 * Room: sim/hw.  Pure.
 *
 * Nothing runs by itself: what grows with time (injected errors, traffic) is added when somebody looks.  How much that is
 * depends on the times alone, not on how often somebody looked.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "sim/hw/hw_int.h"
#include "util/xalloc.h"

struct name {
	const char *text;
	uint16_t first, n;              /* n 0: a single counter */
};

static const struct name names[] = {
#define C(name, text) { text, COUNT_##name, 0 },
#define A(name, n, text) { text, COUNT_##name, n },
	HW_COUNTERS(C)
	HW_DETAILS(C)
	HW_ARRAYS(A)
#undef C
#undef A
};

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

static uint64_t
total_of(const struct hw_counters *k, unsigned c)
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
	return total_of(k, c) - (k->more ? k->more->base[c - COUNT_CORE] : 0);
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
		count_details(p)->base[c - COUNT_CORE] = total_of(k, c) - value;
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

/* ---- errors ---- */

/* Thousandths a second, for so long: whole ones. */
static uint64_t
grown(uint64_t rate, int64_t us)
{
	uint64_t s = (uint64_t)us / 1000000, rest = (uint64_t)us % 1000000;

	return (rate * s + rate * rest / 1000000) / 1000;
}

static void
settle_errors(struct hw_port *p, struct monotime now)
{
	for (unsigned i = 0; i < p->ninject; i++) {
		struct hw_inject *e = &p->inject[i];
		uint64_t n = now.us > e->since_us ? grown(e->rate, now.us - e->since_us) : 0;

		if (n > e->done) {
			count_add(p, e->counter, n - e->done);
			e->done = n;
		}
	}
}

void
count_settle(struct hw *h, struct hw_port *p, struct monotime now)
{
	if (!h->nodes[p->node].powered)
		return;
	settle_errors(p, now);
	traffic_count(h, p, now);
}

static struct hw_port *
any_port(struct hw *h, uint32_t node, uint8_t port)
{
	return node < h->nnodes && port <= h->nodes[node].nports ? hw_port(h, node, port) : NULL;
}

int
hw_error_add(struct hw *h, uint32_t node, uint8_t port, unsigned counter, uint64_t n, struct monotime now)
{
	struct hw_port *p = any_port(h, node, port);

	if (!p)
		return -ENOENT;
	if (counter >= COUNT_N)
		return -EINVAL;
	count_settle(h, p, now);
	count_add(p, counter, n);
	return 0;
}

#define RATE_MAX UINT64_C(1000000000000)        /* 10^9 a second */

int
hw_error_rate(struct hw *h, uint32_t node, uint8_t port, unsigned counter, uint64_t rate, struct monotime now)
{
	struct hw_port *p = any_port(h, node, port);
	unsigned i = 0;

	if (!p)
		return -ENOENT;
	if (counter >= COUNT_N || rate > RATE_MAX)
		return -EINVAL;
	count_settle(h, p, now);
	while (i < p->ninject && p->inject[i].counter != counter)
		i++;
	if (i == p->ninject) {
		p->inject = xreallocarray(p->inject, i + 1u, sizeof(*p->inject));
		p->ninject++;
	}
	p->inject[i] = (struct hw_inject){ .counter = (uint16_t)counter, .rate = rate, .since_us = now.us };
	if (!rate)
		p->inject[i] = p->inject[--p->ninject];
	return 0;
}

void
hw_error_clear(struct hw *h, struct monotime now)
{
	for (uint32_t i = 0; i < h->nports; i++) {
		struct hw_port *p = &h->ports[i];

		count_settle(h, p, now);
		free(p->inject);
		p->inject = NULL;
		p->ninject = 0;
	}
}

int
hw_counter_get(struct hw *h, uint32_t node, uint8_t port, unsigned counter, struct monotime now, uint64_t *value)
{
	struct hw_port *p = any_port(h, node, port);

	if (!p || counter >= COUNT_N)
		return -ENOENT;
	count_settle(h, p, now);
	*value = p->count ? total_of(p->count, counter) : 0;
	return 0;
}

/* ---- names ---- */

/* How much of 'word' is 'name', of which "Port" at the beginning and "Counter" at the end may be missing; 0: it is not. */
static size_t
matches(const char *word, const char *name, bool with_index)
{
	size_t n = strlen(name), w = strlen(word);

	while (with_index && w && isdigit((unsigned char)word[w - 1]))
		w--;
	if (w == n && !strncasecmp(word, name, n))
		return w;
	if (!strncmp(name, "Port", 4) && w == n - 4 && !strncasecmp(word, name + 4, w))
		return w;
	if (n > 7 && !strcmp(name + n - 7, "Counter") && w == n - 7 && !strncasecmp(word, name, w))
		return w;
	return 0;
}

int
hw_counter_find(const char *word)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = matches(word, names[i].text, names[i].n > 0);
		unsigned long k = n ? strtoul(word + n, NULL, 10) : 0;

		if (n && !names[i].n)
			return names[i].first;
		if (n && word[n] && k < names[i].n)
			return (int)(names[i].first + k);
	}
	return -ENOENT;
}

const char *
hw_counter_name(unsigned c, char buf[48])
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!names[i].n && c == names[i].first)
			return names[i].text;
		if (c >= names[i].first && c < (unsigned)names[i].first + names[i].n) {
			snprintf(buf, 48, "%s%u", names[i].text, c - names[i].first);
			return buf;
		}
	}
	return NULL;
}
