/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * run.c - the command line of heddle-route: options, and the table of commands.
 * Room: cli/route.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/route/commands.h"
#include "cli/route/run.h"
#include "util/nearest.h"
#include "util/optab.h"

enum option {
	O_ENGINE = 1,
	O_ROOTS,
	O_LMC,
	O_VLS,
	O_INTENDED,
	O_CN,
	O_IO,
	O_ORDER,
	O_IDS,
	O_WEIGHTS,
	O_GROUPS,
	O_PORTS,
	O_SHIFT,
	O_SCATTER,
	O_TABLES,
	O_FAIL,
	O_LFTS,
	O_SL2VL,
	O_PATH_SL,
	O_EACH,
	O_RANDOM,
	O_SEED,
	O_SHIFTS,
	O_PERMUTATIONS,
	O_MATCHINGS,
	O_OUT,
	O_JSON,
	O_DOT,
	O_SVG,
	O_THREADS,
	O_HELP,
	O_VERSION,
};

#define BIT(option) ((uint64_t)1 << (option))
#define COMMON (BIT(O_JSON) | BIT(O_THREADS) | BIT(O_OUT) | BIT(O_FAIL))
#define DRAWN (BIT(O_DOT) | BIT(O_SVG))
#define PREFERRED \
	(BIT(O_CN) | BIT(O_IO) | BIT(O_ORDER) | BIT(O_IDS) | BIT(O_WEIGHTS) | BIT(O_PORTS) | \
		BIT(O_GROUPS) | BIT(O_SHIFT) | BIT(O_SCATTER) | BIT(O_TABLES))
#define ROUTED \
	(BIT(O_ENGINE) | BIT(O_ROOTS) | BIT(O_LMC) | BIT(O_VLS) | BIT(O_INTENDED) | PREFERRED)
#define FROM_FILE (BIT(O_SL2VL) | BIT(O_PATH_SL))

static const struct optab_opt opts[] = {
	{ 0, 0, NULL, NULL, "Routing" },
	{ O_ENGINE, 'R', "engine", "LIST",
		"Routing engines, separated by commas: the first whose tables pass the verifier "
		"counts; auto goes by the shape of the fabric (default auto)" },
	{ O_ROOTS, 'a', "roots", "FILE",
		"GUIDs of the root switches, one per line (default: found by rules)" },
	{ O_LMC, 'l', "lmc", "N", "LMC of host ports, 0 to 7 (default 0)" },
	{ O_VLS, 0, "vls", "N", "Data VLs that an engine may use, 1 to 15 (default 8)" },
	{ O_INTENDED, 0, "intended", "TOPOLOGY",
		"The fabric when nothing is broken, a SPEC or FILE (default: the fabric before "
		"--fail)" },
	{ 0, 0, NULL, NULL, "Preferences of engines, as keys of heddled.conf" },
	{ O_CN, 'u', "cn", "FILE", "cn_guid_file: GUIDs of compute hosts, one per line" },
	{ O_IO, 'G', "io", "FILE", "io_guid_file: GUIDs of hosts for input and output" },
	{ O_ORDER, 'X', "order", "FILE",
		"guid_routing_order_file: port GUIDs of the hosts that come first" },
	{ O_IDS, 'm', "ids", "FILE",
		"ids_guid_file: lines of a switch's GUID and a number in its place" },
	{ O_WEIGHTS, 'w', "hop-weights", "FILE",
		"hop_weights_file: lines of a switch's GUID, a port and a weight" },
	{ O_PORTS, 'O', "port-order", "FILE",
		"port_search_ordering_file: lines of a switch's GUID and ports" },
	{ O_GROUPS, 0, "routing-groups", "FILE",
		"routing_groups_file: groups of switches, each with a routing engine of its own" },
	{ O_SHIFT, 0, "port-shifting", NULL,
		"port_shifting: each round of ports begins one port farther" },
	{ O_SCATTER, 0, "scatter-ports", "N",
		"scatter_ports: the order of ports is computed from N (default 0: off)" },
	{ O_TABLES, 'U', "tables", "FILE", "lfts_file: the tables that engine file takes" },
	{ 0, 0, NULL, NULL, "What fails, and tables from files" },
	{ O_FAIL, 0, "fail", "WHAT",
		"Takes away link:NODE:PORT, link:NODE:PORT,NODE:PORT, switch:NODE or host:NODE; "
		"can be given several times" },
	{ O_LFTS, 0, "lfts", "FILE", "Takes LIDs and tables from FILE instead of an engine" },
	{ O_SL2VL, 0, "sl2vl", "FILE",
		"SLtoVL tables of the fabric, as in opensm-sl2vl.dump (default: the VL is the "
		"SL)" },
	{ O_PATH_SL, 0, "path-sl", "FILE",
		"SL of each path: output of saquery PathRecord, or lines of SLID, DLID and SL "
		"(default: every path can use every SL)" },
	{ 0, 0, NULL, NULL, "What is computed" },
	{ O_EACH, 0, "each", "WHAT",
		"With whatif: fails each of links, switches, both, or hosts (default both)" },
	{ O_RANDOM, 0, "random", "N",
		"With whatif: fails N of them chosen at random, one at a time" },
	{ O_SEED, 0, "seed", "N", "With --random: begins with this number (default 1)" },
	{ O_SHIFTS, 0, "shifts", "N",
		"With score: number of shift permutations, spread over all (default: all, at most "
		"1000)" },
	{ O_PERMUTATIONS, 0, "permutations", "N",
		"With score: number of random permutations (default 1000)" },
	{ O_MATCHINGS, 0, "matchings", "N",
		"With score: number of random bisections for the effective bandwidth (default "
		"1000)" },
	{ 0, 0, NULL, NULL, "Output" },
	{ O_OUT, 'o', "out", "FORM",
		"Prints text, json, dot or svg, and with plan lfts (the forwarding tables), sl2vl "
		"(SLtoVL tables) or path-sl (SLs of paths)" },
	{ O_JSON, 'j', "json", NULL, "The same as --out json: one JSON document" },
	{ O_DOT, 0, "dot", NULL, "The same as --out dot: a graph for Graphviz, coloured by load" },
	{ O_SVG, 0, "svg", NULL, "The same as --out svg: a picture, coloured by load" },
	{ O_THREADS, 0, "threads", "N",
		"Number of threads, 1 to 16; results do not depend on it (default: one for each "
		"processor)" },
	{ O_HELP, 'h', "help", NULL, "Print this text and exit" },
	{ O_VERSION, 0, "version", NULL, "Print the version and exit" },
};

