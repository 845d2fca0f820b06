/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.c - rate codes: the rate of a link, the order of rates, and the codes that both ends
 * understand.
 * Room: sm/sa.  Pure.  docs/wire.md: path selectors and enumerations.
 *
 * Codes are not ordered by speed, so all comparisons use ranks: the position of a code in the list
 * from slow to fast.
 */
#include <config.h>
#include "sm/sa/sa_int.h"

enum { SDR, DDR, QDR, FDR, EDR, HDR, NDR, XDR, SPEEDS };

/* Columns: 1X, 2X, 4X, 8X, 12X. */
static const uint8_t rates[SPEEDS][5] = {
	[SDR] = { RATE_CODE_2_5, RATE_CODE_5, RATE_CODE_10, RATE_CODE_20, RATE_CODE_30 },
	[DDR] = { RATE_CODE_5, RATE_CODE_10, RATE_CODE_20, RATE_CODE_40, RATE_CODE_60 },
	[QDR] = { RATE_CODE_10, RATE_CODE_20, RATE_CODE_40, RATE_CODE_80, RATE_CODE_120 },
	[FDR] = { RATE_CODE_14, RATE_CODE_28, RATE_CODE_56, RATE_CODE_112, RATE_CODE_168 },
	[EDR] = { RATE_CODE_25, RATE_CODE_50, RATE_CODE_100, RATE_CODE_200, RATE_CODE_300 },
	[HDR] = { RATE_CODE_50, RATE_CODE_100, RATE_CODE_200, RATE_CODE_400, RATE_CODE_600 },
	[NDR] = { RATE_CODE_100, RATE_CODE_200, RATE_CODE_400, RATE_CODE_800, RATE_CODE_1200 },
	[XDR] = { RATE_CODE_200, RATE_CODE_400, RATE_CODE_800, RATE_CODE_1600, RATE_CODE_2400 },
};

/* The newer field applies if it is not zero. */
static int
speed_of(const struct port_info *p)
{
	if (p->speed_ext_active2 == LINK_SPEED_EXT2_XDR)
		return XDR;
	switch (p->speed_ext_active) {
	case LINK_SPEED_EXT_FDR: return FDR;
	case LINK_SPEED_EXT_EDR: return EDR;
	case LINK_SPEED_EXT_HDR: return HDR;
	case LINK_SPEED_EXT_NDR: return NDR;
	default: break;
	}
	switch (p->speed_active) {
	case LINK_SPEED_SDR: return SDR;
	case LINK_SPEED_DDR: return DDR;
	case LINK_SPEED_QDR: return QDR;             /* FDR10, too */
	default: return -1;
	}
}

static int
width_of(const struct port_info *p)
{
	switch (p->width_active) {
	case LINK_WIDTH_1X: return 0;
	case LINK_WIDTH_2X: return 1;
	case LINK_WIDTH_4X: return 2;
	case LINK_WIDTH_8X: return 3;
	case LINK_WIDTH_12X: return 4;
	default: return -1;
	}
}

uint8_t
sa_rate_of_port(const struct port_info *p)
{
	int speed = speed_of(p), width = width_of(p);

	return speed < 0 || width < 0 ? RATE_CODE_2_5 : rates[speed][width];
}

uint8_t
sa_rate_caps(const struct port_info *p)
{
	static const struct { uint16_t declared; uint8_t cap; } caps2[] = {
		{ PORT_CAP2_WIDTH_2X, SA_CAP_2X }, { PORT_CAP2_HDR, SA_CAP_HDR },
		{ PORT_CAP2_NDR, SA_CAP_NDR }, { PORT_CAP2_XDR, SA_CAP_XDR },
	};
	uint8_t caps = p->capability_mask & PORT_CAP_EXTENDED_SPEEDS ? SA_CAP_EXT : 0;

	for (unsigned i = 0;
		p->capability_mask & PORT_CAP_MASK2 && i < sizeof(caps2) / sizeof(caps2[0]); i++)
		if (p->capability_mask2 & caps2[i].declared)
			caps |= caps2[i].cap;
	return caps;
}

/* Codes that not every host understands: the capability a host must declare, and the code it
 * gets otherwise. */
uint8_t
sa_rate_capped_of(uint8_t code, uint8_t caps)
{
	switch (code) {
	case RATE_CODE_28:
		if (!(caps & SA_CAP_2X))
			return caps & SA_CAP_EXT ? RATE_CODE_25 : RATE_CODE_20;
		return code;
	case RATE_CODE_50:
		return caps & (SA_CAP_2X | SA_CAP_HDR) ? code : RATE_CODE_40;
	case RATE_CODE_400:
	case RATE_CODE_600:
		return caps & (SA_CAP_HDR | SA_CAP_NDR) ? code : RATE_CODE_300;
	case RATE_CODE_800:
	case RATE_CODE_1200:
		return caps & SA_CAP_NDR ? code : caps & SA_CAP_HDR ? RATE_CODE_600 : RATE_CODE_300;
	case RATE_CODE_1600:
	case RATE_CODE_2400:
		return caps & SA_CAP_XDR ? code : sa_rate_capped_of(RATE_CODE_1200, caps);
	default:
		return code;
	}
}
