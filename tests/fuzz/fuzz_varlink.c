/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_varlink.c - any bytes on the control socket, in pieces whose size the first byte says.
 */
#include <config.h>
#include <string.h>
#include "ctlproto/service.h"
#include "ctlproto/varlink.h"
#include "tests/fuzz/fuzz.h"

#define MESSAGE_MAX 4096

static void
call_message_take(json_t *msg)
{
	static const struct varlink_service none = { "v", "p", "1", "", NULL, 0 };
	struct varlink_reply r;
	struct varlink_call c;
	json_t *reply = NULL;
	const char *error;

	if (varlink_call_read(msg, &c) == 0) {
		FUZZ_CHECK(varlink_interface_len(c.method) < strlen(c.method));
		if (!varlink_service_call(&none, &c, &error, &reply))
			FUZZ_CHECK(varlink_service_unknown(&none, &c, &reply));
		FUZZ_CHECK(json_is_object(reply));
		json_decref(reply);
	}
	if (varlink_reply_read(msg, &r) == 0)
		FUZZ_CHECK(!r.error || !r.continues);
	json_decref(msg);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece = size ? data[0] + 1u : 1;
	struct varlink_in in;
	json_t *msg;
	int r = 0;

	varlink_in_init(&in, MESSAGE_MAX);
	for (size_t at = 1; at < size && r >= 0; at += piece) {
		r = varlink_in_put(&in, data + at, size - at < piece ? size - at : piece);
		while (r >= 0 && (r = varlink_in_next(&in, &msg)) > 0)
			call_message_take(msg);
		FUZZ_CHECK(in.len <= MESSAGE_MAX + 256);
	}
	varlink_in_clear(&in);
	return 0;
}
