/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * own_port.h - monitors the link of our own port: queries its agent every second.
 * Room: sm/watch.  Pure.
 *
 * The query goes over no link, so it is answered when the link is down too.  It is needed because
 * no trap reports that our own link went down, and because outstanding requests to the fabric would
 * end only after all their tries.
 */
#ifndef HEDDLE_SM_WATCH_OWN_PORT_H
#define HEDDLE_SM_WATCH_OWN_PORT_H

#include "sm/subnet/subnet.h"

struct own_port {
	struct monotime next;           /* when the port is queried next */
	bool open, linked;              /* a query is outstanding; the last known state */
};

enum own_port_change { OWN_PORT_SAME, OWN_PORT_DOWN, OWN_PORT_UP };

/* A sweep ends with snapshot 's': takes the state from it.  NULL: our port did not answer. */
void own_port_swept(struct own_port *o, const struct subnet *n, const struct snapshot *s);
void own_port_pump(struct own_port *o, struct subnet *n);
/* Logs and returns a change of the link.  The caller cancels outstanding requests. */
enum own_port_change own_port_on_end(
	struct own_port *o, const struct subnet *n, const struct txn_end *e);
bool own_port_deadline(const struct own_port *o, struct monotime *at);

#endif
