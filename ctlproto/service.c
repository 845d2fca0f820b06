/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * service.c - org.varlink.service, the interface that every Varlink server has.
 * Room: ctlproto.  Pure.
 */
#include <config.h>
#include <string.h>
#include "ctlproto/service.h"

#define SERVICE "org.varlink.service"

static const char description[] =
	"# What every Varlink service offers\n"
	"interface org.varlink.service\n"
	"\n"
	"# Who this is and which interfaces it has\n"
	"method GetInfo() -> (\n"
	"  vendor: string,\n"
	"  product: string,\n"
	"  version: string,\n"
	"  url: string,\n"
	"  interfaces: []string\n"
	")\n"
	"\n"
	"# The description of an interface\n"
	"method GetInterfaceDescription(interface: string) -> (description: string)\n"
	"\n"
	"error InterfaceNotFound (interface: string)\n"
	"error MethodNotFound (method: string)\n"
	"error MethodNotImplemented (method: string)\n"
	"error InvalidParameter (parameter: string)\n"
	"error PermissionDenied ()\n"
	"error ExpectedMore ()\n";

static const char *
interface_description(const struct varlink_service *s, const char *name)
{
	if (strcmp(name, SERVICE) == 0)
		return description;
	for (size_t i = 0; i < s->ninterfaces; i++)
		if (strcmp(s->interfaces[i].name, name) == 0)
			return s->interfaces[i].description;
	return NULL;
}

static json_t *
get_info(const struct varlink_service *s)
{
	json_t *names = json_array();

	json_array_append_new(names, json_string(SERVICE));
	for (size_t i = 0; i < s->ninterfaces; i++)
		json_array_append_new(names, json_string(s->interfaces[i].name));
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "vendor", s->vendor, "product", s->product,
		"version", s->version, "url", s->url, "interfaces", names);
}

static const char *
get_description(const struct varlink_service *s, const struct varlink_call *c, json_t **reply)
{
	const char *name = json_string_value(json_object_get(c->params, "interface"));
	const char *text = name ? interface_description(s, name) : NULL;

	if (!name) {
		*reply = json_pack("{s:s}", "parameter", "interface");
		return VARLINK_INVALID_PARAMETER;
	}
	if (!text) {
		*reply = json_pack("{s:s}", "interface", name);
		return VARLINK_INTERFACE_NOT_FOUND;
	}
	*reply = json_pack("{s:s}", "description", text);
	return NULL;
}

bool
varlink_service_call(const struct varlink_service *s, const struct varlink_call *c,
	const char **error, json_t **reply)
{
	*error = NULL;
	if (strcmp(c->method, SERVICE ".GetInfo") == 0) {
		*reply = get_info(s);
		return true;
	}
	if (strcmp(c->method, SERVICE ".GetInterfaceDescription") == 0) {
		*error = get_description(s, c, reply);
		return true;
	}
	return false;
}

const char *
varlink_service_unknown(const struct varlink_service *s, const struct varlink_call *c,
	json_t **reply)
{
	size_t len = varlink_interface_len(c->method);
	bool known = len == strlen(SERVICE) && strncmp(c->method, SERVICE, len) == 0;

	for (size_t i = 0; i < s->ninterfaces; i++)
		known |= strlen(s->interfaces[i].name) == len &&
			strncmp(s->interfaces[i].name, c->method, len) == 0;
	if (known) {
		*reply = json_pack("{s:s}", "method", c->method);
		return VARLINK_METHOD_NOT_FOUND;
	}
	*reply = json_pack("{s:s%}", "interface", c->method, len);
	return VARLINK_INTERFACE_NOT_FOUND;
}
