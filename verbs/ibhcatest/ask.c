/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ask.c - the options of all commands of ibhcatest, their ranges and their combinations.
 * Room: verbs/ibhcatest.
 *
 * A new option is a row of the option table, with a range in 'ranges' if it is a number; options
 * that depend on each other are checked in options_complete().
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/ibhcatest/ibhcatest.h"

#define ROWS_MAX 64
#define MIB (UINT64_C(1) << 20)

enum {
	OPT_BACKEND = 256, OPT_LOOP, OPT_OP, OPT_CM, OPT_VALIDATE, OPT_SEED, OPT_MEMORY, OPT_EXPECT,
	OPT_HISTOGRAM, OPT_GBITS, OPT_CLIENTS, OPT_WAIT, OPT_BIND, OPT_WARMUP, OPT_PEER_TIMEOUT,
	OPT_MAX_MEMORY, OPT_MAX_DURATION, OPT_MAX_SESSION, OPT_NO_RELAY, OPT_BOTH, OPT_RETRIES,
	OPT_RATE,
};

struct row {
	unsigned sets;
	struct optab_opt opt;
};

static const struct row rows[] = {
	{ ASK_BACKEND, { 0, 0, NULL, NULL, "Device" } },
	{ ASK_BACKEND,
		{ OPT_BACKEND, 'B', "backend", "SPEC", VERBS_BACKEND_HELP " (default: verbs)" } },
	{ ASK_BACKEND, { 'd', 'd', "ib-dev", "DEVICE", "verbs device (default: the first)" } },
	{ ASK_BACKEND,
		{ 'i', 'i', "ib-port", "N",
			"port of the device (default: the first active one)" } },
	{ ASK_BACKEND,
		{ 'x', 'x', "gid-index", "N",
			"entry of the GID table (default: one that matches the other end)" } },
	{ ASK_CLIENT,
		{ OPT_LOOP, 0, "loop", "DEVICE[:PORT]",
			"run both ends in this process, the other one on DEVICE" } },
	{ ASK_TEST, { 0, 0, NULL, NULL, "Test" } },
	{ ASK_CLIENT,
		{ OPT_OP, 0, "op", "OP",
			"operation: send, write, read, atomic, cas or faa (default: send)" } },
	{ ASK_TEST, { 'c', 'c', "connection", "TYPE", "transport: RC, UC or UD (default: RC)" } },
	{ ASK_TEST, { 's', 's', "size", "BYTES", "message size" } },
	{ ASK_CLIENT,
		{ 'a', 'a', "all", NULL,
			"run all message sizes from 2 bytes to 8 MiB, powers of two" } },
	{ ASK_TEST, { 'n', 'n', "iters", "N", "messages per queue pair" } },
	{ ASK_TEST, { 'D', 'D', "duration", "SECONDS", "run for this time instead of --iters" } },
	{ ASK_CLIENT, { OPT_WARMUP, 0, "warmup", "N", "messages before the measurement begins" } },
	{ ASK_CLIENT, { 'q', 'q', "qp", "N", "number of queue pairs (bw)" } },
	{ ASK_CLIENT,
		{ 't', 't', "tx-depth", "N",
			"outstanding messages per queue pair (default: 128)" } },
	{ ASK_CLIENT,
		{ 'r', 'r', "rx-depth", "N", "posted receives per queue pair (default: 512)" } },
	{ ASK_CLIENT,
		{ 'Q', 'Q', "cq-mod", "N",
			"request a completion for every N messages (default of bw: 16)" } },
	{ ASK_CLIENT,
		{ 'I', 'I', "inline_size", "BYTES",
			"send messages up to this size inline, if the device can" } },
	{ ASK_CLIENT, { 'b', 'b', "bidirectional", NULL, "both ends send (bw)" } },
	{ ASK_CLIENT,
		{ OPT_RATE, 0, "rate_limit", "MBPS", "limit each sending end to MBPS Mb/s (bw)" } },
	{ ASK_CLIENT, { 'e', 'e', "events", NULL, "sleep until the device reports a completion" } },
	{ ASK_CLIENT,
		{ 'm', 'm', "mtu", "BYTES",
			"path MTU (default: the largest that both ports support)" } },
	{ ASK_TEST, { 'S', 'S', "sl", "N", "service level" } },
	{ ASK_CLIENT, { 'T', 'T', "tos", "N", "traffic class of the global route" } },
	{ ASK_CLIENT,
		{ 'u', 'u', "qp-timeout", "N", "ACK timeout, 4.096 us x 2^N (default: 14)" } },
	{ ASK_CLIENT,
		{ OPT_RETRIES, 0, "retries", "N", "retries of a packet, 0 to 7 (default: 7)" } },
	{ ASK_CLIENT, { 'R', 'R', "rdma_cm", NULL, "connect through the kernel's rdma_cm (RC)" } },
	{ ASK_CLIENT,
		{ OPT_CM, 0, "cm", NULL,
			"connect through ibhcatest's own communication management (RC, UC; "
			"InfiniBand)" } },
	{ ASK_CLIENT, { OPT_VALIDATE, 0, "validate", NULL, "check every received byte" } },
	{ ASK_CLIENT | ASK_PAIR, { OPT_SEED, 0, "seed", "N", "seed of the data pattern" } },
	{ ASK_CLIENT,
		{ OPT_MEMORY, 0, "memory", "MIB",
			"memory for the messages of one end (default: 32; 64 with --validate)" } },
	{ ASK_MESH, { OPT_BOTH, 0, "both", NULL, "run every pair in both directions" } },
	{ ASK_CLIENT | ASK_PEERS | ASK_SERVER, { 0, 0, NULL, NULL, "Control connection" } },
	{ ASK_CLIENT | ASK_PEERS | ASK_SERVER,
		{ 'p', 'p', "port", "N", "TCP port (default: 18515)" } },
	{ ASK_CLIENT | ASK_SERVER,
		{ OPT_BIND, 0, "bind", "ADDRESS",
			"address on which the server listens (default: all)" } },
	{ ASK_CLIENT,
		{ OPT_CLIENTS, 0, "clients", "N",
			"the server waits for N clients, which then run simultaneously" } },
	{ ASK_SERVER,
		{ OPT_CLIENTS, 0, "clients", "N",
			"maximum number of simultaneous clients (default: 16)" } },
	{ ASK_CLIENT,
		{ OPT_WAIT, 0, "wait", "SECONDS",
			"time that the server waits for its clients (default: 300; 0: forever)" } },
	{ ASK_CLIENT | ASK_PEERS | ASK_SERVER,
		{ OPT_PEER_TIMEOUT, 0, "peer-timeout", "MS",
			"time of silence after which the other end is dead (default: 2000)" } },
	{ ASK_SERVER,
		{ OPT_MAX_MEMORY, 0, "max-memory", "MIB",
			"maximum memory of a test (default: 1024)" } },
	{ ASK_SERVER,
		{ OPT_MAX_DURATION, 0, "max-duration", "SECONDS",
			"maximum duration of a run (default: 600)" } },
	{ ASK_SERVER,
		{ OPT_MAX_SESSION, 0, "max-session", "SECONDS",
			"maximum time that a client stays (default: 3600; 0: unlimited)" } },
	{ ASK_SERVER,
		{ OPT_NO_RELAY, 0, "no-relay", NULL,
			"refuse requests to run tests against other servers" } },
	{ ASK_CLIENT | ASK_PEERS | ASK_SERVER, { 0, 0, NULL, NULL, "Report" } },
	{ ASK_CLIENT | ASK_PEERS,
		{ OPT_EXPECT, 0, "expect", "TERMS",
			"FIGURE<=NUMBER[UNIT],...: exit 1 if a term does not hold; see the manual" } },
	{ ASK_CLIENT, { OPT_HISTOGRAM, 0, "histogram", NULL, "print a histogram of the times" } },
	{ ASK_CLIENT, { OPT_GBITS, 0, "report_gbits", NULL, "print Gb/s instead of MiB/s" } },
	{ ASK_CLIENT | ASK_PEERS | ASK_SERVER,
		{ 'j', 'j', "json", NULL,
			"print one JSON document to standard output (=pretty: indented)" } },
	{ ~0u, { 'h', 'h', "help", NULL, "print this help" } },
	{ ~0u, { 'V', 'V', "version", NULL, "print the version" } },
};

