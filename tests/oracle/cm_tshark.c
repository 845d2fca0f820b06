/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_tshark.c - messages of communication management for a peer that dissects them, and what it must find.
 * Usage: cm_tshark write FILE       random messages, as packets of InfiniBand in a capture
 *        cm_tshark fields MESSAGE   the peer's names of that message's fields, one per line
 *        cm_tshark check FILE MESSAGE < OUTPUT     the peer's values, a line per packet, separated by tabs
 * The peer does not know MRA, LAP, APR and SIDR.  Of a path it reads only the upper 12 of the 20 bits of the flow
 * label, and a packet rate inside the flow label, which cannot be: that row is not asked for.
 */
#include <config.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/cm_attr.h"
#include "libmad/mad/dgram.h"
#include "tests/oracle/random.h"

enum { PACKETS = 300, AT = 16, FRAME_BYTES = AT + 8 + 12 + 8 + DGRAM_BYTES + 4 + 2, MAD_AT = AT + 28, FIELDS_MAX = 64 };

struct pair {
	const char *row, *field;
	unsigned cut;                   /* low bits that the peer does not read */
};

#define PATH(p, q) \
	{ p ".local_lid", "req." q "_locallid", 0 }, { p ".remote_lid", "req." q "_remotelid", 0 }, \
	{ p ".local_gid", "req." q "_localgid", 0 }, { p ".remote_gid", "req." q "_remotegid", 0 }, \
	{ p ".flow_label", "req." q "_flowlabel", 8 }, \
	{ p ".tclass", "req." q "_tfcclass", 0 }, { p ".hop_limit", "req." q "_hoplim", 0 }, \
	{ p ".sl", "req." q "_sl", 0 }, \
	{ p ".subnet_local", "req." q "_subnetlocal", 0 }, { p ".ack_timeout", "req." q "_localacktout", 0 }

static const struct pair req[] = {
	{ "local_comm_id", "req", 0 }, { "service_id", "req.serviceid", 0 },
	{ "local_ca_guid", "req.localcaguid", 0 },
	{ "local_qkey", "req.localqkey", 0 }, { "local_qpn", "req.localqpn", 0 },
	{ "resp_resources", "req.responderres", 0 },
	{ "local_eecn", "req.localeecn", 0 }, { "initiator_depth", "req.initdepth", 0 },
	{ "remote_eecn", "req.remoteeecn", 0 },
	{ "remote_cm_timeout", "req.remoteresptout", 0 }, { "transport", "req.transpsvctype", 0 },
	{ "flow_control", "req.e2eflowctrl", 0 }, { "start_psn", "req.startpsn", 0 },
	{ "local_cm_timeout", "req.localresptout", 0 }, { "retry_count", "req.retrcount", 0 },
	{ "pkey", "req.pkey", 0 },
	{ "path_mtu", "req.pppmtu", 0 }, { "rdc_exists", "req.rdcexist", 0 }, { "rnr_retry", "req.rnrretrcount", 0 },
	{ "max_cm_retries", "req.maxcmretr", 0 }, { "srq", "req.srq", 0 },
	{ "ext_transport", "req.ext_transport", 0 },
	PATH("primary", "prim"), PATH("alternate", "alt"), { "private_data", "req.private", 0 }, { NULL, NULL, 0 },
};
static const struct pair rep[] = {
	{ "local_comm_id", "rep", 0 }, { "remote_comm_id", "rep.remotecommid", 0 },
	{ "local_qkey", "rep.localqkey", 0 },
	{ "local_qpn", "rep.localqpn", 0 }, { "local_eecn", "rep.localeecn", 0 }, { "start_psn", "rep.startpsn", 0 },
	{ "resp_resources", "rep.respres", 0 }, { "initiator_depth", "rep.initdepth", 0 },
	{ "ack_delay", "rep.tgtackdelay", 0 }, { "failover", "rep.failoveracc", 0 },
	{ "flow_control", "rep.e2eflowctrl", 0 },
	{ "rnr_retry", "rep.rnrretrcount", 0 }, { "srq", "rep.srq", 0 }, { "local_ca_guid", "rep.localcaguid", 0 },
	{ "private_data", "rep.private", 0 }, { NULL, NULL, 0 },
};
static const struct pair rtu[] = {
	{ "local_comm_id", "rtu.localcommid", 0 }, { "remote_comm_id", "rtu.remotecommid", 0 },
	{ "private_data", "rtu.private", 0 }, { NULL, NULL, 0 },
};
static const struct pair rej[] = {
	{ "local_comm_id", "rej.localcommid", 0 }, { "remote_comm_id", "rej.remotecommid", 0 },
	{ "message", "rej.msgrej", 0 },
	{ "info_length", "rej.rejinfolen", 0 }, { "reason", "rej.reason", 0 }, { "info", "rej.ari", 0 },
	{ "private_data", "rej.private", 0 }, { NULL, NULL, 0 },
};
static const struct pair dreq[] = {
	{ "local_comm_id", "dreq.localcommid", 0 }, { "remote_comm_id", "dreq.remotecommid", 0 },
	{ "remote_qpn", "req.remoteqpneecn", 0 }, { "private_data", "dreq.private", 0 }, { NULL, NULL, 0 },
};
static const struct pair drep[] = {
	{ "local_comm_id", "drsp.localcommid", 0 }, { "remote_comm_id", "drsp.remotecommid", 0 },
	{ "private_data", "drsp.private", 0 }, { NULL, NULL, 0 },
};

