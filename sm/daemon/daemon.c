/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon.c - the wiring of heddled: reads the clock, waits, hands events in, takes datagrams out.
 * Room: sm/daemon.  One thread, one sd-event loop; what takes long is computed by a worker (work.h), disks are written by
 * the store's thread.
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
#include "sm/daemon/daemon.h"
#include "sm/daemon/daemon_int.h"
#include "sm/keys/keys.h"
#include "util/xalloc.h"

#define RECEIVE_BATCH 256               /* datagrams taken in before answers and requests go out */
#define LOOK_US 50                      /* while requests wait a device that was empty is not looked at sooner */
#define TURN_US 20000                   /* then others in the loop get their turn */
#define DEVICE_RETRY_US 1000000
#define POLL_WORK_US 1000               /* nor a job that has ended */
#define POLL_WAIT_US 20000              /* signals and control calls wait no longer for a poll-only device */

enum { EXIT_USAGE = 2, EXIT_FATAL = 255 };

struct monotime
daemon_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct monotime){ (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 };
}

static struct monotime
clock_for_manager(void *arg)
{
	(void)arg;
	return daemon_now();
}

static void
stop(struct daemon *d, int status)
{
	d->exit_status = status;
	sd_event_exit(d->event, 0);
}

static void
device_gone(struct daemon *d, int err)
{
	snprintf(d->device_why, sizeof(d->device_why), "%s port %u: %s", d->port.ca_name, d->port.port, strerror(-err));
	d->device_lost = true;
}

static void
retry_device(struct daemon *d)
{
	sd_event_source_set_time_relative(d->device_timer, DEVICE_RETRY_US);
	sd_event_source_set_enabled(d->device_timer, SD_EVENT_ONESHOT);
}

/* Says why there is none, whenever the reason is another one. */
static void
wait_for_device(struct daemon *d, const char *why)
{
	if (strcmp(why, d->waiting) != 0)
		log_line(&d->log, LOG_WARN, "device", "%s; waiting for an InfiniBand port", why);
	snprintf(d->waiting, sizeof(d->waiting), "%s", why);
	retry_device(d);
}

static void
lose_device(struct daemon *d)
{
	d->device_lost = false;
	sd_event_source_unref(d->device_source);
	d->device_source = NULL;
	manager_free(d->manager);
	d->manager = NULL;
	if (d->ctl)
		ctl_fail_waiting(d->ctl, "the InfiniBand port is gone", daemon_now());
	device_close(d);
	if (d->conf->once) {
		fprintf(stderr, "heddled: %s\n", d->device_why);
		stop(d, EXIT_FATAL);
		return;
	}
	wait_for_device(d, d->device_why);
	service_notify(d);
}

static void
send_all(struct daemon *d, struct monotime now)
{
	struct dgram out;
	int timeout_ms, err;

	while (manager_next_send(d->manager, &out, &timeout_ms, now)) {
		err = io_send(d->io, &out, timeout_ms);
		if (err < 0)
			manager_send_failed(d->manager, &out, -err, now);
		if (err == -EIO || err == -ENODEV) {
			device_gone(d, err);
			return;
		}
	}
}

static void
arm_timer(struct daemon *d)
{
	struct monotime at;
	uint64_t us;

	if (!manager_deadline(d->manager, &at))
		return;
	us = at.us < 0 ? 0 : (uint64_t)at.us;
	/* An earlier wake-up than needed costs one empty turn; moving the timer each turn would cost a call each. */
	if (us >= d->timer_at)
		return;
	d->timer_at = us;
	sd_event_source_set_time(d->timer, us);
	sd_event_source_set_enabled(d->timer, SD_EVENT_ONESHOT);
}

static void
after_turn(struct daemon *d)
{
	service_store(d);
	service_notify(d);
	if (d->conf->once && manager_sweeps(d->manager) && !d->once_done) {
		d->once_done = true;
		stop(d, service_write_report(d));
	}
}

/* What is there, a batch at most; how much that was. */
static int
receive(struct daemon *d, struct monotime now, int *error)
{
	struct dgram *in;
	int n = 0, r = 0;

	while (n < RECEIVE_BATCH && (r = io_recv(d->io, in = manager_room(d->manager))) == 1) {
		manager_receive(d->manager, in, now);
		n++;
	}
	*error = r < 0 ? r : 0;
	return n;
}