/* How 'bw' and 'lat' tell a client from a server from a loop: command_run() in cmd_run.c. */
static const char client_tail[] =
	"With HOST: measures to the server there.\n"
	"Without HOST: waits for the other end.\n"
	"With --loop, or with --backend soft and none of HOST, --port, --bind, --clients,\n"
	"--wait: both ends are in this process.\n";

static int __attribute__((format(printf, 2, 3)))
usage_error(const struct ask *a, const char *fmt, ...)
{
	va_list ap;
	char text[400];
	struct report r;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	report_begin(&r, a, NULL);
	if (a->empty)
		a->empty(&r);
	report_error(&r, EXIT_USAGE, "usage", "%s", text);
	return report_end(&r, NULL);
}

/* Reads "--json=pretty", as option tables have no optional arguments.  -EINVAL: another word. */
static int
json_form_read(struct ask *a, int argc, char **argv)
{
	static char plain[] = "--json";

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--json") || !strcmp(argv[i], "-j"))
			/* Applies to mistakes in earlier arguments as well. */
			a->json = a->json == ASK_PRETTY ? ASK_PRETTY : ASK_COMPACT;
		if (strncmp(argv[i], "--json=", 7))
			continue;
		a->json = ASK_COMPACT;
		if (!strcmp(argv[i] + 7, "pretty"))
			a->json = ASK_PRETTY;
		else if (strcmp(argv[i] + 7, "compact"))
			return -EINVAL;
		argv[i] = plain;
	}
	return 0;
}

