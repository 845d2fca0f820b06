/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa-client.c - a host's program that asks subnet administration through libibumad; run by sa-client.sh.
 *
 *   sa-client multi           MultiPathRecord among all ports, in requests of one datagram and of several; prints TAP
 *   sa-client huge BYTES      sends a GetMulti of so many bytes and waits for no answer
 *   sa-client storm N         N times Get(NodeRecord) of its own LID, one after the other; prints "ok A busy B other C"
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/umad.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"

enum { ROOM = 1 << 20, TIMEOUT_MS = 5000, PORTS_MAX = 200 };
enum { MANY = 12, STRIDE_NODE = 112, STRIDE_PATH = 64 };

static struct client {
	int fd, agent;
	uint16_t lid, sm_lid;
	uint32_t tid;
	uint8_t *in, *out;              /* whole messages of libibumad's */
	uint32_t bytes;                 /* of the last answer */
} c;

static unsigned count, failed;

static void
case_check(bool good, const char *what)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++count, what);
	failed += !good;
}

static bool
sa_client_begin(void)
{
	umad_port_t port;

	if (umad_init() < 0 || umad_get_port(NULL, 0, &port) < 0)
		return false;
	c.lid = (uint16_t)port.base_lid;
	c.sm_lid = (uint16_t)port.sm_lid;
	umad_release_port(&port);
	c.fd = umad_open_port(NULL, 0);
	c.agent = c.fd < 0 ? -1 : umad_register(c.fd, CLASS_SA, 2, 1, NULL);
	c.in = calloc(1, ROOM);
	c.out = calloc(1, ROOM);
	return c.agent >= 0 && c.in && c.out;
}

/* Asks with 'bytes' bytes of data: the whole answer, or NULL when none came. */
static const uint8_t *
ask(uint8_t method, uint16_t attr, uint64_t mask, const uint8_t *data, uint32_t bytes)
{
	uint8_t *mad = umad_get_mad(c.out);
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = method, .tid = ++c.tid, .attr_id = attr,
	};
	struct dgram_sa_head sa = { .comp_mask = mask };
	bool rmpp = method == METHOD_GET_MULTI;
	int n = rmpp ? (int)(SA_HEAD_BYTES + bytes) : DGRAM_BYTES, got = ROOM - (int)umad_size();

	memset(c.out, 0, umad_size() + SA_HEAD_BYTES + bytes + DGRAM_BYTES);
	dgram_head_encode(mad, &h);
	if (rmpp) {
		struct dgram_rmpp_head r = { .version = 1, .type = RMPP_DATA, .flags = RMPP_FLAG_ACTIVE };

		dgram_rmpp_head_encode(mad, &r);
	}
	dgram_sa_head_encode(mad, &sa);
	memcpy(mad + SA_HEAD_BYTES, data, bytes);
	umad_set_addr(c.out, c.sm_lid, 1, 0, (int)QKEY_GSI);
	if (umad_send(c.fd, c.agent, c.out, n, TIMEOUT_MS, 0) < 0)
		return NULL;
	if (umad_recv(c.fd, c.in, &got, TIMEOUT_MS * 2) < 0 || umad_status(c.in))
		return NULL;
	mad = umad_get_mad(c.in);
	c.bytes = (uint32_t)got;
	return (uint32_t)dgram_tid(mad) == c.tid ? mad : NULL;
}

static unsigned
all_guids(uint64_t *guids)
{
	static const uint8_t none[NODE_RECORD_BYTES];
	const uint8_t *mad = ask(METHOD_GET_TABLE, NODE_RECORD_ID, 0, none, sizeof(none));
	unsigned n = 0;

	for (uint32_t at = SA_HEAD_BYTES; mad && n < PORTS_MAX && at + NODE_RECORD_BYTES <= c.bytes; at += STRIDE_NODE) {
		struct node_info info = node_info_decode(mad + at + 4);

		guids[n++] = info.port_guid;
	}
	return n;
}

/* Of 'nsrc' sources, the first GUIDs, and 'ndst' destinations, the last of 'n'. */
static const uint8_t *
ask_multi(const uint64_t *guids, unsigned n, unsigned nsrc, unsigned ndst, uint8_t num_path)
{
	uint8_t data[24 + PORTS_MAX * 2 * 16] = { [5] = (uint8_t)(0x80 | num_path), [15] = (uint8_t)nsrc, [16] = (uint8_t)ndst };

	for (unsigned i = 0; i < nsrc + ndst; i++) {
		wire_put64(data + 24 + i * 16, GID_PREFIX_DEFAULT);
		wire_put64(data + 32 + i * 16, guids[i < nsrc ? i : n - ndst + i - nsrc]);
	}
	return ask(METHOD_GET_MULTI, MULTIPATH_RECORD_ID, 3 << 19 | 3 << 5, data, 24 + (nsrc + ndst) * 16);
}

