/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * address.c - resolves operands: LID, directed route, GUID, name.
 * Room: diags/ask.
 */
#include <config.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "fabric/snapshot/snapshot.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/wire/gid.h"

static int
address_unknown(struct diag *d, const char *code, const char *text)
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
	lid = diag_settings(d)->sm_lid ? diag_settings(d)->sm_lid : diag_port(d)->sm_lid;
	if (!lid || lid > LID_UCAST_MAX)
		return diag_fail(d, EXIT_PARTIAL, "not_found",
			"no subnet manager: port %s/%u has no SM LID", diag_port(d)->ca_name,
			diag_port(d)->port);
	*a = diag_addr_lid(lid);
	a->sl = diag_port(d)->sm_sl;
	return 0;
}

/* Queries a PathRecord from the own port to 'guid' for its DLID and SL. */
int
diag_addr_guid(struct diag *d, uint64_t port_guid, struct diag_addr *a)
{
	const uint64_t mask = SA_COMP(path_record, dgid) | SA_COMP(path_record, sgid) |
		SA_COMP(path_record, num_path);
	struct path_record q = { .num_path = 1 }, p;
	uint8_t image[PATH_RECORD_BYTES] = { 0 };
	struct diag_reply r;
	uint64_t prefix;
	int e = diag_open(d);

	if (e)
		return -ENODEV;
	prefix = diag_port(d)->gid_prefix ? diag_port(d)->gid_prefix : GID_PREFIX_DEFAULT;
	gid_set(q.dgid, prefix, port_guid);
	gid_set(q.sgid, prefix, diag_port(d)->port_guid);
	path_record_encode(image, &q);
	e = diag_sa(d, METHOD_GET, PATH_RECORD_ID, mask, image, sizeof(image), &r);
	if (e == -EPROTO)
		e = -ENOENT;
	else if (!e && r.bytes < PATH_RECORD_BYTES)
		e = -EIO;
	if (!e)
		p = path_record_decode(r.data);
	diag_reply_clear(&r);
	if (e)
		return e;
	*a = diag_addr_lid(p.dlid);
	a->sl = p.sl;
	a->guid = port_guid;
	return 0;
}

/* Finds a node by its node GUID, which a node name map has: any of its end ports, by the SA. */
static int
find_by_node_guid(struct diag *d, uint64_t node_guid, struct diag_addr *a)
{
	const uint64_t mask = SA_COMP_IN(node_record, info, node_info, node_guid);
	struct node_record q = { .info.node_guid = node_guid }, n;
	uint8_t image[NODE_RECORD_BYTES] = { 0 };
	struct diag_reply r;
	int e;

	node_record_encode(image, &q);
	e = diag_sa(d, METHOD_GET_TABLE, NODE_RECORD_ID, mask, image, sizeof(image), &r);
	if (!e && !DIAG_SA_RECORDS(&r))
		e = -ENOENT;
	if (!e)
		n = node_record_decode(DIAG_SA_RECORD(&r, 0));
	diag_reply_clear(&r);
	if (e)
		return e;
	*a = diag_addr_lid(n.lid);
	a->guid = node_guid;
	return n.lid ? 0 : -ENOENT;
}

static int
find_by_guid(struct diag *d, const char *text, uint64_t guid, struct diag_addr *a)
{
	int r = diag_addr_guid(d, guid, a);

	if (r == -ENOENT && find_by_node_guid(d, guid, a) == 0) {
		diag_warn(d, EXIT_OK, "usage", NULL,
			"0x%" PRIx64 " is a node GUID; its port at LID %u is taken", guid, a->lid);
		return 0;
	}
	if (!r)
		return 0;
	address_unknown(d, r == -ENOENT ? "not_found" : r == -ETIMEDOUT ? "timeout" : "io", text);
	return diag_status(d);
}

/* Finds the first port of a node by its description in the SA. Returns 0, -ENOENT, or -EEXIST if
 * several nodes have that description. */
static int
find_by_description(struct diag *d, const char *name, struct diag_addr *a)
{
	struct diag_addr sm = diag_addr_lid(diag_settings(d)->sm_lid ? diag_settings(d)->sm_lid :
		diag_port(d)->sm_lid);
	struct diag_request q = { .to = &sm, .mgmt_class = CLASS_SA, .method = METHOD_GET_TABLE,
		.attr_id = NODE_RECORD_ID, .quiet = true };
	char buf[DIAG_NAME_BYTES];
	struct diag_reply r;
	uint64_t found = 0;
	int e = -ENOENT;

	sm.sl = diag_port(d)->sm_sl;
	if (!sm.lid || sm.lid > LID_UCAST_MAX)
		return -ENOENT;
	if (diag_query(d, &q, &r))
		r.stride = 0;
	for (size_t i = 0; i < DIAG_SA_RECORDS(&r) && r.stride >= NODE_RECORD_BYTES; i++) {
		struct node_record n = node_record_decode(DIAG_SA_RECORD(&r, i));

		if (!n.lid || strcmp(diag_name(d, n.info.node_guid, n.desc.text, buf), name))
			continue;
		if (found && found != n.info.node_guid) {
			e = -EEXIST;
			break;
		}
		if (!found || n.lid < a->lid)
			*a = diag_addr_lid(n.lid);
		found = n.info.node_guid;
		a->guid = found;
		e = 0;
	}
	diag_reply_clear(&r);
	return e;
}

static int
find_by_name(struct diag *d, const char *text, struct diag_addr *a)
{
	const char *name = !strncmp(text, "node:", 5) ? text + 5 : text;
	uint64_t guid = diag_name_guid(d, name);
	int r = diag_open(d);

	if (r)
		return r;
	r = guid ? find_by_node_guid(d, guid, a) : find_by_description(d, name, a);
	if (r == -EEXIST)
		return diag_fail(d, EXIT_USAGE, "not_found",
			"can't resolve destination port %s: several nodes are called so", text);
	return r ? address_unknown(d, "not_found", text) : 0;
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
		return find_by_guid(d, text, v, a);
	if (!isdigit((unsigned char)text[0]) && text[0] != '-' &&
	    diag_settings(d)->addressing != DIAG_BY_PATH)
		return find_by_name(d, text, a);
	switch (diag_settings(d)->addressing) {
	case DIAG_BY_LID:
		if (!diag_number(text, LID_UCAST_MAX, &v) || !v)
			return address_unknown(d, "usage", text);
		*a = diag_addr_lid((uint16_t)v);
		return 0;
	case DIAG_BY_PATH:
		if (!diag_path(text, path, &hops))
			return address_unknown(d, "usage", text);
		*a = diag_addr_path(path, hops);
		return 0;
	case DIAG_BY_GUID:
		if (!diag_number(text, UINT64_MAX, &v) || !v)
			return address_unknown(d, "usage", text);
		return find_by_guid(d, text, v, a);
	}
	return address_unknown(d, "usage", text);
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
		return diag_fail(d, EXIT_USAGE, "usage", "can't resolve destination port %s %s",
			lid, path);
	a->lid = (uint16_t)v;
	a->dr_slid = diag_port(d)->lid;
	return 0;
}
