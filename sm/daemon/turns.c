/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * turns.c - the turns of the manager: receives datagrams, ticks, sends; waits while there is no
 * device.
 * Room: sm/daemon.
 */
#include <config.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "sm/daemon/daemon_int.h"
#include "sm/keys/keys.h"
#include "util/xalloc.h"

#define RECEIVE_BATCH 256               /* datagrams received before any are sent */
/*
 * How long an empty device is polled for answers to a sweep before the program sleeps.  A processor
 * takes about as long to wake up, and meanwhile nothing is sent.
 */
#define ANSWER_POLL_US 100
/* While requests are queued, minimum time before an empty device is polled again. */
#define LOOK_US 50
#define TURN_US 20000                   /* time limit of a turn, for the other event sources */
#define DEVICE_RETRY_US 1000000
#define POLL_WORK_US 1000               /* poll-only device: maximum delay of an ended job */
/* With a poll-only device, maximum delay of signals and control calls. */
#define POLL_WAIT_US 20000

static void
device_gone(struct daemon *d, int err)
{
	snprintf(d->device.why, sizeof(d->device.why), "%s port %u: %s", d->device.port.ca_name,
		d->device.port.port, strerror(-err));
	d->device.lost = true;
}

static void
retry_device(struct daemon *d)
{
	sd_event_source_set_time_relative(d->device.timer, DEVICE_RETRY_US);
	sd_event_source_set_enabled(d->device.timer, SD_EVENT_ONESHOT);
}

void
daemon_wait_for_device(struct daemon *d, const char *why)
{
	if (strcmp(why, d->device.waiting) != 0)
		log_line(&d->log, LOG_WARN, "device", "%s; waiting for an InfiniBand port", why);
	snprintf(d->device.waiting, sizeof(d->device.waiting), "%s", why);
	retry_device(d);
}

static void
lose_device(struct daemon *d)
{
	d->device.lost = false;
	sd_event_source_unref(d->device.source);
	d->device.source = NULL;
	service_store_last(d);
	manager_free(d->manager);
	d->manager = NULL;
	if (d->ctl)
		ctl_fail_waiting(d->ctl, "the InfiniBand port is gone", daemon_now());
	device_close(d);
	if (d->conf->once) {
		log_line(&d->log, LOG_ERROR, "heddled", "%s", d->device.why);
		daemon_stop(d, EXIT_FATAL);
		return;
	}
	daemon_wait_for_device(d, d->device.why);
	service_notify(d);
}

static void
send_all(struct daemon *d, struct monotime now)
{
	struct dgram out;
	int timeout_ms, err;

	while (manager_next_send(d->manager, &out, &timeout_ms, now)) {
		err = io_send(d->device.io, &out, timeout_ms);
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
	/*
	 * An earlier wake-up than needed costs one empty turn; moving the timer each turn would
	 * cost a call each.
	 */
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
		daemon_stop(d, service_write_report(d));
	}
}

/* Receives the datagrams that have arrived, at most a batch; returns their number. */
static int
receive_one(struct daemon *d, struct monotime now, int *error)
{
	struct dgram *in;
	int n = 0, r = 0;

	while (n < RECEIVE_BATCH && (r = io_recv(d->device.io, in = manager_room(d->manager))) == 1) {
		manager_receive(d->manager, in, now);
		n++;
	}
	*error = r < 0 ? r : 0;
	return n;
}

/* The same; if there is none, and no client waits, it waits a moment for answers under way. */
static int
receive_soon(struct daemon *d, struct monotime *now, int *error)
{
	struct monotime began = *now;
	int n = receive_one(d, *now, error);

	while (!n && !*error && manager_awaits_answers(d->manager) &&
		!manager_answers_wait(d->manager) &&
		monotime_sub_us(*now, began) < ANSWER_POLL_US) {
		sched_yield();          /* to whoever wants the processor */
		*now = daemon_now();
		n = receive_one(d, *now, error);
	}
	return n;
}

/*
 * Receives, ticks and sends, until there is nothing to receive or the time of the turn is over.
 * Afterwards there may be no manager, because its device is gone.
 */
void
daemon_turn(struct daemon *d)
{
	struct monotime begin = daemon_now(), now = begin, emptied = { begin.us - LOOK_US };
	bool look;
	int n, r = 0;

	do {
		look = !manager_answers_wait(d->manager) ||
			monotime_sub_us(now, emptied) >= LOOK_US;

		n = look ? receive_soon(d, &now, &r) : 0;
		if (look && n < RECEIVE_BATCH)
			emptied = now;
		manager_tick(d->manager, now);
		/* Planning may have taken long; the present time prevents requests sent now from
		 * being late already. */
		now = daemon_now();
		send_all(d, now);
	} while ((n || !look || manager_answers_wait(d->manager)) && !d->device.lost &&
		monotime_sub_us(now, begin) < TURN_US);
	if (r < 0 && !d->device.lost)
		device_gone(d, r);
	arm_timer(d);
	after_turn(d);
	if (d->device.lost && !d->once_done)
		lose_device(d);
}

