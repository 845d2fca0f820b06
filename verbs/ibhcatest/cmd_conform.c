/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_conform.c - ibhcatest conform: command line, back end, output.
 * Room: verbs/ibhcatest.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/optab.h"
#include "util/xalloc.h"
#include "verbs/backend/backend.h"
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/conform.h"
#include "verbs/conform/report.h"
#include "verbs/ibhcatest/ibhcatest.h"

#define CHOICES_MAX 64

enum { OPT_BACKEND = 1, OPT_PEER, OPT_AREA, OPT_CASE, OPT_LIST, OPT_JSON, OPT_MARKDOWN,
	OPT_DEVIATIONS, OPT_PROVIDER, OPT_SEED, OPT_LIMIT, OPT_HELP, OPT_VERSION };
enum format { TAP, LIST, JSON, MARKDOWN, DEVIATIONS };

static const struct optab_opt opts[] = {
	{ 0, 0, NULL, NULL, "What is tested" },
	{ OPT_BACKEND, 'B', "backend", "BACKEND",
		VERBS_BACKEND_HELP ": device under test (default: soft)" },
	{ OPT_PEER, 'p', "peer", "DEVICE",
		"device of the other end (default: another one on the same wire, or the same one)" },
	{ OPT_AREA, 'a', "area", "AREA,...", "run only cases of these areas; may be repeated" },
	{ OPT_CASE, 'c', "case", "GLOB", "run only cases with matching names; may be repeated" },
	{ OPT_PROVIDER, 0, "provider", "NAME",
		"provider whose known deviations apply (default: the driver of the device)" },
	{ OPT_SEED, 0, "seed", "N", "seed of data patterns and random faults (default: 1)" },
	{ OPT_LIMIT, 0, "limit", "SECONDS",
		"skip cases that have not begun after this time (default: 600)" },
	{ 0, 0, NULL, NULL, "What is printed" },
	{ OPT_LIST, 'l', "list", NULL, "print the cases and their expected outcomes; run none" },
	{ OPT_JSON, 'j', "json", NULL, "print one JSON document instead of TAP lines" },
	{ OPT_DEVIATIONS, 0, "deviations", NULL,
		"print the table of known deviations in Markdown; run no case" },
	{ OPT_MARKDOWN, 0, "markdown", NULL, "print the tables of docs/verbs.md" },
	{ OPT_HELP, 'h', "help", NULL, "print this help" },
	{ OPT_VERSION, 'V', "version", NULL, "print the version" },
};
static const char *const usage[] = { "[OPTION...]", NULL };
static const struct optab table = { "ibhcatest conform", usage,
	"Checks a verbs device against the InfiniBand specification", opts,
	sizeof(opts) / sizeof(*opts),
	"Exit status: 0 no case failed (skips and known deviations do not count), 1 a case "
	"failed,\n"
	"2 usage, 3 --limit was reached, 255 no device.\n", false };

struct command {
	enum format format;
	const char *backend;
	struct conform_options o;
	const char *areas[CHOICES_MAX + 1], *globs[CHOICES_MAX + 1];
	size_t nareas, nglobs;
	char *words;                    /* of --area, owned */
	char device[VERBS_DEVICE_BYTES];
	uint8_t port;
	int failed;                     /* result of the last new_world() */
	char error[VERBS_WHY_BYTES];
};

/* ---- the back end ---- */

static struct verbs_world *
new_world(void *arg, uint64_t seed)
{
	struct command *c = arg;
	struct verbs_choice choice;

	c->failed = verbs_backend_find(c->backend, seed, &choice, c->error);
	if (c->failed)
		return NULL;
	memcpy(c->device, choice.device, sizeof(c->device));
	c->port = choice.port;
	return choice.world;
}

static int
open_device(void *arg, struct verbs_world *world, const char *name, struct verbs_dev **dev)
{
	struct command *c = arg;
	struct verbs_choice choice = { .world = world };
	int length;

	if (!name)
		name = c->device;
	length = snprintf(choice.device, sizeof(choice.device), "%s", name);
	if (length < 0 || (size_t)length >= sizeof(choice.device))
		return -ENODEV;
	if (!strcmp(name, c->device))
		choice.port = c->port;
	return verbs_backend_open(&choice, dev, c->error);
}

/* ---- the command line ---- */

static int
number_read(struct command *c, const char *name, const char *value, unsigned long long most,
	unsigned long long *out)
{
	char *end;

	errno = 0;
	*out = strtoull(value, &end, 0);
	if (*value >= '0' && *value <= '9' && !*end && !errno && *out <= most)
		return 0;
	snprintf(c->error, sizeof(c->error), "--%s: \"%.60s\" is no number up to %llu", name, value,
		most);
	return -EINVAL;
}

static int
areas_add(struct command *c, const char *value)
{
	size_t used = c->words ? strlen(c->words) : 0;
	char *copy = used ? xasprintf("%s,%s", c->words, value) : xstrdup(value);

	free(c->words);
	c->words = copy;
	if (strlen(copy) >= 1024) {
		snprintf(c->error, sizeof(c->error), "--area: too many");
		return -EINVAL;
	}
	return 0;
}