static const char *const usage[] = { "plan TOPOLOGY [OPTION]...",
	"verify TOPOLOGY LFTS [OPTION]...", "score TOPOLOGY [OPTION]...",
	"diff TOPOLOGY --fail WHAT [OPTION]...", "whatif TOPOLOGY [OPTION]...",
	"explain TOPOLOGY SRC DST [OPTION]...", NULL };

static const struct optab tab = {
	.program = "heddle-route",
	.usage = usage,
	.about = "Computes, verifies and compares forwarding tables without a fabric",
	.opts = opts,
	.nopts = sizeof(opts) / sizeof(opts[0]),
	.tail = "TOPOLOGY is a SPEC such as fattree:k=8,levels=3 (heddle-sim topology --help),\n"
		"or a topology file as ibnetdiscover prints it.\n"
		"\n"
		"Commands:\n"
		"  plan        routes the fabric and verifies the tables\n"
		"  verify      verifies the tables in a file\n"
		"  score       measures the quality of tables: loads, bandwidth, path lengths\n"
		"  diff        compares tables before and after a failure\n"
		"  whatif      fails each link and switch in turn, and shows the worst\n"
		"  explain     shows the path between two ports, and why it is taken\n"
		"\n"
		"Exit status: 0 ok, 1 routing refused or tables rejected, 2 usage or input file.\n",
};

static const struct command {
	const char *name;
	const char *form;
	unsigned operands; /* with TOPOLOGY */
	uint64_t options; /* BIT() of those that it takes */
	int (*run)(struct tool *t);
} commands[] = {
	{ "plan", "plan TOPOLOGY", 1, COMMON | DRAWN | ROUTED, cmd_plan },
	{ "verify", "verify TOPOLOGY LFTS", 2, COMMON | DRAWN | FROM_FILE, cmd_verify },
	{ "score", "score TOPOLOGY", 1,
		COMMON | DRAWN | ROUTED | FROM_FILE | BIT(O_LFTS) | BIT(O_SHIFTS) |
			BIT(O_PERMUTATIONS) | BIT(O_MATCHINGS),
		cmd_score },
	{ "diff", "diff TOPOLOGY --fail WHAT", 1, COMMON | DRAWN | ROUTED | BIT(O_LFTS), cmd_diff },
	{ "whatif", "whatif TOPOLOGY", 1,
		COMMON | ROUTED | BIT(O_LFTS) | BIT(O_EACH) | BIT(O_RANDOM) | BIT(O_SEED),
		cmd_whatif },
	{ "explain", "explain TOPOLOGY SRC DST", 3, COMMON | ROUTED | FROM_FILE | BIT(O_LFTS),
		cmd_explain },
};
#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char *const forms[] = { "text", "json", "lfts", "sl2vl", "path-sl", "dot", "svg" };
static const char *const eaches[] = { "links", "switches", "both", "hosts" };

