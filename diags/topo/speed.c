/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * speed.c - orders the link speeds of all generations.
 * Room: diags/topo.
 */
#include <config.h>
#include <stdio.h>
#include "diags/fabric/fabric.h"
#include "diags/topo/speed.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"

static const struct { const char *word; double gbps; } speeds[LINK_SPEEDS] = {
	[LINK_SDR] = { "SDR", 2.5 }, [LINK_DDR] = { "DDR", 5 }, [LINK_QDR] = { "QDR", 10 },
	[LINK_FDR10] = { "FDR10", 10 },
	[LINK_FDR] = { "FDR", 14 }, [LINK_EDR] = { "EDR", 25 }, [LINK_HDR] = { "HDR", 50 },
	[LINK_NDR] = { "NDR", 100 },
	[LINK_XDR] = { "XDR", 200 },
};

static unsigned
speeds_mask(unsigned base, unsigned ext, unsigned ext2, bool fdr10)
{
	return (base & 7) | (fdr10 ? 1u << LINK_FDR10 : 0) | (ext == LINK_SPEED_EXT_OFF ? 0 :
		(ext & 15) << LINK_FDR) | (ext2 & 1) << LINK_XDR;
}

struct speed_masks
speed_masks_of(const struct diag_fabric *f, const struct fab_port *p)
{
	const struct fab_node *n = fab_node_of(f, p);
	struct port_info i = port_info_decode(p->info);
	uint32_t caps = fab_is_switch(n) ? port_info_decode(fab_port_of(f, n,
		0)->info).capability_mask : i.capability_mask;
	bool ext = caps & PORT_CAP_EXTENDED_SPEEDS;

	return (struct speed_masks){
		speeds_mask(i.speed_supported, ext ? i.speed_ext_supported : 0,
			ext ? i.speed_ext_supported2 : 0, p->flags & FAB_PORT_FDR10_SUPPORTED),
		speeds_mask(i.speed_enabled, ext ? i.speed_ext_enabled : 0,
		ext ? i.speed_ext_enabled2 : 0, p->flags & FAB_PORT_FDR10_ENABLED),
	};
}

int
speed_best(unsigned m)
{
	int best = -1;

	for (int s = 0; s < LINK_SPEEDS; s++)
		if (m >> s & 1)
			best = s;
	return best;
}

int
speed_active(const struct fab_link *l)
{
	return speed_best(l->speed_ext2 ? (l->speed_ext2 & 1u) << LINK_XDR : l->speed_ext ?
		(l->speed_ext & 15u) << LINK_FDR :
		l->speed == 4 && l->fdr10 ? 1u << LINK_FDR10 : l->speed & 7u);
}

const char *
speed_word(int speed)
{
	return speed < 0 || speed >= LINK_SPEEDS ? "???" : speeds[speed].word;
}

uint8_t
width_best(unsigned m)
{
	unsigned best = 0;

	for (unsigned w = 1; w <= 16; w <<= 1)
		if (m & w && fab_lanes((uint8_t)w) > fab_lanes((uint8_t)best))
			best = w;
	return (uint8_t)best;
}

double
link_nominal_gbps(uint8_t width, int speed)
{
	return speed < 0 || speed >= LINK_SPEEDS ? 0 : fab_lanes(width) * speeds[speed].gbps;
}

const char *
speed_link_text(const struct fab_link *l, char buf[static SPEED_LINK_TEXT_BYTES])
{
	double g = link_nominal_gbps(l->width, speed_active(l));

	if (g > 0)
		snprintf(buf, SPEED_LINK_TEXT_BYTES, "%s %s (%g Gb/s)", fab_width_word(l->width),
			fab_speed_word(l), g);
	else
		snprintf(buf, SPEED_LINK_TEXT_BYTES, "%s %s", fab_width_word(l->width),
			fab_speed_word(l));
	return buf;
}
