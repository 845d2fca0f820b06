/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon.c - the fabric as a heddled on this host has it: without MADs, and without any privilege
 * except access to its socket.
 * Room: diags/fabric.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ctlclient/client.h"
#include "diags/ask/daemon.h"
#include "diags/core/settings.h"
#include "diags/fabric/fabric_int.h"
#include "fabric/snapshot/snapshot_json.h"
#include "libmad/io/io.h"

/* Reports whether heddled uses the port that the tool was told to use; without such an option any
 * port is accepted. */
static bool
same_port(const struct diag *d, const struct snapshot *s)
{
	struct io_port ports[64];
	int n;

	if (!diag_settings(d)->ca && diag_settings(d)->port < 0)
		return true;
	n = io_umad_list(ports, 64, NULL);
	for (int i = 0; i < n; i++)
		if (ports[i].port_guid == s->ports[s->sm_port].guid)
			return (!diag_settings(d)->ca || !strcmp(diag_settings(d)->ca,
				ports[i].ca_name)) && (diag_settings(d)->port < 0 ||
				diag_settings(d)->port == ports[i].port);
	return false;
}

int
fabric_from_daemon(struct diag *d, struct snapshot **s)
{
	char path[256], why[SNAPSHOT_WHY_BYTES];
	struct client_answer a;
	int r = -ENOENT;

	diag_daemon_socket(path, sizeof(path));
	if (access(path, F_OK))
		return -ENOENT;
	client_call(path, "io.heddle.Manager.Images", NULL, &a);
	if (a.end == CLIENT_OK)
		r = snapshot_from_json(a.params, s, why);
	client_answer_clear(&a);
	if (!r && !same_port(d, *s)) {
		snapshot_free(*s);
		*s = NULL;
		r = -ENODEV;
	}
	return r;
}
