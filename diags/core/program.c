/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * program.c - the course of a run: options, configuration, operation, document, exit status.
 * Room: diags/core. main() is in diags/tools/main.c.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "diags/core/addr.h"
#include "diags/core/context.h"
#include "diags/core/names.h"
#include "diags/core/options.h"
#include "diags/core/out.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/signals.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "util/xalloc.h"

void
diag_begin(struct diag *d, const struct diag_tool *tool, const struct diag_asking *asking,
	const char *program)
{
	*d = (struct diag){
		.tool = tool, .asking = asking, .program = program, .source = "live",
		.set = { .port = -1, .mlx_epi = true, .pretty = isatty(STDOUT_FILENO) },
		.start_us = diag_now_us(),
	};
	if (tool->state_bytes)
		d->state = xcalloc(1, tool->state_bytes);
	if (tool->init)
		tool->init(d->state);
	if (asking)
		d->asking_state = xcalloc(1, asking->state_bytes);
	diag_out_begin(d);
}

void
diag_clear(struct diag *d)
{
	if (d->asking)
		d->asking->close(d);
	if (d->tool->clear)
		d->tool->clear(d->state);
	diag_names_free(d->names);
	diag_out_clear(d);
	free(d->fields);
	free(d->set.ca);
	free(d->set.names_file);
	free(d->set.load);
	free(d->set.select);
	free(d->asking_state);
	free(d->state);
}

void *
diag_state(const struct diag *d)
{
	return d->state;
}

void *
diag_asking_state(const struct diag *d)
{
	return d->asking_state;
}

static const struct diag_op *
op_by_name(const struct diag_op *ops, const char *name)
{
	for (const struct diag_op *o = ops; o->name; o++)
		if (!strcasecmp(o->name, name) || (o->alias && !strcasecmp(o->alias, name)))
			return o;
	return NULL;
}

/* Runs "OPERATION ADDRESS [OPERAND...]". */
static int
op_run(struct diag *d, int argc, char **argv)
{
	const struct diag_tool *tool = d->tool;
	const struct diag_op *op;
	struct diag_addr to;
	int r, taken = 1;

	if (argc < 2)
		return diag_usage(d, "an operation and an address are needed");
	d->word = argv[0];
	op = op_by_name(tool->ops, argv[0]);
	if (!op)
		return diag_fail(d, EXIT_USAGE, "usage", "operation '%s' not supported", argv[0]);
	json_object_set_new(d->doc, "operation", json_string(op->name));
	r = d->asking->open(d);
	if (!r)
		r = tool->address ? tool->address(d, argc - 1, argv + 1, &to, &taken) :
			d->asking->address(d, argv[1], &to);
	if (r)
		return r;
	json_object_set_new(d->doc, "target", diag_json_addr(&to));
	return op->run(d, &to, argc - 1 - taken, argv + 1 + taken);
}

/* Seeds jansson with random bytes that the kernel has given to this process, so that it need not
 * open /dev/urandom. */
static void
json_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	size_t seed = 0;

	if (random)
		memcpy(&seed, random, sizeof(seed));
	if (seed)
		json_object_seed(seed);
}

/* Uses a large buffer if standard output is no terminal; it is static, because stdio uses it until
 * the process ends. */
static void
stdout_buffer(const struct diag *d)
{
	static char buffer[1 << 16];

	if (!d->set.pretty)
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

static int
tool_run(struct diag *d, int argc, char **argv)
{
	int operand = argc, r;

	diag_options_guess_format(d, argc, argv);
	if (d->set.format != DIAG_TEXT)
		diag_catch_signals();
	r = diag_options_parse(d, argc, argv, &operand);
	if (!r && d->set.names_file)
		r = diag_names_load(d);
	if (r)
		return r;
	argc -= operand;
	argv += operand;
	return d->tool->ops && !d->tool->run ? op_run(d, argc, argv) : d->tool->run(d, argc, argv);
}

int
diag_main(const struct diag_tool *tool, const struct diag_asking *asking, int argc, char **argv)
{
	const char *compat = getenv("HEDDLE_COMPAT_STDOUT");
	struct diag d;
	int r;

	if (argc == 2 && !strcmp(argv[1], "--dump-options")) {
		diag_options_dump(tool, stdout);
		return fflush(stdout) ? EXIT_FATAL : EXIT_OK;
	}
	json_seed();
	diag_begin(&d, tool, asking, argc > 0 ? argv[0] : tool->name);
	stdout_buffer(&d);
	d.set.errors_on_stdout = compat && !strcmp(compat, "1");
	r = tool_run(&d, argc, argv);
	if (r != DIAG_STOP) {
		diag_status_raise(&d, r);
		diag_progress_clear(&d);
		diag_out_end(&d);
	}
	r = d.status;
	diag_clear(&d);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: cannot write the output: %s\n", argv[0], strerror(errno));
		r = EXIT_FATAL;
	}
	return r;
}
