/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * serve.c - the loop of tools that answer requests of a vendor class (ibping -S, ibsysstat -S).
 * Room: diags/ask. Requests come from any node: nothing in them is trusted, and each one causes at
 * most one answer.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diags/ask/engine.h"
#include "diags/ask/serve.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/signals.h"
#include "diags/core/status.h"
#include "util/xalloc.h"

#define ANSWER_MAX 65536
/* A signal that arrives between the check and the wait is noticed after at most this time. */
#define WAIT_MS 100

static void
request_show(struct diag *d, const struct dgram *g)
{
	json_t *o;

	if (diag_settings(d)->format != DIAG_LINES)
		return;
	o = json_object();
	json_object_set_new(o, "lid", json_integer(g->addr.lid));
	json_object_set_new(o, "qpn", json_integer(g->addr.qpn));
	json_object_set_new(o, "attr_id", diag_json_hex(dgram_attr_id(g->mad), 4));
	diag_row(d, "requests", o);
	fflush(stdout);
}

/* Converts the request 'g' into its answer and sends it. */
static void
request_answer(struct diag *d, struct dgram *g, const struct io_class *c, diag_answer *answer)
{
	uint8_t *whole = xcalloc(1, ANSWER_MAX);
	struct dgram_head h = dgram_head_decode(g->mad);
	struct dgram_rmpp_head rmpp = { .version = 1, .type = RMPP_DATA,
		.flags = RMPP_FLAG_ACTIVE };
	size_t bytes = DGRAM_VENDOR2_AT + answer(d, g->mad, whole + DGRAM_VENDOR2_AT,
		(c->rmpp_version ? ANSWER_MAX : DGRAM_BYTES) - DGRAM_VENDOR2_AT);

	h.method = METHOD_GET_RESP;
	h.status = STATUS_OK;
	dgram_head_encode(whole, &h);
	dgram_set_oui(whole, dgram_oui(g->mad));
	if (bytes > DGRAM_BYTES)
		dgram_rmpp_head_encode(whole, &rmpp);
	free(g->more);
	g->more = bytes > DGRAM_BYTES ? whole : NULL;
	g->bytes = bytes > DGRAM_BYTES ? (uint32_t)bytes : DGRAM_BYTES;
	memcpy(g->mad, whole, DGRAM_BYTES);
	if (io_send(diag_io(d), g, 0) < 0)
		diag_warn(d, 0, "io", NULL, "an answer to LID %u cannot be sent", g->addr.lid);
	free(whole);
	g->more = NULL;
}

int
diag_serve(struct diag *d, struct io_class c, diag_answer *answer)
{
	json_int_t n = 0;
	struct dgram g;
	int r = diag_open(d);

	c.methods[0] = IO_METHOD(METHOD_GET);
	if (!r)
		r = diag_class(d, &c);
	if (r)
		return r;
	diag_signals_end(d);
	while (r >= 0 && !diag_interrupted()) {
		r = io_recv(diag_io(d), &g);
		if (r == 0)
			io_wait(diag_io(d), WAIT_MS);
		if (r <= 0)
			continue;
		if (!g.status && dgram_class(g.mad) == c.mgmt_class &&
		    dgram_method(g.mad) == METHOD_GET) {
			n++;
			request_show(d, &g);
			request_answer(d, &g, &c, answer);
		}
		free(g.more);
	}
	json_object_set_new(diag_summary(d), "requests", json_integer(n));
	return r < 0 ? diag_fail(d, EXIT_FATAL, "io", "the device is gone") : EXIT_OK;
}

void
diag_host_name(char *buf, size_t room)
{
	char domain[65] = "";
	size_t n;

	if (gethostname(buf, room) < 0)
		snprintf(buf, room, "?hostname?");
	buf[room - 1] = '\0';
	if (getdomainname(domain, sizeof(domain) - 1) < 0 || !domain[0] ||
	    !strcmp(domain, "(none)"))
		return;
	n = strlen(buf);
	snprintf(buf + n, room - n, ".%s", domain);
}
