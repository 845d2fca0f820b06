/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * service.h - org.varlink.service, the interface that every Varlink server has: it describes the
 * server and its interfaces.
 * Room: ctlproto.  Pure.
 *
 * A Varlink client asks this interface for the names and descriptions of all others, so tools such
 * as varlinkctl can call heddled without knowing it.  The server gives every call to
 * varlink_service_call() first, then to its own interfaces, and answers a call that none of them
 * handled with the error of varlink_service_unknown().  varlink.h has the messages.
 */
#ifndef HEDDLE_CTLPROTO_SERVICE_H
#define HEDDLE_CTLPROTO_SERVICE_H

#include <jansson.h>
#include <stddef.h>
#include "ctlproto/varlink.h"

#define VARLINK_INTERFACE_NOT_FOUND     "org.varlink.service.InterfaceNotFound"
#define VARLINK_METHOD_NOT_FOUND        "org.varlink.service.MethodNotFound"
#define VARLINK_INVALID_PARAMETER       "org.varlink.service.InvalidParameter"
#define VARLINK_PERMISSION_DENIED       "org.varlink.service.PermissionDenied"

/* An interface: its name and the text of its description. */
struct varlink_interface {
	const char *name, *description;
};

struct varlink_service {
	const char *vendor, *product, *version, *url;
	const struct varlink_interface *interfaces;     /* without org.varlink.service */
	size_t ninterfaces;
};

/* Answers a call of org.varlink.service.  True: it was one; '*error' is NULL or the name of an
 * error, and the caller owns '*reply'.  False: the call is for another interface. */
bool varlink_service_call(const struct varlink_service *s, const struct varlink_call *c,
	const char **error, json_t **reply);
/* Returns the error for a call that no method handled, unknown interface or unknown method, and
 * its parameters in '*reply', which the caller owns. */
const char *varlink_service_unknown(const struct varlink_service *s, const struct varlink_call *c,
	json_t **reply);

#endif
