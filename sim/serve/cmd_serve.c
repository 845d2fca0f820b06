/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_serve.c - `heddle-sim serve`: reads a topology, makes the hardware, serves until SIGTERM.
 * Room: sim/serve.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "sim/gen/gen.h"
#include "sim/script/script.h"
#include "sim/serve/control.h"
#include "sim/serve/server.h"
#include "sim/serve/sim.h"
#include "sim/serve/timeline.h"
#include "sim/serve/vca.h"
#include "util/optab.h"
#include "util/xalloc.h"

enum { OPT_NAME = 1, OPT_TOPOLOGY, OPT_SEED, OPT_LATENCY, OPT_PKEYS, OPT_EXTENDED_SPEEDS,
	OPT_TRAFFIC, OPT_FAULTS, OPT_VCA, OPT_VCA_DEVICE, OPT_HELP, OPT_VERSION };

static const char *const usage[] = { "--name NAME --topology FILE|SPEC [OPTION...]", NULL };

static const struct optab_opt opts[] = {
	{ OPT_NAME, 'n', "name", "NAME", "name of the server, for exec and ctl" },
	{ OPT_TOPOLOGY, 't', "topology", "FILE|SPEC",
		"topology file in the format of ibnetdiscover, or a SPEC (heddle-sim topology --help)" },
	{ OPT_SEED, 's', "seed", "N", "seed of all random decisions (default 1)" },
	{ OPT_LATENCY, 'l', "latency", "US",
		"delay of every MAD in one direction, in microseconds (default 0)" },
	{ OPT_PKEYS, 0, "pkeys", "N", "entries of each P_Key table, 32 to 128 (default 32)" },
	{ OPT_EXTENDED_SPEEDS, 0, "extended-speeds", "MODE",
		"when PortInfo shows extended speeds: auto, shown, hidden (only to a manager that supports them), refused (default auto)" },
	{ OPT_TRAFFIC, 0, "traffic", "SPEC",
		"start traffic between hosts, with the words of ctl traffic: 'uniform --rate 20%'" },
	{ OPT_FAULTS, 'f', "faults", "SCRIPT",
		"run the ctl commands of a file at their times; a line is 'SECONDS COMMAND'" },
	{ OPT_VCA, 0, "vca", "NODE[,NODE...]",
		"make these nodes adapters of this machine's kernel (module heddle_vca)" },
	{ OPT_VCA_DEVICE, 0, "vca-device", "PATH",
		"device of the module, or a socket in its place (default " VCA_DEVICE ")" },
	{ OPT_HELP, 'h', "help", NULL, "show this text" },
	{ OPT_VERSION, 'V', "version", NULL, "show the version" },
};

static const struct optab table = {
	.program = "heddle-sim serve",
	.usage = usage,
	.about =
		"Runs a simulated fabric until SIGTERM; prints the line 'ready' when programs can attach",
	.opts = opts,
	.nopts = sizeof(opts) / sizeof(opts[0]),
};

struct arguments {
	const char *name, *topology, *traffic, *faults, *vcas, *vca_device;
	uint64_t seed;
	int64_t latency_us, pkeys;
	enum hw_extended_speeds extended_speeds;
};

static int
read_number(const char *option, const char *text, int64_t max, int64_t *n)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 0);
	if (errno || *end || end == text || v < 0 || v > max) {
		fprintf(stderr, "heddle-sim serve: --%s: '%s' is not a number from 0 to %lld\n",
			option, text, (long long)max);
		return -EINVAL;
	}
	*n = v;
	return 0;
}

/* Handles one option.  Returns > 0 if the program ends with exit status *status. */
static int
take_option(struct arguments *a, int id, const char *value, int *status)
{
	int64_t n;

	*status = EXIT_USAGE;
	switch (id) {
	case OPT_NAME:
		a->name = value;
		return 0;
	case OPT_TOPOLOGY:
		a->topology = value;
		return 0;
	case OPT_SEED:
		if (read_number("seed", value, INT64_MAX, &n))
			return 1;
		a->seed = (uint64_t)n;
		return 0;
	case OPT_LATENCY:
		return read_number("latency", value, 60000000, &a->latency_us) ? 1 : 0;
	case OPT_PKEYS:
		return read_number("pkeys", value, 128, &a->pkeys) ? 1 : 0;
	case OPT_EXTENDED_SPEEDS:
		if (!control_extended_speeds(value, &a->extended_speeds))
			return 0;
		fprintf(stderr,
			"heddle-sim serve: --extended-speeds: '%s' is not one of auto, shown, hidden, refused\n",
			value);
		return 1;
	case OPT_TRAFFIC:
		a->traffic = value;
		return 0;
	case OPT_FAULTS:
		a->faults = value;
		return 0;
	case OPT_VCA:
		a->vcas = value;
		return 0;
	case OPT_VCA_DEVICE:
		a->vca_device = value;
		return 0;
	case OPT_HELP:
		optab_help(stdout, &table, 0);
		break;
	default:
		optab_version(stdout, &table);
		break;
	}
	*status = EXIT_OK;
	return 1;
}

