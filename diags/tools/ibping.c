/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibping.c - sends pings to a server on another port and measures their round-trip times.
 * Room: diags/tools.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/ask/serve.h"
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/progress.h"
#include "diags/core/signals.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/attr.h"

#define HOST_BYTES 216          /* length of the data in a vendor MAD of range 2 */
#define OUI_MAX 0xffffff
#define SECOND_US 1000000
#define SLICE_US 50000

struct ibping {
	uint64_t count, oui;
	bool server, flood;
	struct {
		uint64_t sent, received, lost;
		int64_t min_us, max_us, total_us;
		char host[HOST_BYTES + 1]; /* name of the first host that answered */
	} pings;
};

static void
state_init(void *state)
{
	*(struct ibping *)state = (struct ibping){ .count = UINT_MAX, .oui = IO_OUI_OPENIB };
}

/* ---- server ---- */

static size_t
ping_answer(struct diag *d, const uint8_t *request, uint8_t *data, size_t room)
{
	char name[HOST_BYTES];

	(void)d;
	(void)request;
	diag_host_name(name, sizeof(name));
	if (room > HOST_BYTES)
		room = HOST_BYTES;
	memcpy(data, name, strnlen(name, room - 1));
	return room;
}

static int
pings_serve(struct diag *d)
{
	struct ibping *opt = diag_state(d);
	struct io_class c = io_class_client(CLASS_PING);

	c.oui = (uint32_t)opt->oui;
	return diag_serve(d, c, ping_answer);
}

/* ---- client ---- */

