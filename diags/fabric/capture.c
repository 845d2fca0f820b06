/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * capture.c - reads the attributes that reports need from a whole fabric, and stores the answers.
 * Room: diags/fabric. Many nodes are queried at a time, so an unresponsive node does not delay
 * others.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/gmp.h"
#include "diags/fabric/save.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/attr/vs_attr.h"
#include "util/xalloc.h"

#define OPEN_REQUESTS 4096u
#define KEYS_PER_BLOCK 32u
#define GUIDS_PER_BLOCK 8u
#define MFT_LIDS 32u
#define MFT_PORTS 16u
#define MFT_POSITION_SHIFT 28
#define VENDOR_MELLANOX 0x2c9

struct capturer {
	struct diag *d;
	const struct diag_fabric *f;
	struct capture *c;
	struct gmp_levels *levels;
	unsigned what;
	uint32_t next;                  /* index of the next node */
	uint64_t open;
	bool feeding;
};

struct capture_request {
	struct capturer *k;
	struct capture_key key;
	bool caps;                      /* ClassPortInfo, after which the counters are read */
};

static void nodes_feed(struct capturer *k);
static void ask_counters(struct capturer *k, uint32_t node, const struct class_port_info *caps);

bool
save_words(const char *text, unsigned *what)
{
	static const struct { const char *word; unsigned bits; } words[] = {
		{ "lft", SAVE_LFT }, { "mft", SAVE_MFT }, { "pkeys", SAVE_PKEYS },
		{ "guids", SAVE_GUIDS }, { "sm", SAVE_SM },
		{ "pma", SAVE_PMA }, { "qos", SAVE_QOS }, { "vendor", SAVE_VENDOR },
		{ "all", SAVE_ALL },
	};
	size_t n, i;

	*what = 0;
	for (; *text; text += n + (text[n] == ',')) {
		n = strcspn(text, ",");
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i].word) == n && !strncasecmp(words[i].word, text, n))
				break;
		if (i == sizeof(words) / sizeof(words[0]))
			return false;
		*what |= words[i].bits;
	}
	return *what != 0;
}

/* ---- requests ---- */

static void
on_reply(struct diag *d, void *arg, const struct diag_request *r, const struct diag_reply *reply)
{
	struct capture_request *q = arg;
	struct capturer *k = q->k;
	uint8_t data[CAPTURE_DATA_BYTES] = { 0 };
	struct class_port_info caps;
	size_t n = reply->bytes < sizeof(data) ? reply->bytes : sizeof(data);

	(void)r;
	k->open--;
	if (reply->end == DIAG_OK) {
		memcpy(data, reply->data, n);
		if (q->key.mgmt_class == CLASS_SM_LID && q->key.attr_id == SM_INFO_ID)
			memset(data + sm_info_at_sm_key / 8, 0, sm_info_bits_sm_key / 8);
		capture_add(k->c, &q->key, STATUS_OK, data, n);
		if (q->caps) {
			caps = class_port_info_decode(data);
			ask_counters(k, q->key.node, &caps);
		}
	} else if (reply->end == DIAG_STATUS) {
		capture_add(k->c, &q->key, reply->status, NULL, 0);
	}
	free(q);
	diag_progress(d, "%u of %u nodes asked", k->next, k->f->s->nnodes);
	nodes_feed(k);
}

static void
request_submit(struct capturer *k, const struct capture_key *key, const struct diag_addr *to,
	bool caps)
{
	struct capture_request *q = xcalloc(1, sizeof(*q));
	uint8_t payload[CAPTURE_DATA_BYTES] = { 0 };

	*q = (struct capture_request){ .k = k, .key = *key, .caps = caps };
	pm_set_port_select(payload, key->select);       /* 0 outside performance management */
	k->open++;
	diag_submit(k->d, &(struct diag_request){
		.to = to, .mgmt_class = key->mgmt_class == CLASS_SM_LID ? 0 : key->mgmt_class,
		.attr_id = key->attr_id, .modifier = key->modifier,
		.payload = payload, .payload_bytes = key->mgmt_class == CLASS_SM_LID ? 64 :
		sizeof(payload),
		.quiet = key->mgmt_class == CLASS_VENDOR_A,       /* not all devices have it */
	}, on_reply, q);
}

