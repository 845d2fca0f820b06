/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid-client.c - asks subnet administration about alias GUIDs and by alias GIDs, line by line, and prints what it is told.
 * For tests only; any manager will do.  Standard input, a request a line:
 *      NAME METHOD RECORD FIELD=VALUE...       METHOD get, set, delete; RECORD guids, path, member, service
 * A field that is given has its bit in the mask; "-FIELD" takes that out again.  Values are hexadecimal; GIDs are GUIDs under
 * fe80::, but MGIDs; "own" is our LID or port GUID.  Output, a line each:
 *      NAME 0xSTATUS FIELD=VALUE...    the fields only with status 0; or "NAME silent"
 */
#include <config.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"

enum { TIMEOUT_MS = 20000, MAD_BYTES = 256 };

/* Where a field is in its record, and its bits in the mask. */
struct field {
	const char *name;
	unsigned at, bytes;
	uint64_t mask;
};

static const struct field guids[] = {
	{ "lid", 0, 2, 1 << 0 }, { "block", 2, 1, 1 << 1 }, { "g0", 8, 8, 1 << 4 }, { "g1", 16, 8, 1 << 5 },
	{ "g2", 24, 8, 1 << 6 }, { "g3", 32, 8, 1 << 7 }, { "g4", 40, 8, 1 << 8 }, { "g5", 48, 8, 1 << 9 },
	{ "g6", 56, 8, 1 << 10 }, { "g7", 64, 8, 1 << 11 }, { NULL, 0, 0, 0 },
};
static const struct field path[] = {
	{ "dgid", 16, 8, 1 << 2 }, { "sgid", 32, 8, 1 << 3 }, { "dlid", 40, 2, 1 << 4 }, { "slid", 42, 2, 1 << 5 },
	{ "mgid", 8, 16, 1 << 2 }, { NULL, 0, 0, 0 },
};
static const struct field member[] = {
	{ "mgid", 0, 16, 1 << 0 }, { "port", 24, 8, 1 << 1 }, { "state", 48, 1, 1 << 16 }, { NULL, 0, 0, 0 },
};
static const struct field service[] = {
	{ "id", 0, 8, 1 << 0 }, { "gid", 16, 8, 1 << 1 }, { NULL, 0, 0, 0 },
};
static const struct record {
	const char *name;
	uint16_t attr;
	const struct field *fields;
	unsigned gids[2];               /* where GIDs begin; 0: none */
} records[] = {
	{ "guids", GUID_INFO_RECORD_ID, guids, { 0, 0 } }, { "path", PATH_RECORD_ID, path, { 8, 24 } },
	{ "member", MCMEMBER_RECORD_ID, member, { 16, 0 } }, { "service", SERVICE_RECORD_ID, service, { 8, 0 } },
};

struct client {
	int fd, agent;
	umad_port_t port;
	uint64_t tid;
};

static int
put_field(const struct client *c, const struct field *fields, const char *word, uint8_t *w, uint64_t *mask)
{
	const char *value = strchr(word, '=');

	for (const struct field *f = fields; f->name; f++) {
		size_t n = strlen(f->name);

		if (word[0] == '-' && !strcmp(word + 1, f->name)) {
			*mask &= ~f->mask;
			return 0;
		}
		if (!value || (size_t)(value - word) != n || strncmp(word, f->name, n) != 0)
			continue;
		*mask |= f->mask;
		if (!strcmp(value + 1, "own") && f->bytes == 2) {
			wire_put16(w + f->at, (uint16_t)c->port.base_lid);
			return 0;
		}
		if (!strcmp(value + 1, "own")) {
			wire_put64(w + f->at, be64toh(c->port.port_guid));
			return 0;
		}
		for (unsigned k = 0; k < f->bytes; k++) {
			unsigned byte;

			if (sscanf(value + 1 + 2 * k, "%2x", &byte) != 1)
				return -1;
			w[f->at + k] = (uint8_t)byte;
		}
		return 0;
	}
	return -1;
}

static void
print_answer(const char *name, const struct record *r, const uint8_t *mad)
{
	const uint8_t *w = mad + SA_HEAD_BYTES;

	printf("%s 0x%04x", name, wire_get16(mad + 4));
	for (const struct field *f = r->fields; !wire_get16(mad + 4) && f->name; f++) {
		printf(" %s=", f->name);
		for (unsigned k = 0; k < f->bytes; k++)
			printf("%02x", w[f->at + k]);
	}
	printf("\n");
}

static void
ask(struct client *c, const char *name, uint8_t method, const struct record *r, const uint8_t *data, uint64_t mask)
{
	size_t bytes = umad_size() + MAD_BYTES;
	uint8_t *umad = calloc(1, bytes), *mad = umad_get_mad(umad);
	int length = MAD_BYTES;

	mad[0] = 1;
	mad[1] = CLASS_SA;
	mad[2] = 2;
	mad[3] = method;
	wire_put64(mad + 8, ++c->tid);
	wire_put16(mad + 16, r->attr);
	wire_put64(mad + 48, mask);
	memcpy(mad + SA_HEAD_BYTES, data, SA_DATA_BYTES);
	umad_set_addr(umad, (int)c->port.sm_lid, 1, 0, (int)QKEY_GSI);
	if (umad_send(c->fd, c->agent, umad, MAD_BYTES, TIMEOUT_MS, 0) < 0 ||
	    umad_recv(c->fd, umad, &length, TIMEOUT_MS * 2) < 0 || umad_status(umad))
		printf("%s silent\n", name);
	else
		print_answer(name, r, mad);
	fflush(stdout);
	free(umad);
}

static uint8_t
method_of(const char *word)
{
	return !strcmp(word, "get") ? METHOD_GET : !strcmp(word, "set") ? METHOD_SET :
		!strcmp(word, "delete") ? METHOD_DELETE : 0;
}

static int
request(struct client *c, char *line)
{
	char *rest, *name = strtok_r(line, " \n", &rest), *method = strtok_r(NULL, " \n", &rest);
	char *what = strtok_r(NULL, " \n", &rest), *word;
	uint8_t data[SA_DATA_BYTES] = { 0 };
	const struct record *r = NULL;
	uint64_t mask = 0;

	if (!name)
		return 0;
	for (size_t i = 0; what && i < sizeof(records) / sizeof(records[0]); i++)
		if (!strcmp(what, records[i].name))
			r = &records[i];
	if (!r || !method_of(method))
		return -1;
	for (unsigned i = 0; i < 2; i++)
		if (r->gids[i])
			wire_put64(data + r->gids[i], GID_PREFIX_DEFAULT);
	while ((word = strtok_r(NULL, " \n", &rest)))
		if (put_field(c, r->fields, word, data, &mask) < 0)
			return -1;
	ask(c, name, method_of(method), r, data, mask);
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
