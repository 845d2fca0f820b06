/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * counts.c - see counts.h.
 * Room: verbs/meas/run.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/meas/control/msg.h"
#include "verbs/meas/run/counts.h"

/* limit for a queue pair: more than any device sends in a week, and sums do not overflow */
#define SENT_MAX ((json_int_t)1 << 50)

json_t *
meas_sent_json(const struct meas_flow *f)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < f->e->test.qps; i++)
		json_array_append_new(a,
			json_integer(f->requester ? (json_int_t)f->qps[i].completed : 0));
	return a;
}

uint64_t *
meas_sent_from_json(const json_t *o, uint32_t qps)
{
	uint64_t *sent;

	if (!json_is_array(o) || json_array_size(o) != qps)
		return NULL;
	sent = xcalloc(qps, sizeof(*sent));
	for (uint32_t i = 0; i < qps; i++) {
		const json_t *v = json_array_get(o, i);

		if (!json_is_integer(v) || json_integer_value(v) < 0 ||
			    json_integer_value(v) > SENT_MAX) {
			free(sent);
			return NULL;
		}
		sent[i] = (uint64_t)json_integer_value(v);
	}
	return sent;
}

json_t *
meas_rates_json(const struct meas_rates *r)
{
	return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "seconds", r->seconds, "bytes_per_s",
	r->bytes_per_s, "messages_per_s", r->messages_per_s,
		"peak_bytes_per_s", r->peak_bytes_per_s, "min_bytes_per_s", r->min_bytes_per_s,
		"interval_s", r->interval_s);
}

int
meas_rates_from_json(const json_t *o, struct meas_rates *r)
{
	struct meas_reader m = meas_reader(o);

	r->seconds = meas_read_number(&m, "seconds");
	r->bytes_per_s = meas_read_number(&m, "bytes_per_s");
	r->messages_per_s = meas_read_number(&m, "messages_per_s");
	r->peak_bytes_per_s = meas_read_number(&m, "peak_bytes_per_s");
	r->min_bytes_per_s = meas_read_number(&m, "min_bytes_per_s");
	r->interval_s = meas_read_number(&m, "interval_s");
	return m.bad ? -EINVAL : 0;
}

json_t *
meas_counts_json(const struct meas_counts *c, const struct meas_bad *b)
{
	json_t *bad = b->is ? json_pack("{s:I,s:I,s:I,s:i,s:i}", "qp", (json_int_t)b->qp, "message",
	(json_int_t)b->message, "offset",
		(json_int_t)b->offset, "expected", b->expected, "got", b->got) : json_null();

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:o}", "sent", (json_int_t)c->sent, "received",
		(json_int_t)c->received, "lost", (json_int_t)c->lost,
		"corrupt", (json_int_t)c->corrupt, "errors", (json_int_t)c->errors, "first_bad",
		bad);
}

int
meas_counts_from_json(const json_t *o, struct meas_counts *c, struct meas_bad *b)
{
	struct meas_reader r = meas_reader(o), m = meas_reader(json_object_get(o, "first_bad"));

	memset(b, 0, sizeof(*b));
	c->sent = meas_read_int(&r, "sent", 0, INT64_MAX);
	c->received = meas_read_int(&r, "received", 0, INT64_MAX);
	c->lost = meas_read_int(&r, "lost", 0, INT64_MAX);
	c->corrupt = meas_read_int(&r, "corrupt", 0, INT64_MAX);
	c->errors = meas_read_int(&r, "errors", 0, INT64_MAX);
	if (!r.bad && !json_is_null(m.object)) {
		b->is = true;
		b->qp = (uint32_t)meas_read_int(&m, "qp", 0, UINT32_MAX);
		b->message = meas_read_int(&m, "message", 0, INT64_MAX);
		b->offset = (uint32_t)meas_read_int(&m, "offset", 0, UINT32_MAX);
		b->expected = (uint8_t)meas_read_int(&m, "expected", 0, UINT8_MAX);
		b->got = (uint8_t)meas_read_int(&m, "got", 0, UINT8_MAX);
	}
	return r.bad || m.bad ? -EINVAL : 0;
}
