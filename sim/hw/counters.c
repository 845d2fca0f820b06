/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * counters.c - counters by name, and errors that an operator injects.
 * Room: sim/hw.  Pure.
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

#define RATE_MAX UINT64_C(1000000000000)        /* 10^9 a second */

static struct hw_port *
any_port(struct hw *h, uint32_t node, uint8_t port)
{
	return node < h->nnodes && port <= h->nodes[node].nports ? hw_port(h, node, port) : NULL;
}

int
hw_error_add(struct hw *h, uint32_t node, uint8_t port, unsigned counter, uint64_t n,
	struct monotime now)
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

int
hw_error_rate(struct hw *h, uint32_t node, uint8_t port, unsigned counter, uint64_t rate,
	struct monotime now)
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
	p->inject[i] = (struct hw_inject){ .counter = (uint16_t)counter, .rate = rate,
		.since_us = now.us };
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
hw_counter_get(struct hw *h, uint32_t node, uint8_t port, unsigned counter, struct monotime now,
	uint64_t *value)
{
	struct hw_port *p = any_port(h, node, port);

	if (!p || counter >= COUNT_N)
		return -ENOENT;
	count_settle(h, p, now);
	*value = p->count ? count_total(p->count, counter) : 0;
	return 0;
}

/* ---- names ---- */

struct counter_name {
	const char *text;
	uint16_t first, n;              /* n 0: a single counter */
};

static const struct counter_name names[] = {
#define C(name, text) { text, COUNT_##name, 0 },
#define A(name, n, text) { text, COUNT_##name, n },
	HW_COUNTERS(C)
	HW_DETAILS(C)
	HW_ARRAYS(A)
#undef C
#undef A
};

/* How much of 'word' is 'name', of which "Port" at the beginning and "Counter" at the end may be
 * missing; 0: it is not. */
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
