/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verdict.c - compares an outcome with the expectation and the known deviations; see verdict.h.
 * Room: verbs/conform.  Pure.
 */
#include <config.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "verbs/conform/verdict.h"

bool
conform_as_expected(const char *expected, const char *got)
{
	size_t length = strlen(got);

	for (const char *p = expected, *end; ; p = end + 1) {
		end = strchr(p, '|');
		if (!end)
			return !strcmp(p, got);
		if ((size_t)(end - p) == length && !memcmp(p, got, length))
			return true;
	}
}

static bool
deviation_applies(const struct conform_deviation *d, const char *name, const char *provider,
	unsigned kernel)
{
	return !strcmp(d->provider, provider) && kernel >= d->kernel_from &&
		kernel < d->kernel_below && !fnmatch(d->cases, name, 0);
}

const struct conform_deviation *
conform_avoid(const struct conform_deviation *rows, size_t n, const char *name,
	const char *provider, unsigned kernel)
{
	for (const struct conform_deviation *d = rows; d < rows + n; d++) {
		if (!d->got && deviation_applies(d, name, provider, kernel))
			return d;
	}
	return NULL;
}

struct conform_verdict
conform_verdict_make(const struct conform_deviation *rows, size_t n,
	const struct conform_outcome *o)
{
	bool right = conform_as_expected(o->expected, o->got);
	const struct conform_deviation *known = NULL;
	bool gone = false;

	for (const struct conform_deviation *d = rows; d < rows + n; d++) {
		if (!d->got || !deviation_applies(d, o->name, o->provider, o->kernel))
			continue;
		if (!right && !fnmatch(d->got, o->got, 0))
			return (struct conform_verdict){ CONFORM_DEVIATION, false, d->reason };
		known = d;
		gone |= !d->sometimes;
	}
	if (!right)
		return (struct conform_verdict){ CONFORM_FAIL, false, known ?
			"a deviation is known here, but not this one" :
			"differs from what the specification asks" };
	if (gone)
		return (struct conform_verdict){ CONFORM_PASS, true,
			"no longer deviates: its row can go" };
	return (struct conform_verdict){ CONFORM_PASS, false, NULL };
}

const char *
conform_deviations_refused(const struct conform_deviation *rows, size_t n, size_t *row)
{
	for (size_t i = 0; i < n; i++) {
		const struct conform_deviation *d = &rows[i];

		*row = i;
		if (!d->cases || !*d->cases)
			return "names no case";
		if (!d->provider || !*d->provider)
			return "names no provider";
		if (!d->reason || !*d->reason)
			return "has no reason";
		if (d->got && !*d->got)
			return "says nothing of what comes out";
		if (d->kernel_from >= d->kernel_below)
			return "is for no kernel at all";
	}
	return NULL;
}

const char *
conform_status_name(enum conform_status s)
{
	switch (s) {
	case CONFORM_PASS:
		return "pass";
	case CONFORM_FAIL:
		return "fail";
	case CONFORM_SKIP:
		return "skip";
	case CONFORM_DEVIATION:
		return "deviation";
	}
	return "?";
}

unsigned
conform_kernel(const char *release)
{
	char *end;
	unsigned long major = strtoul(release, &end, 10), minor;

	if (end == release || *end != '.' || major > 0x7fff)
		return 0;
	release = end + 1;
	minor = strtoul(release, &end, 10);
	return end == release || minor > 0xffff ? 0 : KERNEL(major, minor);
}