/*
 * Takes in what is there, lets everything move, sends; until nothing comes in any more or the turn is over.  Afterwards there
 * may be no manager any more: its device is gone.
 */
static void
turn(struct daemon *d)
{
	struct monotime begin = daemon_now(), now = begin, emptied = { begin.us - LOOK_US };
	bool look;
	int n, r = 0;

	do {
		look = !manager_answers_wait(d->manager) || monotime_sub_us(now, emptied) >= LOOK_US;

		n = look ? receive(d, now, &r) : 0;
		if (look && n < RECEIVE_BATCH)
			emptied = now;
		manager_tick(d->manager, now);
		now = daemon_now();     /* a plan may have been made: what goes out now is not late already */
		send_all(d, now);
	} while ((n || !look || manager_answers_wait(d->manager)) && !d->device_lost && monotime_sub_us(now, begin) < TURN_US);
	if (r < 0 && !d->device_lost)
		device_gone(d, r);
	arm_timer(d);
	after_turn(d);
	if (d->device_lost && !d->once_done)
		lose_device(d);
}

static int manager_begin(struct daemon *d);

static int
on_device(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	struct daemon *d = arg;

	(void)s;
	(void)fd;
	(void)revents;
	turn(d);
	return 0;
}

static int
on_timer(sd_event_source *s, uint64_t us, void *arg)
{
	struct daemon *d = arg;

	(void)s;
	(void)us;
	d->timer_at = UINT64_MAX;
	if (d->manager)
		turn(d);
	return 0;
}

static int
on_device_timer(sd_event_source *s, uint64_t us, void *arg)
{
	struct daemon *d = arg;
	char why[IO_WHY_BYTES];

	(void)s;
	(void)us;
	if (d->manager)
		return 0;
	if (device_open(d, why) < 0) {
		wait_for_device(d, why);
		return 0;
	}
	manager_begin(d);
	turn(d);
	return 0;
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
		turn(d);
	return 0;
}

/* A second, or a third of what the watchdog allows if that is less. */
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
	stop(d, d->conf->once ? EXIT_FATAL : 0);
	return 0;
}

/* Keys that are made from the secret stay what they were while we run. */
static int
keys_again(struct daemon *d, struct conf *fresh, char *why)
{
	bool sm = !fresh->sm_key, sa = !fresh->sa_key;
	int err;

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
	struct manager_job job;         /* first */
	struct conf *conf;
};

static void
conf_job_run(struct manager_job *j)
{
	struct conf_job *c = (struct conf_job *)j;

	conf_free(c->conf);
	c->conf = NULL;
}

static void
conf_job_drop(struct manager_job *j)
{
	conf_job_run(j);
	free(j);
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

static void
put_work(struct daemon *d, struct manager_job *j)
{
	int on = SD_EVENT_ON;

	work_put(d->work, j);
	if (sd_event_source_get_enabled(d->work_timer, &on) >= 0 && on == SD_EVENT_OFF)
		on_work_look(d->work_timer, 0, d);
}

/* A job that waits or runs may read it. */
static void
retire_conf(struct daemon *d, struct conf *old)
{
	struct conf_job *c = xcalloc(1, sizeof(*c));

	*c = (struct conf_job){ .job = { .run = conf_job_run, .drop = conf_job_drop }, .conf = old };
	put_work(d, &c->job);
}

static int
on_reload(sd_event_source *s, const struct signalfd_siginfo *si, void *arg)
{
	struct daemon *d = arg;
	struct conf_error e = CONF_ERROR_INIT;
	char why[KEYS_WHY_BYTES];
	struct conf *fresh = NULL;

	(void)s;
	(void)si;
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)daemon_now().us);
	if (conf_reload(d->conf, &fresh, &e) < 0) {
		log_line(&d->log, LOG_ERROR, "conf", "the configuration stays as it was: %s", e.text);
	} else if (keys_again(d, fresh, why) < 0) {
		log_line(&d->log, LOG_ERROR, "conf", "the configuration stays as it was: %s", why);
		conf_free(fresh);
	} else {
		struct conf *old = d->conf;

		if (e.warnings && e.warnings[0])
			log_line(&d->log, LOG_WARN, "conf", "%s", e.warnings);
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
		turn(d);
	return 0;
}

