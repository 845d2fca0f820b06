/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind_guids.c - blocks of GUID tables of ports that have or had alias GUIDs.
 * Room: sm/diff.  Pure.  The subject of a change is the port, its block the block of 8 GUIDs.
 * docs/wire.md: GUIDInfo.  docs/sa.md: alias GUIDs.
 */
#include <config.h>
#include <string.h>
#include "fabric/read/guid_read.h"
#include "sm/diff/diff_int.h"
#include "util/xalloc.h"

static void
find_port_blocks(const struct diff_view *v, uint32_t port, struct changes *out)
{
	const struct fab_port *p = &v->s->ports[port];
	const struct guid_tables *t = v->plan->guids;
	uint8_t blocks = t ? guid_tables_blocks(t, p->guid) : 0;

	if (!diff_port_planned(v->s, p))
		return;
	for (unsigned b = 0; b < blocks; b++)
		if (guid_tables_differ(t, v->observed->tables->guids, p->guid, (uint8_t)b))
			diff_add(out, CHANGE_GUIDS, port, b);
}

static void
find_blocks(const struct diff_view *v, struct changes *out)
{
	if (!v->plan->guids || !guid_tables_any(v->plan->guids))
		return;
	for (uint32_t i = 0; i < v->s->nendports; i++)
		find_port_blocks(v, v->s->endports[i], out);
}

void
diff_guids(const struct observed *o, const struct plan *plan, uint32_t port, struct changes *out)
{
	struct diff_view v = { .s = o->s, .observed = o, .plan = plan };

	find_port_blocks(&v, port, out);
}

static const uint8_t *
block_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	const uint8_t *image =
		guid_tables_wanted(v->plan->guids, v->s->ports[c->subject].guid, (uint8_t)c->block);

	(void)k;
	(void)buf;
	if (!image)
		bug("diff: a GUID change for a port that has none");
	return image;
}

/* Clears the part of a block that the port does not have. */
static void
trim_block(const struct fab_port *p, const struct change *c, const uint8_t *data,
	uint8_t image[static GUID_INFO_BYTES])
{
	memcpy(image, data, GUID_INFO_BYTES);
	guid_image_trim(image, c->block, port_info_decode(p->info).guid_cap);
}

static bool
block_took_effect(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	const uint8_t *sent, const uint8_t *data)
{
	uint8_t image[GUID_INFO_BYTES];

	(void)k;
	trim_block(&v->s->ports[c->subject], c, data, image);
	return guid_block_equal((uint8_t)c->block, image, sent);
}

static void
observe_block(struct observed *o, const struct change *c, const struct change_answer *answer)
{
	const struct fab_port *p = &o->s->ports[c->subject];
	uint8_t image[GUID_INFO_BYTES];

	trim_block(p, c, answer->data, image);
	guid_seen_put(o->tables->guids, p->guid, (uint8_t)c->block, image);
}

static void
forget_block(struct observed *o, const struct change *c)
{
	guid_seen_put(o->tables->guids, o->s->ports[c->subject].guid, (uint8_t)c->block, NULL);
}

const struct change_kind change_kind_guids = {
	.name = "guids", .subject = CHANGE_OF_PORT, .attribute = GUID_INFO_ID,
	.registered = true, .keeps_sent = true,
	.find = find_blocks, .modifier = diff_block_modifier, .reported = diff_block_reported,
	.payload = block_payload, .took_effect = block_took_effect,
	.observe = observe_block, .forget = forget_block,
};