/* Copies the host name of an answer; control characters become blanks. */
static void
host_of(const struct diag_reply *r, char host[static HOST_BYTES + 1])
{
	size_t n = r->bytes < HOST_BYTES ? r->bytes : HOST_BYTES;

	memcpy(host, r->data, n);
	host[n] = '\0';
	for (char *p = host; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
}

static void
ping_row(struct diag *d, const char *status, const char *host, int64_t rtt_us)
{
	struct ibping *opt = diag_state(d);
	json_t *o = json_object();

	json_object_set_new(o, "sequence", json_integer((json_int_t)opt->pings.sent));
	json_object_set_new(o, "status", json_string(status));
	if (host)
		attr_json_set_text(o, "host", (const uint8_t *)host, strlen(host));
	else
		json_object_set_new(o, "host", json_null());
	json_object_set_new(o, "rtt_us", host ? json_integer(rtt_us) : json_null());
	diag_row(d, "pings", o);
}

static void
ping_lost(struct diag *d, const struct diag_addr *to, const struct diag_reply *r)
{
	struct ibping *opt = diag_state(d);
	char label[DIAG_LABEL_BYTES];
	struct diag_where w = DIAG_NOWHERE;

	opt->pings.lost++;
	if (opt->flood && opt->pings.lost > 1)
		return; /* only the first loss is reported; the summary has their number */
	w.addr = to;
	w.attribute = "Ping";
	w.mad_status = r->end == DIAG_STATUS ? r->status : 0;
	if (r->end == DIAG_TIMEOUT)
		diag_warn(d, EXIT_FINDINGS, "timeout", &w, "timeout: %s ping %" PRIu64,
			diag_label(to, label), opt->pings.sent);
	else
		diag_warn(d, EXIT_FINDINGS, r->end == DIAG_STATUS ? "mad_status" : "io", &w,
			"no answer: %s ping %" PRIu64 " (status 0x%04x)",
			diag_label(to, label), opt->pings.sent, r->status);
	if (!opt->flood)
		ping_row(d, r->end == DIAG_STATUS ? "mad_status" : "timeout", NULL, 0);
}

static void
ping_once(struct diag *d, const struct diag_addr *to)
{
	struct ibping *opt = diag_state(d);
	struct diag_request q = { .to = to, .mgmt_class = CLASS_PING, .oui = (uint32_t)opt->oui,
		.quiet = true };
	char host[HOST_BYTES + 1], label[DIAG_LABEL_BYTES];
	struct diag_reply r;
	int e;

	opt->pings.sent++;
	e = diag_query(d, &q, &r);
	if (e) {
		if (!diag_interrupted())
			ping_lost(d, to, &r);
		diag_reply_clear(&r);
		return;
	}
	host_of(&r, host);
	diag_reply_clear(&r);
	if (!opt->pings.received || r.rtt_us < opt->pings.min_us)
		opt->pings.min_us = r.rtt_us;
	if (r.rtt_us > opt->pings.max_us)
		opt->pings.max_us = r.rtt_us;
	opt->pings.total_us += r.rtt_us;
	opt->pings.received++;
	if (!opt->pings.host[0])
		memcpy(opt->pings.host, host, sizeof(host));
	if (opt->flood)
		return;
	diag_text(d, "Pong from %s (%s): time %" PRId64 ".%03" PRId64 " ms\n", host,
		diag_label(to, label), r.rtt_us / 1000, r.rtt_us % 1000);
	ping_row(d, "ok", host, r.rtt_us);
}

/* Waits for one second, or until a signal arrives. */
static void
second_wait(void)
{
	int64_t left, end = diag_now_us() + SECOND_US;
	struct timespec slice = { .tv_sec = 0 };

	while (!diag_interrupted() && (left = end - diag_now_us()) > 0) {
		slice.tv_nsec = (long)(left < SLICE_US ? left : SLICE_US) * 1000;
		nanosleep(&slice, NULL);
	}
}

static void
statistics(struct diag *d, const struct diag_addr *to, int64_t time_us)
{
	struct ibping *opt = diag_state(d);
	char label[DIAG_LABEL_BYTES];
	int64_t average = opt->pings.received ? opt->pings.total_us / (int64_t)opt->pings.received :
		0;
	uint64_t percent = opt->pings.sent ? opt->pings.lost * 100 / opt->pings.sent : 0;
	json_t *s = diag_summary(d);

	diag_text(d, "\n--- %s (%s) ibping statistics ---\n", opt->pings.host,
		diag_label(to, label));
	diag_text(d, "%" PRIu64 " packets transmitted, %" PRIu64 " received, %" PRIu64
		"%% packet loss, time %" PRId64 " ms\n", opt->pings.sent,
		opt->pings.received, percent, time_us / 1000);
	diag_text(d, "rtt min/avg/max = %" PRId64 ".%03" PRId64 "/%" PRId64 ".%03" PRId64 "/%"
		PRId64 ".%03" PRId64 " ms\n", opt->pings.min_us / 1000,
		opt->pings.min_us % 1000, average / 1000, average % 1000, opt->pings.max_us / 1000,
		opt->pings.max_us % 1000);
	json_object_set_new(s, "transmitted", json_integer((json_int_t)opt->pings.sent));
	json_object_set_new(s, "received", json_integer((json_int_t)opt->pings.received));
	json_object_set_new(s, "lost", json_integer((json_int_t)opt->pings.lost));
	json_object_set_new(s, "loss_percent", json_integer((json_int_t)percent));
	json_object_set_new(s, "time_ms", json_integer(time_us / 1000));
	json_object_set_new(s, "rtt_min_us", opt->pings.received ? json_integer(opt->pings.min_us) :
		json_null());
	json_object_set_new(s, "rtt_avg_us", opt->pings.received ? json_integer(average) :
		json_null());
	json_object_set_new(s, "rtt_max_us", opt->pings.received ? json_integer(opt->pings.max_us) :
		json_null());
	if (opt->pings.received)
		attr_json_set_text(s, "host", (const uint8_t *)opt->pings.host,
			strlen(opt->pings.host));
	else
		json_object_set_new(s, "host", json_null());
}

static int
option(struct diag *d, int id, const char *value)
{
	struct ibping *opt = diag_state(d);

	switch (id) {
	case 'c':
		return diag_number(value, UINT_MAX, &opt->count) ? 0 :
			diag_usage(d, "-c: \"%s\" is not a number", value);
	case 'o':
		return diag_number(value, OUI_MAX, &opt->oui) ? 0 :
			diag_usage(d, "-o: \"%s\" is not a number of 24 bits", value);
	case 'f':
		opt->flood = true;
		return 0;
	case 'S':
		opt->server = true;
		return 0;
	}
	return -ENOENT;
}

static int
ibping_run(struct diag *d, int argc, char **argv)
{
	struct ibping *opt = diag_state(d);
	struct diag_addr to;
	int64_t start;
	int r;

	json_object_set_new(diag_doc(d), "server", json_boolean(opt->server));
	json_object_set_new(diag_doc(d), "target", json_null());
	if (opt->server)
		return pings_serve(d);
	if (!argc)
		return diag_usage(d, "a LID or GUID is needed");
	r = diag_open(d);
	if (!r)
		r = diag_address(d, argv[0], &to);
	if (r)
		return r;
	json_object_set_new(diag_doc(d), "target", diag_json_addr(&to));
	json_object_set_new(diag_doc(d), "pings", json_array());
	diag_signals_end(d);
	start = diag_now_us();
	for (uint64_t i = 0; i < opt->count && !diag_interrupted(); i++) {
		ping_once(d, &to);
		fflush(stdout);
		if (!opt->flood)
			second_wait();
	}
	statistics(d, &to, diag_now_us() - start);
	return opt->pings.lost ? EXIT_FINDINGS : EXIT_OK;
}

static const struct diag_option options[] = {
	{ 'c', "count", "<num>", "stop after count packets" },
	{ 'f', "flood", NULL, "flood destination" },
	{ 'o', "oui", "<val>", "use specified OUI number" },
	{ 'S', "Server", NULL, "start in server mode" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibping", .operands = "<dest lid|guid>",
	.about = "pings a server on another port and measures the response time",
	.masked = "DKy", .options = options, .rows = "pings", .option = option, .run = ibping_run,
	.state_bytes = sizeof(struct ibping), .init = state_init,
};
