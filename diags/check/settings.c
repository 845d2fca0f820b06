/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settings.c - checks MTU and VLs at both ends of each link.
 * Room: diags/check.
 */
#include <config.h>
#include <inttypes.h>
#include "diags/check/check.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/sm_attr.h"

enum { STATE_ARMED = 3 };

struct ends {
	const struct fab_port *p, *q;
	struct port_info i, j;
	char a[CHECK_NAME_BYTES], b[CHECK_NAME_BYTES];
};

static unsigned
mtu_bytes(uint8_t code)
{
	return code && code <= 5 ? 128u << code : 0;
}

/* Returns the number of data VLs of a VLCap or OperationalVLs code: 1, 2, 4, 8, 15. */
static unsigned
vl_tables_check(uint8_t code)
{
	return code == 5 ? 15 : code && code < 5 ? 1u << (code - 1) : 0;
}

static struct check_about
cable_about(const struct ends *e, unsigned value, unsigned expected)
{
	return (struct check_about){ .a = e->p, .b = e->q, .value = json_integer(value),
		.expected = json_integer(expected) };
}

static void
mtu_check(struct check_run *c, const struct ends *e)
{
	uint8_t can = e->i.mtu_cap < e->j.mtu_cap ? e->i.mtu_cap : e->j.mtu_cap;
	uint8_t most = e->i.neighbor_mtu > e->j.neighbor_mtu ? e->i.neighbor_mtu :
		e->j.neighbor_mtu;
	struct check_about w;

	if (e->i.neighbor_mtu != e->j.neighbor_mtu) {
		w = cable_about(e, mtu_bytes(e->i.neighbor_mtu), mtu_bytes(e->j.neighbor_mtu));
		check_find(c, CHECK_ERROR, "mtu_mismatch", &w,
			"%s has an MTU of %u bytes, %s at the other end %u: large packets are lost",
			e->a, mtu_bytes(e->i.neighbor_mtu), e->b, mtu_bytes(e->j.neighbor_mtu));
	} else if (most > can) {
		w = cable_about(e, mtu_bytes(most), mtu_bytes(can));
		check_find(c, CHECK_ERROR, "mtu_too_large", &w,
			"%s - %s is set to an MTU of %u bytes, but one end supports only %u",
			e->a, e->b, mtu_bytes(most), mtu_bytes(can));
	} else if (most < can) {
		w = cable_about(e, mtu_bytes(most), mtu_bytes(can));
		check_find(c, CHECK_INFO, "mtu_limited", &w,
			"%s - %s is set to an MTU of %u bytes; both ends support %u", e->a, e->b,
			mtu_bytes(most),
			mtu_bytes(can));
	}
}

static void
vls_check(struct check_run *c, const struct ends *e)
{
	uint8_t can = e->i.vl_cap < e->j.vl_cap ? e->i.vl_cap : e->j.vl_cap;
	uint8_t most = e->i.operational_vls > e->j.operational_vls ? e->i.operational_vls :
		e->j.operational_vls;
	struct check_about w;

	if (e->i.operational_vls != e->j.operational_vls) {
		w = cable_about(e, vl_tables_check(e->i.operational_vls),
			vl_tables_check(e->j.operational_vls));
		check_find(c, CHECK_WARNING, "vls_mismatch", &w,
			"%s uses %u data VLs, %s at the other end %u", e->a,
			vl_tables_check(e->i.operational_vls), e->b,
			vl_tables_check(e->j.operational_vls));
	} else if (most > can) {
		w = cable_about(e, vl_tables_check(most), vl_tables_check(can));
		check_find(c, CHECK_ERROR, "vls_too_many", &w,
			"%s - %s is set to %u data VLs, but one end supports only %u", e->a, e->b,
			vl_tables_check(most),
			vl_tables_check(can));
	}
}

/* Reports ports between switches whose HOQLife is unlimited: packets that wait too long are never
 * dropped there, so that a deadlock persists. */
static void
hoq_check(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	char name[CHECK_NAME_BYTES];

	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i];
		struct port_info info = port_info_decode(p->info);

		if (p->num && fab_is_switch(fab_node_of(&c->f, p)) && check_known(p) &&
		    p->peer != FAB_NONE && info.state >= STATE_ARMED &&
		    info.hoq_life > 19 && fab_is_switch(fab_node_of(&c->f, &s->ports[p->peer])))
			check_find(c, CHECK_INFO, "hoq_endless", &(struct check_about){ .a = p,
				.value = json_integer(info.hoq_life) },
				"%s never drops packets that wait too long (HOQLife %u): a "
				"deadlock would persist", check_name(c, p, name), info.hoq_life);
	}
}

static void
settings_check(struct check_run *c)
{
	struct ends e;

	check_looked(c, "%u links", c->f.s->nlinks);
	CHECK_EACH_CABLE(c, i) {
		e.p = &c->f.s->ports[i];
		e.q = &c->f.s->ports[e.p->peer];
		e.i = port_info_decode(e.p->info);
		e.j = port_info_decode(e.q->info);
		if (e.i.state < STATE_ARMED || e.j.state < STATE_ARMED)
			continue; /* no SM has configured the link; the links check reports it */
		check_name(c, e.p, e.a);
		check_name(c, e.q, e.b);
		mtu_check(c, &e);
		vls_check(c, &e);
	}
	hoq_check(c);
}

const struct check check_settings = { .name = "settings",
	.about = "MTU and VLs that differ at the ends of a link", .flags = CHECK_REGISTERS,
	.run = settings_check };
