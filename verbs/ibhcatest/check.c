/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * check.c - see check.h.
 * Room: verbs/ibhcatest.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/xalloc.h"
#include "verbs/ibhcatest/check.h"
#include "verbs/meas/remote.h"

#define DIAL_MS 3000
#define DATA_BYTES 4096
#define DATA_MESSAGES 256

static const char *const steps[] = { "latency", "bandwidth", "data" };

/* True for ASCII, which names and addresses in documents must be. */
static bool
is_printable(const char *text)
{
	while (*text > ' ' && *text <= '~')
		text++;
	return !*text;
}

int
check_end_parse(struct check_end *e, const char *text, uint16_t port, char *why, size_t why_bytes)
{
	memset(e, 0, sizeof(*e));
	e->name = text;
	e->port = port;
	e->here = !strcmp(text, "soft") || !strncmp(text, "verbs:", 6);
	if (is_printable(text) &&
		    (e->here || !meas_split_host(text, e->host, sizeof(e->host), &e->port)))
		return 0;
	snprintf(why, why_bytes, "\"%.80s\" is neither HOST[:PORT] nor a device of this host "
		"(verbs:DEVICE[:PORT], soft)", text);
	return -EINVAL;
}

/* The test of a step, with the operator's changes. */
static struct meas_test
test_of(const struct ask *ask, enum check_step step)
{
	struct meas_test t = meas_test_default(step == CHECK_LATENCY ? MEAS_LAT : MEAS_BW);
	bool datagrams = ask->test.transport == MEAS_UD;

	t.transport = ask->test.transport;
	t.sl = ask->test.sl;
	t.seed = ask->test.seed;
	if (ask->typed_iterations) {
		t.iterations = ask->test.iterations;
		t.duration_ms = ask->test.duration_ms;
	}
	t.warmup = step == CHECK_LATENCY && t.iterations > 1000 ? 100 : t.iterations / 10;
	if (step == CHECK_BANDWIDTH) {
		t.op = datagrams ? MEAS_SEND : MEAS_WRITE;
		t.sizes[0] = ask->typed_size ? ask->test.sizes[0] : datagrams ? 1024 : t.sizes[0];
		t.warmup = 0;
	}
	if (step == CHECK_DATA) {
		t.sizes[0] = datagrams ? 1024 : DATA_BYTES;
		t.validate = t.bidirectional = true;
		t.iterations = DATA_MESSAGES;
		t.duration_ms = 0;
		t.warmup = 0;
	}
	return t;
}

static void
check_worsen(struct check *c, enum exit_status status, const char *word, const char *code,
	const char *why)
{
	if (c->status != EXIT_OK)
		return;
	c->status = status;
	c->word = word;
	c->code = code;
	snprintf(c->why, sizeof(c->why), "%s", why);
}

/* True when the test of this step will be refused anyway. */
static bool
is_refused_anyway(const struct check *c, const struct ask *ask)
{
	return c->emulated[0] && meas_expect_speed(&ask->expect);
}

/* ---- one end is here ---- */

static void
session_collect(struct check *c, enum check_step step, struct meas_session *s)
{
	const char *emulated = s->end.facts.emulated[0] ? s->end.facts.emulated :
		s->end.peer.emulated;
	char why[400];

	if (*emulated)
		snprintf(c->emulated, sizeof(c->emulated), "%s", emulated);
	if (s->nresults)
		c->rows[step] = meas_row_json(&s->results[0], &s->test);
	if (s->status != EXIT_OK) {
		snprintf(why, sizeof(why), "%s: %.320s", steps[step], s->why);
		check_worsen(c, s->status, "failed", s->code, why);
	}
	meas_session_free_results(s);
}

static void
step_here(struct check *c, const struct ask *ask, enum check_step step,
	const struct verbs_choice *here, const struct verbs_choice *other, struct check_end *far)
{
	struct meas_session *s = xcalloc(1, sizeof(*s));
	char why[MEAS_WHY_BYTES];
	int fd = -1;

	s->test = test_of(ask, step);
	s->gid_index = -1;
	if (far && (fd = meas_dial(far->host, far->port, DIAL_MS, why)) < 0) {
		far->down = true;
		check_worsen(c, EXIT_PARTIAL, "unanswered", "timeout", why);
	} else {
		run_client(s, here, other, fd, far ? far->name : NULL, ask->silence_ms);
		session_collect(c, step, s);
	}
	free(s);
}

static void
run_here(struct check *c, const struct ask *ask, struct check_end *near, struct check_end *far)
{
	struct verbs_choice here, other;
	char why[VERBS_WHY_BYTES];
	int r = verbs_backend_find(near->name, ask->test.seed, &here, why);

	if (r) {
		check_worsen(c, r == -EINVAL ? EXIT_USAGE : EXIT_FATAL, "failed",
			r == -EINVAL ? "usage" : "no_device", why);
		return;
	}
	other = here;
	if (far->here && strcmp(far->name, "soft")) {
		struct verbs_choice named;

		/* Both names belong to one world: the list of devices is the same. */
		r = strncmp(near->name, "verbs:", 6) ? -EINVAL : verbs_backend_find(far->name,
			ask->test.seed, &named, why);
		if (!r) {
			named.world->ops->world_free(named.world);
			memcpy(other.device, named.device, sizeof(other.device));
			other.port = named.port;
		}
	} else if (far->here) {
		r = strcmp(near->name, "soft") ? -EINVAL : 0;
		snprintf(other.device, sizeof(other.device), "soft1");
	}
	if (r)
		check_worsen(c, EXIT_USAGE, "failed", "usage",
			"a software adapter and a device are on no common wire");
	for (int i = 0; i < CHECK_STEPS && c->status == EXIT_OK && !is_refused_anyway(c, ask); i++)
		step_here(c, ask, (enum check_step)i, &here, far->here ? &other : NULL,
			far->here ? NULL : far);
	here.world->ops->world_free(here.world);
}

