/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * service.h - services that hosts have announced, for as long as they asked.
 * Room: sm/sub.  Pure.  In: records, time.  Out: records that are still in force.  docs/sa.md:
 * services.  A record is known by its ServiceID, ServiceGID and P_Key.
 */
#ifndef HEDDLE_SM_SUB_SERVICE_H
#define HEDDLE_SM_SUB_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"
#include "util/monotime.h"

#define SERVICES_MAX 262144u            /* of all ports */
/* of one, for those who are not trusted: less than an eighth of them */
#define SERVICES_PER_PORT_MAX 256

struct service {
	struct service_record rec;
	uint64_t port_guid;             /* of ServiceGID */
	struct monotime ends;           /* MONOTIME_NEVER: for ever */
};

struct services;
struct services *services_new(void);
void services_free(struct services *t);         /* NULL is fine */
/* It is 'now': what has expired is gone. */
void services_tick(struct services *t, struct monotime now);

/* Announces, in the place of what has the same identity.  STATUS_OK, or why not. */
uint16_t services_set(
	struct services *t, const struct service_record *rec, uint64_t port_guid, bool trusted);
/* Withdraws what has that identity; '*gone' is it.  A key that it has must be shown, but by the
 * trusted. */
uint16_t services_delete(struct services *t, const struct service_record *rec, bool trusted,
	struct service_record *gone);
/* Only those that 'keep' says yes to are left. */
void services_keep(struct services *t, bool (*keep)(void *arg, const struct service *s), void *arg);
/* Those that were announced under that GUID, a port's or an alias. */
void services_drop_gid(struct services *t, uint64_t guid);
/* In the order of identities; the lease is what is left of it, in seconds.  False: there is no
 * 'i'th. */
bool services_at(const struct services *t, uint32_t i, struct service *out);

#endif
