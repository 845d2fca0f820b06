/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon.c - sets up heddled and runs it: start, events other than datagrams, end.
 * Room: sm/daemon. One thread runs one sd-event loop. The worker (work.h) computes what takes long,
 * the store's thread writes to disk, and the logwriter's thread writes the log.
 */
#include <config.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>
#include "sm/daemon/daemon.h"
#include "sm/daemon/daemon_int.h"
#include "sm/keys/keys.h"
#include "util/xalloc.h"

struct monotime
daemon_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct monotime){ (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 };
}

void
daemon_stop(struct daemon *d, int status)
{
	d->exit_status = status;
	sd_event_exit(d->event, 0);
}

static int
on_ctl(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	struct daemon *d = arg;

	(void)s;
	(void)fd;
	(void)revents;
	ctl_process(d->ctl, daemon_now());
	if (d->manager)
		daemon_turn(d);
	return 0;
}

/* Returns the interval of the housekeeping timer: one second, or a third of the watchdog interval
 * if that is less. */
static uint64_t
second_us(const struct daemon *d)
{
	return d->watchdog_us && d->watchdog_us / 3 < 1000000 ? d->watchdog_us / 3 : 1000000;
}

static int
on_second(sd_event_source *s, uint64_t us, void *arg)
{
	struct daemon *d = arg;
	struct store_status st;

	(void)us;
	service_watchdog(d);
	store_status(d->store, &st);
	if (d->ctl)
		ctl_process(d->ctl, daemon_now());
	sd_event_source_set_time_relative(s, second_us(d));
	sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
	return 0;
}

static int
on_stop(sd_event_source *s, const struct signalfd_siginfo *si, void *arg)
{
	struct daemon *d = arg;

	(void)s;
	(void)si;
	log_line(&d->log, LOG_NOTE, "heddled", "stopping; the fabric is left as it is");
	sd_notify(0, "STOPPING=1");
	daemon_stop(d, d->conf->once ? EXIT_FATAL : 0);
	return 0;
}

static int
on_work_look(sd_event_source *s, uint64_t us, void *arg)
{
	struct daemon *d = arg;

	(void)us;
	if (work_look(d->work)) {
		sd_event_source_set_time_relative(s, WORK_LOOK_US);
		sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
	}
	return 0;
}

void
daemon_put_work(struct daemon *d, struct job *j)
{
	int on = SD_EVENT_ON;

	work_put(d->work, j);
	if (sd_event_source_get_enabled(d->work_timer, &on) >= 0 && on == SD_EVENT_OFF)
		on_work_look(d->work_timer, 0, d);
}

static int
on_work(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	struct daemon *d = arg;
	struct job *j;

	(void)s;
	(void)fd;
	(void)revents;
	while ((j = work_take(d->work)) != NULL)
		manager_job_done(d->manager, j, daemon_now());
	service_documents(d);
	if (d->manager)
		daemon_turn(d);
	return 0;
}

/* Makes 'dir' and the missing directories above it. Errors are reported when the directory
 * is used. */
static void
make_dir(const char *dir, mode_t mode)
{
	char *path = xstrdup(dir);

	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	mkdir(path, mode);
	free(path);
}

static int
open_ctl(struct daemon *d)
{
	char *path = xasprintf("%s/heddled.sock", conf_runtime_dir(d->conf));
	int err;

	if (d->conf->once) {            /* the run is too short for control calls */
		free(path);
		return 0;
	}
	make_dir(conf_runtime_dir(d->conf), 0750);
	err = ctl_open(path, service_methods, service_nmethods, d, &d->log, &d->ctl);
	if (err < 0) {
		log_line(&d->log, LOG_ERROR, "ctl", "%s: %s", path, err == -EADDRINUSE ?
			"another heddled serves there" : strerror(-err));
	} else {
		err = sd_event_add_io(d->event, NULL, ctl_fd(d->ctl), EPOLLIN, on_ctl, d);
	}
	free(path);
	return err;
}

static int
add_sources(struct daemon *d)
{
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* If the file size is limited, a write fails with an error, and heddled continues. */
	signal(SIGXFSZ, SIG_IGN);
	err = sd_event_new(&d->event);
	if (err >= 0)
		err = sd_event_add_signal(d->event, NULL, SIGTERM, on_stop, d);
	if (err >= 0)
		err = sd_event_add_signal(d->event, NULL, SIGINT, on_stop, d);
	if (err >= 0)
		err = sd_event_add_signal(d->event, NULL, SIGHUP, daemon_on_reload, d);
	if (err >= 0)
		err = sd_event_add_time(
			d->event, &d->timer, CLOCK_MONOTONIC, 0, 1, daemon_on_timer, d);
	if (err >= 0)
		err = sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
	if (err >= 0)
		err = sd_event_add_time(d->event, &d->device.timer, CLOCK_MONOTONIC, 0, 0,
			daemon_on_device_timer, d);
	if (err >= 0)
		err = sd_event_source_set_enabled(d->device.timer, SD_EVENT_OFF);
	if (err >= 0)
		err = sd_event_add_time_relative(
			d->event, NULL, CLOCK_MONOTONIC, 1000000, 0, on_second, d);
	if (err >= 0)
		err = sd_event_add_time(
			d->event, &d->work_timer, CLOCK_MONOTONIC, 0, 1000, on_work_look, d);
	if (err >= 0)
		err = sd_event_source_set_enabled(d->work_timer, SD_EVENT_OFF);
	if (err >= 0)
		err = work_new(&d->work);
	if (err >= 0)
		err = sd_event_add_io(d->event, NULL, work_fd(d->work), EPOLLIN, on_work, d);
	d->timer_at = UINT64_MAX;
	return err < 0 ? err : 0;
}

