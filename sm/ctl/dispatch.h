/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dispatch.h - turns one message into the bytes of its reply.
 * Room: ctl, private.  Touches no descriptor.
 *
 * A message is a JSON object that names a method; the table has a function for each method.
 * Everything that concerns sockets is in other files of the room, so this part can be tested with
 * messages alone.
 */
#ifndef HEDDLE_SM_CTL_DISPATCH_H
#define HEDDLE_SM_CTL_DISPATCH_H

#include "sm/ctl/ctl.h"

/* The methods of the socket, and the argument for their functions. */
struct ctl_table {
	const struct ctl_method *methods;
	size_t nmethods;
	void *arg;
};

/* Answers 'msg'.  0: '*bytes' is malloc'ed, or NULL if the caller wants no reply.  CTL_LATER:
 * the reply comes later.  -EPROTO: the message is no call. */
int ctl_dispatch(const struct ctl_table *t, const struct ctl_peer *peer, json_t *msg, char **bytes,
	size_t *len);

/* The error reply for a client that is refused a connection; malloc'ed. */
char *ctl_refusal_write(const char *reason, size_t *len);

#endif