static const struct message {
	const char *name;
	const struct attr_desc *attr;
	const struct pair *pairs;
} messages[] = {
	{ "REQ", &cm_req_desc, req }, { "REP", &cm_rep_desc, rep }, { "RTU", &cm_rtu_desc, rtu },
	{ "REJ", &cm_rej_desc, rej }, { "DREQ", &cm_dreq_desc, dreq }, { "DREP", &cm_drep_desc, drep },
};
enum { MESSAGES = sizeof(messages) / sizeof(messages[0]) };

static const struct message *
message_find(const char *name)
{
	for (unsigned i = 0; i < MESSAGES; i++)
		if (!strcmp(messages[i].name, name))
			return &messages[i];
	fprintf(stderr, "no message %s\n", name);
	exit(99);
}

/* The row 'path' of 'd' and the struct it is in. */
static const struct attr_field *
row_of(const struct attr_desc *d, const char *path, const char **s)
{
	const char *dot = strchr(path, '.');
	char head[32];
	const struct attr_field *f;

	if (!dot)
		return attr_field_find(d, path);
	snprintf(head, sizeof(head), "%.*s", (int)(dot - path), path);
	f = attr_field_find(d, head);
	*s += f->offset;
	return row_of(f->sub, dot + 1, s);
}

/* A recorder's header, local route, base transport and datagram headers of a packet from QP 1 to QP 1. */
static void
frame_make(uint8_t *w, const struct message *m, uint64_t *rnd)
{
	uint8_t s[2048];
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_CM, .class_version = 2, .method = METHOD_SEND,
		.attr_id = m->attr->id,
	};
	uint8_t image[CM_MESSAGE_BYTES];

	memset(w, 0, FRAME_BYTES);
	w[8] = 21;                                      /* the recorder's header: type InfiniBand */
	w[9] = 4;                                       /* records differ in length */
	wire_put16(w + 10, FRAME_BYTES);
	wire_put16(w + 14, FRAME_BYTES - AT);
	w[AT + 1] = 2;                                  /* next: BTH */
	wire_put16(w + AT + 2, 5);
	wire_put16(w + AT + 4, (FRAME_BYTES - AT - 2) / 4);
	wire_put16(w + AT + 6, 3);
	w[AT + 8] = 0x64;                               /* UD SEND only */
	wire_put16(w + AT + 10, 0xffff);
	wire_put32(w + AT + 12, 1);
	wire_put32(w + AT + 20, QKEY_GSI);
	wire_put32(w + AT + 24, 1);
	random_bytes(rnd, (uint8_t *)&h.tid, sizeof(h.tid));
	dgram_head_encode(w + MAD_AT, &h);
	random_bytes(rnd, image, sizeof(image));
	if (m->attr == &cm_req_desc)
		image[8] |= 0x80;                       /* no service of the RDMA IP CM: its private data has a form */
	m->attr->decode(image, s);
	m->attr->encode(w + MAD_AT + CM_MESSAGE_AT, s); /* reserved bits stay zero */
}

