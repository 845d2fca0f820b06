/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cas.c - the adapters of this machine.
 * Room: diags/ask.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "diags/ask/cas.h"
#include "libmad/wire/wire.h"
#include "util/xalloc.h"

#define SYSFS "/sys/class/infiniband"

/* Uses plain open() and read(), which the preloaded library of the simulator can answer. */
bool
cas_sysfs(const char *device, const char *file, char *text, size_t room)
{
	char path[320];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", SYSFS, device, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, room - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

/* Reports whether the rate of a port is given as "56 Gb/sec (4X FDR10)". */
static bool
is_fdr10(const char *device, unsigned port)
{
	char file[64], text[64], *end;

	snprintf(file, sizeof(file), "ports/%u/rate", port);
	if (!cas_sysfs(device, file, text, sizeof(text)))
		return false;
	end = strchr(text, ')');
	return end && end - text >= 5 && !strncasecmp(end - 5, "fdr10", 5);
}

static void
take_port(struct ca *c, unsigned num, const umad_port_t *p)
{
	struct ca_port *o = &c->ports[num];

	*o = (struct ca_port){
		.present = true, .state = p->state, .phys_state = p->phys_state,
		.rate_gbps = p->rate,
		.lid = p->base_lid, .lmc = p->lmc, .sm_lid = p->sm_lid,
		.cap_mask = wire_order32(p->capmask),
		.guid = wire_order64(p->port_guid), .gid_prefix = wire_order64(p->gid_prefix),
		.fdr10 = is_fdr10(c->name, num),
	};
	snprintf(o->link_layer, sizeof(o->link_layer), "%s", p->link_layer);
}

static void
take_ca(struct ca *c)
{
	umad_ca_t u;
	int r;

	errno = 0;
	r = umad_get_ca(c->name, &u);
	if (r < 0) {
		c->error = r < -1 ? -r : errno ? errno : EIO;
		return;
	}
	c->node_type = u.node_type;
	snprintf(c->type, sizeof(c->type), "%s", u.ca_type);
	snprintf(c->firmware, sizeof(c->firmware), "%s", u.fw_ver);
	snprintf(c->hardware, sizeof(c->hardware), "%s", u.hw_ver);
	c->node_guid = wire_order64(u.node_guid);
	c->sys_guid = wire_order64(u.system_guid);
	c->nports = u.numports < 0 ? 0 : (unsigned)u.numports;
	c->ports = xcalloc(c->nports + 1u, sizeof(*c->ports));
	for (unsigned i = 0; i <= c->nports && i < UMAD_CA_MAX_PORTS; i++)
		if (u.ports[i])
			take_port(c, i, u.ports[i]);
	umad_release_ca(&u);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct ca *)a)->name, ((const struct ca *)b)->name);
}

/* Uses the list of libibumad, which has no limit; the older call fills an array of fixed length. */
size_t
cas_list(struct ca **cas)
{
	struct umad_device_node *list, *u;
	size_t n = 0, i = 0;

	*cas = NULL;
	umad_init();
	list = umad_get_ca_device_list();
	for (u = list; u; u = u->next)
		n++;
	if (!n)
		return 0;
	*cas = xcalloc(n, sizeof(**cas));
	for (u = list; u; u = u->next)
		snprintf((*cas)[i++].name, CA_NAME_BYTES, "%s", u->ca_name);
	umad_free_ca_device_list(list);
	qsort(*cas, n, sizeof(**cas), by_name);
	for (i = 0; i < n; i++)
		take_ca(&(*cas)[i]);
	return n;
}

void
cas_free(struct ca *cas, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(cas[i].ports);
	free(cas);
}