static int
on_work(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	struct daemon *d = arg;
	struct manager_job *j;

	(void)s;
	(void)fd;
	(void)revents;
	while ((j = work_take(d->work)) != NULL)
		manager_job_done(d->manager, j, daemon_now());
	service_documents(d);
	if (d->manager)
		turn(d);
	return 0;
}

static void
give_work(void *arg, struct manager_job *j)
{
	put_work(arg, j);
}

/* ---- start ---- */

static int
manager_begin(struct daemon *d)
{
	struct lid_id *ids = xcalloc(d->nstore_rows + 1, sizeof(*ids));
	struct manager_conf c = {
		.conf = d->conf, .port = d->port, .lids = ids, .nlids = (uint32_t)d->nstore_rows, .log = &d->log,
		.clock = clock_for_manager, .run_job = give_work, .job_arg = d,
		.cm = d->cm, .cm_why = d->cm_why,
	};
	int err;

	for (size_t i = 0; i < d->nstore_rows; i++)
		ids[i] = (struct lid_id){ d->store_rows[i].port_guid, d->store_rows[i].base_lid, d->store_rows[i].lmc };
	d->manager = manager_new(&c);
	free(ids);
	err = sd_event_add_io(d->event, &d->device_source, io_fd(d->io), EPOLLIN, on_device, d);
	d->poll_only = err < 0;
	d->waiting[0] = '\0';
	log_line(&d->log, LOG_NOTE, "device", "running on %s port %u, GUID 0x%016llx", d->port.ca_name, d->port.port,
		(unsigned long long)d->port.port_guid);
	return 0;
}

static int
wait_ms(const struct daemon *d)
{
	struct monotime at;
	int64_t us = manager_works(d->manager) ? POLL_WORK_US : POLL_WAIT_US;

	if (manager_deadline(d->manager, &at) && monotime_sub_us(at, daemon_now()) < us)
		us = monotime_sub_us(at, daemon_now());
	return us <= 0 ? 0 : (int)((us + 999) / 1000);
}

/*
 * A descriptor made up by a preloaded library answers poll but no epoll: then the loop and the device take turns, the
 * loop when nothing comes in, and every TURN_US.
 */
static void
loop(struct daemon *d)
{
	struct monotime looked = { 0 };
	bool busy = false;

	while (sd_event_get_state(d->event) != SD_EVENT_FINISHED) {
		bool alone = !d->poll_only || !d->manager || d->once_done;

		if (alone || !busy || monotime_sub_us(daemon_now(), looked) >= TURN_US) {
			if (sd_event_run(d->event, alone ? UINT64_MAX : 0) < 0)
				return;
			looked = daemon_now();
		}
		if (!d->poll_only || !d->manager || d->once_done || sd_event_get_state(d->event) == SD_EVENT_FINISHED)
			continue;
		busy = io_wait(d->io, wait_ms(d)) >= 0;
		turn(d);
		if (d->device_lost)
			lose_device(d);
	}
}

/* Makes 'dir' and what is missing above it; the rest is said where the directory is used. */
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

	if (d->conf->once) {            /* it is over before anybody asks */
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
	err = sd_event_new(&d->event);
	if (err >= 0)
		err = sd_event_add_signal(d->event, NULL, SIGTERM, on_stop, d);
	if (err >= 0)
		err = sd_event_add_signal(d->event, NULL, SIGINT, on_stop, d);
	if (err >= 0)
		err = sd_event_add_signal(d->event, NULL, SIGHUP, on_reload, d);
	if (err >= 0)
		err = sd_event_add_time(d->event, &d->timer, CLOCK_MONOTONIC, 0, 1, on_timer, d);
	if (err >= 0)
		err = sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
	if (err >= 0)
		err = sd_event_add_time(d->event, &d->device_timer, CLOCK_MONOTONIC, 0, 0, on_device_timer, d);
	if (err >= 0)
		err = sd_event_source_set_enabled(d->device_timer, SD_EVENT_OFF);
	if (err >= 0)
		err = sd_event_add_time_relative(d->event, NULL, CLOCK_MONOTONIC, 1000000, 0, on_second, d);
	if (err >= 0)
		err = sd_event_add_time(d->event, &d->work_timer, CLOCK_MONOTONIC, 0, 1000, on_work_look, d);
	if (err >= 0)
		err = sd_event_source_set_enabled(d->work_timer, SD_EVENT_OFF);
	if (err >= 0)
		err = work_new(&d->work);
	if (err >= 0)
		err = sd_event_add_io(d->event, NULL, work_fd(d->work), EPOLLIN, on_work, d);
	d->timer_at = UINT64_MAX;
	return err < 0 ? err : 0;
}

