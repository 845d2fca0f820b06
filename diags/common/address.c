/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * address.c - the nodes and ports that operands name: LID, directed route, GUID, name.
 * Room: diags.
 */
#include <config.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/common/diag_int.h"
#include "fabric/snapshot/snapshot.h"

#define PATH_HOP_MAX 254

bool
diag_number(const char *text, uint64_t max, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*v = strtoull(text, &end, 0);
	return !errno && !*end && *v <= max;
}

bool
diag_path(const char *text, uint8_t path[static DGRAM_PATH_BYTES], uint8_t *hop_count)
{
	unsigned long v;
	unsigned n = 0;
	char *end;

	for (;;) {
		if (!isdigit((unsigned char)*text) || n > DGRAM_HOPS_MAX)
			return false;
		v = strtoul(text, &end, 10);
		if (v > PATH_HOP_MAX || (n == 0 ? v != 0 : v == 0))
			return false;
		path[n++] = (uint8_t)v;
		if (!*end)
			break;
		if (*end != ',')
			return false;
		text = end + 1;
	}
	*hop_count = (uint8_t)(n - 1);
	return true;
}

struct diag_addr
diag_addr_lid(uint16_t lid)
{
	return (struct diag_addr){ .kind = DIAG_ADDR_LID, .lid = lid };
}

struct diag_addr
diag_addr_path(const uint8_t *path, uint8_t hop_count)
{
	struct diag_addr a = { .kind = DIAG_ADDR_PATH, .dr_slid = LID_PERMISSIVE, .dr_dlid = LID_PERMISSIVE, .hop_count = hop_count };

	memcpy(a.path, path, (size_t)hop_count + 1);
	return a;
}

struct diag_addr
diag_addr_self(void)
{
	static const uint8_t here[1] = { 0 };

	return diag_addr_path(here, 0);
}

const char *
diag_label(const struct diag_addr *a, char buf[static DIAG_LABEL_BYTES])
{
	char gid[INET6_ADDRSTRLEN];
	size_t n = 0;

	buf[0] = '\0';
	if (a->kind != DIAG_ADDR_PATH) {
		n += (size_t)snprintf(buf, DIAG_LABEL_BYTES, "Lid %u", a->lid);
		if (a->grh && inet_ntop(AF_INET6, a->gid, gid, sizeof(gid)))
			n += (size_t)snprintf(buf + n, DIAG_LABEL_BYTES - n, " Gid %s", gid);
		if (a->kind == DIAG_ADDR_LID)
			return buf;
		buf[n++] = ' ';
	}
	n += (size_t)snprintf(buf + n, DIAG_LABEL_BYTES - n, "DR path slid %u; dlid %u; ", a->dr_slid, a->dr_dlid);
	fab_path_text(a->path, a->hop_count, buf + n, DIAG_LABEL_BYTES - n);
	return buf;
}

json_t *
diag_json_addr(const struct diag_addr *a)
{
	json_t *o = json_object(), *path = json_null();

	if (a->kind != DIAG_ADDR_LID) {
		path = json_array();
		for (unsigned i = 0; i <= a->hop_count; i++)
			json_array_append_new(path, json_integer(a->path[i]));
	}
	json_object_set_new(o, "lid", a->kind == DIAG_ADDR_PATH ? json_null() : json_integer(a->lid));
	json_object_set_new(o, "path", path);
	json_object_set_new(o, "guid", a->guid ? diag_json_guid(a->guid) : json_null());
	return o;
}

static int
cannot(struct diag *d, const char *code, const char *text)
{
	return diag_fail(d, EXIT_USAGE, code, "can't resolve destination port %s", text);
}

int
diag_addr_sm(struct diag *d, struct diag_addr *a)
{
	int r = diag_open(d);
	uint16_t lid;

	if (r)
		return r;
	lid = d->set.sm_lid ? d->set.sm_lid : diag_port(d)->sm_lid;
	if (!lid || lid > LID_UCAST_MAX)
		return diag_fail(d, EXIT_PARTIAL, "not_found", "no subnet manager: port %s/%u has no SM LID", diag_port(d)->ca_name,
			diag_port(d)->port);
	*a = diag_addr_lid(lid);
	a->sl = diag_port(d)->sm_sl;
	return 0;
}

/* A path record from our port to 'guid': its DLID and SL. */
int
diag_addr_guid(struct diag *d, uint64_t port_guid, struct diag_addr *a)
{
	const uint64_t mask = 1 << 2 | 1 << 3 | 1 << 12;        /* DGID, SGID, NumbPath */
	struct path_record q = { .num_path = 1 }, p;
	uint8_t image[PATH_RECORD_BYTES] = { 0 };
	struct diag_reply r;
	uint64_t prefix;
	int e = diag_open(d);

	if (e)
		return -ENODEV;
	prefix = diag_port(d)->gid_prefix ? diag_port(d)->gid_prefix : GID_PREFIX_DEFAULT;
	wire_put64(q.dgid, prefix);
	wire_put64(q.dgid + 8, port_guid);
	wire_put64(q.sgid, prefix);
	wire_put64(q.sgid + 8, diag_port(d)->port_guid);
	path_record_encode(image, &q);
	e = diag_sa(d, METHOD_GET, PATH_RECORD_ID, mask, image, sizeof(image), &r);
	if (e == -EPROTO)
		return -ENOENT;
	if (e || r.bytes < PATH_RECORD_BYTES)
		return e ? e : -EIO;
	p = path_record_decode(r.data);
	*a = diag_addr_lid(p.dlid);
	a->sl = p.sl;
	a->guid = port_guid;
	return 0;
}