/* A number in 'lo'..'hi', for the option 'name'. */
static int
number_take(struct tool *t, const char *name, const char *value, uint64_t lo, uint64_t hi,
	uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || *out < lo || *out > hi)
		return tool_fail(t, EXIT_USAGE, "usage",
			"--%s: expected a number from %llu to %llu, got '%.40s'", name,
			(unsigned long long)lo, (unsigned long long)hi, value);
	return 0;
}

static int
word_take(struct tool *t, const char *name, const char *value, const char *const *words, unsigned n,
	unsigned *out)
{
	char all[100] = "";

	for (*out = 0; *out < n; ++*out) {
		if (strcmp(words[*out], value) == 0)
			return 0;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *out ? ", " : "",
			words[*out]);
	}
	return tool_fail(
		t, EXIT_USAGE, "usage", "--%s: expected one of %s, got '%.40s'", name, all, value);
}

static int
list_take(struct tool *t, const char *name, const char *value, struct tool_list *l)
{
	if (l->n == TOOL_LIST_MAX)
		return tool_fail(t, EXIT_USAGE, "usage", "--%s: given more than %d times", name,
			TOOL_LIST_MAX);
	l->v[l->n++] = value;
	return 0;
}

static int
take_number(struct tool *t, const struct optab_opt *o, const char *value)
{
	static const uint64_t lo[] = { [O_THREADS] = 1, [O_RANDOM] = 1, [O_VLS] = 1 };
	static const uint64_t hi[] = { [O_LMC] = 7,
		[O_VLS] = 15,
		[O_RANDOM] = 1000000,
		[O_SEED] = UINT32_MAX,
		[O_SHIFTS] = 1000000,
		[O_PERMUTATIONS] = 1000000,
		[O_MATCHINGS] = 1000000,
		[O_SCATTER] = UINT32_MAX,
		[O_THREADS] = POOL_MAX };
	uint64_t n;
	int r = number_take(t, o->name, value,
		o->id < (int)(sizeof(lo) / sizeof(*lo)) ? lo[o->id] : 0, hi[o->id], &n);

	switch ((enum option)o->id) {
	case O_LMC:
		t->lmc = (uint8_t)n;
		break;
	case O_VLS:
		t->vls = (uint8_t)n;
		break;
	case O_RANDOM:
		t->random = (uint32_t)n;
		break;
	case O_SEED:
		t->seed = n;
		break;
	case O_SHIFTS:
		t->shifts = (uint32_t)n;
		break;
	case O_PERMUTATIONS:
		t->permutations = (uint32_t)n;
		break;
	case O_MATCHINGS:
		t->matchings = (uint32_t)n;
		break;
	case O_SCATTER:
		t->scatter = (uint32_t)n;
		break;
	case O_THREADS:
		t->threads = (unsigned)n;
		break;
	default:
		break;
	}
	return r;
}

/* The options that name a file of preferences; false: it is none of them. */
static bool
take_file(struct tool *t, enum option o, const char *value)
{
	const char **const in[] = { [O_CN] = &t->cn,
		[O_IO] = &t->io,
		[O_ORDER] = &t->order,
		[O_IDS] = &t->ids,
		[O_WEIGHTS] = &t->weights,
		[O_PORTS] = &t->ports,
		[O_GROUPS] = &t->groups,
		[O_TABLES] = &t->tables };

	if (o >= sizeof(in) / sizeof(*in) || !in[o])
		return false;
	*in[o] = value;
	return true;
}

/* 0, or the status of a reported failure. */
static int
take_option(struct tool *t, const struct optab_opt *o, const char *value)
{
	unsigned word;
	int r = 0;

	if (take_file(t, (enum option)o->id, value))
		return 0;
	switch ((enum option)o->id) {
	case O_SHIFT:
		t->shift_ports = true;
		break;
	case O_ENGINE:
		t->engine = value;
		break;
	case O_INTENDED:
		t->intended = value;
		break;
	case O_LFTS:
		t->lfts = value;
		break;
	case O_SL2VL:
		t->sl2vl = value;
		break;
	case O_PATH_SL:
		t->path_sl = value;
		break;
	case O_JSON:
		t->form = TOOL_JSON;
		break;
	case O_DOT:
		t->form = TOOL_DOT;
		break;
	case O_SVG:
		t->form = TOOL_SVG;
		break;
	case O_ROOTS:
		return list_take(t, o->name, value, &t->roots);
	case O_FAIL:
		return list_take(t, o->name, value, &t->fail);
	case O_OUT:
		r = word_take(t, o->name, value, forms, sizeof(forms) / sizeof(*forms), &word);
		t->form = r ? t->form : (enum tool_form)word;
		break;
	case O_EACH:
		r = word_take(t, o->name, value, eaches, sizeof(eaches) / sizeof(*eaches), &word);
		t->each = r ? t->each : (enum tool_each)word;
		break;
	default:
		return take_number(t, o, value);
	}
	return r;
}

