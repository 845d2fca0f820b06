/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reload.c - reloads the configuration.  Jobs of the worker may still read the old one: a later job
 * frees it.
 * Room: sm/daemon.
 */
#include <config.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include "sm/daemon/daemon_int.h"
#include "sm/keys/keys.h"
#include "util/xalloc.h"

/* Keeps keys that are derived from the shared secret; they do not change while heddled runs. */
static int
keys_again(struct daemon *d, struct conf *fresh, char *why)
{
	bool sm = !fresh->sm_key, sa = !fresh->sa_key;
	int err;

	memcpy(fresh->mkey_seed, d->conf->mkey_seed, sizeof(fresh->mkey_seed));
	fresh->mkey_seeded = d->conf->mkey_seeded;
	if (sm)
		fresh->sm_key = d->made_sm_key;
	if (sa)
		fresh->sa_key = d->made_sa_key;
	err = keys_fill(fresh, &d->log, why);
	if (sm)
		d->made_sm_key = fresh->sm_key;
	if (sa)
		d->made_sa_key = fresh->sa_key;
	return err;
}

struct conf_job {
	struct job job;         /* must be first: the job is converted to this structure */
	struct conf *conf;
};

static void
conf_job_run(struct job *j)
{
	struct conf_job *c = (struct conf_job *)j;

	conf_free(c->conf);
	c->conf = NULL;
}

static void
conf_job_drop(struct job *j)
{
	conf_job_run(j);
	free(j);
}

/* Frees the old configuration by a job: earlier jobs may still read it. */
static void
retire_conf(struct daemon *d, struct conf *old)
{
	struct conf_job *c = xcalloc(1, sizeof(*c));

	*c = (struct conf_job){ .job = { .run = conf_job_run, .drop = conf_job_drop }, .conf = old };
	daemon_put_work(d, &c->job);
}

int
daemon_on_reload(sd_event_source *s, const struct signalfd_siginfo *si, void *arg)
{
	struct daemon *d = arg;
	struct conf_error e = CONF_ERROR_INIT;
	char why[KEYS_WHY_BYTES];
	struct conf *fresh = NULL;
	int err;

	(void)s;
	(void)si;
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)daemon_now().us);
	err = conf_reload(d->conf, &fresh, &e);
	conf_error_log(&e, &d->log);
	if (err < 0) {
		log_line(&d->log, LOG_ERROR, "conf",
			"the configuration stays as it was: %u error%s", e.nerrors,
			e.nerrors == 1 ? "" : "s");
	} else if (keys_again(d, fresh, why) < 0) {
		log_line(&d->log, LOG_ERROR, "conf", "the configuration stays as it was: %s", why);
		conf_free(fresh);
	} else {
		struct conf *old = d->conf;

		d->conf = fresh;
		d->log.max = fresh->log_level;
		if (d->manager)
			manager_set_conf(d->manager, fresh, daemon_now());
		retire_conf(d, old);
		log_line(&d->log, LOG_NOTE, "conf", "configuration read again");
	}
	conf_error_clear(&e);
	sd_notify(0, "READY=1");
	if (d->manager)
		daemon_turn(d);
	return 0;
}