/* As a service we wait for a device that is not there (yet); started by hand, or with --once, that is the end. */
static int
first_device(struct daemon *d)
{
	char why[IO_WHY_BYTES] = "";
	int err = device_open(d, why);

	if (err == -ENODEV && !d->conf->once && getenv("NOTIFY_SOCKET")) {
		wait_for_device(d, why);
		return 0;
	}
	if (err < 0)
		fprintf(stderr, "heddled: %s\n", why);
	return err;
}

static void
load_store(struct daemon *d)
{
	make_dir(conf_state_dir(d->conf), 0700);
	d->store = store_open(conf_state_dir(d->conf), &d->log);
	d->nstore_rows = store_load_lids(d->store, &d->store_rows);
}

static int
load_keys(struct daemon *d)
{
	bool sm = !d->conf->sm_key, sa = !d->conf->sa_key;
	char why[KEYS_WHY_BYTES];
	int err = keys_fill(d->conf, &d->log, why);

	if (err < 0)
		fprintf(stderr, "heddled: %s\n", why);
	d->made_sm_key = sm ? d->conf->sm_key : 0;
	d->made_sa_key = sa ? d->conf->sa_key : 0;
	return err;
}

static int
make_secret(const struct conf *c)
{
	const char *path = c->secret_file[0] ? c->secret_file : KEYS_FILE;
	char why[KEYS_WHY_BYTES];
	int made = keys_secret_make(path, why);

	if (made < 0) {
		fprintf(stderr, "heddled: %s\n", why);
		return EXIT_FATAL;
	}
	printf("%s: %s\n", path, made ? "there is one already; left as it is" : "made");
	return 0;
}

static int
run(struct daemon *d)
{
	int err = add_sources(d);

	if (err < 0) {
		fprintf(stderr, "heddled: cannot make the event loop: %s\n", strerror(-err));
		return EXIT_FATAL;
	}
	if (first_device(d) < 0)
		return EXIT_FATAL;
	load_store(d);
	if (load_keys(d) < 0)
		return EXIT_USAGE;
	if ((d->io && manager_begin(d) < 0) || open_ctl(d) < 0)
		return EXIT_FATAL;
	sd_watchdog_enabled(0, &d->watchdog_us);
	sd_notify(0, "READY=1");
	service_notify(d);
	service_watchdog(d);
	if (d->manager)
		turn(d);
	if (!d->once_done)
		loop(d);
	return d->exit_status;
}

static void
end(struct daemon *d)
{
	ctl_close(d->ctl);
	manager_free(d->manager);
	device_close(d);
	store_close(d->store);
	free(d->store_rows);
	work_free(d->work);
	sd_event_source_unref(d->device_source);
	sd_event_source_unref(d->device_timer);
	sd_event_source_unref(d->work_timer);
	sd_event_source_unref(d->timer);
	sd_event_unref(d->event);
	conf_free(d->conf);
}

int
heddled_main(int argc, char **argv)
{
	struct daemon d = { .exit_status = 0 };
	struct conf_error e = CONF_ERROR_INIT;
	int status = conf_load(argc, argv, &d.conf, &e);

	if (e.warnings)
		fputs(e.warnings, stderr);
	if (status < 0) {
		fputs(e.text, stderr);
		conf_error_clear(&e);
		return EXIT_USAGE;
	}
	conf_error_clear(&e);
	status = conf_act(d.conf, stdout);
	if (d.conf->action == CONF_MAKE_SECRET) {
		status = make_secret(d.conf);
	} else if (status < 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });       /* keys would be in it */
		d.started = daemon_now();
		d.log = (struct log){ d.conf->log_level, log_to_stderr, getenv("JOURNAL_STREAM") };
		status = run(&d);
	}
	end(&d);
	return status;
}