/* A service waits for a device that does not exist yet. heddled started by hand or with --once
 * ends. */
static int
first_device(struct daemon *d)
{
	char why[IO_WHY_BYTES] = "";
	int err = device_open(d, why);

	if (err == -ENODEV && !d->conf->once && getenv("NOTIFY_SOCKET")) {
		daemon_wait_for_device(d, why);
		return 0;
	}
	if (err < 0)
		log_line(&d->log, LOG_ERROR, "heddled", "%s", why);
	return err;
}

#define TABLES_NAME "tables"            /* beside the database */

static void
load_store(struct daemon *d)
{
	make_dir(conf_state_dir(d->conf), 0700);
	d->store = store_open(conf_state_dir(d->conf), &d->log);
	d->tables = store_file_open(conf_state_dir(d->conf), TABLES_NAME, &d->log);
	d->nstore_rows = store_load_lids(d->store, &d->store_rows);
}

static int
load_keys(struct daemon *d)
{
	bool sm = !d->conf->sm_key, sa = !d->conf->sa_key;
	char why[KEYS_WHY_BYTES];
	int err = keys_fill(d->conf, &d->log, why);

	if (err < 0)
		log_line(&d->log, LOG_ERROR, "heddled", "%s", why);
	d->made_sm_key = sm ? d->conf->sm_key : 0;
	d->made_sa_key = sa ? d->conf->sa_key : 0;
	return err;
}

static int
make_secret(const struct conf *c)
{
	char *path = c->secret_file[0] ? xstrdup(c->secret_file) : conf_beside(c, KEYS_NAME);
	char why[KEYS_WHY_BYTES];
	int made = keys_secret_make(path, why);

	if (made < 0)
		fprintf(stderr, "heddled: %s\n", why);
	else
		printf("%s: %s\n", path, made ? "there is one already; left as it is" : "made");
	free(path);
	return made < 0 ? EXIT_FATAL : 0;
}

static int
daemon_run_loop(struct daemon *d)
{
	int err = add_sources(d);

	if (err < 0) {
		log_line(&d->log, LOG_ERROR, "heddled", "cannot make the event loop: %s",
			strerror(-err));
		return EXIT_FATAL;
	}
	if (first_device(d) < 0)
		return EXIT_FATAL;
	load_store(d);
	if (load_keys(d) < 0)
		return EXIT_USAGE;
	if (d->device.io)
		daemon_manager_begin(d);
	if (open_ctl(d) < 0)
		return EXIT_FATAL;
	sd_watchdog_enabled(0, &d->watchdog_us);
	sd_notify(0, "READY=1");
	service_notify(d);
	service_watchdog(d);
	if (d->manager)
		daemon_turn(d);
	if (!d->once_done)
		daemon_loop(d);
	return d->exit_status;
}

static void
daemon_end(struct daemon *d)
{
	ctl_close(d->ctl);
	service_store_last(d);
	manager_free(d->manager);
	device_close(d);
	store_close(d->store);
	store_file_close(d->tables);
	free(d->store_rows);
	work_free(d->work);
	sd_event_source_unref(d->device.source);
	sd_event_source_unref(d->device.timer);
	sd_event_source_unref(d->work_timer);
	sd_event_source_unref(d->timer);
	sd_event_unref(d->event);
	conf_free(d->conf);
	logwriter_free(d->logwriter);
}

/* Opens the log, which goes to standard error through the logwriter, so that no caller waits for
 * its reader. */
static int
open_log(struct daemon *d)
{
	int err = logwriter_new(STDERR_FILENO, getenv("JOURNAL_STREAM") != NULL, &d->logwriter);

	if (err < 0) {
		fprintf(stderr, "heddled: cannot start the log's thread: %s\n", strerror(-err));
		return err;
	}
	logwriter_flush_on_abort(d->logwriter);
	d->log = (struct log){ d->conf->log_level, logwriter_emit, d->logwriter };
	return 0;
}

int
heddled_main(int argc, char **argv)
{
	struct daemon d = { .exit_status = 0 };
	struct conf_error e = CONF_ERROR_INIT;
	int status = conf_load(argc, argv, &d.conf, &e);

	if (e.warnings)
		fputs(e.warnings, stderr);
	if (e.text)
		fputs(e.text, stderr);
	if (status < 0) {
		conf_error_clear(&e);
		return EXIT_USAGE;
	}
	conf_error_clear(&e);
	status = conf_act(d.conf, stdout);
	if (d.conf->action == CONF_MAKE_SECRET) {
		status = make_secret(d.conf);
	} else if (status < 0) {
		/* a core file would contain keys */
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		d.started = daemon_now();
		status = open_log(&d) < 0 ? EXIT_FATAL : daemon_run_loop(&d);
	}
	daemon_end(&d);
	return status;
}
