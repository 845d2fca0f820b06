/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reader.c - the stack of subjects, the request and its end, for all readers of tables.
 * Room: fabric/read.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/reader.h"
#include "util/xalloc.h"

void
reader_init(struct reader *r, const char *name, const struct snapshot *s, const struct mkeys *mkeys,
	uint32_t nsubjects)
{
	memset(r, 0, sizeof(*r));
	r->name = name;
	r->s = s;
	r->mkeys = *mkeys;
	r->nsubjects = nsubjects;
	r->ready = xcalloc((size_t)nsubjects + 1, sizeof(*r->ready));
}

void
reader_clear(struct reader *r)
{
	free(r->ready);
	r->ready = NULL;
}

void
reader_push(struct reader *r, uint32_t subject)
{
	if (r->nready == r->nsubjects)
		bug("%s: a subject is ready twice", r->name);
	r->ready[r->nready++] = subject;
}

bool
reader_take(struct reader *r, uint32_t *subject)
{
	if (!r->nready)
		return false;
	*subject = r->ready[--r->nready];
	return true;
}

void
reader_request_keyed(struct reader *r, struct txn_req *q, uint32_t node, uint16_t attr_id,
	const struct reader_path *by, uint64_t mkey)
{
	memset(q, 0, sizeof(*q));
	q->target = node;
	q->mgmt_class = CLASS_SM_DR;
	q->method = METHOD_GET;
	q->mkey = mkey;
	q->attr_id = attr_id;
	q->hop_count = by->hops;
	q->path = by->path;
	r->open++;
}

void
reader_request(struct reader *r, struct txn_req *q, uint32_t port, uint16_t attr_id,
	const uint8_t *path, uint8_t hops)
{
	uint32_t end = mkeys_end_port(r->s, port);

	memset(q, 0, sizeof(*q));
	q->target = r->s->ports[port].node;
	q->mgmt_class = CLASS_SM_DR;
	q->method = METHOD_GET;
	q->mkey = mkeys_of_again(&r->mkeys, &r->last_key, r->s->ports[end].guid);
	q->attr_id = attr_id;
	q->hop_count = hops;
	q->path = path;
	r->open++;
}

const uint8_t *
reader_answer(struct reader *r, const struct txn_end *e)
{
	if (!r->open)
		bug("%s: an end without a request", r->name);
	r->open--;
	return e->kind == TXN_END_OK ? dgram_smp_image(e->reply->mad) : NULL;
}

uint32_t
reader_subject(const struct reader *r, const struct txn_end *e)
{
	if (e->cookie >= r->nsubjects)
		bug("%s: an end without a request", r->name);
	return (uint32_t)e->cookie;
}