static bool
is_answer(const uint8_t *mad, uint16_t status, unsigned rows)
{
	return mad && dgram_method(mad) == METHOD_GET_MULTI_RESP && dgram_status(mad) == status &&
		(status || (dgram_attr_id(mad) == PATH_RECORD_ID && c.bytes == SA_HEAD_BYTES + rows * STRIDE_PATH));
}

static int
multi(void)
{
	uint64_t guids[PORTS_MAX];
	unsigned n = all_guids(guids);
	const uint8_t *mad;

	case_check(n > 2 * MANY, "the ports of the subnet");
	if (failed)
		return 1;
	case_check(is_answer(ask_multi(guids, n, 1, 1, 1), STATUS_OK, 1),
		"one path: one datagram there and back");
	case_check(
		is_answer(ask_multi(guids, n, 4, 4, 16), STATUS_OK, 16), "sixteen: several back");
	mad = ask_multi(guids, n, MANY, MANY, 100);
	case_check(is_answer(mad, STATUS_OK, 100),
		"twelve sources and destinations: several datagrams there and back");
	for (unsigned i = 0; mad && i < MANY; i++) {
		struct path_record p = path_record_decode(mad + SA_HEAD_BYTES + i * STRIDE_PATH);

		if (wire_get64(p.sgid + 8) != guids[i] || wire_get64(p.dgid + 8) != guids[n - MANY + i] || !p.slid || !p.dlid)
			failed++;
	}
	case_check(!failed, "the first with the first, and so on");
	guids[n - 1]++;
	case_check(is_answer(ask_multi(guids, n, MANY, MANY, 100), STATUS_SA_INVALID_GID, 0),
		"the last GID is nobody's: refused");
	printf("1..%u\n", count);
	return failed != 0;
}

static int
storm(unsigned long n)
{
	uint8_t data[NODE_RECORD_BYTES] = { (uint8_t)(c.lid >> 8), (uint8_t)c.lid };
	unsigned good = 0, busy = 0, other = 0;

	while (n--) {
		const uint8_t *mad = ask(METHOD_GET, NODE_RECORD_ID, 1, data, sizeof(data));
		uint16_t status = mad ? dgram_status(mad) : 0xffff;

		good += status == STATUS_OK;
		busy += status == STATUS_BUSY;
		other += status != STATUS_OK && status != STATUS_BUSY;
	}
	printf("ok %u busy %u other %u\n", good, busy, other);
	return other != 0;
}

static int
huge(unsigned long bytes)
{
	uint8_t *out = calloc(1, umad_size() + bytes), *mad;
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = METHOD_GET_MULTI, .tid = ++c.tid,
		.attr_id = MULTIPATH_RECORD_ID,
	};
	struct dgram_rmpp_head r = { .version = 1, .type = RMPP_DATA, .flags = RMPP_FLAG_ACTIVE };
	int got = ROOM - (int)umad_size();

	if (!out || bytes < DGRAM_BYTES)
		return 1;
	mad = umad_get_mad(out);
	dgram_head_encode(mad, &h);
	dgram_rmpp_head_encode(mad, &r);
	umad_set_addr(out, c.sm_lid, 1, 0, (int)QKEY_GSI);
	if (umad_send(c.fd, c.agent, out, (int)bytes, TIMEOUT_MS, 0) < 0)
		return 1;
	/* The send comes back when no answer has come; in the meantime it goes out. */
	if (umad_recv(c.fd, c.in, &got, TIMEOUT_MS * 2) >= 0)
		printf("%s\n", umad_status(c.in) ? "no answer" : "answered");
	free(out);
	return 0;
}

int
main(int argc, char **argv)
{
	if (!sa_client_begin()) {
		fprintf(stderr, "sa-client: no port\n");
		return 99;
	}
	if (argc == 3 && strcmp(argv[1], "storm") == 0)
		return storm(strtoul(argv[2], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "huge") == 0)
		return huge(strtoul(argv[2], NULL, 10));
	return multi();
}
