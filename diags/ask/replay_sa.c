/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * replay_sa.c - answers PathRecord and NodeRecord queries from a saved fabric, with which tools
 * look up LIDs.
 * Room: diags/ask.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/replay_int.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/wire/gid.h"
#include "util/xalloc.h"

#define PATH_DGID SA_COMP(path_record, dgid)
#define PATH_IGNORED (SA_COMP(path_record, sgid) | SA_COMP(path_record, reversible) | \
	SA_COMP(path_record, num_path))
#define NODE_LID SA_COMP(node_record, lid)
#define NODE_NODE_GUID SA_COMP_IN(node_record, info, node_info, node_guid)

/* Makes the record of an end port; returns false if the query does not match. */
typedef bool make_record(const struct snapshot *s, uint32_t port, const uint8_t *query,
	uint64_t mask, uint8_t *record);

static bool
path_record(const struct snapshot *s, uint32_t port, const uint8_t *query, uint64_t mask,
	uint8_t *record)
{
	struct path_record p = path_record_decode(query);
	uint64_t guid = s->ports[port].guid;

	if (mask & PATH_DGID && gid_guid(p.dgid) != guid)
		return false;
	gid_set(p.dgid, gid_prefix(p.sgid), guid);
	p.dlid = replay_lid(s, port);
	p.slid = replay_lid(s, s->sm_port);
	p.pkey = PKEY_DEFAULT_FULL;
	p.sl = 0;
	path_record_encode(record, &p);
	return p.dlid != 0;
}

static bool
node_record(const struct snapshot *s, uint32_t port, const uint8_t *query, uint64_t mask,
	uint8_t *record)
{
	const struct fab_node *n = &s->nodes[s->ports[port].node];
	uint16_t lid = replay_lid(s, port);
	struct node_record q = node_record_decode(query);

	if ((mask & NODE_LID && q.lid != lid) || (mask & NODE_NODE_GUID &&
	    q.info.node_guid != n->guid))
		return false;
	ATTR_SET(node_record, lid, record, lid);
	memcpy(record + ATTR_AT(node_record, info), n->node_info, NODE_INFO_BYTES);
	memcpy(record + ATTR_AT(node_record, desc), n->desc, NODE_DESC_BYTES);
	return true;
}

/* Places all records one after the other after the header, as a reassembled RMPP message has
 * them. */
static size_t
records_collect(const struct snapshot *s, make_record *make, const uint8_t *query, uint64_t mask,
	size_t stride, uint8_t **out)
{
	uint8_t *v = xcalloc(SA_HEAD_BYTES + (s->nendports + 1u) * stride, 1);
	size_t n = 0;

	for (uint32_t i = 0; i < s->nendports; i++)
		n += make(s, s->endports[i], query, mask, v + SA_HEAD_BYTES + n * stride);
	*out = v;
	return n;
}

static void
request_refuse(struct dgram *d, uint16_t status, const struct dgram_sa_head *h)
{
	dgram_set_method(d->mad, dgram_method(d->mad) | METHOD_RESP);
	dgram_set_status(d->mad, status);
	dgram_sa_head_encode(d->mad, h);
}

void
replay_sa(const struct snapshot *s, struct dgram *d)
{
	struct dgram_sa_head h = dgram_sa_head_decode(d->mad);
	uint16_t attr = dgram_attr_id(d->mad);
	uint8_t method = dgram_method(d->mad), query[SA_DATA_BYTES], *v;
	bool path = attr == PATH_RECORD_ID, table = method == METHOD_GET_TABLE;
	uint64_t known = path ? PATH_DGID | PATH_IGNORED : NODE_LID | NODE_NODE_GUID;
	size_t stride = path ? PATH_RECORD_BYTES : (NODE_RECORD_BYTES + 7) / 8 * 8, n;

	if ((!path && attr != NODE_RECORD_ID) || (method != METHOD_GET && !table)) {
		request_refuse(d, STATUS_BAD_METHOD_ATTR, &h);
		return;
	}
	if (h.comp_mask & ~known) {
		request_refuse(d, STATUS_SA_COMPONENTS, &h);
		return;
	}
	memcpy(query, d->mad + SA_HEAD_BYTES, sizeof(query));
	n = records_collect(s, path ? path_record : node_record, query, h.comp_mask, stride, &v);
	h.attr_offset = (uint16_t)(stride / 8);
	request_refuse(d, n ? table || n == 1 ? STATUS_OK : STATUS_SA_TOO_MANY :
		STATUS_SA_NO_RECORDS, &h);
	memcpy(v, d->mad, SA_HEAD_BYTES);
	d->bytes = (uint32_t)(SA_HEAD_BYTES + n * stride);
	memset(d->mad + SA_HEAD_BYTES, 0, SA_DATA_BYTES);
	memcpy(d->mad, v, d->bytes < DGRAM_BYTES ? d->bytes : DGRAM_BYTES);
	if (d->bytes > DGRAM_BYTES)
		d->more = v;
	else
		free(v);
	if (!table)
		d->bytes = DGRAM_BYTES;
}
