/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * progress.c - a clock, and a progress line on the terminal.
 * Room: diags/core.
 */
#include <config.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "diags/core/context.h"
#include "diags/core/progress.h"

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
diag_progress(struct diag *d, const char *fmt, ...)
{
	int64_t now = diag_now_us();
	va_list ap;

	if (d->hushed || now - d->start_us < PROGRESS_AFTER_US ||
	    now - d->progress_us < PROGRESS_EVERY_US)
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
diag_progress_clear(struct diag *d)
{
	if (d->progress_shown)
		fputs("\r\033[K", stderr);
	d->progress_shown = false;
}
