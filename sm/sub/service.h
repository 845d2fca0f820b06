/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * service.h - services that hosts have registered, until their lease ends.
 * Room: sm/sub.  Pure.  In: records, time.  Out: records in force.  docs/sa.md: services.
 *
 * ServiceID, ServiceGID and P_Key identify a record; registering the same identity again replaces
 * it.  Records live in memory only: after a restart, hosts register again.
 */
#ifndef HEDDLE_SM_SUB_SERVICE_H
#define HEDDLE_SM_SUB_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"
#include "util/monotime.h"

#define SERVICES_MAX 262144u            /* of all ports */
/* per untrusted port: less than an eighth of SERVICES_MAX */
#define SERVICES_PER_PORT_MAX 256

struct service {
	struct service_record rec;
	uint64_t port_guid;             /* of ServiceGID */
	struct monotime ends;           /* MONOTIME_NEVER: no end */
};

struct services;
struct services *services_new(void);
void services_free(struct services *t);         /* 't' may be NULL */
/* Sets the time and removes expired records. */
void services_tick(struct services *t, struct monotime now);

/* Registers a service, or replaces the record with the same identity.  Returns STATUS_OK, or the
 * reason for refusal. */
uint16_t services_set(
	struct services *t, const struct service_record *rec, uint64_t port_guid, bool trusted);
/* Removes the record with that identity; '*gone' is a copy.  If the record has a ServiceKey, an
 * untrusted requester must present it. */
uint16_t services_delete(struct services *t, const struct service_record *rec, bool trusted,
	struct service_record *gone);
/* Removes all records for which 'keep' returns false. */
void services_keep(struct services *t, bool (*keep)(void *arg, const struct service *s), void *arg);
/* Removes the records registered under that GUID, of a port or an alias. */
void services_drop_gid(struct services *t, uint64_t guid);
/* The 'i'th record in the order of identities; its lease is the remaining time in seconds.
 * False: there is none. */
bool services_at(const struct services *t, uint32_t i, struct service *out);

#endif
