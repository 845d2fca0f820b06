/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast-client.c - asks subnet administration about multicast groups, line by line, and prints what it is told.
 * For tests only; any manager will do.  Standard input, a request a line:
 *      NAME METHOD FIELD=VALUE...      METHOD get, set, delete; a field that is given has its bit in the mask
 * mgid and port take hexadecimal digits (port: a GUID under fe80::, "own" is ours); mtu, rate and life are the bytes
 * with their selectors.  "-mgid", "-port", "-state" take their bits out of the mask again.  Output, a line each:
 *      NAME 0xSTATUS FIELD=VALUE...    the fields only with status 0; or "NAME silent"
 */
#include <config.h>
#include <infiniband/umad.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"

enum { TIMEOUT_MS = 20000, MAD_BYTES = 256 };

/* Where each field is in the record, and its bits in the mask. */
static const struct {
	const char *name;
	unsigned at, bytes;
	uint64_t mask;
} fields[] = {
	{ "mgid", 0, 16, 1 << 0 }, { "port", 24, 8, 1 << 1 }, { "prefix", 16, 8, 1 << 1 }, { "qkey", 32, 4, 1 << 2 },
	{ "mlid", 36, 2, 1 << 3 }, { "mtu", 38, 1, 3 << 4 }, { "tclass", 39, 1, 1 << 6 }, { "pkey", 40, 2, 1 << 7 },
	{ "rate", 42, 1, 3 << 8 }, { "life", 43, 1, 3 << 10 }, { "slflowhop", 44, 4, 1 << 12 | 1 << 13 },
	{ "scopestate", 48, 1, 1 << 15 | 1 << 16 }, { "state", 48, 1, 1 << 16 }, { "proxy", 49, 1, 1 << 17 },
};

struct client {
	int fd, agent;
	umad_port_t port;
	uint64_t tid;
};

static int
put_field(const struct client *c, const char *word, uint8_t *record, uint64_t *mask)
{
	const char *value = strchr(word, '=');

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t n = strlen(fields[i].name);

		if (word[0] == '-' && !strcmp(word + 1, fields[i].name)) {
			*mask &= ~fields[i].mask;
			return 0;
		}
		if (!value || (size_t)(value - word) != n || strncmp(word, fields[i].name, n) != 0)
			continue;
		*mask |= fields[i].mask;
		if (!strcmp(value + 1, "own")) {
			wire_put64(record + fields[i].at, be64toh(c->port.port_guid));
			return 0;
		}
		for (unsigned k = fields[i].bytes; k-- > 0; value += 2) {
			unsigned byte;

			if (sscanf(value + 1, "%2x", &byte) != 1)
				return -1;
			record[fields[i].at + fields[i].bytes - 1 - k] = (uint8_t)byte;
		}
		return 0;
	}
	return -1;
}

static void
print_answer(const char *name, const uint8_t *mad)
{
	const uint8_t *w = mad + SA_HEAD_BYTES;

	printf("%s 0x%04x", name, wire_get16(mad + 4));
	for (size_t i = 0; !wire_get16(mad + 4) && i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!strcmp(fields[i].name, "state"))
			continue;
		printf(" %s=", fields[i].name);
		for (unsigned k = 0; k < fields[i].bytes; k++)
			printf("%02x", w[fields[i].at + k]);
	}
	printf("\n");
}

static void
ask(struct client *c, const char *name, uint8_t method, const uint8_t *record, uint64_t mask)
{
	size_t bytes = umad_size() + MAD_BYTES;
	uint8_t *umad = calloc(1, bytes), *mad = umad_get_mad(umad);
	int length = MAD_BYTES;

	mad[0] = 1;
	mad[1] = 3;
	mad[2] = 2;
	mad[3] = method;
	wire_put64(mad + 8, ++c->tid);
	wire_put16(mad + 16, MCMEMBER_RECORD_ID);
	wire_put64(mad + 48, mask);
	memcpy(mad + SA_HEAD_BYTES, record, MCMEMBER_RECORD_BYTES);
	umad_set_addr(umad, (int)c->port.sm_lid, 1, 0, (int)QKEY_GSI);
	if (umad_send(c->fd, c->agent, umad, MAD_BYTES, TIMEOUT_MS, 0) < 0 ||
	    umad_recv(c->fd, umad, &length, TIMEOUT_MS * 2) < 0 || umad_status(umad))
		printf("%s silent\n", name);
	else
		print_answer(name, mad);
	fflush(stdout);
	free(umad);
}

static int
request(struct client *c, char *line)
{
	static const struct { const char *word; uint8_t method; } methods[] = {
		{ "get", METHOD_GET }, { "set", METHOD_SET }, { "delete", METHOD_DELETE },
	};
	char *rest, *name = strtok_r(line, " \n", &rest), *word = strtok_r(NULL, " \n", &rest);
	uint8_t record[MCMEMBER_RECORD_BYTES + 4] = { 0 }, method = 0;
	uint64_t mask = 0;

	if (!name)
		return 0;
	for (size_t i = 0; word && i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(word, methods[i].word))
			method = methods[i].method;
	if (!method)
		return -1;
	wire_put64(record + 16, GID_PREFIX_DEFAULT);
	while ((word = strtok_r(NULL, " \n", &rest)))
		if (put_field(c, word, record, &mask) < 0)
			return -1;
	ask(c, name, method, record, mask);
	return 0;
}

int
main(void)
{
	struct client c = { 0 };
	char line[512];

	if (umad_init() < 0 || umad_get_port(NULL, 0, &c.port) < 0 || (c.fd = umad_open_port(NULL, 0)) < 0 ||
	    (c.agent = umad_register(c.fd, CLASS_SA, 2, 1, NULL)) < 0) {
		fprintf(stderr, "no port\n");
		return 255;
	}
	while (fgets(line, sizeof(line), stdin))
		if (request(&c, line) < 0) {
			fprintf(stderr, "not a request: %s\n", line);
			return 2;
		}
	umad_close_port(c.fd);
	umad_release_port(&c.port);
	return 0;
}
