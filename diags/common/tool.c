/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tool.c - the life of a tool: options, configuration, the operation, the document, the exit status.
 * Room: diags.  main() is in main.c.
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>
#include "diags/common/diag_int.h"
#include "diags/common/signals.h"
#include "diags/common/tool.h"

#define PROGRESS_AFTER_US 1000000
#define PROGRESS_EVERY_US 200000

int64_t
diag_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

void
diag_catch_signals(void)
{
	signals_catch(SIGNALS_CUT);
}

void
diag_signals_end(struct diag *d)
{
	diag_catch_signals();
	d->signals_end = true;
}

bool
diag_interrupted(void)
{
	return signals_cut();
}

void
diag_progress(struct diag *d, const char *fmt, ...)
{
	int64_t now = diag_now_us();
	va_list ap;

	if (d->hushed || now - d->start_us < PROGRESS_AFTER_US || now - d->progress_us < PROGRESS_EVERY_US)
		return;
	d->progress_us = now;
	if (!isatty(STDERR_FILENO))
		return;
	d->progress_shown = true;
	fputs("\r\033[K", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
}

void
progress_clear(struct diag *d)
{
	if (d->progress_shown)
		fputs("\r\033[K", stderr);
	d->progress_shown = false;
}

const struct diag_settings *
diag_settings(const struct diag *d)
{
	return &d->set;
}

struct diag_settings *
diag_settings_mut(struct diag *d)
{
	return &d->set;
}

const char *
diag_word(const struct diag *d)
{
	return d->word ? d->word : d->tool->name;
}

static const struct diag_op *
find_op(const struct diag_op *ops, const char *name)
{
	for (const struct diag_op *o = ops; o->name; o++)
		if (!strcasecmp(o->name, name) || (o->alias && !strcasecmp(o->alias, name)))
			return o;
	return NULL;
}

/* OPERATION ADDRESS [OPERAND...] */
static int
run_op(struct diag *d, int argc, char **argv)
{
	const struct diag_op *op;
	struct diag_addr to;
	int r, taken = 1;

	if (argc < 2)
		return diag_usage(d, "an operation and an address are needed");
	d->word = argv[0];
	op = find_op(d->tool->ops, argv[0]);
	if (!op)
		return diag_fail(d, EXIT_USAGE, "usage", "operation '%s' not supported", argv[0]);
	json_object_set_new(d->doc, "operation", json_string(op->name));
	r = diag_open(d);
	if (!r)
		r = d->tool->address ? d->tool->address(d, argc - 1, argv + 1, &to, &taken) : diag_address(d, argv[1], &to);
	if (r)
		return r;
	json_object_set_new(d->doc, "target", diag_json_addr(&to));
	return op->run(d, &to, argc - 1 - taken, argv + 1 + taken);
}

static void
clear(struct diag *d)
{
	engine_close(d);
	names_free(d->names);
	json_decref(d->doc);
	out_clear(d);
	json_decref(d->summary);
	json_decref(d->errors);
	json_decref(d->findings);
	json_decref(d->options);
	json_decref(d->printed);
	free(d->set.ca);
	free(d->set.names_file);
	free(d->set.load);
	free(d->set.select);
}

int
diag_main(const struct diag_tool *tool, int argc, char **argv)
{
	const char *compat = getenv("HEDDLE_COMPAT_STDOUT");
	struct diag d = {
		.tool = tool, .program = argc > 0 ? argv[0] : tool->name, .source = "live",
		.set = { .port = -1, .mlx_epi = true, .pretty = isatty(STDOUT_FILENO) },
		.start_us = diag_now_us(),
	};
	const void *random = (const void *)getauxval(AT_RANDOM);        /* what the kernel gave this process */
	static char buffer[1 << 16];
	int operand = argc, r;
	size_t seed = 0;

	if (random)
		memcpy(&seed, random, sizeof(seed));
	if (seed)
		json_object_seed(seed); /* or jansson opens /dev/urandom */
	if (!d.set.pretty)
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));        /* no terminal */
	d.set.errors_on_stdout = compat && !strcmp(compat, "1");
	if (argc == 2 && !strcmp(argv[1], "--dump-options")) {
		options_dump(tool, stdout);
		return fflush(stdout) ? EXIT_FATAL : EXIT_OK;
	}
	out_begin(&d);
	options_guess_format(&d, argc, argv);
	if (d.set.format != DIAG_TEXT)
		diag_catch_signals();
	r = options_parse(&d, argc, argv, &operand);
	if (!r && d.set.names_file)
		r = names_load(&d);
	if (!r)
		r = tool->ops && !tool->run ? run_op(&d, argc - operand, argv + operand)
			: tool->run(&d, argc - operand, argv + operand);
	if (r != DIAG_STOP) {
		diag_status(&d, r);
		progress_clear(&d);
		out_end(&d);
	}
	r = d.status;
	clear(&d);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: cannot write the output: %s\n", argv[0], strerror(errno));
		r = EXIT_FATAL;
	}
	return r;
}
