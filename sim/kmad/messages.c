/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * messages.c - messages that wait for the reader of a file, and common checks of MADs and ports.
 * Room: sim/kmad.  Pure.
 *
 * This is the lowest file of the room, beside the wheel: it calls none of the others.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sim/kmad/kmad_int.h"
#include "util/xalloc.h"

#define SPARE_MESSAGES 4096

bool
kmad_is_response(const uint8_t *mad)
{
	return (dgram_method(mad) & METHOD_RESP) || dgram_method(mad) == METHOD_TRAP_REPRESS ||
		(dgram_class(mad) == CLASS_BM && (dgram_modifier(mad) & 1));
}

struct kmad_port *
kmad_port_find(struct kmad *k, uint32_t node, uint8_t port)
{
	struct kmad_port *p = node < k->nnodes ? k->ports[node] : NULL;

	while (p && p->num != port)
		p = p->next;
	return p;
}

static struct kmad_message *
message_new(struct kmad *k)
{
	struct kmad_message *m = k->spare_messages;

	if (!m)
		return xmalloc(sizeof(*m));
	k->spare_messages = m->next;
	k->nspare_messages--;
	return m;
}

static void
message_free(struct kmad *k, struct kmad_message *m)
{
	free(m->more);
	if (k->nspare_messages == SPARE_MESSAGES) {
		free(m);
		return;
	}
	m->next = k->spare_messages;
	k->spare_messages = m;
	k->nspare_messages++;
}

void
kmad_queue(struct kmad *k, struct kmad_agent *a, const struct kmad_head *head, const uint8_t *data,
	uint32_t bytes, uint8_t *more)
{
	struct kmad_file *f = a->file;
	uint64_t size = sizeof(struct kmad_message) + (more ? bytes : 0);
	struct kmad_message *m;

	if (f->queued >= KMAD_QUEUE_MAX || (more && f->queued_bytes + bytes > KMAD_QUEUE_BYTES) ||
	    k->queued_bytes + size > KMAD_QUEUE_TOTAL) {
		k->stats.overflowed++;
		free(more);
		return;
	}
	m = message_new(k);
	m->next = NULL;
	m->head = *head;
	m->head.agent = a->id;
	m->bytes = bytes;
	m->more = more;
	memcpy(m->mad, data, bytes < MESSAGE_MAD_BYTES ? bytes : MESSAGE_MAD_BYTES);
	*f->last = m;
	f->last = &m->next;
	f->queued++;
	f->queued_bytes += more ? bytes : 0;
	k->queued_bytes += size;
	k->stats.received++;
	if (!f->ready) {
		f->ready = true;
		f->ready_next = NULL;
		*k->ready_last = f;
		k->ready_last = &f->ready_next;
	}
}

struct kmad_file *
kmad_next_ready(struct kmad *k)
{
	struct kmad_file *f = k->ready_first;

	if (!f)
		return NULL;
	k->ready_first = f->ready_next;
	if (!k->ready_first)
		k->ready_last = &k->ready_first;
	f->ready = false;
	return f;
}

const struct kmad_message *
kmad_peek(const struct kmad_file *f)
{
	return f->first;
}

void
kmad_drop(struct kmad *k, struct kmad_file *f)
{
	struct kmad_message *m = f->first;

	if (!m)
		return;
	f->first = m->next;
	if (!f->first)
		f->last = &f->first;
	f->queued--;
	f->queued_bytes -= m->more ? m->bytes : 0;
	k->queued_bytes -= sizeof(*m) + (m->more ? m->bytes : 0);
	message_free(k, m);
}
