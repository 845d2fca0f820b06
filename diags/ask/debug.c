/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * debug.c - the output of option -d: one line per datagram sent and received.
 * Room: diags/ask. Only the header and the address are printed, no keys and no data, so that a
 * trace can be published.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "diags/ask/debug.h"
#include "fabric/snapshot/snapshot.h"

#define WHERE_BYTES 320

static void
target_text(const struct dgram *g, char text[static WHERE_BYTES])
{
	struct dgram_head h = dgram_head_decode(g->mad);
	unsigned n = h.hop_count < DGRAM_PATH_BYTES ? h.hop_count : DGRAM_PATH_BYTES - 1;

	if (h.mgmt_class == CLASS_SM_DR)
		fab_path_text(dgram_initial_hops(g->mad), (uint8_t)n, text, WHERE_BYTES);
	else
		snprintf(text, WHERE_BYTES, "Lid %u QP%" PRIu32 " SL %u", g->addr.lid, g->addr.qpn,
			g->addr.sl);
}

void
debug_dgram(const char *what, const struct dgram *g, int64_t us)
{
	struct dgram_head h = dgram_head_decode(g->mad);
	const char *name = dgram_attr_name(h.mgmt_class, h.attr_id);
	char to[WHERE_BYTES], attribute[16], outcome[96] = "";

	target_text(g, to);
	snprintf(attribute, sizeof(attribute), "0x%04x", h.attr_id);
	if (g->status)
		snprintf(outcome, sizeof(outcome), ", not answered: %s", strerror(g->status));
	else if (h.method & METHOD_RESP)
		snprintf(outcome, sizeof(outcome), ", %" PRIu32 " bytes, status 0x%04x (%s)",
			g->bytes, h.status,
			dgram_status_text(h.status, h.mgmt_class == CLASS_SA));
	fprintf(stderr, "debug: %9.6f %-8s %s: %s %s %s 0x%" PRIx32 ", tid 0x%08" PRIx32 "%s\n",
		(double)us / 1e6, what, to,
		dgram_class_name(h.mgmt_class), dgram_method_name(h.method), name ? name :
		attribute, h.modifier,
		(uint32_t)h.tid, outcome);     /* the upper half belongs to the kernel */
}
