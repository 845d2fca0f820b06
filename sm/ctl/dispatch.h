/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dispatch.h - one message in, the bytes of its reply out.
 * Room: ctl, private.  No descriptor is touched here.
 */
#ifndef HEDDLE_SM_CTL_DISPATCH_H
#define HEDDLE_SM_CTL_DISPATCH_H

#include "sm/ctl/ctl.h"

struct ctl_table {
	const struct ctl_method *methods;
	size_t nmethods;
	void *arg;
};

/* Answers 'msg'.  0: '*bytes' is malloc'ed, NULL when the caller wants no reply.  CTL_LATER: the
 * caller waits for one.  -EPROTO: no call. */
int ctl_dispatch(const struct ctl_table *t, const struct ctl_peer *peer, json_t *msg, char **bytes,
	size_t *len);

/* What a client that gets no place reads instead of an answer: an error reply, malloc'ed. */
char *ctl_refusal_write(const char *reason, size_t *len);

#endif