static const char *long_store(struct ask *a, int id, const char *value);

/* Reads a number within the range.  False: anything else. */
static bool
number_read(const char *text, uint64_t min, uint64_t max, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 0);
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno && *v >= min && *v <= max;
}

/* Stores options that are a number within a range, in the test or in struct ask. */
static const char *
number_store(struct ask *a, int id, const char *text, bool *taken)
{
	static const struct {
		int id;
		uint64_t min, max;
		const char *wrong;
	} ranges[] = {
		{ 'n', 1, MEAS_ITERATIONS_MAX, "--iters: 1 to 10^12 is possible" },
			{ 'D', 1, MEAS_DURATION_MAX_MS / 1000, "--duration: 1 to 604800 seconds" },
		{ 'q', 1, MEAS_QPS_MAX, "--qp: 1 to 1024 are possible" },
			{ 't', 1, MEAS_DEPTH_MAX, "--tx-depth: 1 to 8192" },
		{ 'r', 1, MEAS_DEPTH_MAX, "--rx-depth: 1 to 8192" },
			{ 'Q', 1, MEAS_DEPTH_MAX, "--cq-mod: 1 to 8192" },
		{ 'I', 0, 4096, "--inline_size: 0 to 4096" }, { 'S', 0, 15, "--sl: 0 to 15" },
			{ 'T', 0, 255, "--tos: 0 to 255" },
		{ 'u', 1, 31, "--qp-timeout: 1 to 31" }, { OPT_RETRIES, 0, 7, "--retries: 0 to 7" },
		{ OPT_RATE, 1, MEAS_RATE_MAX_MBPS, "--rate_limit: 1 to 10000000 Mb/s" },
			{ 'i', 1, 254, "--ib-port: 1 to 254" },
		{ 'x', 0, 255, "--gid-index: 0 to 255" },
			{ 'p', 0, 65535, "--port: 0 (any, for a server) to 65535" },
				{ 's', 1, MEAS_SIZE_MAX, "--size: 1 byte to 8 MiB" },
		{ OPT_WARMUP, 0, MEAS_ITERATIONS_MAX, "--warmup: 0 to 10^12" },
			{ OPT_SEED, 0, UINT64_MAX, "--seed: a number" },
		{ OPT_MEMORY, 1, MEAS_MEMORY_MAX / MIB, "--memory: 1 to 65536 MiB" },
			{ OPT_CLIENTS, 1, MEAS_SESSIONS_MAX, "--clients: 1 to 256" },
		{ OPT_WAIT, 0, 604800, "--wait: 0 to 604800 seconds" },
			{ OPT_PEER_TIMEOUT, 500, 600000, "--peer-timeout: 500 to 600000 ms" },
		{ OPT_MAX_MEMORY, 1, MEAS_MEMORY_MAX / MIB, "--max-memory: 1 to 65536 MiB" },
			{ OPT_MAX_DURATION, 1, 604800, "--max-duration: 1 to 604800 seconds" },
		{ OPT_MAX_SESSION, 0, 604800, "--max-session: 0 to 604800 seconds" },
	};
	struct meas_test *t = &a->test;
	uint64_t v = 0;
	size_t i = 0;

	while (i < sizeof(ranges) / sizeof(ranges[0]) && ranges[i].id != id)
		i++;
	*taken = i < sizeof(ranges) / sizeof(ranges[0]);
	if (!*taken)
		return NULL;
	if (!number_read(text, ranges[i].min, ranges[i].max, &v))
		return ranges[i].wrong;
	switch (id) {
	case 'n': t->iterations = v; t->duration_ms = 0; a->typed_iterations = true; break;
	case 'D': t->duration_ms = (uint32_t)v * 1000; t->iterations = 0;
		a->typed_iterations = true; break;
	case 'q': t->qps = (uint32_t)v; break;
	case 't': t->tx_depth = (uint32_t)v; a->typed_depth = true; break;
	case 'r': t->rx_depth = (uint32_t)v; a->typed_depth = true; break;
	case 'Q': t->signal_every = (uint32_t)v; break;
	case 'I': t->inline_bytes = (uint32_t)v; break;
	case 'S': t->sl = (uint8_t)v; break;
	case 'T': t->traffic_class = (uint8_t)v; break;
	case 'u': t->timeout = (uint8_t)v; break;
	case OPT_RATE: t->rate_mbps = (uint32_t)v; break;
	case OPT_RETRIES: t->retries = (uint8_t)v; break;
	case 'i': a->ib_port = (unsigned)v; break;
	case 'x': a->gid_index = (int)v; break;
	case 'p': a->port = (uint16_t)v; a->server_given = true; break;
	case 's': t->nsizes = 1; t->sizes[0] = (uint32_t)v; a->typed_size = true; break;
	case OPT_WARMUP: t->warmup = v; a->typed_warmup = true; break;
	case OPT_SEED: t->seed = v; break;
	case OPT_MEMORY: t->memory_bytes = v * MIB; a->typed_memory = true; break;
	case OPT_CLIENTS: a->clients = (unsigned)v; a->server_given = true; break;
	case OPT_WAIT: a->wait_s = (uint32_t)v; a->server_given = true; break;
	case OPT_PEER_TIMEOUT: a->silence_ms = (uint32_t)v; break;
	case OPT_MAX_MEMORY: a->limits.memory_bytes = v * MIB; break;
	case OPT_MAX_DURATION: a->limits.run_ms = (uint32_t)v * 1000; break;
	case OPT_MAX_SESSION: a->limits.session_s = (uint32_t)v; break;
	}
	return NULL;
}

