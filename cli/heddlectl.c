/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * heddlectl.c - command lines, calls to heddled, exit statuses.
 * Room: cli.
 *
 * Each command is a row of 'commands': the method that it calls, the function that prints the
 * answer, and the function that derives an exit status from it.  A new command is a new row;
 * show.c has the functions that print.
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ctlclient/client.h"
#include "cli/export.h"
#include "cli/heddlectl.h"
#include "cli/show.h"
#include "sm/conf/conf.h"
#include "util/nearest.h"
#include "util/optab.h"
#include "util/xalloc.h"

#define MANAGER "io.heddle.Manager."
#define OPERANDS_MAX 2
#define WAIT_DEFAULT_S 60
#define WAIT_MAX_S (7 * 86400)
#define POLL_MS 100

enum { O_SOCKET = 1, O_JSON, O_TIMEOUT, O_HOSTS, O_YES, O_HELP, O_VERSION };

static const struct optab_opt opts[] = {
	{ 0, 0, NULL, NULL, "Options" },
	{ O_SOCKET, 0, "socket", "PATH",
		"Socket of the daemon (default $RUNTIME_DIRECTORY/heddled.sock, or "
		HEDDLE_RUNDIR "/heddled.sock)" },
	{ O_JSON, 'j', "json", NULL, "Print one JSON document instead of text" },
	{ O_TIMEOUT, 0, "timeout", "S",
		"With wait, release and topology: give up after S seconds (default 60; 0: no "
		"limit)" },
	{ O_HOSTS, 0, "hosts", NULL,
		"With export: only paths between channel adapters, not of switches and routers" },
	{ O_YES, 0, "yes", NULL,
		"With topology adopt and rebalance: do it; otherwise only show what is there" },
	{ O_HELP, 'h', "help", NULL, "Print this text and exit" },
	{ O_VERSION, 0, "version", NULL, "Print the version and exit" },
};

static const char *const usage[] = { "[OPTION]... status", "[OPTION]... snapshot",
	"[OPTION]... trace SRC DST",
	"[OPTION]... wait up [--timeout S]", "[OPTION]... sweep | reroute",
	"[OPTION]... release [--timeout S]",
	"[OPTION]... resume", "[OPTION]... key PORT", "[OPTION]... export paths DIR [--hosts]",
	"[OPTION]... topology show", "[OPTION]... topology adopt [--yes] [--timeout S]",
	"[OPTION]... topology rebalance [--yes] [--timeout S]", NULL };

static const struct optab tab = {
	.program = "heddlectl",
	.usage = usage,
	.about = "Queries and controls a running heddled",
	.opts = opts,
	.nopts = sizeof(opts) / sizeof(opts[0]),
	.tail = "Commands:\n"
		"  status      state of the daemon and of the subnet, nodes with problems\n"
		"  snapshot    nodes, ports and links found by the last heavy sweep\n"
		"  trace       path between two ports: each a LID, a GUID or a description\n"
		"  wait up     waits until the subnet is up\n"
		"  sweep       starts a heavy sweep\n"
		"  reroute     recomputes all routes\n"
		"  release     removes the M_Keys from all ports and stops being master, so that\n"
		"              another subnet manager can take over\n"
		"  resume      rejoins the master election after release\n"
		"  key         M_Key of a port (a LID, a GUID or a description), for tools that write\n"
		"  export      writes all paths to files in DIR, for ibacm and for programs\n"
		"  topology    show: the topology that routes are made for, what is missing and\n"
		"              what is new; adopt: take the fabric as it is as intended;\n"
		"              rebalance: add what is new, keep what is missing, move routes\n"
		"\n"
		"Exit status: 0 ok, 1 the subnet is not up (trace: unreachable, or partitions forbid\n"
		"the path), 2 usage, 3 up but some node could not be configured, 255 heddled\n"
		"cannot be reached.\n",
};

struct run {
	FILE *out, *err;
	const char *socket;             /* NULL: the default */
	bool json;
	bool hosts;
	bool yes;
	bool timeout_set;
	double timeout_s;               /* 0: no limit */
	const char *operands[OPERANDS_MAX];
	struct timespec start;
};

struct command {
	const char *name;
	const char *form;               /* the words that select it */
	const char *method;
	const char *operands[OPERANDS_MAX];     /* names of its parameters; NULL after the last */
	void (*show)(FILE *f, const json_t *params);
	int (*verdict)(const json_t *params);   /* the exit status that an answer stands for */
};

