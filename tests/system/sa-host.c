/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa-host.c - what programs of a host ask of subnet administration and keep while they run: groups, services, subscriptions.
 * For tests only; any manager will do.
 *
 *   sa-host WORD...                   one request a word, in this order; prints "WORD 0xSTATUS" or "WORD silent" for each
 *     join:MGID[:STATE]               joins a group (32 hexadecimal digits; STATE 1 full, 2 non member, 4 send only)
 *     make:MGID                       the same, and says what the group is to be like if there is none
 *     service:ID:NAME                 announces a service under our GID
 *     subscribe:TRAP:TYPE:PRODUCER    asks for reports of a generic trap, as srp_daemon does
 *     vendor:DEVICE:TYPE:VENDOR       the same for traps of a vendor's own
 *     sa:METHOD:ATTRIBUTE             asks it for any attribute by any method
 *     issm                            says that the port has a subnet manager
 *     class:CLASS:ATTRIBUTE           asks for an attribute of another class, on QP1 of the manager's port
 *   then "ready", and, until it is ended, "report TRAP NAME=VALUE" for each report; each is answered.
 *     end                             ends instead
 */
#include <config.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_components.h"
#include "libmad/mad/dgram.h"

enum { TIMEOUT_MS = 10000, SHORT_MS = 300 };

static struct host {
	int fd, agent;
	umad_port_t port;
	uint64_t tid;
	uint8_t *out, *in;
} h;

static bool
host_begin(void)
{
	long methods[16 / sizeof(long)] = { 0 };
	size_t bytes;

	methods[0] = 1l << METHOD_REPORT;
	if (umad_init() < 0 || umad_get_port(NULL, 0, &h.port) < 0 || (h.fd = umad_open_port(NULL, 0)) < 0)
		return false;
	h.agent = umad_register(h.fd, CLASS_SA, 2, 1, methods);
	if (h.agent < 0)                /* another of us on this host gets the reports */
		h.agent = umad_register(h.fd, CLASS_SA, 2, 1, NULL);
	bytes = umad_size() + DGRAM_BYTES;
	h.out = calloc(1, bytes);
	h.in = calloc(1, bytes);
	return h.agent >= 0 && h.out && h.in;
}

static void
report(const uint8_t *mad)
{
	struct sa_notice n = sa_notice_decode(mad + SA_HEAD_BYTES);
	uint8_t *out = umad_get_mad(h.out);

	printf("report %u type=%u", n.notice.trap_number, n.notice.type);
	if (n.notice.trap_number >= 64 && n.notice.trap_number <= 67) {
		struct trap_gid g = trap_gid_decode(mad + SA_HEAD_BYTES);

		printf(" gid=%016" PRIx64 "%016" PRIx64, wire_get64(g.gid), wire_get64(g.gid + 8));
	}
	if (n.notice.trap_number == 144) {
		struct trap_local_change c = trap_local_change_decode(mad + SA_HEAD_BYTES);

		printf(" issuer=%016" PRIx64 " capabilities=%08x", wire_get64(n.issuer_gid + 8), c.capability_mask);
	}
	printf("\n");
	fflush(stdout);
	memcpy(h.out, h.in, umad_size() + DGRAM_BYTES);
	out[3] = METHOD_REPORT_RESP;
	umad_send(h.fd, h.agent, h.out, DGRAM_BYTES, 0, 0);
}

/* The next datagram that is no report; false: the request came back, or nothing did. */
static bool
receive(int timeout_ms, int *agent)
{
	const uint8_t *mad = umad_get_mad(h.in);

	for (;;) {
		int n = DGRAM_BYTES;

		*agent = umad_recv(h.fd, h.in, &n, timeout_ms);
		if (*agent < 0)
			return false;
		if (!umad_status(h.in) && mad[1] == CLASS_SA && mad[3] == METHOD_REPORT)
			report(mad);
		else
			return !umad_status(h.in);
	}
}

static void
ask(const char *word, int agent, struct dgram_head head, uint64_t mask, const uint8_t *data, size_t bytes)
{
	uint8_t *mad = umad_get_mad(h.out);
	struct dgram_sa_head sa = { .comp_mask = mask };
	int timeout = head.mgmt_class == CLASS_SA ? TIMEOUT_MS : SHORT_MS, from;

	head.tid = ++h.tid;
	memset(h.out, 0, umad_size() + DGRAM_BYTES);
	dgram_head_encode(mad, &head);
	if (head.mgmt_class == CLASS_SA)
		dgram_sa_head_encode(mad, &sa);
	if (head.mgmt_class >= CLASS_VENDOR2_FIRST && head.mgmt_class <= CLASS_VENDOR2_LAST)
		wire_put32(mad + 36, 0x001405);
	memcpy(mad + SA_HEAD_BYTES, data, bytes);
	umad_set_addr(h.out, (int)h.port.sm_lid, 1, 0, (int)QKEY_GSI);
	if (umad_send(h.fd, agent, h.out, DGRAM_BYTES, timeout, 0) < 0 || !receive(timeout * 2, &from))
		printf("%s silent\n", word);
	else
		printf("%s 0x%04x\n", word, wire_get16((uint8_t *)umad_get_mad(h.in) + 4));
	fflush(stdout);
}

static void
ask_sa(const char *word, uint8_t method, uint16_t attr_id, uint64_t mask, const uint8_t *data, size_t bytes)
{
	struct dgram_head head = { .base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = method, .attr_id = attr_id };

	ask(word, h.agent, head, mask, data, bytes);
}

