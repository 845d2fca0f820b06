/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos-client.c - asks subnet administration for paths, line by line, and prints what it is told of quality of service.
 * For tests only; any manager will do.  Standard input, a question a line:
 *      NAME get|table FIELD=HEX...     a field that is given has its bits in the mask
 * src and dst are port GUIDs under fe80::; class and sl are QoSClass and SL; mtu, rate and life are bytes with their selectors.
 * Output, a line for each path, by destination: NAME 0xSTATUS src=… dst=… pkey=… class=… sl=… mtu=… rate=… life=…
 * The P_Key comes without its membership bit.  Without a path: "NAME 0xSTATUS none"; without an answer: "NAME silent".
 */
#include <config.h>
#include <infiniband/umad.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"

enum { TIMEOUT_MS = 20000, ROOM = 1 << 16, STRIDE = 64 };
#define BIT(b) (UINT64_C(1) << (b))

static struct client {
	int fd, agent;
	uint16_t sm_lid;
	uint32_t tid;
	uint8_t *out, *in;
	uint32_t bytes;                 /* of the last answer */
} c;

struct question {
	struct path_record want;
	uint64_t mask;
};

static bool
set_field(struct question *q, const char *name, uint64_t v)
{
	static const struct { const char *name; uint64_t mask; } fields[] = {
		{ "service", BIT(0) | BIT(1) }, { "dst", BIT(2) }, { "src", BIT(3) }, { "pkey", BIT(13) }, { "class", BIT(14) }, { "sl", BIT(15) },
		{ "mtu", BIT(16) | BIT(17) }, { "rate", BIT(18) | BIT(19) }, { "life", BIT(20) | BIT(21) }, { "num", BIT(12) },
	};
	unsigned i = 0;

	while (strcmp(fields[i].name, name) != 0)
		if (++i == sizeof(fields) / sizeof(fields[0]))
			return false;
	q->mask |= fields[i].mask;
	switch (i) {
	case 0: q->want.service_id = v; break;
	case 1:
	case 2:
		wire_put64(i == 1 ? q->want.dgid : q->want.sgid, GID_PREFIX_DEFAULT);
		wire_put64((i == 1 ? q->want.dgid : q->want.sgid) + 8, v);
		break;
	case 3: q->want.pkey = (uint16_t)v; break;
	case 4: q->want.qos_class = (uint16_t)v; break;
	case 5: q->want.sl = (uint8_t)v; break;
	case 6: q->want.mtu_selector = (uint8_t)(v >> 6); q->want.mtu = v & 0x3f; break;
	case 7: q->want.rate_selector = (uint8_t)(v >> 6); q->want.rate = v & 0x3f; break;
	case 8: q->want.life_selector = (uint8_t)(v >> 6); q->want.life = v & 0x3f; break;
	default: q->want.num_path = v & 0x7f; break;
	}
	return true;
}

static int
by_destination(const void *a, const void *b)
{
	return memcmp(a, b, STRIDE);
}

static void
print(const char *name, uint8_t *mad)
{
	uint8_t *rows = mad + SA_HEAD_BYTES;
	uint32_t n = dgram_method(mad) == METHOD_GET_TABLE_RESP ? (c.bytes - SA_HEAD_BYTES) / STRIDE : 1;

	if (dgram_status(mad) || !n) {
		printf("%s 0x%04x none\n", name, dgram_status(mad));
		return;
	}
	qsort(rows, n, STRIDE, by_destination);
	for (uint32_t i = 0; i < n; i++) {
		struct path_record p = path_record_decode(rows + i * STRIDE);

		printf("%s 0x%04x src=%" PRIx64 " dst=%" PRIx64 " pkey=0x%04x class=%u sl=%u mtu=0x%02x rate=0x%02x life=0x%02x\n", name,
			dgram_status(mad), wire_get64(p.sgid + 8), wire_get64(p.dgid + 8), p.pkey & 0x7fff, p.qos_class, p.sl,
			p.mtu_selector << 6 | p.mtu, p.rate_selector << 6 | p.rate, p.life_selector << 6 | p.life);
	}
}

static void
ask(const char *name, uint8_t method, const struct question *q)
{
	uint8_t *mad = umad_get_mad(c.out);
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = method, .tid = ++c.tid,
		.attr_id = PATH_RECORD_ID,
	};
	struct dgram_sa_head sa = { .comp_mask = q->mask };
	int got = ROOM;

	memset(c.out, 0, umad_size() + DGRAM_BYTES);
	dgram_head_encode(mad, &h);
	dgram_sa_head_encode(mad, &sa);
	path_record_encode(mad + SA_HEAD_BYTES, &q->want);
	umad_set_addr(c.out, c.sm_lid, 1, 0, (int)QKEY_GSI);
	if (umad_send(c.fd, c.agent, c.out, DGRAM_BYTES, TIMEOUT_MS, 0) < 0 ||
	    umad_recv(c.fd, c.in, &got, TIMEOUT_MS * 2) < 0 || umad_status(c.in)) {
		printf("%s silent\n", name);
	} else {
		c.bytes = (uint32_t)got;
		print(name, umad_get_mad(c.in));
	}
	fflush(stdout);
}

static bool
question(char *line)
{
	char *rest, *name = strtok_r(line, " \n", &rest), *method = strtok_r(NULL, " \n", &rest), *word;
	struct question q = { .mask = 0 };

	if (!name || name[0] == '#')
		return true;
	if (!method || (strcmp(method, "get") != 0 && strcmp(method, "table") != 0))
		return false;
	while ((word = strtok_r(NULL, " \n", &rest))) {
		char *value = strchr(word, '=');

		if (!value)
			return false;
		*value++ = '\0';
		if (!set_field(&q, word, strtoull(value, NULL, 16)))
			return false;
	}
	ask(name, method[0] == 'g' ? METHOD_GET : METHOD_GET_TABLE, &q);
	return true;
}

int
main(void)
{
	umad_port_t port;
	char line[512], copy[512];

	if (umad_init() < 0 || umad_get_port(NULL, 0, &port) < 0) {
		fprintf(stderr, "no port\n");
		return 255;
	}
	c.sm_lid = (uint16_t)port.sm_lid;
	umad_release_port(&port);
	c.fd = umad_open_port(NULL, 0);
	c.agent = c.fd < 0 ? -1 : umad_register(c.fd, CLASS_SA, 2, 1, NULL);
	c.in = calloc(1, umad_size() + ROOM);
	c.out = calloc(1, umad_size() + ROOM);
	if (c.agent < 0 || !c.in || !c.out) {
		fprintf(stderr, "no agent\n");
		return 255;
	}
	while (fgets(line, sizeof(line), stdin)) {
		memcpy(copy, line, sizeof(copy));
		if (!question(copy)) {
			fprintf(stderr, "not a question: %s", line);
			return 2;
		}
	}
	free(c.in);
	free(c.out);
	umad_close_port(c.fd);
	return 0;
}