static const char *
letter_store(struct ask *a, int id, const char *value)
{
	int found;

	switch (id) {
	case 'd':
		if (strlen(value) >= VERBS_DEVICE_BYTES)
			return "--ib-dev: the name is too long";
		snprintf(a->device, sizeof(a->device), "%s", value);
		return NULL;
	case 'c':
		found = meas_transport_find(value);
		a->test.transport = (enum meas_transport)(found < 0 ? 0 : found);
		return found < 0 ? "--connection: RC, UC or UD" : NULL;
	case 'a':
		a->all_sizes = true;
		return NULL;
	case 'b':
		a->test.bidirectional = true;
		return NULL;
	case 'e':
		a->test.events = true;
		return NULL;
	case 'R':
		a->test.connect = MEAS_BY_RDMA_CM;
		return NULL;
	case OPT_CM:
		a->test.connect = MEAS_BY_CM;
		return NULL;
	case 'm':
		for (uint32_t m = 256; m <= 4096; m *= 2)
			if (strtoul(value, NULL, 10) == m)
				a->test.mtu_bytes = m;
		return a->test.mtu_bytes ? NULL : "--mtu: 256, 512, 1024, 2048 or 4096";
	}
	return long_store(a, id, value);
}

static const char *
long_store(struct ask *a, int id, const char *value)
{
	int found;

	switch (id) {
	case OPT_BACKEND:
		a->backend = value;
		return NULL;
	case OPT_LOOP:
		a->loop = value;
		return NULL;
	case OPT_OP:
		found = !strcmp(value, "atomic") ? MEAS_FAA : meas_op_find(value);
		a->test.op = (enum meas_op)(found < 0 ? 0 : found);
		return found < 0 ? "--op: send, write, read, atomic, cas or faa" : NULL;
	case OPT_VALIDATE:
		a->test.validate = true;
		return NULL;
	case OPT_EXPECT:
		if (a->nexpects == MEAS_TERMS_MAX)
			return "--expect: given too often";
		a->expects[a->nexpects++] = value;
		return NULL;
	case OPT_HISTOGRAM:
		a->histogram = true;
		return NULL;
	case OPT_GBITS:
		a->gbits = true;
		return NULL;
	case OPT_BIND:
		a->bind = value;
		a->server_given = true;
		return NULL;
	case OPT_NO_RELAY:
		a->no_relay = true;
		return NULL;
	case OPT_BOTH:
		a->both_directions = true;
		return NULL;
	}
	return NULL;
}