static int
verdict_status(const json_t *params)
{
	const char *subnet = json_string_value(json_object_get(params, "subnet"));

	if (subnet && strcmp(subnet, "up") == 0)
		return EXIT_OK;
	return subnet && strcmp(subnet, "partial") == 0 ? EXIT_PARTIAL : EXIT_FINDINGS;
}

static int
verdict_trace(const json_t *params)
{
	const json_t *partition = json_object_get(params, "partition");

	if (!json_is_true(json_object_get(params, "reached")))
		return EXIT_FINDINGS;
	return json_is_object(partition) && !json_is_true(json_object_get(partition, "allowed")) ?
		EXIT_FINDINGS : EXIT_OK;
}

/* True when a status reports that the ports were released. */
static bool
is_released(const json_t *status)
{
	const char *word = json_string_value(json_object_get(json_object_get(status, "keys"),
		"released"));

	return word && strcmp(word, "done") == 0;
}

static int
verdict_released(const json_t *status)
{
	if (!is_released(status))
		return EXIT_FINDINGS;
	return json_integer_value(json_object_get(json_object_get(status, "keys"), "protected")) ?
		EXIT_PARTIAL : EXIT_OK;
}

static const struct command commands[] = {
	{ "status", "status", MANAGER "Status", { NULL }, show_status, verdict_status },
	{ "snapshot", "snapshot", MANAGER "Snapshot", { NULL }, show_snapshot, NULL },
	{ "trace", "trace SRC DST", MANAGER "Trace", { "source", "destination" }, show_trace,
		verdict_trace },
	{ "wait", "wait up [--timeout S]", MANAGER "Status", { "up" }, NULL, verdict_status },
	{ "sweep", "sweep", MANAGER "Sweep", { NULL }, NULL, NULL },
	{ "reroute", "reroute", MANAGER "Reroute", { NULL }, NULL, NULL },
	{ "release", "release [--timeout S]", MANAGER "Release", { NULL }, show_released,
		verdict_released },
	{ "resume", "resume", MANAGER "Resume", { NULL }, NULL, NULL },
	{ "key", "key PORT", MANAGER "Key", { "port" }, show_key, NULL },
	{ "export", "export paths DIR [--hosts]", NULL, { "paths", "directory" }, NULL, NULL },
	{ "topology", "topology show|adopt|rebalance [--yes]", MANAGER "Topology", { "action" },
		show_topology, NULL },
};
#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))
#define STATUS (&commands[0])
#define WAIT (&commands[3])
#define RELEASE (&commands[6])
#define EXPORT (&commands[9])
#define TOPOLOGY (&commands[10])

static double
since_s(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void
put_json(FILE *f, json_t *document)
{
	json_dumpf(document, f, JSON_INDENT(1));
	fputc('\n', f);
	json_decref(document);
}

static json_t *
error_entry(const char *code, const char *message)
{
	return json_pack("{s:s, s:s, s:n, s:n, s:n, s:n, s:s%}", "severity", "error", "code", code,
	"target",
		"attribute", "modifier", "mad_status", "message", message, strlen(message));
}

/* Puts the answer into the envelope that all programs use for JSON; 'name' is the member that
 * holds 'params'. */
static void
put_document(const struct run *r, const char *name, json_t *params, const char *code,
	const char *message, int status)
{
	json_t *errors = json_array(), *doc;
	time_t now = time(NULL);
	char stamp[32] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (code)
		json_array_append_new(errors, error_entry(code, message));
	doc = json_pack(
		"{s:s, s:s, s:{s:s, s:s}, s:s, s:I, s:s, s:n, s:n, s:n, s:i, s:b, s:o, s:[]}",
		"schema", "heddle.heddlectl", "schema_version", "1.0",
		"tool", "name", "heddlectl", "version", PACKAGE_VERSION, "time", stamp,
		"wall_ms", (json_int_t)(since_s(&r->start) * 1000), "source", "daemon",
		"local", "options", "mads", "exit_status", status, "incomplete", code != NULL,
		"errors", errors, "findings");
	if (!doc)
		bug("heddlectl: no document");
	json_object_set_new(doc, "summary", name ? json_pack("{s:s}", "command", name) :
		json_null());
	if (name)
		json_object_set(doc, name, params ? params : json_null());
	put_json(r->out, doc);
}

static int
fail_print(const struct run *r, const char *name, const char *code, int status, const char *message)
{
	size_t len = strcspn(message, "\n");
	char line[512];

	snprintf(line, sizeof(line), "%.*s", (int)(len < sizeof(line) ? len : sizeof(line) - 1),
		message);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127)
			*p = '?';
	fprintf(r->err, "%s%s\n", strncmp(line, "heddlectl: ", 11) == 0 ? "" : "heddlectl: ", line);
	if (r->json)
		put_document(r, name, NULL, code, line, status);
	return status;
}

