/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * link.c - a link as iblinkinfo prints it, and its possible width and speed.
 * Room: diags/fabric.
 */
#include <config.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "diags/core/names.h"
#include "diags/fabric/chassis.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/link.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"

#define WORD_BYTES 32

static const char *
state_word(enum attr_printer show, unsigned v, char buf[static WORD_BYTES])
{
	const char *s = attr_word(show, v);

	if (!s)
		snprintf(buf, WORD_BYTES, "?(%u)", v);
	return s ? s : buf;
}

static const char *
width_text(uint8_t code, char buf[static WORD_BYTES])
{
	if (fab_lanes(code))
		snprintf(buf, WORD_BYTES, "%uX", fab_lanes(code));
	else
		snprintf(buf, WORD_BYTES, "undefined (%d)", code);
	return buf;
}

/* Writes the rate of a lane, "53.125 Gbps", with at least one decimal. */
static const char *
speed_text(const struct fab_link *l, char buf[static WORD_BYTES])
{
	double lane = fab_lane_gbps(l);

	if (!l->speed_ext && !l->speed_ext2 && l->speed == 4 && l->fdr10)
		snprintf(buf, WORD_BYTES, "10.0 Gbps (FDR10)");
	else if (lane <= 0)
		snprintf(buf, WORD_BYTES, "undefined (%d)", l->speed_ext2 ? l->speed_ext2 :
			l->speed_ext ? l->speed_ext : l->speed);
	else if (lane * 10 - (double)(int)(lane * 10) > 0)
		snprintf(buf, WORD_BYTES, "%.9g Gbps", lane);
	else
		snprintf(buf, WORD_BYTES, "%.1f Gbps", lane);
	return buf;
}

/* ---- possible width and speed ---- */

/* Returns the bits that both ends have enabled. The codes 255, 15 and 31 mean all that is
 * supported; 30 of extended speeds means none. */
static unsigned
bits_of_both(unsigned enabled, unsigned supported, unsigned peer_enabled, unsigned peer_supported)
{
	return enabled & supported & peer_enabled & peer_supported;
}

static unsigned
bit_highest(unsigned mask)
{
	unsigned bit = 0x80;

	while (bit && !(mask & bit))
		bit >>= 1;
	return bit;
}

static uint8_t
width_widest(unsigned mask)
{
	uint8_t best = 0;

	for (unsigned bit = 1; bit <= 16; bit <<= 1)
		if (mask & bit && fab_lanes((uint8_t)bit) > fab_lanes(best))
			best = (uint8_t)bit;
	return best;
}

static unsigned
ext_enabled(uint8_t v)
{
	return v == LINK_SPEED_EXT_OFF ? 0 : v;
}

static void
set_speed(struct link_hint *h, const struct fab_link *best)
{
	char word[WORD_BYTES];

	h->speed_name = fab_speed_word(best);
	snprintf(h->speed, sizeof(h->speed), "%s", best->fdr10 ? "FDR10" : speed_text(best, word));
}

static void
hint_speed(struct link_hint *h, const struct fab_port *p, const struct fab_port *q,
	const struct fab_link *l)
{
	struct port_info a = port_info_decode(p->info), b = port_info_decode(q->info);
	struct fab_link best = { 0 };
	unsigned ext2 = bits_of_both(a.speed_ext_enabled2, a.speed_ext_supported2,
		b.speed_ext_enabled2, b.speed_ext_supported2);
	unsigned ext = bits_of_both(ext_enabled(a.speed_ext_enabled), a.speed_ext_supported,
		ext_enabled(b.speed_ext_enabled), b.speed_ext_supported);
	unsigned speed = bits_of_both(a.speed_enabled, a.speed_supported, b.speed_enabled,
		b.speed_supported);

	if (ext2)
		best.speed_ext2 = (uint8_t)bit_highest(ext2);
	else if (ext)
		best.speed_ext = (uint8_t)bit_highest(ext);
	else
		best.speed = (uint8_t)bit_highest(speed);
	best.fdr10 = best.speed == 4 && p->flags & q->flags & FAB_PORT_FDR10_ENABLED;
	if (fab_lane_gbps(&best) <= fab_lane_gbps(l))
		return;
	set_speed(h, &best);
	if (best.fdr10 && l->speed == 4)
		snprintf(h->speed, sizeof(h->speed),
			"FDR10 (Found link at QDR but expected speed is FDR10)");
}