static int
options_parse(int argc, char **argv, struct arguments *a, int *status)
{
	const struct optab_opt *o;
	struct optab_iter it;
	const char *value;
	int r, done = 0;

	optab_begin(&it, &table, argc, argv);
	while (!done && (r = optab_next(&it, &o, &value)) > 0)
		done = take_option(a, o->id, value, status);
	optab_end(&it);
	if (done)
		return 1;
	*status = EXIT_USAGE;
	if (r < 0)
		fputs(it.error, stderr);
	else if (it.operand < argc)
		fprintf(stderr, "heddle-sim serve: unexpected operand '%s'\n", argv[it.operand]);
	else if (!a->name || !a->topology)
		fprintf(stderr, "heddle-sim serve: --name and --topology are needed\n");
	else
		return 0;
	return 1;
}

static void
say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

/* Raises the limit of open files: the server needs three descriptors per program. */
static void
raise_files(void)
{
	struct rlimit l;

	if (!getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* Executes --vca, --traffic and --faults.  Returns 0, or a negative errno, reported on stderr. */
static int
set_going(struct server *s, const struct arguments *a)
{
	char why[CONTROL_WHY] = "", *words = NULL;
	const char *list[CONTROL_ARGS];
	json_t *result = NULL;
	int n, r = 0;

	if (a->vcas) {
		r = vca_add(s, a->vca_device, a->vcas, why);
		if (r)
			fprintf(stderr, "heddle-sim serve: --vca: %s\n", why);
	}
	if (!r && a->traffic) {
		words = xstrdup(a->traffic);
		n = script_words(words, list, CONTROL_ARGS);
		if (n <= 0)
			snprintf(why, sizeof(why), "'%.100s' is not a description of traffic",
				a->traffic);
		r = n <= 0 ? -EINVAL : control_run(s, "traffic", (unsigned)n, list, &result, why);
		json_decref(result);
		free(words);
		if (r)
			fprintf(stderr, "heddle-sim serve: --traffic: %s\n", why);
	}
	if (!r && a->faults) {
		r = timeline_read(a->faults, &s->timeline, why);
		if (r)
			fprintf(stderr, "heddle-sim serve: %s\n", why);
	}
	return r;
}

int
sim_cmd_serve(int argc, char **argv)
{
	struct server s = { .umad_fd = -1, .ctl_fd = -1 };
	struct arguments a = { .seed = 1, .vca_device = VCA_DEVICE };
	struct topo_error e;
	char why[PLACE_WHY];
	int r, status;

	if (options_parse(argc, argv, &a, &status))
		return status;
	if (gen_or_read(a.topology, &s.topo, &e)) {
		fprintf(stderr, "heddle-sim serve: %s\n", e.text);
		return EXIT_USAGE;
	}
	r = place_make(a.name, s.dir, &s.lock, why);
	if (r) {
		fprintf(stderr, "heddle-sim serve: %s\n", why);
		topo_clear(&s.topo);
		return r == -EEXIST || r == -EINVAL ? EXIT_USAGE : EXIT_FATAL;
	}
	raise_files();
	s.name = a.name;
	s.conf = (struct hw_conf){ .seed = a.seed, .latency_us = a.latency_us,
		.pkey_cap = (unsigned)a.pkeys, .start_us = server_now().us,
		.extended_speeds = a.extended_speeds };
	s.latency_us = a.latency_us;
	s.hw = hw_new(&s.topo, &s.conf);
	s.kmad = kmad_new(s.hw);
	status = set_going(&s, &a) ? EXIT_USAGE : EXIT_OK;
	r = status ? 0 : server_run(&s, say_ready);
	vca_close_all(&s);
	if (r < 0)
		fprintf(stderr, "heddle-sim serve: %s\n", strerror(-r));
	kmad_free(s.kmad);
	hw_free(s.hw);
	topo_clear(&s.topo);
	free(s.faults);
	timeline_free(s.timeline);
	place_remove(s.dir);
	close(s.lock);
	return r < 0 ? EXIT_FATAL : status;
}