/* The exit status of a failed call, and the word for it in JSON. */
static int
failed_status(const struct client_answer *a, const char **code)
{
	*code = "io";
	if (a->end != CLIENT_ERROR)
		return EXIT_FATAL;
	if (strcmp(a->error, MANAGER "NotFound") == 0) {
		*code = "not_found";
		return EXIT_USAGE;
	}
	if (strcmp(a->error, MANAGER "TooManyClients") == 0)
		return EXIT_FATAL;
	if (strcmp(a->error, "org.varlink.service.InvalidParameter") == 0) {
		*code = "usage";
		return EXIT_USAGE;
	}
	if (strncmp(a->error, "org.varlink.service.", 20) == 0) {
		*code = strcmp(a->error, "org.varlink.service.PermissionDenied") == 0 ? "io" :
			"unsupported";
		return EXIT_FATAL;
	}
	*code = "internal";
	return EXIT_FINDINGS;
}

static const char *
socket_path(const struct run *r, char *buf, size_t len)
{
	struct conf *c;

	if (r->socket)
		return r->socket;
	c = conf_default();
	snprintf(buf, len, "%s/heddled.sock", conf_runtime_dir(c));
	conf_free(c);
	return buf;
}

static void
command_call(const struct run *r, const struct command *c, struct client_answer *a)
{
	json_t *params = json_object();
	char path[600];

	for (size_t i = 0; c != WAIT && c != TOPOLOGY && i < OPERANDS_MAX && c->operands[i]; i++) {
		json_t *text = json_string(r->operands[i]);

		if (!text) {
			*a = (struct client_answer){ .end = CLIENT_ERROR, .error = MANAGER
				"NotFound" };
			snprintf(a->why, sizeof(a->why), "a name is not UTF-8");
			json_decref(params);
			return;
		}
		json_object_set_new(params, c->operands[i], text);
	}
	client_call(socket_path(r, path, sizeof(path)), c->method, params, a);
	json_decref(params);
}

/* Prints the answer.  Returns the exit status. */
static int
answer_finish(const struct run *r, const struct command *c, const struct client_answer *a)
{
	const char *code;
	int status;

	if (a->end != CLIENT_OK) {
		status = failed_status(a, &code);
		return fail_print(r, c->name, code, status, a->why);
	}
	status = c->verdict ? c->verdict(a->params) : EXIT_OK;
	if (r->json)
		put_document(r, c->name, a->params, NULL, NULL, status);
	else if (c->show)
		c->show(r->out, a->params);
	return fflush(r->out) || ferror(r->out) ? EXIT_FATAL : status;
}

static int
run_once(const struct run *r, const struct command *c)
{
	struct client_answer a;
	int status;

	command_call(r, c, &a);
	status = answer_finish(r, c, &a);
	client_answer_clear(&a);
	return status;
}

/* Polls until the subnet is up, completely or in part.  Continues while no daemon listens yet. */
static int
run_wait(const struct run *r)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	double limit = r->timeout_set ? r->timeout_s : WAIT_DEFAULT_S;
	struct client_answer a;
	int status;

	for (;;) {
		command_call(r, WAIT, &a);
		if (a.end == CLIENT_OK && verdict_status(a.params) != EXIT_FINDINGS)
			break;
		if ((a.end == CLIENT_ERROR && strcmp(a.error, MANAGER "TooManyClients") != 0) ||
			    (limit > 0 && since_s(&r->start) >= limit))
			break;
		client_answer_clear(&a);
		nanosleep(&pause, NULL);
	}
	status = answer_finish(r, WAIT, &a);
	if (status == EXIT_FINDINGS && a.end == CLIENT_OK)
		fprintf(r->err, "heddlectl: the subnet is not up after %.3g s\n", limit);
	client_answer_clear(&a);
	return status;
}

/* Requests the release and polls until it is complete: other managers must not start earlier. */
static int
run_release(const struct run *r)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	double limit = r->timeout_set ? r->timeout_s : WAIT_DEFAULT_S;
	struct client_answer a;
	int status;

	command_call(r, RELEASE, &a);
	while (a.end == CLIENT_OK) {
		client_answer_clear(&a);
		command_call(r, STATUS, &a);
		if (a.end != CLIENT_OK || is_released(a.params) ||
			    (limit > 0 && since_s(&r->start) >= limit))
			break;
		nanosleep(&pause, NULL);
	}
	status = answer_finish(r, RELEASE, &a);
	if (status == EXIT_FINDINGS && a.end == CLIENT_OK)
		fprintf(r->err, "heddlectl: not released after %.3g s\n", limit);
	client_answer_clear(&a);
	return status;
}