/* Checks and completes options that depend on other options. */
static const char *
options_complete(struct ask *a)
{
	static char spec[VERBS_DEVICE_BYTES + 32];
	struct meas_test *t = &a->test;

	if (a->backend && (a->device[0] || a->ib_port) && strcmp(a->backend, "verbs"))
		return "--backend names the device already: no --ib-dev, no --ib-port";
	if (a->ib_port && !a->device[0])
		return "--ib-port: of which --ib-dev?";
	if (a->device[0] && a->ib_port)
		snprintf(spec, sizeof(spec), "verbs:%.63s:%u", a->device, a->ib_port);
	else if (a->device[0])
		snprintf(spec, sizeof(spec), "verbs:%.63s", a->device);
	if (a->device[0])
		a->backend = spec;
	if (!a->backend)
		a->backend = "verbs";
	if (t->mode == MEAS_LAT && t->iterations && !a->typed_warmup && t->warmup > t->iterations /
		    10)
		t->warmup = t->iterations / 10;
	if (t->validate && !a->typed_memory)
		t->memory_bytes *= 2;
	if (meas_is_atomic(t->op)) {
		t->nsizes = 1;
		t->sizes[0] = 8;
		return a->all_sizes ? "atomic operations are of 8 bytes: no --all" : NULL;
	}
	if (!a->all_sizes)
		return NULL;
	t->nsizes = 0;
	for (uint32_t s = t->validate && t->transport != MEAS_RC ? 8 : 2; s <= MEAS_SIZE_MAX;
		    s *= 2)
		t->sizes[t->nsizes++] = s;
	return NULL;
}

static void
note_option(struct ask *a, const struct optab_opt *o, const char *value)
{
	json_t *v = value ? json_string(value) : json_true();

	json_object_set_new(a->options, o->name, v ? v : json_string("?"));     /* not UTF-8 */
}

static int
read_options(struct ask *a, const struct optab *tab, int argc, char **argv)
{
	const struct optab_opt *o;
	const char *value, *bad = NULL;
	struct optab_iter it;
	bool taken;
	int r;

	optab_begin(&it, tab, argc, argv);
	while ((r = optab_next(&it, &o, &value)) > 0 && !bad) {
		if (o->id == 'h' || o->id == 'V') {
			if (o->id == 'h')
				optab_help(stdout, tab, 0);
			else
				optab_version(stdout, tab);
			optab_end(&it);
			return EXIT_OK;
		}
		note_option(a, o, value);
		bad = number_store(a, o->id, value, &taken);
		if (!taken)
			bad = letter_store(a, o->id, value);
	}
	a->operands = argv + it.operand;
	a->noperands = (unsigned)(argc - it.operand);
	optab_end(&it);
	if (r < 0)
		return usage_error(a, "%s", optab_fault(&it));
	if (!bad)
		bad = options_complete(a);
	return bad ? usage_error(a, "%s", bad) : -1;
}

int
ask_read(struct ask *a, const char *command, const char *about, const char *const *usage,
	unsigned sets, void (*empty)(struct report *r), int argc, char **argv)
{
	static struct optab_opt opts[ROWS_MAX];
	static char program[64];
	struct optab tab = { .program = program, .usage = usage, .about = about, .opts = opts };
	char why[200];
	int r;

	memset(a, 0, sizeof(*a));
	a->command = command;
	a->empty = empty;
	a->gid_index = -1;
	a->port = MEAS_PORT;
	a->test = meas_test_default(!strcmp(command, "lat") ? MEAS_LAT : MEAS_BW);
	a->clients = sets & ASK_SERVER ? 16 : 1;
	a->wait_s = 300;
	a->silence_ms = MEAS_SILENCE_MS;
	a->limits = (struct meas_limits){ .memory_bytes = 1024 * MIB, .run_ms = 600000,
		.session_s = sets & ASK_SERVER ? 3600 : 0 };
	a->options = json_object();
	snprintf(program, sizeof(program), "ibhcatest %s", command);
	tab.tail = sets & ASK_CLIENT ? client_tail : NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].sets & sets)
			opts[tab.nopts++] = rows[i].opt;
	if (json_form_read(a, argc, argv))
		return usage_error(a, "--json: pretty or compact");
	r = read_options(a, &tab, argc, argv);
	for (unsigned i = 0; r < 0 && sets & ASK_CLIENT && i < a->nexpects; i++)
		if (meas_expect_parse(&a->expect, a->expects[i], a->test.mode == MEAS_LAT, why,
			    sizeof(why)))
			r = usage_error(a, "%s", why);
	return r;
}

void
ask_clear(struct ask *a)
{
	json_decref(a->options);
	a->options = NULL;
}
