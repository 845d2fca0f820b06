/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * smp-set.c - alters bytes of an attribute as no manager should, by directed route; for tests of what finds that.
 *
 *   smp-set PATH ATTRIBUTE MODIFIER OFFSET=BYTE...         PATH "0,1,4"; all but PATH in any base of C's
 *
 * Reads the attribute, puts the bytes in, and Sets it.  0, or 1 with a sentence.
 */
#include <config.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/mad/dgram.h"
#include "libmad/wire/wire.h"

enum { TIMEOUT_MS = 2000, RETRIES = 2, MAD_BYTES = 256, DATA_AT = 64, DATA_BYTES = 64 };

static uint8_t *
ask(int fd, int agent, uint8_t *umad, uint8_t method, const uint8_t *path, uint8_t hops, uint16_t attr, uint32_t modifier, uint64_t tid)
{
	uint8_t *mad = umad_get_mad(umad), data[DATA_BYTES];
	int bytes = MAD_BYTES;

	memcpy(data, mad + DATA_AT, sizeof(data));
	memset(mad, 0, MAD_BYTES);
	mad[0] = 1;
	mad[1] = CLASS_SM_DR;
	mad[2] = 1;
	mad[3] = method;
	mad[7] = hops;                  /* the pointer before it is 0 */
	wire_put64(mad + 8, tid);
	wire_put16(mad + 16, attr);
	wire_put32(mad + 20, modifier);
	memset(mad + 32, 0xff, 4);      /* DrSLID, DrDLID: permissive */
	memcpy(mad + DATA_AT, data, sizeof(data));
	memcpy(mad + 128, path, 64);
	umad_set_addr(umad, 0xffff, 0, 0, 0);
	if (umad_send(fd, agent, umad, MAD_BYTES, TIMEOUT_MS, RETRIES) < 0 || umad_recv(fd, umad, &bytes, 2 * TIMEOUT_MS * RETRIES) < 0 ||
	    umad_status(umad))
		return NULL;
	return umad_get_mad(umad);
}

int
main(int argc, char **argv)
{
	uint8_t path[64] = { 0 }, hops = 0, *umad, *mad;
	uint16_t attr;
	uint32_t modifier;
	int fd, agent;

	if (argc < 5) {
		fprintf(stderr, "usage: smp-set PATH ATTRIBUTE MODIFIER OFFSET=BYTE...\n");
		return 1;
	}
	for (char *save = NULL, *w = strtok_r(argv[1] + 1, ",", &save); w && hops < 63; w = strtok_r(NULL, ",", &save))
		path[++hops] = (uint8_t)strtoul(w, NULL, 0);
	attr = (uint16_t)strtoul(argv[2], NULL, 0);
	modifier = (uint32_t)strtoul(argv[3], NULL, 0);
	fd = umad_init() < 0 ? -1 : umad_open_port(NULL, 0);
	agent = fd < 0 ? -1 : umad_register(fd, CLASS_SM_DR, 1, 0, NULL);
	umad = calloc(1, umad_size() + MAD_BYTES);      /* the size is right once a port was opened */
	mad = agent < 0 || !umad ? NULL : ask(fd, agent, umad, METHOD_GET, path, hops, attr, modifier, 1);
	for (int i = 4; mad && i < argc; i++) {
		char *end;
		unsigned long at = strtoul(argv[i], &end, 0);

		if (*end == '=' && at < DATA_BYTES)
			mad[DATA_AT + at] = (uint8_t)strtoul(end + 1, NULL, 0);
	}
	mad = mad ? ask(fd, agent, umad, METHOD_SET, path, hops, attr, modifier, 2) : NULL;
	if (!mad || wire_get16(mad + 4) & 0x7fff) {
		fprintf(stderr, "smp-set: %s\n", mad ? "refused" : "no answer");
		free(umad);
		return 1;
	}
	free(umad);
	return 0;
}
