/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibsysstat.c - queries a server on another host: whether it runs, its host name, or its
 * processors.
 * Room: diags/tools.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/ask/serve.h"
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/attr.h"
#include "util/xalloc.h"

#define OUI_MAX 0xffffff
#define CPUS_MAX 256
#define WORD_BYTES 128
#define LINE_BYTES 1024

enum { ATTR_PING = 0x10, ATTR_HOST = 0x11, ATTR_CPU = 0x12 };
static const struct { const char *word; uint16_t attr_id; } operations[] = {
	{ "ping", ATTR_PING }, { "host", ATTR_HOST }, { "cpu", ATTR_CPU },
};
#define NOPERATIONS (sizeof(operations) / sizeof(operations[0]))

struct cpu {
	char model[WORD_BYTES], mhz[WORD_BYTES]; /* text after the colon in /proc/cpuinfo */
};

struct ibsysstat {
	uint64_t oui;
	bool server;
	struct cpu cpus[CPUS_MAX]; /* of this machine; used by the server */
	unsigned ncpus;
};

static void
state_init(void *state)
{
	((struct ibsysstat *)state)->oui = IO_OUI_OPENIB;
}

/* ---- server ---- */

static void
take_word(char word[static WORD_BYTES], const char *line)
{
	const char *colon = strchr(line, ':');

	if (colon)
		snprintf(word, WORD_BYTES, "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1);
}

static void
read_cpus(struct ibsysstat *my)
{
	char line[LINE_BYTES];
	FILE *f = fopen("/proc/cpuinfo", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "processor\t", 10)) {
			if (my->ncpus == CPUS_MAX)
				break;
			my->ncpus++;
		}
		if (my->ncpus && !strncmp(line, "model name\t", 11))
			take_word(my->cpus[my->ncpus - 1].model, line);
		if (my->ncpus && !strncmp(line, "cpu MHz\t", 8))
			take_word(my->cpus[my->ncpus - 1].mhz, line);
	}
	if (f)
		fclose(f);
}

static size_t
request_answer(struct diag *d, const uint8_t *request, uint8_t *data, size_t room)
{
	struct ibsysstat *my = diag_state(d);
	char line[2 * WORD_BYTES + 64];
	size_t at = 0, n;

	switch (dgram_attr_id(request)) {
	case ATTR_HOST:
		diag_host_name((char *)data, room < LINE_BYTES ? room : LINE_BYTES);
		return strlen((char *)data) + 1;
	case ATTR_CPU:
		for (unsigned i = 0; i < my->ncpus; i++) {
			n = (size_t)snprintf(line, sizeof(line), "cpu %u: model %s MHZ %s\n", i,
				my->cpus[i].model, my->cpus[i].mhz);
			if (at + n >= room)
				break;
			memcpy(data + at, line, n);
			at += n;
		}
		return at + 1;
	default:
		return 0;               /* a ping: an empty answer suffices */
	}
}

/* ---- client ---- */

/* Adds the line "cpu N: model WORDS MHZ NUMBER" to the document. Returns false if the line has
 * another format. */
static bool
cpu_row(struct diag *d, char *line)
{
	char *model = strstr(line, ": model "), *mhz = strstr(line, " MHZ ");
	json_t *o;

	if (strncmp(line, "cpu ", 4) || !model || !mhz || mhz < model)
		return false;
	*mhz = '\0';
	model += 8;
	o = json_object();
	json_object_set_new(o, "cpu", json_integer(strtol(line + 4, NULL, 10)));
	model += strspn(model, " ");
	mhz += 5;
	mhz += strspn(mhz, " ");
	attr_json_set_text(o, "model", (const uint8_t *)model, strlen(model));
	attr_json_set_text(o, "mhz", (const uint8_t *)mhz, strlen(mhz));
	diag_row(d, "cpus", o);
	return true;
}

static void
answer_show(struct diag *d, uint16_t attr_id, const uint8_t *bytes, size_t n)
{
	char *text = xcalloc(1, n + 1), *save = NULL;

	memcpy(text, bytes, n);
	for (char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p) && *p != '\n')
			*p = ' ';
	if (attr_id == ATTR_PING)
		diag_text(d, "sysstat ping succeeded\n");
	else
		diag_text(d, "%s\n", text);
	if (attr_id == ATTR_HOST)
		attr_json_set_text(diag_doc(d), "host", (const uint8_t *)text, strlen(text));
	if (attr_id == ATTR_CPU)
		for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n",
		    &save))
			cpu_row(d, line);
	free(text);
}

static int
server_ask(struct diag *d, const struct diag_addr *to, uint16_t attr_id)
{
	struct ibsysstat *my = diag_state(d);
	struct io_class c = io_class_client(CLASS_SYSSTAT);
	struct diag_request q = { .to = to, .mgmt_class = CLASS_SYSSTAT, .attr_id = attr_id,
		.oui = (uint32_t)my->oui };
	struct diag_reply r;
	char label[DIAG_LABEL_BYTES];
	int e;

	c.rmpp_version = 1;
	e = diag_class(d, &c);
	if (e)
		return e;
	e = diag_query(d, &q, &r);
	if (!e)
		answer_show(d, attr_id, r.data, r.bytes);
	diag_reply_clear(&r);
	return e ? diag_give_up(d, "ibsystat to %s", diag_label(to, label)) : EXIT_OK;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct ibsysstat *my = diag_state(d);

	if (id == 'o')
		return diag_number(value, OUI_MAX, &my->oui) ? 0 :
			diag_usage(d, "-o: \"%s\" is not a number of 24 bits", value);
	if (id != 'S')
		return -ENOENT;
	my->server = true;
	return 0;
}

static int
server_run(struct diag *d)
{
	struct ibsysstat *my = diag_state(d);
	struct io_class c = io_class_client(CLASS_SYSSTAT);

	c.rmpp_version = 1;
	c.oui = (uint32_t)my->oui;
	read_cpus(my);
	return diag_serve(d, c, request_answer);
}

static int
ibsysstat_run(struct diag *d, int argc, char **argv)
{
	struct ibsysstat *my = diag_state(d);
	struct diag_addr to;
	size_t op = 0;
	int r;

	json_object_set_new(diag_doc(d), "server", json_boolean(my->server));
	json_object_set_new(diag_doc(d), "operation", json_null());
	json_object_set_new(diag_doc(d), "target", json_null());
	json_object_set_new(diag_doc(d), "host", json_null());
	json_object_set_new(diag_doc(d), "cpus", json_array());
	if (my->server)
		return server_run(d);
	if (!argc)
		return diag_usage(d, "a LID or GUID is needed");
	while (argc > 1 && strcmp(operations[op].word, argv[1]))
		if (++op == NOPERATIONS)
			return diag_usage(d, "\"%s\" is none of ping, host, cpu", argv[1]);
	json_object_set_new(diag_doc(d), "operation", json_string(operations[op].word));
	r = diag_address(d, argv[0], &to);
	if (r)
		return r;
	json_object_set_new(diag_doc(d), "target", diag_json_addr(&to));
	return server_ask(d, &to, operations[op].attr_id);
}

static const struct diag_option options[] = {
	{ 'o', "oui", "<val>", "use specified OUI number" },
	{ 'S', "Server", NULL, "start in server mode" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibsysstat", .operands = "<dest lid|guid> [<op>]",
	.about = "queries a server on another host: whether it responds, its name, or its "
	"processors",
	.masked = "DKy", .options = options, .rows = "cpus", .option = option, .run = ibsysstat_run,
	.state_bytes = sizeof(struct ibsysstat), .init = state_init,
};
