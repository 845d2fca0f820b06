/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * runner.c - runs the selected cases one by one; see conform.h.
 * Room: verbs/conform.
 */
#include <config.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include "util/xalloc.h"
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/conform.h"
#include "verbs/conform/kit/kit.h"

/* ---- the choice of cases ---- */

bool
conform_chosen(const struct conform_options *o, const struct conform_case *c)
{
	size_t length = strcspn(c->name, "/");
	bool area = !o->areas, name = !o->globs;

	for (const char *const *p = o->areas; p && *p; p++)
		area |= strlen(*p) == length && !strncmp(*p, c->name, length);
	for (const char *const *p = o->globs; p && *p; p++)
		name |= !fnmatch(*p, c->name, 0);
	return area && name;
}

size_t
conform_count(const struct conform_options *o)
{
	struct case_list l;
	size_t n = 0;

	cases_all(&l);
	for (size_t i = 0; i < l.n; i++)
		n += conform_chosen(o, &l.v[i]);
	case_list_clear(&l);
	return n;
}

/* ---- one case ---- */

struct run {
	const struct conform_target *target;
	const struct conform_options *options;
	struct conform_report *report;
	struct verbs_world *world;      /* NULL: each case gets a new one */
	unsigned kernel;
	int64_t start_ms;
};

static int64_t
wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
set_reason(struct conform_result *r, enum conform_status status, const char *reason)
{
	r->status = status;
	snprintf(r->reason, sizeof(r->reason), "%s", reason ? reason : "");
}

/* The first required capability that is missing; VERBS_CAP_BITS: none. */
static unsigned
missing_cap(uint64_t needs, uint64_t caps)
{
	for (unsigned bit = 0; bit < VERBS_CAP_BITS; bit++) {
		if (needs >> bit & 1 && !(caps >> bit & 1))
			return bit;
	}
	return VERBS_CAP_BITS;
}

static void
result_verdict(struct run *run, struct conform_result *r)
{
	struct conform_outcome o = { r->name, run->report->provider, run->kernel, r->expected,
		r->got };
	struct conform_verdict v = conform_verdict_make(run->options->deviations,
		run->options->ndeviations, &o);

	set_reason(r, v.status, v.reason);
	r->gone = v.gone;
}

static void
run_open(struct run *run, const struct conform_case *c, struct kit *k, struct conform_result *r)
{
	const struct conform_options *o = run->options;
	const struct conform_deviation *avoid = conform_avoid(o->deviations, o->ndeviations,
		c->name, run->report->provider, run->kernel);
	unsigned bit = missing_cap(c->needs, k->a.dev->caps & k->b.dev->caps);
	char reason[sizeof(r->reason)];

	if (bit < VERBS_CAP_BITS || avoid) {
		kit_close(k);
		if (bit < VERBS_CAP_BITS)
			snprintf(reason, sizeof(reason), "needs %s", verbs_cap_text(bit));
		else
			snprintf(reason, sizeof(reason), "not run: %s", avoid->reason);
		set_reason(r, bit < VERBS_CAP_BITS ? CONFORM_SKIP : CONFORM_DEVIATION, reason);
		*r->got = '\0';
		return;
	}
	if (!k->broken)
		c->run(k, c);
	kit_close(k);
	if (k->skip) {
		set_reason(r, CONFORM_SKIP, k->skip);
		*r->got = '\0';
	} else {
		result_verdict(run, r);
	}
}

static void
run_case(struct run *run, const struct conform_case *c, struct conform_result *r)
{
	const struct conform_options *o = run->options;
	struct verbs_world *world = run->world;
	struct kit k = { .seed = o->seed };
	int ret;

	*r = (struct conform_result){ .name = c->name, .expected = c->expected, .area = c->name,
		.area_length = (int)strcspn(c->name, "/") };
	if (wall_ms() - run->start_ms > (int64_t)o->limit_s * 1000) {
		run->report->cut_short = true;
		set_reason(r, CONFORM_SKIP, "time was up");
		return;
	}
	if (!world)
		world = run->target->world_new(run->target->arg, o->seed);
	ret = world ? kit_open(&k, run->target, world, o->device, o->peer, r->got) : -ENODEV;
	if (ret) {
		snprintf(r->got, sizeof(r->got), "open %s", kit_errno_name(ret));
		set_reason(r, CONFORM_FAIL, "the device could not be opened again");
	} else {
		run_open(run, c, &k, r);
	}
	if (world && !run->world)
		world->ops->world_free(world);
}

/* ---- all ---- */

/* Reads names and provider of the device before the first case, and finds out whether there is a
 * device. */
static int
target_read(struct run *run, struct verbs_world *world)
{
	struct conform_report *r = run->report;
	const struct conform_options *o = run->options;
	char said[CONFORM_WORDS_MAX];
	struct kit k = { .seed = o->seed };
	struct utsname u;
	int ret = kit_open(&k, run->target, world, o->device, o->peer, said);

	if (ret)
		return ret;
	snprintf(r->device, sizeof(r->device), "%s", k.a.dev->name);
	snprintf(r->peer, sizeof(r->peer), "%s", k.b.dev->name);
	if (o->provider)
		snprintf(r->provider, sizeof(r->provider), "%s", o->provider);
	else if (run->target->provider)
		snprintf(r->provider, sizeof(r->provider), "%s", run->target->provider(k.a.dev));
	else
		snprintf(r->provider, sizeof(r->provider), "%.*s",
			(int)strcspn(r->device, "0123456789_"), r->device);
	r->emulated = k.a.dev->emulated;
	if (!(k.a.dev->caps & VERBS_CAP(VIRTUAL_TIME)) && !uname(&u)) {
		snprintf(r->kernel, sizeof(r->kernel), "%s", u.release);
		run->kernel = conform_kernel(u.release);
	}
	kit_close(&k);
	return 0;
}

static void
run_all(struct run *run, const struct case_list *l)
{
	struct conform_report *r = run->report;

	r->v = xcalloc(l->n ? l->n : 1, sizeof(*r->v));
	for (size_t i = 0; i < l->n; i++) {
		struct conform_result *one = &r->v[r->n];

		if (!conform_chosen(run->options, &l->v[i]))
			continue;
		run_case(run, &l->v[i], one);
		r->n++;
		r->totals[one->status]++;
		r->gone += one->gone;
		if (run->options->each)
			run->options->each(run->options->arg, (unsigned)r->n, one);
	}
}

int
conform_run(const struct conform_target *t, const struct conform_options *o,
	struct conform_report *r)
{
	struct run run = { .target = t, .options = o, .report = r, .start_ms = wall_ms() };
	struct verbs_world *world = t->world_new(t->arg, o->seed);
	struct case_list *l;
	int ret;

	*r = (struct conform_report){ .backend = t->backend };
	if (!world)
		return -ENODEV;
	ret = target_read(&run, world);
	if (!ret) {
		l = xcalloc(1, sizeof(*l));
		r->cases = l;
		cases_all(l);
		run.world = t->fresh ? NULL : world;
		run_all(&run, l);
	}
	world->ops->world_free(world);
	r->wall_ms = wall_ms() - run.start_ms;
	return ret;
}

void
conform_report_clear(struct conform_report *r)
{
	if (r->cases)
		case_list_clear(r->cases);
	free(r->cases);
	free(r->v);
	*r = (struct conform_report){ 0 };
}

int
conform_exit_status(const struct conform_report *r)
{
	return r->totals[CONFORM_FAIL] ? 1 : r->cut_short ? 3 : 0;
}
