/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibportstate_words.c - parses the command line of ibportstate, applies it to a PortInfo, and
 * compares both ends of a link.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "diags/core/addr.h"
#include "diags/core/status.h"
#include "diags/tools/ibportstate.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"

/* a port rejects a Set with a zero LID, so a port without a LID is given this one */
#define LID_UNLIKELY 0x1234
#define WIDTH_ALL 255

static const char *const op_words[OP_KINDS] = { "query", "enable", "disable", "on", "off", "reset",
	"down", "arm", "active" };

/* Words with a value, and the valid range of the value. */
static const struct {
	const char *word, *name;        /* 'name' is used in "invalid NAME value" */
	uint64_t min, max;
} values[SET_KINDS] = {
	[SET_SPEED] = { "speed", "speed", 0, 15 },
	/* 32 is XDR, which PortInfo has in a field of its own */
	[SET_ESPEED] = { "espeed", "extended speed", 0, 63 },
	[SET_FDR10] = { "fdr10", "fdr10 speed", 0, 1 },
	[SET_WIDTH] = { "width", "width", 0, 255 },
	[SET_VLS] = { "vls", "vls", 1, 5 },
	[SET_MTU] = { "mtu", "mtu", 1, 5 },
	[SET_LID] = { "lid", "lid", 1, LID_UCAST_MAX },
	[SET_SMLID] = { "smlid", "smlid", 1, LID_UCAST_MAX },
	[SET_LMC] = { "lmc", "lmc", 0, 7 },
	[SET_MKEY] = { "mkey", "mkey", 0, UINT64_MAX },
	[SET_MKEYLEASE] = { "mkeylease", "mkey lease time", 0, 0xffff },
	[SET_MKEYPROT] = { "mkeyprot", "mkey protection bit setting", 0, 3 },
};

const char *
portstate_op_word(enum portstate_op op)
{
	return op_words[op];
}

static int
take_value(struct diag *d, enum portstate_value i, const char *text, struct portstate_want *w)
{
	uint64_t v = 0;
	bool good = diag_number(text, values[i].max, &v) && v >= values[i].min;

	if (i == SET_MKEY && !good) {
		text = getpass("New M_Key: ");
		if (!text || !diag_number(text, UINT64_MAX, &v))
			return diag_fail(d, EXIT_USAGE, "usage", "Bad new M_Key");
		good = true;
	}
	if (i == SET_WIDTH && v > 31 && v != WIDTH_ALL)
		good = false;
	if (!good)
		return diag_fail(d, EXIT_USAGE, "usage", "invalid %s value %s", values[i].name,
			text);
	w->set |= 1u << i;
	w->value[i] = v;
	return 0;
}

static int
take_word(struct diag *d, int argc, char **argv, int *at, struct portstate_want *w)
{
	const char *word = argv[*at];

	for (unsigned i = 0; i < OP_KINDS; i++) {
		if (strcmp(word, op_words[i]))
			continue;
		if (w->has_op)
			return diag_fail(d, EXIT_USAGE, "usage",
				"%s only one of: query, enable, disable, reset, down, arm, "
				"active, can be specified", word);
		w->has_op = true;
		w->op = (enum portstate_op)i;
		return 0;
	}
	for (unsigned i = 0; i < SET_KINDS; i++) {
		if (strcmp(word, values[i].word))
			continue;
		if (++*at >= argc)
			return diag_fail(d, EXIT_USAGE, "usage",
				"%s requires an additional parameter", word);
		return take_value(d, (enum portstate_value)i, argv[*at], w);
	}
	return diag_fail(d, EXIT_USAGE, "usage", "invalid operation: %s", word);
}

int
portstate_words(struct diag *d, int argc, char **argv, struct portstate_want *w)
{
	int r = 0;

	for (int i = 0; i < argc && !r; i++)
		r = take_word(d, argc, argv, &i, w);
	return r;
}

/* ---- the change ---- */

static bool
is_set(const struct portstate_want *w, enum portstate_value i)
{
	return w->set >> i & 1;
}

static void
apply_op(enum portstate_op op, struct port_info *p)
{
	switch (op) {
	case OP_ENABLE: case OP_ON: case OP_RESET:
		p->phys_state = PHYS_STATE_POLLING;
		return;
	case OP_DISABLE: case OP_OFF:
		p->phys_state = PHYS_STATE_DISABLED;
		return;
	case OP_DOWN:
		p->state = 1;
		return;
	case OP_ARM:
		p->state = 3;
		return;
	case OP_ACTIVE:
		p->state = 4;
		return;
	case OP_QUERY: case OP_KINDS:
		return;
	}
}

