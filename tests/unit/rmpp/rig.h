/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rig.h - what the tests of one end of RMPP share: an instance, segments and ACKs of a made-up
 * peer.
 */
#ifndef HEDDLE_TESTS_UNIT_RMPP_RIG_H
#define HEDDLE_TESTS_UNIT_RMPP_RIG_H

#include "tests/unit/test.h"
#include "libmad/rmpp/rmpp.h"

/* SA: 56 bytes of headers, 200 of data in a segment */
enum { HEAD = 56, DATA = 200 };

struct rig {
	struct rmpp *r;
	struct monotime now;
};

static inline struct rig *
rig_new(const struct rmpp_conf *c)
{
	struct rig *g = calloc(1, sizeof *g);

	assert_non_null(g);
	g->r = rmpp_new(c);
	return g;
}

static inline void
rig_free(struct rig *g)
{
	rmpp_free(g->r);
	free(g);
}

/* A MAD of the SA from LID 'lid' with this RMPP header. */
static inline struct dgram
peer_mad(uint8_t method, uint64_t tid, uint16_t lid, struct dgram_rmpp_head h)
{
	struct dgram d = { .addr = { .lid = lid, .qpn = 1 }, .bytes = DGRAM_BYTES };

	dgram_head_encode(d.mad, &(struct dgram_head){
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = method,
		.tid = tid, .attr_id = 0x11,
	});
	h.version = h.version ? h.version : 1;
	h.flags |= RMPP_FLAG_ACTIVE;
	dgram_rmpp_head_encode(d.mad, &h);
	return d;
}

/* Segment 'n' of 'total' of a request that the peer sends; 'fill' is in its data. */
static inline struct dgram
peer_segment(uint64_t tid, uint16_t lid, uint32_t n, uint32_t total, uint8_t fill)
{
	struct dgram d = peer_mad(METHOD_GET_MULTI, tid, lid, (struct dgram_rmpp_head){
		.type = RMPP_DATA, .segment = n,
		.flags = (uint8_t)((n == 1 ? RMPP_FLAG_FIRST : 0) |
			(n == total ? RMPP_FLAG_LAST : 0)),
		.length = n == total ? 220 : 0,
	});

	memset(d.mad + HEAD, fill, DATA);
	return d;
}

static inline void
rig_receive(struct rig *g, const struct dgram *d)
{
	assert_true(rmpp_receive(g->r, d, g->now));
}

static inline void
rig_segment(struct rig *g, uint64_t tid, uint16_t lid, uint32_t n, uint32_t total)
{
	struct dgram d = peer_segment(tid, lid, n, total, (uint8_t)n);

	rig_receive(g, &d);
}

/* The next MAD must be of this type. */
static inline struct dgram_rmpp_head
expect_mad(struct rig *g, uint8_t type, struct dgram *d)
{
	struct dgram_rmpp_head h;
	struct dgram here;

	assert_true(rmpp_next_mad(g->r, &here, g->now));
	assert_int_equal(here.bytes, DGRAM_BYTES);
	assert_null(here.more);
	h = dgram_rmpp_head_decode(here.mad);
	assert_int_equal(h.type, type);
	assert_int_equal(h.version, 1);
	assert_true(h.flags & RMPP_FLAG_ACTIVE);
	if (d)
		*d = here;
	return h;
}

static inline void
expect_no_mad(struct rig *g)
{
	struct dgram d;

	assert_false(rmpp_next_mad(g->r, &d, g->now));
}

static inline void
expect_no_message(struct rig *g)
{
	struct dgram d;

	assert_false(rmpp_next_message(g->r, &d));
}

#endif
