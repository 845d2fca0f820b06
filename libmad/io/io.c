/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * io.c - what the back ends have in common: the usual classes.
 * Room: libmad/io.
 */
#include <config.h>
#include "libmad/io/io.h"

struct io_class
io_class_sm(uint8_t mgmt_class)
{
	struct io_class c = io_class_client(mgmt_class);

	c.methods[0] = IO_METHOD(METHOD_GET) | IO_METHOD(METHOD_SET) | IO_METHOD(METHOD_TRAP) |
		IO_METHOD(METHOD_TRAP_REPRESS);
	return c;
}

struct io_class
io_class_sa(void)
{
	struct io_class c = io_class_client(CLASS_SA);

	c.receive_max = IO_REQUEST_MAX;
	c.methods[0] = IO_METHOD(METHOD_GET) | IO_METHOD(METHOD_SET) | IO_METHOD(METHOD_GET_TABLE) |
		IO_METHOD(METHOD_DELETE) | IO_METHOD(METHOD_GET_MULTI) |
		IO_METHOD(METHOD_GET_TRACE) | IO_METHOD(METHOD_REPORT);
	return c;
}

struct io_class
io_class_client(uint8_t mgmt_class)
{
	struct io_class c = {
		.mgmt_class = mgmt_class, .class_version = 1, .receive_max = IO_ANSWER_MAX
	};

	if (mgmt_class == CLASS_SA || mgmt_class == CLASS_CM || mgmt_class == CLASS_CC)
		c.class_version = 2;
	if (mgmt_class == CLASS_SA)
		c.rmpp_version = 1;
	if (mgmt_class >= CLASS_VENDOR2_FIRST && mgmt_class <= CLASS_VENDOR2_LAST)
		c.oui = IO_OUI_OPENIB;
	return c;
}
