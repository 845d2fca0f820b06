/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.c - rate codes: what a link does, which is faster, which both ends understand.
 * Room: sm/sa.  Pure.  docs/wire.md: path selectors and enumerations.
 *
 * Codes are not ordered by speed, so everything compares ranks: the place of a code in the list from slow to fast.
 */
#include <config.h>
#include "sm/sa/sa_int.h"

enum { SDR, DDR, QDR, FDR, EDR, HDR, NDR, XDR, SPEEDS };
enum { RATE_SLOWEST = 2 };

/* Columns: 1X, 2X, 4X, 8X, 12X. */
static const uint8_t rates[SPEEDS][5] = {
	[SDR] = { 2, 5, 3, 6, 4 },
	[DDR] = { 5, 3, 6, 7, 8 },
	[QDR] = { 3, 6, 7, 9, 10 },
	[FDR] = { 11, 19, 12, 13, 14 },
	[EDR] = { 15, 20, 16, 17, 18 },
	[HDR] = { 20, 16, 17, 21, 22 },
	[NDR] = { 16, 17, 21, 23, 24 },
	[XDR] = { 17, 21, 23, 25, 26 },
};

/* The newer field rules where it is not zero. */
static int
speed_of(const struct port_info *p)
{
	if (p->speed_ext_active2 == 1)
		return XDR;
	switch (p->speed_ext_active) {
	case 1: return FDR;
	case 2: return EDR;
	case 4: return HDR;
	case 8: return NDR;
	default: break;
	}
	switch (p->speed_active) {
	case 1: return SDR;
	case 2: return DDR;
	case 4: return QDR;             /* FDR10, too */
	default: return -1;
	}
}

static int
width_of(const struct port_info *p)
{
	switch (p->width_active) {
	case 1: return 0;
	case 16: return 1;
	case 2: return 2;
	case 4: return 3;
	case 8: return 4;
	default: return -1;
	}
}

uint8_t
sa_rate_of_port(const struct port_info *p)
{
	int speed = speed_of(p), width = width_of(p);

	return speed < 0 || width < 0 ? RATE_SLOWEST : rates[speed][width];
}

uint8_t
sa_rate_caps(const struct port_info *p)
{
	enum { EXTENDED_SPEEDS = 1 << 14, CAPS2_VALID = 1 << 15 };
	static const struct { uint8_t bit, cap; } caps2[] = {
		{ 4, SA_CAP_2X }, { 5, SA_CAP_HDR }, { 10, SA_CAP_NDR }, { 12, SA_CAP_XDR },
	};
	uint8_t caps = p->capability_mask & EXTENDED_SPEEDS ? SA_CAP_EXT : 0;

	for (unsigned i = 0; p->capability_mask & CAPS2_VALID && i < sizeof(caps2) / sizeof(caps2[0]); i++)
		if (p->capability_mask2 >> caps2[i].bit & 1)
			caps |= caps2[i].cap;
	return caps;
}

/* Codes that not every host knows: what it must have declared, and what it is told instead. */
uint8_t
sa_rate_capped_of(uint8_t code, uint8_t caps)
{
	switch (code) {
	case 19:
		if (!(caps & SA_CAP_2X))
			return caps & SA_CAP_EXT ? 15 : 6;
		return code;
	case 20:
		return caps & (SA_CAP_2X | SA_CAP_HDR) ? code : 7;
	case 21:
	case 22:
		return caps & (SA_CAP_HDR | SA_CAP_NDR) ? code : 18;
	case 23:
	case 24:
		return caps & SA_CAP_NDR ? code : caps & SA_CAP_HDR ? 22 : 18;
	case 25:
	case 26:
		return caps & SA_CAP_XDR ? code : sa_rate_capped_of(24, caps);
	default:
		return code;
	}
}