static int
on_device(sd_event_source *s, int fd, uint32_t revents, void *arg)
{
	struct daemon *d = arg;

	(void)s;
	(void)fd;
	(void)revents;
	daemon_turn(d);
	return 0;
}

static struct monotime
clock_for_manager(void *arg)
{
	(void)arg;
	return daemon_now();
}

static void
process_facts(void *arg, struct process_facts *f)
{
	struct rusage u;

	(void)arg;
	getrusage(RUSAGE_SELF, &u);
	*f = (struct process_facts){
		.wall = time(NULL),
		.pid = (int)getpid(),
		.cpu_s = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
			(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6,
		.peak_rss_kib = u.ru_maxrss,
	};
}

static void
give_work(void *arg, struct job *j)
{
	daemon_put_work(arg, j);
}

/* Returns the stored groups; the caller frees them. */
static struct mgid_row *
stored_groups(struct daemon *d, uint32_t *n)
{
	struct store_group *rows;
	size_t all = store_load_groups(d->store, &rows);
	struct mgid_row *v = xcalloc(all + 1, sizeof(*v));

	for (size_t i = 0; i < all; i++) {
		memcpy(v[i].mgid, rows[i].mgid, sizeof(v[i].mgid));
		v[i].mlid = rows[i].mlid;
	}
	free(rows);
	*n = (uint32_t)all;
	return v;
}

void
daemon_manager_begin(struct daemon *d)
{
	struct lid_id *ids = xcalloc(d->nstore_rows + 1, sizeof(*ids));
	struct manager_conf c = {
		.conf = d->conf,
		.port = d->device.port,
		.lids = ids,
		.nlids = (uint32_t)d->nstore_rows,
		.log = &d->log,
		.clock = clock_for_manager,
		.run_job = give_work,
		.job_arg = d,
		.stripes = work_stripes(d->work),
		.mkeys = keys_mkeys(d->conf),
		.cm = d->device.cm,
		.cm_why = d->device.cm_why,
		.process_facts = process_facts,
	};
	struct mgid_row *groups = stored_groups(d, &c.ngroups);
	char *topology = store_load_topology(d->store, &c.topology_len);
	int err;

	c.tables = store_file_load(d->tables, &c.tables_len);
	c.groups = groups;
	c.topology = topology;
	for (size_t i = 0; i < d->nstore_rows; i++)
		ids[i] = (struct lid_id){ d->store_rows[i].port_guid, d->store_rows[i].base_lid,
			d->store_rows[i].lmc, false };
	d->manager = manager_new(&c);
	free(ids);
	free(groups);
	free(topology);
	err = sd_event_add_io(d->event, &d->device.source, io_fd(d->device.io), EPOLLIN, on_device, d);
	d->device.poll_only = err < 0;
	d->device.waiting[0] = '\0';
	log_line(&d->log, LOG_NOTE, "device", "running on %s port %u, GUID 0x%016llx",
		d->device.port.ca_name, d->device.port.port, (unsigned long long)d->device.port.port_guid);
}

int
daemon_on_timer(sd_event_source *s, uint64_t us, void *arg)
{
	struct daemon *d = arg;

	(void)s;
	(void)us;
	d->timer_at = UINT64_MAX;
	if (d->manager)
		daemon_turn(d);
	return 0;
}

int
daemon_on_device_timer(sd_event_source *s, uint64_t us, void *arg)
{
	struct daemon *d = arg;
	char why[IO_WHY_BYTES];

	(void)s;
	(void)us;
	if (d->manager)
		return 0;
	if (device_open(d, why) < 0) {
		daemon_wait_for_device(d, why);
		return 0;
	}
	daemon_manager_begin(d);
	daemon_turn(d);
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

/* The descriptor that a preloaded library emulates works with poll() and not with epoll. The loop
 * and the device are then served alternately: the loop whenever nothing arrives, and at least every
 * TURN_US. */
void
daemon_loop(struct daemon *d)
{
	struct monotime looked = { 0 };
	bool busy = false;

	while (sd_event_get_state(d->event) != SD_EVENT_FINISHED) {
		bool alone = !d->device.poll_only || !d->manager || d->once_done;

		if (alone || !busy || monotime_sub_us(daemon_now(), looked) >= TURN_US) {
			if (sd_event_run(d->event, alone ? UINT64_MAX : 0) < 0)
				return;
			looked = daemon_now();
		}
		if (!d->device.poll_only || !d->manager || d->once_done ||
			sd_event_get_state(d->event) == SD_EVENT_FINISHED)
			continue;
		busy = io_wait(d->device.io, wait_ms(d)) >= 0;
		daemon_turn(d);
		if (d->device.lost)
			lose_device(d);
	}
}
