/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_text.h - what the tests of topology files share: a sample as ibnetdiscover prints it, and
 * reading and writing of texts.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_TOPO_TOPO_TEXT_H
#define HEDDLE_TESTS_UNIT_FABRIC_TOPO_TOPO_TEXT_H

#include "tests/unit/test.h"
#include "fabric/topo/topo.h"

/* As ibnetdiscover prints it (after its head): a switch with a name that holds quotes, a CA of two ports, a router. */
#define TOPO_SAMPLE \
	"\n" \
	"vendid=0x2c9\n" \
	"devid=0xcb84\n" \
	"sysimgguid=0xa1b2000300f0e003\n" \
	"switchguid=0xa1b2000300f0e000(a1b2000300f0e001)\n" \
	"Switch\t65 \"S-a1b2000300f0e000\"\t\t# \"leaf \"07\"\" enhanced port 0 lid 12 lmc 1\n" \
	"[1]\t\"H-a1b2000300aa0100\"[1](a1b2000300aa0101) \t\t# \"node041 mlx5_0\" lid 41 4xNDR\n" \
	"[2]\t\"R-a1b2000300bb0100\"[1](a1b2000300bb0100) \t\t# \"router\" lid 44 2xHDR\n" \
	"[33]\t\"S-a1b2000300f0d000\"[9]\t\t# \"spine-02\" lid 3 4xFDR10\n" \
	"[34]\t\"S-a1b2000300f0d000\"[10]\t\t# \"spine-02\" lid 3 12xQDR\n" \
	"[65]\t\"H-a1b2000300aa0100\"[2](a1b2000300aa01f2) \t\t# \"node041 mlx5_0\" lid 42 4xXDR\n" \
	"\n" \
	"vendid=0x0\n" \
	"devid=0x0\n" \
	"switchguid=0xa1b2000300f0d000(a1b2000300f0d000)\n" \
	"Switch\t36 \"S-a1b2000300f0d000\"\t\t# \"spine-02\" base port 0 lid 3 lmc 0\n" \
	"[9]\t\"S-a1b2000300f0e000\"[33]\t\t# \"leaf \"07\"\" lid 12 4xFDR10\n" \
	"[10]\t\"S-a1b2000300f0e000\"[34]\t\t# \"leaf \"07\"\" lid 12 12xQDR\n" \
	"\n" \
	"vendid=0x2c9\n" \
	"devid=0x1021\n" \
	"sysimgguid=0xa1b2000300aa0100\n" \
	"caguid=0xa1b2000300aa0100\n" \
	"Ca\t2 \"H-a1b2000300aa0100\"\t\t# \"node041 mlx5_0\"\n" \
	"[1](a1b2000300aa0101) \t\"S-a1b2000300f0e000\"[1]\t\t# lid 41 lmc 2 \"leaf \"07\"\" lid 12 4xNDR\n" \
	"[2](a1b2000300aa01f2) \t\"S-a1b2000300f0e000\"[65]\t\t# lid 42 lmc 0 \"leaf \"07\"\" lid 12 4xXDR\n" \
	"\n" \
	"vendid=0x2c9\n" \
	"devid=0x1\n" \
	"rtguid=0xa1b2000300bb0100\n" \
	"Rt\t1 \"R-a1b2000300bb0100\"\t\t# \"router\"\n" \
	"[1](a1b2000300bb0100) \t\"S-a1b2000300f0e000\"[2]\t\t# lid 44 lmc 0 \"leaf \"07\"\" lid 12 2xHDR\n"

struct topo_bad {
	const char *text, *complaint;
};

int topo_text_read(const char *text, size_t bytes, struct topo *t, struct topo_error *e);
void topo_text_must_read(const char *text, struct topo *t);
/* The text is refused with a sentence that begins like this, and leaves nothing behind. */
void topo_text_must_refuse(const struct topo_bad *bad);
/* The caller frees the text. */
char *topo_text_written(const struct topo *t);

#endif