/* Sends an SMP to a port of the fabric, along the route to its node. */
static void
ask_smp(struct capturer *k, const struct fab_port *p, uint16_t attr_id, uint32_t modifier)
{
	const struct fab_node *n = fab_node_of(k->f, p);
	struct capture_key key = {
		.node = p->node, .port = fab_is_switch(n) ? 0 : p->num, .mgmt_class = CLASS_SM_LID,
		.attr_id = attr_id, .modifier = modifier,
	};
	uint8_t path[DGRAM_PATH_BYTES], hops = snapshot_port_path(k->f->s,
		(uint32_t)(p - k->f->s->ports), path);
	struct diag_addr to = diag_addr_path(path, hops);

	request_submit(k, &key, &to, false);
}

/* ---- tables ---- */

static void
keep_lft(struct capturer *k, const struct fab_node *n)
{
	struct capture_key key = { .node = (uint32_t)(n - k->f->s->nodes),
		.mgmt_class = CLASS_SM_LID, .attr_id = LFT_BLOCK_ID };

	for (uint32_t block = 0; n->lft && block < n->lft_blocks; block++) {
		key.modifier = block;
		capture_add(k->c, &key, STATUS_OK, n->lft + (size_t)block * 64, 64);
	}
}

static void
ask_mft(struct capturer *k, const struct fab_node *n)
{
	struct switch_info i = switch_info_decode(n->switch_info);
	uint32_t lids = i.mft_cap, positions = n->nports / MFT_PORTS + 1u;

	if (i.mft_top >= MLID_FIRST - 1u && i.mft_top - (MLID_FIRST - 1u) < lids)
		lids = i.mft_top - (MLID_FIRST - 1);
	for (uint32_t block = 0; block * MFT_LIDS < lids; block++)
		for (uint32_t position = 0; position < positions; position++)
			ask_smp(k, fab_port_of(k->f, n, 0), MFT_BLOCK_ID,
				block | position << MFT_POSITION_SHIFT);
}

static void
ask_pkeys(struct capturer *k, const struct fab_node *n, const struct fab_port *p)
{
	uint32_t cap = node_info_decode(n->node_info).partition_cap, high = 0;

	if (fab_is_switch(n) && p->num) {
		cap = switch_info_decode(n->switch_info).partition_enforce_cap;
		high = (uint32_t)p->num << 16;
	}
	for (uint32_t block = 0; block * KEYS_PER_BLOCK < cap; block++)
		ask_smp(k, p, PKEY_TABLE_ID, high | block);
}

static void
ask_guids(struct capturer *k, const struct fab_port *p)
{
	uint32_t cap = port_info_decode(p->info).guid_cap;

	for (uint32_t block = 0; block * GUIDS_PER_BLOCK < cap; block++)
		ask_smp(k, p, GUID_INFO_ID, block);
}

static void
ask_vl_tables(struct capturer *k, const struct fab_node *n, const struct fab_port *p)
{
	struct port_info i = port_info_decode(p->info);
	bool sw = fab_is_switch(n);

	for (uint32_t in = 0; in <= (sw ? n->nports : 0u); in++)
		ask_smp(k, p, SLVL_TABLE_ID, sw ? in << 8 | p->num : 0);
	if (sw && !p->num && !switch_info_decode(n->switch_info).enhanced_port0)
		return;
	for (uint32_t part = 1; part <= 4; part++)
		if ((part < 3 ? i.vlarb_low_cap : i.vlarb_high_cap) > (part & 1 ? 0 : 32))
			ask_smp(k, p, VLARB_TABLE_ID, part << 16 | (sw ? p->num : 0u));
}

/* ---- counters ---- */

static void
ask_pma(struct capturer *k, const struct fab_port *p, uint16_t attr_id, uint8_t select, bool caps)
{
	const struct fab_node *n = fab_node_of(k->f, p);
	struct capture_key key = {
		.node = p->node, .port = fab_is_switch(n) ? 0 : p->num, .mgmt_class = CLASS_PM,
		.attr_id = attr_id, .select = select,
	};
	struct diag_addr to = gmp_addr(k->levels, p);

	request_submit(k, &key, &to, caps);
}

static void
ask_port_counters(struct capturer *k, const struct fab_port *to, uint8_t select,
	const struct class_port_info *caps)
{
	static const uint16_t more[] = { PM_RCV_ERROR_DETAILS_ID, PM_XMIT_DISCARD_DETAILS_ID,
		PM_EXT_SPEEDS_ID };

	ask_pma(k, to, PM_PORT_COUNTERS_ID, select, false);
	if (caps->capability_mask & (PM_CLASS_CAP_EXT | PM_CLASS_CAP_EXT_NO_CAST))
		ask_pma(k, to, PM_PORT_COUNTERS_EXT_ID, select, false);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		ask_pma(k, to, more[i], select, false);
}

