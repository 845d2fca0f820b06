/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cc.c - the common part of ibccquery and ibccconfig: requests with a CC_Key.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/tools/cc.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

static int
request_send(struct diag *d, const struct diag_addr *to, uint8_t method, uint16_t attr_id,
	uint32_t modifier, uint8_t *keyed)
{
	struct diag_request q = {
		.to = to, .mgmt_class = CLASS_CC, .method = method, .attr_id = attr_id,
		.modifier = modifier,
		.payload = keyed, .payload_bytes = CC_KEYED_BYTES,
	};
	const struct cc_state *cc = diag_state(d);
	struct diag_reply r;
	int e;

	wire_put64(keyed, cc->key);
	e = diag_query(d, &q, &r);
	if (!e)
		memcpy(keyed, r.data, r.bytes < CC_KEYED_BYTES ? r.bytes : CC_KEYED_BYTES);
	diag_reply_clear(&r);
	return e;
}

int
cc_get(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t keyed[static CC_KEYED_BYTES])
{
	memset(keyed, 0, CC_KEYED_BYTES);
	return request_send(d, to, METHOD_GET, attr_id, modifier, keyed);
}

int
cc_set(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t keyed[static CC_KEYED_BYTES])
{
	memset(keyed + CC_KEY_BYTES, 0, CC_DATA_OFFSET - CC_KEY_BYTES);
	return request_send(d, to, METHOD_SET, attr_id, modifier, keyed);
}

int
cc_option(struct diag *d, int id, const char *value)
{
	struct cc_state *cc = diag_state(d);

	if (id != 'c')
		return -ENOENT;
	return diag_number(value, UINT64_MAX, &cc->key) ? 0 :
		diag_usage(d, "-c: the key is not a number");
}

int
cc_switch_ports(struct diag *d, const struct diag_addr *to, const char *what, unsigned *ports)
{
	struct node_info n;
	uint8_t data[64];

	if (diag_get(d, to, NODE_INFO_ID, 0, data))
		return diag_op_failed(d, what);
	n = node_info_decode(data);
	*ports = n.num_ports;
	if (n.node_type == NODE_TYPE_SWITCH)
		return 0;
	return diag_fail(d, EXIT_PARTIAL, "unsupported", "operation %s: destination not a switch",
		diag_word(d));
}

json_t *
cc_json(struct diag *d, const struct attr_desc *desc, const uint8_t *image)
{
	void *s = xcalloc(1, desc->struct_bytes);
	json_t *o;

	desc->decode(image, s);
	o = attr_to_json(desc, s, diag_settings(d)->show_keys);
	free(s);
	return o;
}
