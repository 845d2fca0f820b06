/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gmp.c - the address of the performance agent of a port, and which ports have one.
 * Room: diags/fabric.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/gmp.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/wire/gid.h"
#include "util/xalloc.h"

struct gmp_levels {
	struct diag *d;
	const struct diag_fabric *f;
	uint8_t *of; /* by LID; NULL: not queried */
};

struct gmp_levels *
gmp_levels_new(struct diag *d, const struct diag_fabric *f)
{
	struct gmp_levels *l = xcalloc(1, sizeof(*l));

	l->d = d;
	l->f = f;
	return l;
}

void
gmp_levels_free(struct gmp_levels *l)
{
	if (!l)
		return;
	free(l->of);
	free(l);
}

int
gmp_levels_ask(struct gmp_levels *l)
{
	const uint64_t mask = SA_COMP(path_record, sgid) | SA_COMP(path_record, reversible) |
		SA_COMP(path_record, num_path);
	struct path_record q = { .num_path = 1, .reversible = 1 };
	uint8_t image[PATH_RECORD_BYTES] = { 0 };
	const struct io_port *port;
	struct diag_reply r;
	int e = diag_open(l->d);

	if (e)
		return e;
	port = diag_port(l->d);
	gid_set(q.sgid, port->gid_prefix ? port->gid_prefix : GID_PREFIX_DEFAULT, port->port_guid);
	path_record_encode(image, &q);
	e = diag_sa(l->d, METHOD_GET_TABLE, PATH_RECORD_ID, mask, image, sizeof(image), &r);
	if (e) {
		diag_reply_clear(&r);
		diag_warn(l->d, EXIT_PARTIAL, e == -EPROTO ? "mad_status" : "timeout", NULL,
			"no service levels from the SA: level 0 is used");
		return EXIT_PARTIAL;
	}
	free(l->of);
	l->of = xcalloc(LID_UCAST_MAX + 1u, 1);
	for (size_t i = 0; i < DIAG_SA_RECORDS(&r) && r.stride >= PATH_RECORD_BYTES; i++) {
		struct path_record rec = path_record_decode(DIAG_SA_RECORD(&r, i));

		if (rec.dlid <= LID_UCAST_MAX)
			l->of[rec.dlid] = rec.sl;
	}
	diag_reply_clear(&r);
	return 0;
}

bool
gmp_can_ask(const struct diag_fabric *f, const struct fab_port *p)
{
	const struct fab_node *n = fab_node_of(f, p);
	uint16_t lid = fab_lid(f, p);

	if (!(p->flags & FAB_PORT_INFO) || lid == 0 || lid > LID_UCAST_MAX)
		return false;
	if (p->num > 0)
		return true;
	return fab_is_switch(n) && n->flags & FAB_NODE_SWITCH_INFO &&
		switch_info_decode(n->switch_info).enhanced_port0;
}

struct diag_addr
gmp_addr(const struct gmp_levels *l, const struct fab_port *port)
{
	struct diag_addr a = diag_addr_lid(fab_lid(l->f, port));

	if (l->of && a.lid <= LID_UCAST_MAX)
		a.sl = l->of[a.lid];
	return a;
}
