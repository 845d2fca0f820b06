/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dispatch.c - turns one message into the bytes of its reply.
 * Room: ctl.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "ctlproto/service.h"
#include "sm/ctl/dispatch.h"

#define MANAGER "io.heddle.Manager"

static const char manager_description[] =
#include "sm/ctl/manager.inc"
;

static const struct varlink_interface interfaces[] = { { MANAGER, manager_description } };
static const struct varlink_service service = {
	.vendor = "Heddle",
	.product = "heddled",
	.version = PACKAGE_VERSION,
	.url = "",
	.interfaces = interfaces,
	.ninterfaces = sizeof(interfaces) / sizeof(interfaces[0]),
};

static const struct ctl_method *
find_method(const struct ctl_table *t, const char *name)
{
	for (size_t i = 0; i < t->nmethods; i++)
		if (strcmp(t->methods[i].name, name) == 0)
			return &t->methods[i];
	return NULL;
}

/* The error a method's errno stands for; the member that its parameters must have goes to
 * '*member'. */
static const char *
error_of(int err, const char **member)
{
	*member = "reason";
	switch (err) {
	case -EINVAL:
		*member = "parameter";
		return VARLINK_INVALID_PARAMETER;
	case -EACCES:
		*member = NULL;
		return VARLINK_PERMISSION_DENIED;
	case -ENOENT:
		*member = "what";
		return MANAGER ".NotFound";
	case -EAGAIN:
		return MANAGER ".NotReady";
	}
	return MANAGER ".Failed";
}

static int
call_method(const struct ctl_table *t, const struct ctl_method *m, const struct ctl_peer *peer,
	json_t *params, json_t **reply)
{
	json_t *empty = params ? NULL : json_object();
	int err = m->call(t->arg, peer, params ? params : empty, reply);

	json_decref(empty);
	return err;
}

/* The error that a method's errno stands for, and '*reply' with the member it must have; NULL for
 * 0. */
static const char *
explain_params(int err, json_t **reply)
{
	const char *error, *member;

	if (!err)
		return NULL;
	error = error_of(err, &member);
	if (member && !json_object_get(*reply, member)) {
		json_decref(*reply);
		*reply = json_pack("{s:s}", member, strerror(-err));
	}
	return error;
}

char *
ctl_reply_write(int err, json_t *reply, size_t *len)
{
	const char *error = explain_params(err, &reply);
	char *bytes = error ? varlink_error_write(error, reply, len) :
			      varlink_reply_write(reply, false, len);

	json_decref(reply);
	return bytes;
}

char *
ctl_refusal_write(const char *reason, size_t *len)
{
	json_t *params = json_pack("{s:s}", "reason", reason);
	char *bytes = varlink_error_write(MANAGER ".TooManyClients", params, len);

	json_decref(params);
	return bytes;
}

int
ctl_dispatch(const struct ctl_table *t, const struct ctl_peer *peer, json_t *msg, char **bytes,
	size_t *len)
{
	const struct ctl_method *m;
	struct varlink_call c;
	json_t *reply = NULL;
	const char *error;
	int err = 0;

	*bytes = NULL;
	*len = 0;
	if (varlink_call_read(msg, &c))
		return -EPROTO;
	m = find_method(t, c.method);
	if (m) {
		err = call_method(t, m, peer, c.params, &reply);
		if (err == CTL_LATER)
			return c.flags & VARLINK_ONEWAY ? 0 : CTL_LATER;
		error = explain_params(err, &reply);
	} else if (!varlink_service_call(&service, &c, &error, &reply)) {
		error = varlink_service_unknown(&service, &c, &reply);
	}
	if (!(c.flags & VARLINK_ONEWAY))
		*bytes = error ? varlink_error_write(error, reply, len) : varlink_reply_write(reply, false, len);
	json_decref(reply);
	return 0;
}
