/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * own_port.h - whether the port we run on has a link: asked of its agent every second, over no
 * link.
 * Room: sm/watch.  Pure.
 *
 * No trap reaches us when the own link goes down, and requests that wait for the fabric would wait
 * for each of their tries.
 */
#ifndef HEDDLE_SM_WATCH_OWN_PORT_H
#define HEDDLE_SM_WATCH_OWN_PORT_H

#include "sm/subnet/subnet.h"

struct own_port {
	struct monotime next;           /* when the port is asked for its state */
	bool open, linked;              /* that is under way; what it said last, or a sweep saw */
};

enum own_port_change { OWN_PORT_SAME, OWN_PORT_DOWN, OWN_PORT_UP };

/* What the sweep that ends has seen; 's' NULL: nothing, the port did not answer. */
void own_port_swept(struct own_port *o, const struct subnet *n, const struct snapshot *s);
void own_port_pump(struct own_port *o, struct subnet *n);
/* Logs a change of the link and returns it: what is under way is up to the caller. */
enum own_port_change own_port_on_end(
	struct own_port *o, const struct subnet *n, const struct txn_end *e);
bool own_port_deadline(const struct own_port *o, struct monotime *at);

#endif
