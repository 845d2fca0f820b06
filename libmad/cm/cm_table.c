/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_table.c - IDs, QPNs, tables of connections, and the heap of timers.
 * Room: libmad/cm.  Pure.
 *
 * An ID or QPN belongs to its connection until the connection is freed, which is after TIMEWAIT.
 * Both are assigned in rotation, so one just freed is reused last.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/cm/cm_impl.h"
#include "util/grow.h"

static struct cm_key
key_make(enum cm_key_kind kind, uint64_t owner, uint32_t number)
{
	struct cm_key k;

	memset(&k, 0, sizeof(k));
	k.kind = kind;
	k.owner = owner;
	k.number = number;
	return k;
}

static uint32_t
next_id(struct cm *c)
{
	uint32_t id;

	do
		id = c->next_id++;
	while (!id || cm_conn_find(c, id));
	return id;
}

struct cm_conn *
cm_conn_new(struct cm *c, const struct dgram_addr *addr, bool source)
{
	struct cm_conn *n;

	if (c->stats.open >= c->conf.open_max)
		return NULL;
	n = xcalloc(1, sizeof(*n));
	n->id = next_id(c);
	n->addr = *addr;
	n->counted = source;
	if (source)
		c->sources[addr->lid]++;
	HASH_ADD(by_id, c->by_id, id, sizeof(n->id), n);
	if (++c->stats.open > c->stats.open_max_seen)
		c->stats.open_max_seen = c->stats.open;
	return n;
}

void
cm_conn_free(struct cm *c, struct cm_conn *n)
{
	cm_timer_stop(c, n);
	HASH_DELETE(by_id, c->by_id, n);
	if (n->by_remote_in)
		HASH_DELETE(by_remote, c->by_remote, n);
	if (n->by_qpn_in)
		HASH_DELETE(by_qpn, c->by_qpn, n);
	if (n->qpn_ours) {
		uint32_t bit = n->local_qpn - c->conf.qpn_first;

		c->qpns[bit / 8] &= (uint8_t)~(1u << bit % 8);
		c->qpns_used--;
	}
	if (n->counted)
		c->sources[n->addr.lid]--;
	if (n->state == CM_STATE_TIMEWAIT)
		c->stats.timewait--;
	c->stats.open--;
	free(n);
}

void
cm_conn_release(struct cm *c, struct cm_conn *n)
{
	cm_tell(c, n, CM_EVENT_RELEASED, 0, 0, NULL);
	cm_conn_free(c, n);
}

struct cm_conn *
cm_conn_find(const struct cm *c, uint32_t id)
{
	struct cm_conn *n;

	HASH_FIND(by_id, c->by_id, &id, sizeof(id), n);
	return n;
}

struct cm_conn *
cm_conn_find_remote(const struct cm *c, enum cm_key_kind kind, uint64_t owner, uint32_t number)
{
	struct cm_key k = key_make(kind, owner, number);
	struct cm_conn *n;

	HASH_FIND(by_remote, c->by_remote, &k, sizeof(k), n);
	return n;
}

struct cm_conn *
cm_conn_find_qpn(const struct cm *c, uint64_t guid, uint32_t qpn)
{
	struct cm_key k = key_make(CM_KEY_QP, guid, qpn);
	struct cm_conn *n;

	HASH_FIND(by_qpn, c->by_qpn, &k, sizeof(k), n);
	return n;
}

void
cm_conn_set_remote(
	struct cm *c, struct cm_conn *n, enum cm_key_kind kind, uint64_t owner, uint32_t number)
{
	n->remote_id = number;
	n->remote_key = key_make(kind, owner, number);
	HASH_ADD(by_remote, c->by_remote, remote_key, sizeof(n->remote_key), n);
	n->by_remote_in = true;
}

void
cm_conn_set_qpn(struct cm *c, struct cm_conn *n, uint64_t guid, uint32_t qpn)
{
	n->remote_guid = guid;
	n->remote_qpn = qpn;
	n->qpn_key = key_make(CM_KEY_QP, guid, qpn);
	HASH_ADD(by_qpn, c->by_qpn, qpn_key, sizeof(n->qpn_key), n);
	n->by_qpn_in = true;
}

bool
cm_conn_take_qpn(struct cm *c, struct cm_conn *n, uint32_t qpn)
{
	if (qpn) {
		n->local_qpn = qpn & 0xffffff;
		return true;
	}
	if (c->qpns_used >= c->conf.qpn_count)
		return false;
	for (;;) {
		uint32_t bit = c->next_qpn++ % c->conf.qpn_count;

		if (c->qpns[bit / 8] >> bit % 8 & 1)
			continue;
		c->qpns[bit / 8] |= (uint8_t)(1u << bit % 8);
		c->qpns_used++;
		n->local_qpn = c->conf.qpn_first + bit;
		n->qpn_ours = true;
		return true;
	}
}

static void
heap_put(struct cm *c, uint32_t at, struct cm_conn *n)
{
	c->heap[at] = n;
	n->heap_at = at + 1;
}

static void
heap_up(struct cm *c, uint32_t at)
{
	struct cm_conn *n = c->heap[at];

	while (at && n->at.us < c->heap[(at - 1) / 2]->at.us) {
		heap_put(c, at, c->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_put(c, at, n);
}

static void
heap_down(struct cm *c, uint32_t at)
{
	struct cm_conn *n = c->heap[at];

	for (uint32_t child; (child = 2 * at + 1) < c->heap_n; at = child) {
		if (child + 1 < c->heap_n && c->heap[child + 1]->at.us < c->heap[child]->at.us)
			child++;
		if (n->at.us <= c->heap[child]->at.us)
			break;
		heap_put(c, at, c->heap[child]);
	}
	heap_put(c, at, n);
}

void
cm_timer_set(struct cm *c, struct cm_conn *n, struct monotime at)
{
	n->at = at;
	if (!n->heap_at) {
		GROW(c->heap, c->heap_n, c->heap_room, 64);
		heap_put(c, c->heap_n++, n);
	}
	heap_up(c, n->heap_at - 1);
	heap_down(c, n->heap_at - 1);
}

void
cm_timer_stop(struct cm *c, struct cm_conn *n)
{
	uint32_t at = n->heap_at - 1;

	if (!n->heap_at)
		return;
	n->heap_at = 0;
	if (at == --c->heap_n)
		return;
	heap_put(c, at, c->heap[c->heap_n]);
	heap_up(c, at);
	heap_down(c, c->heap[at]->heap_at - 1);
}