static void
ask_counters(struct capturer *k, uint32_t node, const struct class_port_info *caps)
{
	const struct fab_node *n = &k->f->s->nodes[node];
	bool once = false;

	for (unsigned i = 0; i <= n->nports; i++) {
		const struct fab_port *p = fab_port_of(k->f, n, i),
			*to = fab_is_switch(n) ? fab_port_of(k->f, n, 0) : p;

		/* Port 0 of any switch is read, because perfquery reads it. */
		if (!gmp_can_ask(k->f, p) && (!fab_is_switch(n) || i))
			continue;
		ask_port_counters(k, to, p->num, caps);
		if (caps->capability_mask & PM_CLASS_CAP_ALL_PORTS && !once)
			ask_port_counters(k, to, PM_PORT_ALL, caps);
		once = fab_is_switch(n);
	}
}

/* Reads ClassPortInfo from each port that has a LID; after the first answer the counters of all
 * ports are read. */
static void
ask_caps(struct capturer *k, const struct fab_node *n)
{
	bool first = true;

	for (unsigned i = fab_is_switch(n) ? 1 : 0; i <= n->nports; i++) {
		const struct fab_port *p = fab_port_of(k->f, n, i);

		if (!gmp_can_ask(k->f, p))
			continue;
		ask_pma(k, fab_is_switch(n) ? fab_port_of(k->f, n, 0) : p, ATTR_CLASS_PORT_INFO, 0,
			first);
		first = false;
		if (fab_is_switch(n))
			break;
	}
}

/* ---- nodes ---- */

static void
ask_vendor(struct capturer *k, const struct fab_node *n)
{
	const struct fab_port *p = fab_port_of(k->f, n, fab_is_switch(n) ? 0 : n->entry_port);
	struct capture_key key = { .node = p->node, .port = p->num, .mgmt_class = CLASS_VENDOR_A,
		.attr_id = VS_GENERAL_INFO_ID };
	struct diag_addr to = gmp_addr(k->levels, p);

	if (node_info_decode(n->node_info).vendor_id == VENDOR_MELLANOX &&
	    p->flags & FAB_PORT_INFO && to.lid)
		request_submit(k, &key, &to, false);
}

static void
ask_node(struct capturer *k, const struct fab_node *n)
{
	bool sw = fab_is_switch(n);

	if (sw && k->what & SAVE_LFT)
		keep_lft(k, n);
	if (sw && k->what & SAVE_MFT && n->flags & FAB_NODE_SWITCH_INFO)
		ask_mft(k, n);
	if (k->what & SAVE_PMA)
		ask_caps(k, n);
	if (k->what & SAVE_VENDOR)
		ask_vendor(k, n);
	for (unsigned i = sw ? 0 : 1; i <= n->nports; i++) {
		const struct fab_port *p = fab_port_of(k->f, n, i);
		bool end = sw ? !i : p->peer != FAB_NONE;

		/* An adapter answers for the port by which the request arrives. */
		if (!(p->flags & FAB_PORT_INFO) || (!sw && !end && n->hop_count))
			continue;
		if (k->what & SAVE_PKEYS)
			ask_pkeys(k, n, p);
		if (k->what & SAVE_GUIDS && end)
			ask_guids(k, p);
		if (k->what & SAVE_SM && end &&
		    port_info_decode(p->info).capability_mask & PORT_CAP_IS_SM)
			ask_smp(k, p, SM_INFO_ID, 0);
		if (k->what & SAVE_QOS)
			ask_vl_tables(k, n, p);
	}
}

static void
nodes_feed(struct capturer *k)
{
	if (k->feeding)
		return;
	k->feeding = true;
	while (k->next < k->f->s->nnodes && k->open < OPEN_REQUESTS) {
		const struct fab_node *n = &k->f->s->nodes[k->next++];

		if (n->hop_count != FAB_NO_PATH)
			ask_node(k, n);
	}
	k->feeding = false;
}

int
diag_capture(struct diag *d, const struct diag_fabric *f, unsigned what, const char *path)
{
	struct capturer k = { .d = d, .f = f, .c = capture_new(), .what = what };
	int r = diag_open(d);

	k.levels = gmp_levels_new(d, f);
	if (!r) {
		if (what & SAVE_PMA)
			gmp_levels_ask(k.levels);
		engine_conf(d, diag_settings(d)->outstanding, RETRY_TOOL_SWEEP);
		nodes_feed(&k);
		r = diag_run(d) ? EXIT_PARTIAL : 0;
		engine_conf(d, diag_settings(d)->outstanding, RETRY_TOOL_SINGLE);
		if (diag_save(d, f, k.c, path))
			r = EXIT_USAGE;
	}
	gmp_levels_free(k.levels);
	capture_free(k.c);
	return r;
}