static const struct command *
find_command(struct tool *t, int n, char **operands, int *status)
{
	const struct command *c = commands;
	struct nearest near;

	*status = EXIT_USAGE;
	if (n == 0) {
		tool_fail(t, EXIT_USAGE, "usage",
			"expected a command: plan, verify, score, diff, whatif or explain");
		return NULL;
	}
	near = nearest_start(operands[0]);
	for (; c < commands + NCOMMANDS && strcmp(c->name, operands[0]) != 0; c++)
		nearest_offer(&near, c->name);
	if (c == commands + NCOMMANDS) {
		tool_fail(t, EXIT_USAGE, "usage",
			near.best ? "no command %.40s; did you mean %s?" :
				    "no command %.40s; see heddle-route --help",
			operands[0], near.best);
		return NULL;
	}
	if ((unsigned)n - 1 != c->operands) {
		tool_fail(t, EXIT_USAGE, "usage", "expected: heddle-route %s", c->form);
		return NULL;
	}
	for (unsigned i = 0; i < c->operands; i++)
		t->operands[i] = operands[i + 1];
	t->command = c->name;
	return c;
}

/* Reports the first option that the command does not take. */
static int
check_options(struct tool *t, const struct command *c, uint64_t given)
{
	for (size_t i = 0; i < tab.nopts; i++)
		if (opts[i].id && given & BIT(opts[i].id) & ~c->options)
			return tool_fail(
				t, EXIT_USAGE, "usage", "%s takes no --%s", c->name, opts[i].name);
	if (t->form >= TOOL_LFTS && t->form <= TOOL_PATH_SL && c->run != cmd_plan)
		return tool_fail(t, EXIT_USAGE, "usage", "only plan prints %s", forms[t->form]);
	if ((t->form == TOOL_DOT || t->form == TOOL_SVG) && !(c->options & DRAWN))
		return tool_fail(t, EXIT_USAGE, "usage", "%s draws no picture", c->name);
	if ((t->sl2vl || t->path_sl) && c->run != cmd_verify && !t->lfts)
		return tool_fail(
			t, EXIT_USAGE, "usage", "--sl2vl and --path-sl belong to tables of --lfts");
	if (t->lfts && c->run != cmd_diff && c->run != cmd_whatif && t->engine)
		return tool_fail(t, EXIT_USAGE, "usage", "either --engine or --lfts");
	return 0;
}

static int
run_command(struct tool *t, int argc, char **argv, uint64_t given)
{
	const struct command *c;
	int status;

	c = find_command(t, argc, argv, &status);
	if (!c)
		return status;
	status = check_options(t, c, given);
	if (status)
		return status;
	t->pool = pool_new(t->threads);
	status = c->run(t);
	pool_free(t->pool);
	if (status == EXIT_OK && json_array_size(t->findings))
		status = EXIT_FINDINGS;
	return status;
}

/* Reads the options.  Returns -1 if a command follows, otherwise the exit status. */
static int
read_options(struct tool *t, struct optab_iter *it, int argc, char **argv, uint64_t *given)
{
	const struct optab_opt *o;
	const char *value;
	int n = 0, status = -1, r;

	optab_begin(it, &tab, argc, argv);
	while (status < 0 && (n = optab_next(it, &o, &value)) > 0) {
		if (o->id == O_HELP || o->id == O_VERSION) {
			if (o->id == O_HELP)
				optab_help(t->out, &tab, 0);
			else
				optab_version(t->out, &tab);
			status = EXIT_OK;
			t->form = TOOL_TEXT;
			break;
		}
		*given |= BIT(o->id);
		r = take_option(t, o, value);
		status = r ? r : -1;
	}
	if (status < 0 && n < 0)
		status = tool_fail(t, EXIT_USAGE, "usage", "%s", optab_fault(it));
	optab_end(it);
	return status;
}

int
run_route(int argc, char **argv, FILE *out, FILE *err)
{
	struct tool t = { .out = out,
		.err = err,
		.each = TOOL_EACH,
		.seed = 1,
		.vls = 8,
		.shifts = 1000,
		.permutations = 1000,
		.matchings = 1000 };
	struct optab_iter it;
	uint64_t given = 0;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &t.start);
	t.doc = json_pack("{s:[], s:[]}", "errors", "notes");
	t.findings = json_array();
	status = read_options(&t, &it, argc, argv, &given);
	if (status < 0)
		status = run_command(&t, argc - it.operand, argv + it.operand, given);
	if (t.form == TOOL_JSON)
		tool_document(&t, status);
	json_decref(t.doc);
	json_decref(t.findings);
	return fflush(out) || ferror(out) ? EXIT_FATAL : status;
}