struct link_hint
link_hint(const struct diag_fabric *f, const struct fab_port *p)
{
	const struct fab_port *q = fab_peer_of(f, p);
	struct link_hint h = { .speed_name = NULL };
	struct port_info a, b;
	struct fab_link l;
	char word[WORD_BYTES];
	uint8_t best;

	/* A topology file does not have the enabled widths and speeds. */
	if (!q || f->drawn || !(p->flags & q->flags & FAB_PORT_INFO))
		return h;
	a = port_info_decode(p->info);
	b = port_info_decode(q->info);
	l = fab_link_of(f, p);
	best = width_widest(bits_of_both(a.width_enabled, a.width_supported, b.width_enabled,
		b.width_supported));
	if (fab_lanes(best) > fab_lanes(l.width))
		snprintf(h.width, sizeof(h.width), "%s", width_text(best, word));
	hint_speed(&h, p, q, &l);
	return h;
}

json_t *
link_json_hint(const struct diag_fabric *f, const struct fab_port *p)
{
	struct link_hint h = link_hint(f, p);
	json_t *o = json_object();

	for (char *c = h.width; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	json_object_set_new(o, "width", h.width[0] ? json_string(h.width) : json_null());
	json_object_set_new(o, "speed", h.speed_name ? json_string(h.speed_name) : json_null());
	return o;
}

/* ---- text ---- */

const char *
link_ext_port(const struct diag_fabric *f, const struct chassis_map *c, const struct fab_port *p,
	char buf[static 12])
{
	unsigned ext = c ? chassis_ext_port(f, c, p) : 0;

	snprintf(buf, 12, ext ? "%u" : "  ", ext);
	return buf;
}

static size_t
put_arrow(char *buf, size_t room, const struct diag_fabric *f, const struct fab_port *p, bool times)
{
	char width[WORD_BYTES], speed[WORD_BYTES], state[WORD_BYTES], phys[WORD_BYTES],
		more[64] = "";
	struct port_info i = port_info_decode(p->info);
	struct fab_link l = fab_link_of(f, p);
	const char *state_text = state_word(ATTR_SHOW_PORT_STATE, l.state, state);
	const char *phys_text = state_word(ATTR_SHOW_PHYS_STATE, l.phys_state, phys);

	if (l.state == PORT_STATE_DOWN)
		return (size_t)snprintf(buf, room, "==(%14s%6s/%8s)==>  ", "", state_text,
			phys_text);
	if (times)
		snprintf(more, sizeof(more), " (HOQ:%d VL_Stall:%d)", i.hoq_life, i.vl_stall_count);
	return (size_t)snprintf(buf, room, "==(%3s %18s %6s/%8s)%s==>  ",
		width_text(l.width, width), speed_text(&l, speed), state_text,
		phys_text, more);
}

const char *
link_text(struct diag *d, const struct diag_fabric *f, const struct chassis_map *c,
	const struct fab_port *p, unsigned flags,
	char buf[static LINK_TEXT_BYTES])
{
	const struct fab_port *q = flags & LINK_NO_PEER ? NULL : fab_peer_of(f, p);
	size_t n = put_arrow(buf, LINK_TEXT_BYTES, f, p, flags & LINK_TIMES);
	char name[DIAG_NAME_BYTES], ext[12];
	struct link_hint h;

	if (!q) {
		if (flags & LINK_BLANK_PEER || fab_link_of(f, p).state == PORT_STATE_DOWN)
			snprintf(buf + n, LINK_TEXT_BYTES - n, "%11s[  ] \"\" ( )", "");
		else
			snprintf(buf + n, LINK_TEXT_BYTES - n, "    \"Port not available\"");
		return buf;
	}
	h = link_hint(f, p);
	if (flags & LINK_GUIDS)
		n += (size_t)snprintf(buf + n, LINK_TEXT_BYTES - n, "0x%016" PRIx64 " ", q->guid);
	snprintf(buf + n, LINK_TEXT_BYTES - n, "%6d %4d[%2s] \"%s\" (%s%s %s%s)", fab_lid(f, q),
		q->num, link_ext_port(f, c, q, ext),
		fab_name(d, fab_node_of(f, q), name), h.width[0] ? "Could be " : "", h.width,
		h.speed[0] ? "Could be " : "", h.speed);
	return buf;
}
