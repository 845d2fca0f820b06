/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sample.c - PortSamplesControl: samples selected counters for an interval.
 * Room: sim/agents.  Pure.  A tick is a microsecond here.  What can be selected: 1 to 5, data and
 * packets out and in, and XmitWait.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/pm_attr.h"
#include "sim/agents/agents.h"
#include "util/xalloc.h"

enum { SAMPLE_DONE, SAMPLE_STARTED, SAMPLE_RUNNING };
#define SAMPLE_COUNTERS 15
#define EXT_WIDTH_64 2          /* result: 64 bits are shown */

struct hw_sample {
	struct pm_samples_control control;
	uint64_t value[SAMPLE_COUNTERS];        /* at the start; at the end: what came since */
	uint32_t id;                    /* of this sampling, to know its events */
	uint8_t status;
};

static uint64_t
read_selected(const struct hw_port *p, uint16_t select)
{
	static const uint8_t which[] = {
		0, COUNT_XMIT_DATA, COUNT_RCV_DATA, COUNT_XMIT_PKTS, COUNT_RCV_PKTS,
		COUNT_XMIT_WAIT,
	};

	if (!select || select >= sizeof(which) || !p->count)
		return 0;
	return p->count->total[which[select]];
}

static void
next_event(struct hw *h, const struct hw_port *p, int64_t us, struct monotime now)
{
	struct hw_event e = { .kind = EVENT_SAMPLE, .node = hw_port_index(h, p),
		.arg = p->sample->id };

	e.at_us = monotime_add_us(now, us).us;
	queue_add(h, &e);
}

void
sample_due(struct hw *h, uint32_t port_index, uint32_t id, struct monotime now)
{
	struct hw_port *p = &h->ports[port_index];
	struct hw_sample *s = p->sample;

	if (!s || s->id != id || s->status == SAMPLE_DONE)
		return;
	count_settle(h, p, now);
	if (s->status == SAMPLE_STARTED) {
		for (unsigned i = 0; i < SAMPLE_COUNTERS; i++)
			s->value[i] = read_selected(p, s->control.counter_select[i]);
		s->status = SAMPLE_RUNNING;
		next_event(h, p, s->control.sample_interval, now);
		return;
	}
	for (unsigned i = 0; i < SAMPLE_COUNTERS; i++)
		s->value[i] = read_selected(p, s->control.counter_select[i]) - s->value[i];
	s->status = SAMPLE_DONE;
}

/* What a Get shows: what was asked for, and what this hardware can. */
static void
show_control(const struct hw_port *p, uint8_t *d)
{
	struct pm_samples_control c = { .port_select = (uint8_t)ATTR_GET(pm_samples_control,
		port_select, d) };

	if (p->sample)
		c = p->sample->control;
	c.port_select = (uint8_t)ATTR_GET(pm_samples_control, port_select, d);
	c.counter_width = 4;            /* 32 bits */
	c.counter_mask0 = 0x7;
	c.counter_masks1to9 = 0x7ffffff;
	c.counter_masks10to14 = 0x7fff;
	c.sample_mechanisms = 1;
	c.sample_status = p->sample ? p->sample->status & 3u : SAMPLE_DONE;
	pm_samples_control_encode(d, &c);
}

uint16_t
sample_control(struct hw *h, struct hw_port *p, uint8_t *d, bool set, struct monotime now)
{
	struct hw_sample *s = p->sample;
	uint16_t status = STATUS_OK;

	if (set && s && s->status != SAMPLE_DONE) {
		status = STATUS_BAD_VALUE;
	} else if (set) {
		if (!s)
			s = p->sample = xcalloc(1, sizeof(*s));
		s->control = pm_samples_control_decode(d);
		memset(s->value, 0, sizeof(s->value));
		s->id = ++h->samplings;
		s->status = SAMPLE_STARTED;
		next_event(h, p, s->control.sample_start, now);
	}
	show_control(p, d);
	return status;
}

void
sample_result(const struct hw_port *p, uint8_t *d, bool ext)
{
	const struct hw_sample *s = p->sample;
	struct pm_samples_result_ext r = { .extended_width = EXT_WIDTH_64 };
	struct pm_samples_result r32 = { 0 };

	if (s) {
		r.tag = r32.tag = s->control.tag;
		r.sample_status = r32.sample_status = s->status & 3u;
	}
	for (unsigned i = 0; s && s->status == SAMPLE_DONE && i < SAMPLE_COUNTERS; i++) {
		r.counter[i] = s->value[i];
		r32.counter[i] = s->value[i] < UINT32_MAX ? (uint32_t)s->value[i] : UINT32_MAX;
	}
	if (ext)
		pm_samples_result_ext_encode(d, &r);
	else
		pm_samples_result_encode(d, &r32);
}
