/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * throttled.c - links below the width or speed of both their ends.
 * Room: sm/route.  Pure.  In: PortInfo of both ends.  Out: a snapshot without them.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "sm/route/throttled.h"

/* The greatest number of lanes of a set of widths. */
static unsigned
lanes_of(unsigned widths)
{
	static const struct {
		unsigned width, lanes;
	} row[] = {
		{ LINK_WIDTH_12X, 12 },
		{ LINK_WIDTH_8X, 8 },
		{ LINK_WIDTH_4X, 4 },
		{ LINK_WIDTH_2X, 2 },
		{ LINK_WIDTH_1X, 1 },
	};

	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (widths & row[i].width)
			return row[i].lanes;
	return 0;
}

/* The fastest of three sets of speeds, as a number that grows with the speed. */
static unsigned
speed_of(unsigned speeds, unsigned extended, unsigned extended2)
{
	unsigned all = (speeds & 7u) | (extended & 15u) << 3 | (extended2 & 3u) << 7;

	return all ? 32u - (unsigned)__builtin_clz(all) : 0;
}

bool
throttled_link(const struct snapshot *s, uint32_t port)
{
	const struct fab_port *p = &s->ports[port], *q = &s->ports[p->peer];
	struct port_info a, b;
	unsigned lanes, speed;

	if (!(p->flags & FAB_PORT_INFO) || !(q->flags & FAB_PORT_INFO))
		return false;
	a = port_info_decode(p->info);
	b = port_info_decode(q->info);
	lanes = lanes_of(a.width_active);
	speed = speed_of(a.speed_active, a.speed_ext_active, a.speed_ext_active2);
	return (lanes && lanes < lanes_of(a.width_supported & b.width_supported)) ||
		(speed &&
			speed < speed_of(a.speed_supported & b.speed_supported,
					a.speed_ext_supported & b.speed_ext_supported,
					a.speed_ext_supported2 & b.speed_ext_supported2));
}

/* The switch that stands for those joined with 'sw'. */
static uint32_t
part_of(uint32_t *part, uint32_t sw)
{
	while (part[sw] != sw)
		sw = part[sw] = part[part[sw]];
	return sw;
}

/* Joins the switches of a link; false: they were joined already. */
static bool
join_ends(const struct snapshot *s, uint32_t port, uint32_t *part)
{
	uint32_t a = part_of(part, s->nodes[s->ports[port].node].sw);
	uint32_t b = part_of(part, s->nodes[s->ports[s->ports[port].peer].node].sw);

	part[a > b ? a : b] = a > b ? b : a;
	return a != b;
}

/* Whether this is the first end of a link between two switches. */
static bool
is_between_switches(const struct snapshot *s, uint32_t node, uint8_t num)
{
	const struct fab_port *p = snapshot_port(s, node, num), *q;

	if (p->peer == FAB_NONE)
		return false;
	q = &s->ports[p->peer];
	return s->nodes[q->node].sw != FAB_NONE &&
		(q->node > node || (q->node == node && q->num > num));
}

/* Joins the ends of all links that are throttled, or of all that are not, by GUID and port number.  Those
 * whose ends were joined before are taken out of hidden[], unless it is NULL; their number. */
static uint32_t
join_links(const struct snapshot *s, uint32_t *part, struct fab_port *hidden, bool throttled)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		uint32_t node = s->switches[sw];

		for (unsigned num = 1; num <= s->nodes[node].nports; num++) {
			uint32_t port = s->nodes[node].first_port + num;

			if (!is_between_switches(s, node, (uint8_t)num) ||
				throttled_link(s, port) != throttled)
				continue;
			if (join_ends(s, port, part) || !hidden)
				continue;
			hidden[port].peer = hidden[s->ports[port].peer].peer = FAB_NONE;
			n++;
		}
	}
	return n;
}

const struct snapshot *
throttled_hide(const struct snapshot *s, struct arena *a, uint32_t *n)
{
	struct arena scratch = ARENA_INIT;
	uint32_t *part = arena_array(&scratch, s->nswitches + 1u, sizeof(*part));
	struct fab_port *ports = arena_array(&scratch, s->nports + 1u, sizeof(*ports));
	struct snapshot *less;

	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		part[sw] = sw;
	memcpy(ports, s->ports, s->nports * sizeof(*ports));
	join_links(s, part, NULL, false);
	*n = join_links(s, part, ports, true);
	if (!*n) {
		arena_clear(&scratch);
		return s;
	}
	less = arena_alloc(a, sizeof(*less));
	*less = *s;
	less->ports = arena_array(a, s->nports + 1u, sizeof(*ports));
	memcpy(less->ports, ports, s->nports * sizeof(*ports));
	less->nlinks -= *n;
	arena_clear(&scratch);
	return less;
}
