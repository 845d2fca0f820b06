/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_setup.c - parses the section qos-setup of qos-policy.conf: VL arbitration and SL-to-VL tables
 * for groups of ports.
 * Room: conf.  Pure.
 *
 * A table names port groups by their name, because a group may be defined later in the file. The
 * parser therefore fills drafts (qos_text.h), and the names are resolved when the whole file has
 * been read.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "sm/conf/qos_text.h"
#include "sm/conf/text/say.h"

enum { WEIGHT_MAX = 255, PORT_MAX = 254 };
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
static const char group_what[] = "the name of a port-group";

/* ---- vlarb-tables ---- */

static int
vlarb_group(struct qos_reader *r, void *arg)
{
	return qos_name_list(r, group_what, &((struct qos_draft_vlarb *)arg)->groups);
}

static int
vlarb_across(struct qos_reader *r, void *arg)
{
	return qos_name_list(r, group_what, &((struct qos_draft_vlarb *)arg)->across);
}

/* Parses "VL:WEIGHT{,VL:WEIGHT}" and appends the entries to 'out'. Returns 0 or the result of a
 * syntax error. */
static int
read_weights(struct qos_reader *r, struct conf_vlarb *out)
{
	uint64_t vl, weight = 0;
	int err;

	out->set = true;
	do {
		if (out->n == QOS_ARB_MAX)
			return qos_expected_here(r, "at most 64 entries");
		err = qos_number(r, VL_MAX, "a VL from 0 to 14, as in 0:255,1:64", &vl);
		if (!err && !qos_took(r, ':'))
			err = qos_expected_here(r, "':' and a weight");
		if (!err)
			err = qos_number(r, WEIGHT_MAX, "a weight from 0 to 255", &weight);
		if (err)
			return err;
		out->e[out->n].vl = (uint8_t)vl;
		out->e[out->n++].weight = (uint8_t)weight;
	} while (qos_more(r));
	return 0;
}

static int
vlarb_high(struct qos_reader *r, void *arg)
{
	struct qos_draft_vlarb *d = arg;

	return read_weights(r, &d->scope.high);
}

static int
vlarb_low(struct qos_reader *r, void *arg)
{
	struct qos_draft_vlarb *d = arg;

	return read_weights(r, &d->scope.low);
}

static int
vlarb_limit(struct qos_reader *r, void *arg)
{
	struct qos_draft_vlarb *d = arg;
	uint64_t v;
	int err = qos_single(r, 255, "a limit from 0 to 255", &v);

	if (err)
		return err;
	if (d->scope.has_high_limit) {
		conf_say_error(
			r->e, r->file, r->line, "expected 'vl-high-limit' once, got it twice");
		return -EINVAL;
	}
	d->scope.high_limit = (uint8_t)v;
	d->scope.has_high_limit = true;
	return 0;
}

static int
vlarb_scope(struct qos_reader *r, void *arg)
{
	static const struct qos_key keys[] = {
		{ "group", true, vlarb_group },
		{ "across", true, vlarb_across },
		{ "vlarb-high", true, vlarb_high },
		{ "vlarb-low", true, vlarb_low },
		{ "vl-high-limit", true, vlarb_limit },
	};
	struct qos_draft_vlarb d = { 0 };
	int err = qos_block(r, "vlarb-scope", keys, COUNT(keys), &d);

	(void)arg;
	if (!err && !d.groups.n && !d.across.n)
		return qos_expected(r, "a group or across in the vlarb-scope",
			(struct qos_slice){ "end-vlarb-scope", 15 });
	if (!err)
		*QOS_ADD(r, &r->d.vlarb) = d;
	return err;
}

static int
vlarb_tables(struct qos_reader *r, void *arg)
{
	static const struct qos_key keys[] = { { "vlarb-scope", false, vlarb_scope } };

	return qos_block(r, "vlarb-tables", keys, COUNT(keys), arg);
}

/* ---- sl2vl-tables ---- */

struct sl2vl_draft {
	struct qos_draft_sl2vl d;
	bool has_table, has_from, has_to;
};

static int
sl2vl_group(struct qos_reader *r, void *arg)
{
	return qos_name_list(r, group_what, &((struct sl2vl_draft *)arg)->d.groups);
}

static int
sl2vl_across_from(struct qos_reader *r, void *arg)
{
	return qos_name_list(r, group_what, &((struct sl2vl_draft *)arg)->d.across_from);
}