/* ---- topology ---- */

static bool
is_action(const struct run *r, const char *action)
{
	return strcmp(r->operands[0], action) == 0;
}

static void
method_call(const struct run *r, const char *method, struct client_answer *a)
{
	json_t *params = json_object();
	char path[600];

	client_call(socket_path(r, path, sizeof(path)), method, params, a);
	json_decref(params);
}

/* Polls until the sweep that does it has ended.  False: not before the timeout; '*a' is the last
 * answer. */
static bool
topology_await(const struct run *r, struct client_answer *a)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	double limit = r->timeout_set ? r->timeout_s : WAIT_DEFAULT_S;

	for (;;) {
		const char *command;

		method_call(r, TOPOLOGY->method, a);
		if (a->end != CLIENT_OK)
			return true;
		command = json_string_value(json_object_get(a->params, "command"));
		if (!command || strcmp(command, "none") == 0)
			return true;
		if (limit > 0 && since_s(&r->start) >= limit)
			return false;
		client_answer_clear(a);
		nanosleep(&pause, NULL);
	}
}

/* The counts before and after, and what is still missing or pending. */
static int
topology_finish(
	const struct run *r, const json_t *before, const struct client_answer *a, bool ended)
{
	int status = ended ? EXIT_OK : EXIT_FINDINGS;

	if (r->json) {
		json_t *o = json_pack("{s:O, s:O}", "before", before, "after", a->params);

		put_document(r, TOPOLOGY->name, o, NULL, NULL, status);
		json_decref(o);
	} else if (ended) {
		fputs("Before\n", r->out);
		show_topology_counts(r->out, before);
		fputs("After\n", r->out);
		show_topology(r->out, a->params);
	}
	if (!ended)
		fprintf(r->err, "heddlectl: topology %s has not ended\n", r->operands[0]);
	return fflush(r->out) || ferror(r->out) ? EXIT_FATAL : status;
}

static int
topology_change(const struct run *r, const json_t *before)
{
	struct client_answer a;
	int status;
	bool ended;

	method_call(r,
		is_action(r, "adopt") ? MANAGER "TopologyAdopt" : MANAGER "TopologyRebalance", &a);
	if (a.end != CLIENT_OK) {
		status = answer_finish(r, TOPOLOGY, &a);
		client_answer_clear(&a);
		return status;
	}
	client_answer_clear(&a);
	ended = topology_await(r, &a);
	status = a.end == CLIENT_OK ? topology_finish(r, before, &a, ended) :
		answer_finish(r, TOPOLOGY, &a);
	client_answer_clear(&a);
	return status;
}

/* adopt and rebalance move the routes of running jobs: without --yes they only show. */
static int
run_topology(const struct run *r)
{
	struct client_answer a;
	int status;

	method_call(r, TOPOLOGY->method, &a);
	if (a.end == CLIENT_OK && !is_action(r, "show") && r->yes) {
		status = topology_change(r, a.params);
	} else {
		status = answer_finish(r, TOPOLOGY, &a);
		if (status == EXIT_OK && !is_action(r, "show")) {
			fprintf(r->err,
				"heddlectl: nothing was changed; topology %s --yes does it\n",
				r->operands[0]);
			status = EXIT_FINDINGS;
		}
	}
	client_answer_clear(&a);
	return status;
}

static int
run_export(const struct run *r)
{
	struct export_sum sum = { 0 };
	struct client_answer a = { .end = CLIENT_OK };
	char path[600];
	enum export_end end = export_paths(socket_path(r, path, sizeof(path)), r->operands[1],
		r->hosts, &sum, &a);
	int status = EXIT_OK;

	if (end == EXPORT_ANSWER) {
		status = answer_finish(r, EXPORT, &a);
	} else if (end == EXPORT_FAILED) {
		status = fail_print(r, EXPORT->name, "io", EXIT_FATAL, a.why);
	} else if (r->json) {
		json_t *o = json_pack("{s:s, s:I, s:I, s:I}", "directory", r->operands[1],
		"sources", sum.sources,
			"paths", sum.paths, "names", sum.names);

		put_document(r, EXPORT->name, o, NULL, NULL, status);
		json_decref(o);
	}
	client_answer_clear(&a);
	return fflush(r->out) || ferror(r->out) ? EXIT_FATAL : status;
}