void
portstate_apply(const struct portstate_want *w, bool extended, struct port_info *p)
{
	if (!p->lid || p->lid == LID_PERMISSIVE)
		p->lid = LID_UNLIKELY;
	if (!p->master_sm_lid || p->master_sm_lid == LID_PERMISSIVE)
		p->master_sm_lid = LID_UNLIKELY;
	/* Zero means "no change" in these fields. */
	p->state = p->phys_state = p->link_down_default = 0;
	p->width_enabled = is_set(w, SET_WIDTH) ? (uint8_t)w->value[SET_WIDTH] : 0;
	p->speed_enabled = is_set(w, SET_SPEED) ? (uint8_t)w->value[SET_SPEED] : 0;
	p->speed_ext_enabled = is_set(w, SET_ESPEED) &&
		extended ? (uint8_t)(w->value[SET_ESPEED] & 0x1f) : 0;
	p->speed_ext_enabled2 = is_set(w, SET_ESPEED) &&
		extended ? (uint8_t)(w->value[SET_ESPEED] >> 5) : 0;
	p->operational_vls = is_set(w, SET_VLS) ? (uint8_t)w->value[SET_VLS] : 0;
	p->client_reregister = 0;
	apply_op(w->op, p);
	if (is_set(w, SET_MTU))
		p->neighbor_mtu = (uint8_t)w->value[SET_MTU];
	if (is_set(w, SET_LID))
		p->lid = (uint16_t)w->value[SET_LID];
	if (is_set(w, SET_SMLID))
		p->master_sm_lid = (uint16_t)w->value[SET_SMLID];
	if (is_set(w, SET_LMC))
		p->lmc = (uint8_t)w->value[SET_LMC];
	if (is_set(w, SET_MKEY))
		p->mkey = w->value[SET_MKEY];
	if (is_set(w, SET_MKEYLEASE))
		p->mkey_lease_period_s = (uint16_t)w->value[SET_MKEYLEASE];
	if (is_set(w, SET_MKEYPROT))
		p->mkey_protect = (uint8_t)w->value[SET_MKEYPROT];
}

/* ---- both ends ---- */

struct best {
	unsigned bit;
	const char *word;
};

static void
rate_below(struct diag *d, const char *object, const char *code, const char *what, unsigned active,
	const char *best)
{
	json_t *detail = json_object();

	json_object_set_new(detail, "value", json_integer(active));
	json_object_set_new(detail, "expected", json_string(best));
	diag_finding(d, "warning", code, object, detail,
		"Peer ports operating at active %s %u rather than %s", what, active, best);
	fprintf(stderr, "Peer ports operating at active %s %u rather than %s\n", what, active,
		best);
}

/* Reports a problem unless the best value that both ends allow is active. 'both' and 'active' are
 * bits; 'b' lists them from best to worst. */
static void
rates_check(struct diag *d, const char *object, const char *code, const char *what, unsigned both,
	unsigned active, const struct best *b)
{
	for (; b->word; b++) {
		if (!(both & b->bit))
			continue;
		if (active != b->bit)
			rate_below(d, object, code, what, active, b->word);
		return;
	}
}

static unsigned
allowed(unsigned enabled, unsigned all, unsigned supported)
{
	return enabled == all ? supported : enabled;
}

void
portstate_compare(struct diag *d, const char *object, const struct portstate_end *a,
	const struct portstate_end *b)
{
	static const struct best widths[] = { { 8, "8 (12x)" }, { 4, "4 (8x)" }, { 2, "2 (4x)" },
		{ 16, "16 (2x)" }, { 1, "1 (1x)" }, { 0, NULL } };
	static const struct best speeds[] = { { 4, "4 (10.0 Gbps)" }, { 2, "2 (5.0 Gbps)" },
		{ 1, "1 (2.5 Gbps)" }, { 0, NULL } };
	static const struct best exts[] = { { 8, "8 (106.25 Gbps)" }, { 4, "4 (53.125 Gbps)" },
		{ 2, "2 (25.78125 Gbps)" },
		{ 1, "1 (14.0625 Gbps)" }, { 0, NULL } };
	const struct port_info *p = &a->info, *q = &b->info;

	rates_check(d, object, "width_below_enabled", "width", allowed(p->width_enabled, WIDTH_ALL,
		p->width_supported) &
		allowed(q->width_enabled, WIDTH_ALL, q->width_supported), p->width_active, widths);
	rates_check(d, object, "speed_below_enabled", "speed", allowed(p->speed_enabled,
		LINK_SPEED_ALL,
		p->speed_supported) &
		allowed(q->speed_enabled, LINK_SPEED_ALL, q->speed_supported), p->speed_active,
			speeds);
	if (a->extended && b->extended) {
		if (p->speed_ext_active2)
			return;         /* XDR is faster than all speeds compared here */
		rates_check(d, object, "speed_below_enabled", "extended speed",
			allowed(p->speed_ext_enabled, LINK_SPEED_EXT_ALL, p->speed_ext_supported) &
			allowed(q->speed_ext_enabled, LINK_SPEED_EXT_ALL, q->speed_ext_supported),
				p->speed_ext_active, exts);
	} else if (a->vendor.speed_enabled & b->vendor.speed_enabled & MLNX_SPEED_FDR10 &&
	    !(a->vendor.speed_active & MLNX_SPEED_FDR10)) {
		rate_below(d, object, "speed_below_enabled", "speed", p->speed_active, "FDR10");
	}
}