static int
sl2vl_across_to(struct qos_reader *r, void *arg)
{
	return qos_name_list(r, group_what, &((struct sl2vl_draft *)arg)->d.across_to);
}

static int
sl2vl_across(struct qos_reader *r, void *arg)
{
	struct sl2vl_draft *d = arg;
	uint32_t had = d->d.across_from.n;
	int err = qos_name_list(r, group_what, &d->d.across_from);

	for (uint32_t i = had; !err && i < d->d.across_from.n; i++)
		*QOS_ADD(r, &d->d.across_to) = d->d.across_from.v[i];
	return err;
}

/* Parses '*' or a list of ranges of port numbers into the bits of 'set'. */
static int
read_ports(struct qos_reader *r, uint64_t set[4])
{
	struct qos_range_list l = { 0 };
	int err;

	if (qos_took(r, '*'))
		*QOS_ADD(r, &l) = (struct qos_range){ 0, PORT_MAX };
	else if ((err = qos_range_list(
			  r, PORT_MAX, "'*' or port numbers up to 254, as in 1-4,7", &l)) < 0)
		return err;
	for (uint32_t i = 0; i < l.n; i++)
		for (uint64_t k = l.v[i].first; k <= l.v[i].last; k++)
			set[k / 64] |= UINT64_C(1) << (k % 64);
	return 0;
}

static int
sl2vl_from(struct qos_reader *r, void *arg)
{
	struct sl2vl_draft *d = arg;

	d->has_from = true;
	return read_ports(r, d->d.scope.from);
}

static int
sl2vl_to(struct qos_reader *r, void *arg)
{
	struct sl2vl_draft *d = arg;

	d->has_to = true;
	return read_ports(r, d->d.scope.to);
}

static int
sl2vl_table(struct qos_reader *r, void *arg)
{
	struct sl2vl_draft *d = arg;
	unsigned n = 0;
	uint64_t vl;
	int err;

	if (d->has_table) {
		conf_say_error(r->e, r->file, r->line, "expected 'sl2vl-table' once, got it twice");
		return -EINVAL;
	}
	d->has_table = true;
	d->d.scope.table.set = true;
	do {
		if (n == QOS_SLS)
			return qos_expected_here(r, "16 VLs");
		err = qos_number(r, QOS_VL_DROP, "a VL from 0 to 15", &vl);
		if (err)
			return err;
		d->d.scope.table.vl[n++] = (uint8_t)vl;
	} while (qos_more(r));
	return n == QOS_SLS ? 0 : qos_expected_here(r, "16 VLs");
}

static int
sl2vl_scope(struct qos_reader *r, void *arg)
{
	static const struct qos_key keys[] = {
		{ "group", true, sl2vl_group }, { "across", true, sl2vl_across },
		{ "across-from", true, sl2vl_across_from },
		{ "across-to", true, sl2vl_across_to }, { "from", true, sl2vl_from },
		{ "to", true, sl2vl_to },
		{ "sl2vl-table", true, sl2vl_table },
	};
	static const struct qos_slice end = { "end-sl2vl-scope", 15 };
	struct sl2vl_draft d = { 0 };
	int err = qos_block(r, "sl2vl-scope", keys, COUNT(keys), &d);

	(void)arg;
	if (err)
		return err;
	if (!d.has_table)
		return qos_expected(r, "an sl2vl-table in the sl2vl-scope", end);
	if (!d.d.groups.n && !d.d.across_from.n && !d.d.across_to.n)
		return qos_expected(
			r, "a group, across, across-from or across-to in the sl2vl-scope", end);
	if (!d.has_from)
		memset(d.d.scope.from, 0xff, sizeof(d.d.scope.from));
	if (!d.has_to)
		memset(d.d.scope.to, 0xff, sizeof(d.d.scope.to));
	*QOS_ADD(r, &r->d.sl2vl) = d.d;
	return 0;
}

static int
sl2vl_tables(struct qos_reader *r, void *arg)
{
	static const struct qos_key keys[] = { { "sl2vl-scope", false, sl2vl_scope } };

	return qos_block(r, "sl2vl-tables", keys, COUNT(keys), arg);
}

int
qos_setup(struct qos_reader *r, void *arg)
{
	static const struct qos_key keys[] = {
		{ "vlarb-tables", false, vlarb_tables }, { "sl2vl-tables", false, sl2vl_tables },
	};

	return qos_block(r, "qos-setup", keys, COUNT(keys), arg);
}