static int usage_fault(const struct run *r, const char *fmt,
	...) __attribute__((format(printf, 2, 3)));

static int
usage_fault(const struct run *r, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return fail_print(r, NULL, "usage", EXIT_USAGE, line);
}

/* Finds the command's row for the operands.  NULL with the exit status in '*status' if there is
 * none. */
static const struct command *
find_command(struct run *r, int n, char **operands, int *status)
{
	struct nearest near;
	size_t i = 0, want = 0;

	if (n == 0) {
		*status = usage_fault(r, "expected a command: status, snapshot, trace, wait, "
			"sweep, reroute, release, resume, key, export or topology");
		return NULL;
	}
	near = nearest_start(operands[0]);
	for (size_t k = 0; k < NCOMMANDS; k++)
		nearest_offer(&near, commands[k].name);
	while (i < NCOMMANDS && strcmp(commands[i].name, operands[0]) != 0)
		i++;
	if (i == NCOMMANDS) {
		*status = near.best ? usage_fault(r, "no such command; did you mean %s?",
			near.best) : usage_fault(r, "no command %.40s; see heddlectl --help",
			operands[0]);
		return NULL;
	}
	while (want < OPERANDS_MAX && commands[i].operands[want])
		want++;
	if ((size_t)n - 1 != want || (&commands[i] == WAIT && strcmp(operands[1], "up") != 0) ||
	    (&commands[i] == EXPORT && strcmp(operands[1], "paths") != 0)) {
		*status = usage_fault(r, "expected: heddlectl %s", commands[i].form);
		return NULL;
	}
	for (size_t k = 0; k < want; k++)
		r->operands[k] = operands[k + 1];
	if (&commands[i] == TOPOLOGY && !is_action(r, "show") && !is_action(r, "adopt") &&
	    !is_action(r, "rebalance")) {
		*status = usage_fault(r, "expected: heddlectl %s", commands[i].form);
		return NULL;
	}
	return &commands[i];
}

static int
on_option(struct run *r, const struct optab_opt *o, const char *value)
{
	char *end;

	switch (o->id) {
	case O_SOCKET:
		r->socket = value;
		return -1;
	case O_JSON:
		r->json = true;
		return -1;
	case O_HOSTS:
		r->hosts = true;
		return -1;
	case O_YES:
		r->yes = true;
		return -1;
	case O_TIMEOUT:
		errno = 0;
		r->timeout_s = strtod(value, &end);
		r->timeout_set = true;
		if (value[0] < '0' || value[0] > '9' || *end || errno ||
			    !(r->timeout_s <= WAIT_MAX_S))
			return usage_fault(r,
				"--timeout: expected a number of seconds, got '%.40s'", value);
		return -1;
	case O_HELP:
		optab_help(r->out, &tab, 0);
		return EXIT_OK;
	case O_VERSION:
		optab_version(r->out, &tab);
		return EXIT_OK;
	}
	return -1;
}

int
heddlectl_run(int argc, char **argv, FILE *out, FILE *err)
{
	struct run r = { .out = out, .err = err };
	const struct command *c;
	const struct optab_opt *o;
	struct optab_iter it;
	const char *value;
	int n, status = -1;

	clock_gettime(CLOCK_MONOTONIC, &r.start);
	optab_begin(&it, &tab, argc, argv);
	while ((n = optab_next(&it, &o, &value)) > 0 && status < 0)
		status = on_option(&r, o, value);
	optab_end(&it);
	if (status >= 0)
		return status;
	if (n < 0)
		return fail_print(&r, NULL, "usage", EXIT_USAGE, it.error);
	c = find_command(&r, argc - it.operand, argv + it.operand, &status);
	if (!c)
		return status;
	if (r.timeout_set && c != WAIT && c != RELEASE && c != TOPOLOGY)
		return usage_fault(&r, "%s takes no --timeout", c->name);
	if (r.hosts && c != EXPORT)
		return usage_fault(&r, "%s takes no --hosts", c->name);
	if (r.yes && (c != TOPOLOGY || is_action(&r, "show")))
		return usage_fault(
			&r, "%s takes no --yes", c == TOPOLOGY ? "topology show" : c->name);
	if (c == TOPOLOGY)
		return run_topology(&r);
	if (c == EXPORT)
		return run_export(&r);
	if (c == RELEASE)
		return run_release(&r);
	return c == WAIT ? run_wait(&r) : run_once(&r, c);
}
