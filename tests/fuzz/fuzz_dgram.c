/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_dgram.c - headers of any 256 bytes; short inputs are padded with zeros, as a receiver would not do.
 */
#include <config.h>
#include <string.h>
#include "libmad/mad/dgram.h"
#include "tests/fuzz/fuzz.h"

static void
head(const uint8_t *w)
{
	struct dgram_head h = dgram_head_decode(w), again;
	uint8_t copy[24];

	dgram_head_encode(copy, &h);
	again = dgram_head_decode(copy);
	FUZZ_CHECK(!memcmp(copy, w, 18) && !memcmp(copy + 20, w + 20, 4));
	FUZZ_CHECK(again.tid == h.tid && again.status == h.status && again.direction == h.direction);
	FUZZ_CHECK(dgram_status(w) == h.status && dgram_tid(w) == h.tid);
	FUZZ_CHECK(dgram_class_name(h.mgmt_class) && dgram_method_name(h.method));
	FUZZ_CHECK(dgram_status_text(h.status, h.mgmt_class == CLASS_SA));
	dgram_attr_name(h.mgmt_class, h.attr_id);
	FUZZ_CHECK(dgram_rmpp_header_bytes(h.mgmt_class) < DGRAM_BYTES);
}

static void
class_heads(const uint8_t *w)
{
	struct dgram_sa_head sa = dgram_sa_head_decode(w);
	struct dgram_rmpp_head rmpp = dgram_rmpp_head_decode(w);
	uint8_t copy[SA_HEAD_BYTES];

	memcpy(copy, w, sizeof(copy));
	dgram_rmpp_head_encode(copy, &rmpp);
	FUZZ_CHECK(!memcmp(copy, w, sizeof(copy)));
	dgram_sa_head_encode(copy, &sa);
	FUZZ_CHECK(!memcmp(copy, w, 46) && !memcmp(copy + 48, w + 48, 8));
}

/* A request made of the input must read as it was made. */
static void
smp_request_make(const uint8_t *w)
{
	uint8_t path[DGRAM_PATH_BYTES], made[DGRAM_BYTES];
	struct dgram_smp s = {
		.method = w[3], .attr_id = dgram_attr_id(w), .modifier = dgram_modifier(w), .tid = dgram_tid(w),
		.mkey = dgram_mkey(w), .data = w[5] & 1 ? w + 64 : NULL, .hop_count = w[7],
		.path = w[5] & 2 ? path : NULL,
	};
	struct dgram_head h;

	memcpy(path, w + 128, sizeof(path));
	memset(made, w[0], sizeof(made));
	dgram_smp_make(made, &s);
	h = dgram_head_decode(made);
	FUZZ_CHECK(h.tid == s.tid && h.attr_id == s.attr_id && h.modifier == s.modifier && h.hop_ptr == 0);
	FUZZ_CHECK(h.hop_count <= DGRAM_HOPS_MAX);
	FUZZ_CHECK(!s.path || !memcmp(dgram_initial_path(made), path, h.hop_count + 1u));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t w[DGRAM_BYTES] = { 0 };

	memcpy(w, data, size < sizeof(w) ? size : sizeof(w));
	head(w);
	class_heads(w);
	smp_request_make(w);
	dgram_smp_respond(w, wire_get16(w + 6));
	head(w);
	return 0;
}