/* A node GUID, as name maps have them: any of its end ports, by the SA. */
static int
by_node_guid(struct diag *d, uint64_t node_guid, struct diag_addr *a)
{
	const uint64_t mask = 1 << 7;           /* NodeGUID */
	struct node_record q = { .info.node_guid = node_guid }, n;
	uint8_t image[NODE_RECORD_BYTES] = { 0 };
	struct diag_reply r;
	int e;

	node_record_encode(image, &q);
	e = diag_sa(d, METHOD_GET_TABLE, NODE_RECORD_ID, mask, image, sizeof(image), &r);
	if (e || !DIAG_SA_RECORDS(&r))
		return e ? e : -ENOENT;
	n = node_record_decode(DIAG_SA_RECORD(&r, 0));
	*a = diag_addr_lid(n.lid);
	a->guid = node_guid;
	return n.lid ? 0 : -ENOENT;
}

static int
by_guid(struct diag *d, const char *text, uint64_t guid, struct diag_addr *a)
{
	int r = diag_addr_guid(d, guid, a);

	if (r == -ENOENT && by_node_guid(d, guid, a) == 0) {
		diag_warn(d, EXIT_OK, "usage", NULL, "0x%" PRIx64 " is a node GUID; its port at LID %u is taken", guid, a->lid);
		return 0;
	}
	if (!r)
		return 0;
	cannot(d, r == -ENOENT ? "not_found" : r == -ETIMEDOUT ? "timeout" : "io", text);
	return d->status;
}

/* A node by its description, as the SA has them: its first port.  0; -ENOENT; -EEXIST: several nodes are called so. */
static int
by_description(struct diag *d, const char *name, struct diag_addr *a)
{
	struct diag_addr sm = diag_addr_lid(d->set.sm_lid ? d->set.sm_lid : diag_port(d)->sm_lid);
	struct diag_request q = { .to = &sm, .mgmt_class = CLASS_SA, .method = METHOD_GET_TABLE, .attr_id = NODE_RECORD_ID, .quiet = true };
	char buf[DIAG_NAME_BYTES];
	struct diag_reply r;
	uint64_t found = 0;

	sm.sl = diag_port(d)->sm_sl;
	if (!sm.lid || sm.lid > LID_UCAST_MAX || diag_query(d, &q, &r))
		return -ENOENT;
	for (size_t i = 0; i < DIAG_SA_RECORDS(&r) && r.stride >= NODE_RECORD_BYTES; i++) {
		struct node_record n = node_record_decode(DIAG_SA_RECORD(&r, i));

		if (!n.lid || strcmp(diag_name(d, n.info.node_guid, n.desc.text, buf), name))
			continue;
		if (found && found != n.info.node_guid)
			return -EEXIST;
		if (!found || n.lid < a->lid)
			*a = diag_addr_lid(n.lid);
		found = n.info.node_guid;
		a->guid = found;
	}
	return found ? 0 : -ENOENT;
}

static int
by_name(struct diag *d, const char *text, struct diag_addr *a)
{
	const char *name = !strncmp(text, "node:", 5) ? text + 5 : text;
	uint64_t guid = diag_name_guid(d, name);
	int r = diag_open(d);

	if (r)
		return r;
	r = guid ? by_node_guid(d, guid, a) : by_description(d, name, a);
	if (r == -EEXIST)
		return diag_fail(d, EXIT_USAGE, "not_found", "can't resolve destination port %s: several nodes are called so", text);
	return r ? cannot(d, "not_found", text) : 0;
}

int
diag_address(struct diag *d, const char *text, struct diag_addr *a)
{
	uint8_t path[DGRAM_PATH_BYTES], hops;
	uint64_t v;

	if (!strncmp(text, "lid:", 4) && diag_number(text + 4, LID_UCAST_MAX, &v) && v) {
		*a = diag_addr_lid((uint16_t)v);
		return 0;
	}
	if (!strncmp(text, "guid:", 5) && diag_number(text + 5, UINT64_MAX, &v) && v)
		return by_guid(d, text, v, a);
	if (!isdigit((unsigned char)text[0]) && text[0] != '-' && d->set.addressing != DIAG_BY_PATH)
		return by_name(d, text, a);
	switch (d->set.addressing) {
	case DIAG_BY_LID:
		if (!diag_number(text, LID_UCAST_MAX, &v) || !v)
			return cannot(d, "usage", text);
		*a = diag_addr_lid((uint16_t)v);
		return 0;
	case DIAG_BY_PATH:
		if (!diag_path(text, path, &hops))
			return cannot(d, "usage", text);
		*a = diag_addr_path(path, hops);
		return 0;
	case DIAG_BY_GUID:
		if (!diag_number(text, UINT64_MAX, &v) || !v)
			return cannot(d, "usage", text);
		return by_guid(d, text, v, a);
	}
	return cannot(d, "usage", text);
}

int
diag_address_combined(struct diag *d, const char *lid, const char *path, struct diag_addr *a)
{
	uint64_t v;
	int r = diag_open(d);

	if (r)
		return r;
	*a = (struct diag_addr){ .kind = DIAG_ADDR_COMBINED, .dr_dlid = LID_PERMISSIVE };
	if (!diag_number(lid, LID_UCAST_MAX, &v) || !v || !diag_path(path, a->path, &a->hop_count))
		return diag_fail(d, EXIT_USAGE, "usage", "can't resolve destination port %s %s", lid, path);
	a->lid = (uint16_t)v;
	a->dr_slid = diag_port(d)->lid;
	return 0;
}