static int
write_capture(const char *file)
{
	struct { uint32_t magic; uint16_t major, minor; uint32_t zone, digits, longest, link; } head = {
		0xa1b2c3d4, 2, 4, 0, 0, 65535, 197,     /* in the order of this machine */
	};
	uint64_t rnd = random_seed();
	FILE *f = fopen(file, "wb");
	uint8_t w[FRAME_BYTES];

	if (!f)
		return 99;
	fwrite(&head, sizeof(head), 1, f);
	for (unsigned n = 0; n < PACKETS; n++) {
		uint32_t packet[4] = { n, 0, sizeof(w), sizeof(w) };

		frame_make(w, &messages[n % MESSAGES], &rnd);
		fwrite(packet, sizeof(packet), 1, f);
		fwrite(w, sizeof(w), 1, f);
	}
	return fclose(f) ? 99 : 0;
}

static bool
bytes_agree(const struct attr_field *f, const uint8_t *p, const char *text)
{
	uint8_t gid[16];
	unsigned v;

	if (strchr(text, ':') && f->count == 16 && inet_pton(AF_INET6, text, gid) == 1)
		return !memcmp(gid, p, 16);
	for (unsigned i = 0; i < f->count; i++) {
		if (sscanf(text, "%2x", &v) != 1 || v != p[i])
			return false;
		text += text[2] == ':' ? 3 : 2;
	}
	return !*text;
}

static bool
value_agrees(const struct attr_desc *d, const char *s, const struct pair *p, const char *text)
{
	const struct attr_field *f = row_of(d, p->row, &s);
	uint64_t v;

	if (f->bytes)
		return bytes_agree(f, (const uint8_t *)s + f->offset, text);
	if (!strcmp(text, "True") || !strcmp(text, "False"))
		v = *text == 'T';
	else
		v = strtoull(text, NULL, 0);
	return *text && v == attr_get(f, s, 0) >> p->cut;
}

static int
messages_check(const char *file, const struct message *m)
{
	FILE *f = fopen(file, "rb");
	static char line[65536];
	uint8_t s[2048], w[FRAME_BYTES];
	int bad = 0, seen = 0;

	if (!f || fseek(f, 24, SEEK_SET))
		return 99;
	while (fseek(f, 16, SEEK_CUR) == 0 && fread(w, sizeof(w), 1, f) == 1) {
		char *at = line;

		if (dgram_attr_id(w + MAD_AT) != m->attr->id)
			continue;
		if (!fgets(line, sizeof(line), stdin))
			break;
		seen++;
		line[strcspn(line, "\n")] = '\0';
		m->attr->decode(w + MAD_AT + CM_MESSAGE_AT, s);
		for (const struct pair *p = m->pairs; p->row; p++) {
			const char *text = at ? strsep(&at, "\t") : "";

			if (!value_agrees(m->attr, (const char *)s, p, text) && bad++ < 10)
				printf("# %s %s: the peer's %s is \"%s\"\n", m->name, p->row, p->field, text);
		}
	}
	fclose(f);
	if (seen != PACKETS / MESSAGES)
		printf("# %s: %d packets of %d were dissected\n", m->name, seen, PACKETS / MESSAGES);
	return bad || seen != PACKETS / MESSAGES;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "write"))
		return write_capture(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "fields")) {
		for (const struct pair *p = message_find(argv[2])->pairs; p->row; p++)
			printf("infiniband.cm.%s\n", p->field);
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "check"))
		return messages_check(argv[2], message_find(argv[3]));
	return 2;
}