/* ---- both are elsewhere ---- */

static void
run_there(struct check *c, const struct ask *ask, struct check_end *a, struct check_end *b)
{
	struct meas_remote answer;
	struct meas_test t;
	char why[512], to[280];

	snprintf(to, sizeof(to), strchr(b->host, ':') ? "[%s]:%u" : "%s:%u", b->host, b->port);
	for (int i = 0; i < CHECK_STEPS && c->status == EXIT_OK && !is_refused_anyway(c, ask);
		    i++) {
		t = test_of(ask, (enum check_step)i);
		meas_remote_test(a->host, a->port, to, &t, ask->silence_ms, &answer);
		if (json_array_size(answer.rows))
			c->rows[i] = json_incref(json_array_get(answer.rows, 0));
		if (answer.emulated[0])
			memcpy(c->emulated, answer.emulated, sizeof(c->emulated));
		a->down = answer.unreachable;
		b->down = answer.unanswered;
		if (answer.status != EXIT_OK) {
			snprintf(why, sizeof(why), "%s: %.440s", steps[i], answer.why);
			check_worsen(c, answer.status, answer.unreachable || answer.unanswered ?
				"unanswered" : "failed", answer.code, why);
		}
		json_decref(answer.rows);
	}
}

void
check_run(struct check *c, const struct ask *ask, struct check_end *a, struct check_end *b)
{
	memset(c, 0, sizeof(*c));
	c->a = a;
	c->b = b;
	c->word = "ok";
	c->code = "io";
	if (a->down || b->down) {
		check_worsen(c, EXIT_PARTIAL, "skipped", "timeout", "");
		snprintf(c->why, sizeof(c->why), "%s did not answer before",
			a->down ? a->name : b->name);
	} else if (a->here || b->here) {
		run_here(c, ask, a->here ? a : b, a->here ? b : a);
	} else {
		run_there(c, ask, a, b);
	}
}

void
check_clear(struct check *c)
{
	for (int i = 0; i < CHECK_STEPS; i++)
		json_decref(c->rows[i]);
}

/* ---- what came of it ---- */

json_t *
check_json(const struct check *c)
{
	json_t *o = json_pack("{s:s,s:s,s:s,s:o,s:b}", "a", c->a->name, "b", c->b->name, "status",
	c->word, "why", c->why[0] ? json_string(c->why) : json_null(),
		"emulated", c->emulated[0] != '\0');

	if (!o)                                 /* the name is not UTF-8 */
		return json_object();
	for (int i = 0; i < CHECK_STEPS; i++)
		json_object_set_new(o, steps[i], c->rows[i] ? json_incref(c->rows[i]) :
			json_null());
	return o;
}

bool
check_figure(const struct check *c, enum meas_figure f, double *v)
{
	double one;
	bool any = false;

	switch (f) {
	case MEAS_FIGURE_BW:
	case MEAS_FIGURE_BW_PEAK:
	case MEAS_FIGURE_BW_MIN:
	case MEAS_FIGURE_MSGRATE:
		return meas_row_figure(c->rows[CHECK_BANDWIDTH], f, v);
	case MEAS_FIGURE_LOST:
	case MEAS_FIGURE_CORRUPT:
	case MEAS_FIGURE_ERRORS:
	case MEAS_FIGURE_MESSAGES:
		*v = 0;
		for (int i = 0; i < CHECK_STEPS; i++)
			if (meas_row_figure(c->rows[i], f, &one)) {
				*v += one;
				any = true;
			}
		return any;
	case MEAS_FIGURE_MIN:
	case MEAS_FIGURE_MAX:
	case MEAS_FIGURE_AVG:
	case MEAS_FIGURE_STDEV:
	case MEAS_FIGURE_P50:
	case MEAS_FIGURE_P90:
	case MEAS_FIGURE_P99:
	case MEAS_FIGURE_P999:
	case MEAS_FIGURE_P9999:
	case MEAS_FIGURE_KINDS:
		break;
	}
	return meas_row_figure(c->rows[CHECK_LATENCY], f, v);
}

void
check_verdict(struct report *r, const struct meas_expect *e, struct check *c)
{
	const struct meas_term *speed = meas_expect_speed(e);
	char text[300], who[300];
	double v;

	snprintf(who, sizeof(who), "%.120s to %.120s: ", c->a->name, c->b->name);
	if (c->status != EXIT_OK)
		report_error(r, c->status, c->code, "%s%s", who, c->why);
	if (speed && c->emulated[0]) {
		report_error(r, EXIT_USAGE, "usage", "%s--expect \"%s\" is refused: %s", who,
			speed->text, c->emulated);
		return;
	}
	for (int i = 0; i < CHECK_STEPS; i++)
		if (c->rows[i] && meas_row_problem(c->rows[i], text, sizeof(text)))
			report_finding(r, "data", json_null(), who, "%s%s", who, text);
	for (unsigned i = 0; i < e->n; i++) {
		const struct meas_term *t = &e->terms[i];

		if (!check_figure(c, t->figure, &v) || meas_term_holds(t, v))
			continue;
		report_finding(r, "expect", json_real(v), t->text,
			"%s%s is %.6g %s, and \"%s\" was expected", who,
			meas_figure_name(t->figure), v, meas_figure_unit(t->figure), t->text);
	}
}