/* The bits of the components that 'names' lists, a blank between two. */
static uint64_t
mask_of(uint16_t attr_id, const char *names)
{
	const struct sa_record_desc *d = sa_record_find(attr_id);
	uint64_t mask = 0;
	char word[64];

	for (unsigned i = 0; i < d->ncomponents; i++) {
		snprintf(word, sizeof(word), " %s ", d->components[i].name);
		if (strstr(names, word))
			mask |= UINT64_C(1) << d->components[i].bit;
	}
	return mask;
}

static void
own_gid(uint8_t gid[16])
{
	wire_put64(gid, GID_PREFIX_DEFAULT);
	wire_put64(gid + 8, be64toh(h.port.port_guid));
}

static int
join(const char *word, const char *mgid, unsigned state, bool make)
{
	struct mcmember_record m = { .join_state = state & 15, .pkey = 0xffff, .qkey = 0xb1b };
	uint8_t data[MCMEMBER_RECORD_BYTES] = { 0 };

	own_gid(m.port_gid);
	for (unsigned i = 0; i < 16; i++) {
		unsigned byte;

		if (sscanf(mgid + 2 * (size_t)i, "%2x", &byte) != 1)
			return 2;
		m.mgid[i] = (uint8_t)byte;
	}
	mcmember_record_encode(data, &m);
	ask_sa(word, METHOD_SET, MCMEMBER_RECORD_ID, mask_of(MCMEMBER_RECORD_ID, make ?
		" mgid port_gid join_state qkey pkey sl tclass flow_label " : " mgid port_gid join_state "), data, sizeof(data));
	return 0;
}

static int
service(const char *word, uint64_t id, const char *name)
{
	struct service_record s = { .id = id, .pkey = 0xffff, .lease_s = UINT32_MAX, .data8 = { 1, 2, 3 }, .data16 = { 0x1234 },
		.data32 = { 0xabcdef }, .data64 = { UINT64_C(0x1122334455667788) } };
	uint8_t data[SERVICE_RECORD_BYTES] = { 0 };

	own_gid(s.gid);
	memcpy(s.name, name, strnlen(name, sizeof(s.name)));
	service_record_encode(data, &s);
	ask_sa(word, METHOD_SET, SERVICE_RECORD_ID, mask_of(SERVICE_RECORD_ID,
		" id gid pkey lease_s name data8[0] data8[1] data8[2] data16[0] data32[0] data64[0] "), data, sizeof(data));
	return 0;
}

static int
subscribe(const char *word, bool generic, unsigned trap, unsigned type, unsigned producer)
{
	struct inform_info i = { .lid_begin = 0xffff, .is_generic = generic, .subscribe = 1, .type = (uint16_t)type, .trap_number = (uint16_t)trap,
		.qpn = 1, .resp_time = 19, .producer_type = producer };
	uint8_t data[INFORM_INFO_BYTES] = { 0 };

	inform_info_encode(data, &i);
	ask_sa(word, METHOD_SET, INFORM_INFO_ID, 0, data, sizeof(data));
	return 0;
}

static int
other_class(const char *word, unsigned mgmt_class, unsigned attr_id)
{
	struct dgram_head head = { .base_version = 1, .mgmt_class = (uint8_t)mgmt_class, .class_version = 1, .method = METHOD_GET,
		.attr_id = (uint16_t)attr_id };
	uint8_t oui[3] = { 0x00, 0x14, 0x05 }, none[1] = { 0 };
	bool range2 = mgmt_class >= CLASS_VENDOR2_FIRST && mgmt_class <= CLASS_VENDOR2_LAST;
	int agent = range2 ? umad_register_oui(h.fd, (int)mgmt_class, 0, oui, NULL) : umad_register(h.fd, (int)mgmt_class, 1, 0, NULL);

	if (agent < 0) {
		printf("%s refused\n", word);
		return 0;
	}
	ask(word, agent, head, 0, none, 0);
	umad_unregister(h.fd, agent);
	return 0;
}

static int
say_issm(const char *word)
{
	char path[256];

	if (umad_get_issm_path(h.port.ca_name, h.port.portnum, path, sizeof(path)) < 0 || open(path, O_NONBLOCK) < 0)
		return 2;
	printf("%s held\n", word);
	return 0;
}

static int
request(const char *word)
{
	const uint8_t none[1] = { 0 };
	unsigned a, b, c;
	char text[65];
	uint64_t id;

	if (sscanf(word, "join:%32[0-9a-f]:%x", text, &a) == 2)
		return join(word, text, a, false);
	if (sscanf(word, "join:%32[0-9a-f]", text) == 1)
		return join(word, text, 1, false);
	if (sscanf(word, "make:%32[0-9a-f]", text) == 1)
		return join(word, text, 1, true);
	if (sscanf(word, "service:%" SCNx64 ":%64s", &id, text) == 2)
		return service(word, id, text);
	if (sscanf(word, "subscribe:%u:%u:%x", &a, &b, &c) == 3)
		return subscribe(word, true, a, b, c);
	if (sscanf(word, "vendor:%x:%u:%x", &a, &b, &c) == 3)
		return subscribe(word, false, a, b, c);
	if (sscanf(word, "sa:%x:%x", &a, &b) == 2) {
		ask_sa(word, (uint8_t)a, (uint16_t)b, 0, none, 0);
		return 0;
	}
	if (!strcmp(word, "issm"))
		return say_issm(word);
	if (sscanf(word, "class:%x:%x", &a, &b) == 2)
		return other_class(word, a, b);
	return 2;
}

int
main(int argc, char **argv)
{
	int agent;

	if (!host_begin()) {
		fprintf(stderr, "no port\n");
		return 255;
	}
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "end"))
			return 0;
		if (request(argv[i])) {
			fprintf(stderr, "not a request: %s\n", argv[i]);
			return 2;
		}
	}
	printf("ready\n");
	fflush(stdout);
	while (receive(-1, &agent))
		;
	return 0;
}