static int
on_option(struct command *c, const struct optab_opt *o, const char *value)
{
	unsigned long long n;

	switch (o->id) {
	case OPT_BACKEND:
		c->backend = value;
		return 0;
	case OPT_PEER:
		c->o.peer = value;
		return 0;
	case OPT_AREA:
		return areas_add(c, value);
	case OPT_CASE:
		if (c->nglobs == CHOICES_MAX) {
			snprintf(c->error, sizeof(c->error), "--case: more than %d", CHOICES_MAX);
			return -EINVAL;
		}
		c->globs[c->nglobs++] = value;
		return 0;
	case OPT_PROVIDER:
		c->o.provider = value;
		return 0;
	case OPT_SEED:
		if (number_read(c, o->name, value, UINT32_MAX, &n))
			return -EINVAL;
		c->o.seed = n;
		return 0;
	case OPT_LIMIT:
		if (number_read(c, o->name, value, 86400, &n))
			return -EINVAL;
		c->o.limit_s = (unsigned)n;
		return 0;
	case OPT_LIST:
		c->format = LIST;
		return 0;
	case OPT_JSON:
		c->format = JSON;
		return 0;
	case OPT_MARKDOWN:
		c->format = MARKDOWN;
		return 0;
	case OPT_DEVIATIONS:
		c->format = DEVIATIONS;
		return 0;
	default:
		return 0;
	}
}

static bool
area_exists(const char *area)
{
	const char *const one[] = { area, NULL };
	const struct conform_options o = { .areas = one };

	return conform_count(&o);
}

/* Splits and validates the areas of --area. */
static int
split_areas(struct command *c)
{
	char *save = NULL;

	for (char *w = c->words ? strtok_r(c->words, ",", &save) : NULL; w;
		    w = strtok_r(NULL, ",", &save)) {
		if (c->nareas == CHOICES_MAX || !area_exists(w)) {
			snprintf(c->error, sizeof(c->error),
				"--area: there is no area \"%.60s\"; --list shows them", w);
			return -EINVAL;
		}
		c->areas[c->nareas++] = w;
	}
	if (c->nareas)
		c->o.areas = c->areas;
	if (c->nglobs)
		c->o.globs = c->globs;
	if (!conform_count(&c->o)) {
		snprintf(c->error, sizeof(c->error), "no case has such a name; --list shows them");
		return -EINVAL;
	}
	return 0;
}

/* -1: continue; otherwise the exit status. */
static int
read_command_line(struct command *c, int argc, char **argv)
{
	struct optab_iter it;
	const struct optab_opt *o;
	const char *value;
	int r;

	optab_begin(&it, &table, argc, argv);
	while ((r = optab_next(&it, &o, &value)) > 0) {
		if (o->id == OPT_HELP || o->id == OPT_VERSION) {
			if (o->id == OPT_HELP)
				optab_help(stdout, &table, 0);
			else
				optab_version(stdout, &table);
			optab_end(&it);
			return EXIT_OK;
		}
		if (on_option(c, o, value)) {
			optab_end(&it);
			return EXIT_USAGE;
		}
	}
	if (r < 0) {
		/* error_print() adds the program's name. */
		snprintf(c->error, sizeof(c->error), "%.*s", (int)sizeof(c->error) - 1,
			optab_fault(&it));
		return EXIT_USAGE;
	}
	if (it.operand < argc) {
		snprintf(c->error, sizeof(c->error), "\"%.60s\": there are no operands",
			argv[it.operand]);
		return EXIT_USAGE;
	}
	return split_areas(c) ? EXIT_USAGE : -1;
}

/* ---- output ---- */

static void
print_list(const struct conform_options *o)
{
	struct case_list l;

	cases_all(&l);
	for (size_t i = 0; i < l.n; i++) {
		if (conform_chosen(o, &l.v[i]))
			printf("%s\t%s\n", l.v[i].name, l.v[i].expected);
	}
	case_list_clear(&l);
}

static void
on_result(void *arg, unsigned number, const struct conform_result *r)
{
	(void)arg;
	conform_report_tap_case(stdout, number, r);
	fflush(stdout);
}

static int
error_print(const struct command *c, int status)
{
	fprintf(stderr, "ibhcatest: %s\n", *c->error ? c->error : "no verbs device");
	if (c->format == JSON)
		conform_report_json_error(stdout, c->backend, status == EXIT_USAGE ? "usage" :
			"no_device", *c->error ? c->error : "no verbs device", status);
	return status;
}

static int
cases_run(struct command *c)
{
	struct conform_target t = { .backend = c->backend, .world_new = new_world,
	.open = open_device, .provider = verbs_backend_provider,
		.arg = c, .fresh = !strcmp(c->backend, "soft") };
	struct conform_report r;
	int ret, status;

	if (c->format == TAP)
		c->o.each = on_result;
	ret = conform_run(&t, &c->o, &r);
	if (ret) {
		conform_report_clear(&r);
		return error_print(c, c->failed == -EINVAL ? EXIT_USAGE : EXIT_FATAL);
	}
	if (c->format == TAP)
		conform_report_tap_end(stdout, &r);
	else if (c->format == MARKDOWN)
		conform_report_markdown(stdout, &r);
	status = conform_exit_status(&r);
	if (c->format == JSON && conform_report_json(stdout, &r))
		status = EXIT_FATAL;
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ibhcatest: the output cannot be written\n");
		status = EXIT_FATAL;
	}
	conform_report_clear(&r);
	return status;
}

int
cmd_conform(int argc, char **argv)
{
	struct command c = { .backend = "soft",
		.o = { .seed = CONFORM_SEED, .limit_s = CONFORM_LIMIT_S } };
	int status;

	/* --json applies to mistakes in earlier arguments as well. */
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json") || !strcmp(argv[i], "-j"))
			c.format = JSON;
	}
	c.o.deviations = conform_deviations(&c.o.ndeviations);
	status = read_command_line(&c, argc, argv);
	if (status == EXIT_USAGE)
		error_print(&c, status);
	else if (status < 0 && c.format == LIST)
		print_list(&c.o), status = EXIT_OK;
	else if (status < 0 && c.format == DEVIATIONS)
		conform_report_deviations(stdout, c.o.deviations, c.o.ndeviations),
			status = EXIT_OK;
	else if (status < 0)
		status = cases_run(&c);
	free(c.words);
	return status;
}
