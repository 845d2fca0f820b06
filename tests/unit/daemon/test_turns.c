/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_turns.c - a turn receives, ticks and sends, ends in time, and survives the loss of its
 * device.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "sm/daemon/daemon_int.h"
#include "sm/keys/keys.h"

/* The device: datagrams that wait, and what it does with those that are sent. */
static struct {
	struct io io;
	unsigned waiting, sent, looks, looks_at_send;
	struct monotime arrives;        /* one more datagram, then; 0: none */
	int recv_error, send_error;
	unsigned opens;
	int open_error;
} hw;

/* The manager: what it has been called for. */
static struct {
	unsigned received, ticks, failed, to_send, freed, answers;
	bool awaits;                    /* answers to a sweep */
	bool at_tick_all_received;
	struct monotime deadline;
	unsigned sweeps;
} sm;

static struct daemon d;
static struct monotime now;
static int64_t recv_us; /* that each datagram takes */
static char said[512];
static unsigned lines, stored_last, closed, stopped, reports;
static int stop_status;
static uint64_t anything; /* in the place of a manager, which nobody looks into */

/* ---- the device ---- */

static int
on_recv(struct io *io, struct dgram *in)
{
	assert_ptr_equal(io, &hw.io);
	assert_non_null(in);
	hw.looks++;
	if (hw.recv_error)
		return hw.recv_error;
	if (hw.arrives.us && monotime_reached(now, hw.arrives)) {
		hw.arrives.us = 0;
		hw.waiting++;
	}
	if (!hw.waiting)
		return 0;
	hw.waiting--;
	now.us += recv_us;
	return 1;
}

static int
on_send(struct io *io, struct dgram *out, int timeout_ms)
{
	assert_ptr_equal(io, &hw.io);
	assert_non_null(out);
	assert_int_equal(timeout_ms, 5);
	hw.sent++;
	hw.looks_at_send = hw.looks;
	return hw.send_error;
}

static const struct io_ops ops = { .recv = on_recv, .send = on_send };

int
device_open(struct daemon *x, char *why)
{
	hw.opens++;
	snprintf(why, IO_WHY_BYTES, "no port yet");
	if (!hw.open_error)
		x->device.io = &hw.io;
	return hw.open_error;
}

void
device_close(struct daemon *x)
{
	closed++;
	x->device.io = NULL;
}

/* ---- the manager ---- */

void
manager_free(struct manager *m)
{
	assert_ptr_equal(m, d.manager);
	sm.freed++;
}

struct dgram *
manager_room(struct manager *m)
{
	static struct dgram room;

	(void)m;
	return &room;
}

void
manager_receive(struct manager *m, struct dgram *in, struct monotime at)
{
	(void)m;
	(void)in;
	(void)at;
	sm.received++;
}

void
manager_tick(struct manager *m, struct monotime at)
{
	(void)m;
	(void)at;
	sm.ticks++;
	sm.at_tick_all_received = !hw.waiting;
}

bool
manager_next_send(struct manager *m, struct dgram *out, int *timeout_ms, struct monotime at)
{
	(void)m;
	(void)at;
	if (!sm.to_send)
		return false;
	sm.to_send--;
	*out = (struct dgram){ .bytes = DGRAM_BYTES };
	*timeout_ms = 5;
	return true;
}

void
manager_send_failed(struct manager *m, const struct dgram *out, int error, struct monotime at)
{
	(void)m;
	(void)out;
	(void)at;
	assert_int_equal(error, -hw.send_error);
	sm.failed++;
}

bool
manager_answers_wait(const struct manager *m)
{
	(void)m;
	now.us++;
	return sm.answers && sm.answers--;
}

bool
manager_awaits_answers(const struct manager *m)
{
	(void)m;
	now.us++;
	return sm.awaits;
}

bool
manager_deadline(const struct manager *m, struct monotime *at)
{
	(void)m;
	*at = sm.deadline;
	return sm.deadline.us != INT64_MAX;
}

unsigned
manager_sweeps(const struct manager *m)
{
	(void)m;
	return sm.sweeps;
}

bool
manager_works(const struct manager *m)
{
	(void)m;
	return false;
}

struct manager *
manager_new(const struct manager_conf *c)
{
	assert_ptr_equal(c->conf, d.conf);
	assert_int_equal(c->nlids, 0);
	return (struct manager *)(void *)&anything;
}

/* ---- the other files of the room, and the rooms that they use ---- */

struct monotime
daemon_now(void)
{
	return now;
}

void
daemon_stop(struct daemon *x, int status)
{
	assert_ptr_equal(x, &d);
	stopped++;
	stop_status = status;
}

void
daemon_put_work(struct daemon *x, struct job *j)
{
	(void)x;
	(void)j;
	fail_msg("no work is handed out");
}

void
service_store(struct daemon *x)
{
	(void)x;
}

void
service_notify(struct daemon *x)
{
	(void)x;
}

/* The last rows are stored while there is a manager. */
void
service_store_last(struct daemon *x)
{
	assert_non_null(x->manager);
	stored_last++;
}

int
service_write_report(struct daemon *x)
{
	(void)x;
	reports++;
	return 3;
}

void
ctl_fail_waiting(struct ctl *c, const char *reason, struct monotime at)
{
	(void)c;
	(void)reason;
	(void)at;
}

size_t
store_load_groups(struct store *s, struct store_group **out)
{
	(void)s;
	*out = NULL;
	return 0;
}

char *
store_load_topology(struct store *s, size_t *len)
{
	(void)s;
	*len = 0;
	return NULL;
}

uint8_t *
store_file_load(struct store_file *f, size_t *len)
{
	(void)f;
	*len = 0;
	return NULL;
}

const struct stripes *
work_stripes(const struct work *w)
{
	(void)w;
	return NULL;
}

struct mkeys
keys_mkeys(const struct conf *c)
{
	(void)c;
	return (struct mkeys){ 0 };
}

static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	(void)arg;
	(void)level;
	lines++;
	snprintf(said, sizeof(said), "%s: %s", room, line);
}

static int
turns_setup(void **state)
{
	(void)state;
	memset(&hw, 0, sizeof(hw));
	memset(&sm, 0, sizeof(sm));
	hw.io.ops = &ops;
	sm.deadline = MONOTIME_NEVER;
	now = (struct monotime){ 1000000 };
	recv_us = 0;
	lines = stored_last = closed = stopped = reports = 0;
	said[0] = '\0';
	d = (struct daemon){ .conf = conf_default(),
		.log = { LOG_TRACE, on_line, NULL },
		.timer_at = UINT64_MAX,
		.manager = (struct manager *)(void *)&anything };
	d.device = (struct daemon_device){ .io = &hw.io, .port = { .ca_name = "ca-0", .port = 1 } };
	assert_true(sd_event_new(&d.event) >= 0);
	assert_true(sd_event_add_time(
			    d.event, &d.timer, CLOCK_MONOTONIC, 0, 1, daemon_on_timer, &d) >= 0);
	assert_true(sd_event_source_set_enabled(d.timer, SD_EVENT_OFF) >= 0);
	assert_true(sd_event_add_time(d.event, &d.device.timer, CLOCK_MONOTONIC, 0, 1,
			    daemon_on_device_timer, &d) >= 0);
	assert_true(sd_event_source_set_enabled(d.device.timer, SD_EVENT_OFF) >= 0);
	return 0;
}

static int
turns_teardown(void **state)
{
	(void)state;
	sd_event_source_unref(d.timer);
	sd_event_source_unref(d.device.timer);
	sd_event_unref(d.event);
	conf_free(d.conf);
	return 0;
}

static bool
is_armed(sd_event_source *s)
{
	int on = SD_EVENT_OFF;

	assert_true(sd_event_source_get_enabled(s, &on) >= 0);
	return on != SD_EVENT_OFF;
}

static void
all_is_received_and_sent(void **state)
{
	(void)state;
	hw.waiting = 3;
	sm.to_send = 7;
	daemon_turn(&d);
	assert_int_equal(sm.received, 3);
	assert_int_equal(hw.sent, 7);
	assert_true(sm.ticks >= 1 && sm.at_tick_all_received);
	assert_false(d.device.lost);
	assert_int_equal(stopped + closed + lines, 0);
}

/* More than a batch: between batches the manager ticks and sends. */
static void
batches(void **state)
{
	(void)state;
	hw.waiting = 1000;
	sm.to_send = 1;
	daemon_turn(&d);
	assert_int_equal(sm.received, 1000);
	assert_true(sm.ticks >= 4);
}

/* Datagrams that come faster than they are taken: the turn ends, for signals and control calls. */
static void
a_turn_ends_in_time(void **state)
{
	(void)state;
	hw.waiting = 1000000;
	recv_us = 10;
	daemon_turn(&d);
	assert_true(sm.received >= 2000); /* 20 ms */
	assert_true(sm.received <= 2000 + 256);
	assert_true(hw.waiting > 0);
	assert_int_equal(sm.at_tick_all_received, false);
}

/* Answers that wait are sent before the device is looked at again. */
static void
answers_that_wait(void **state)
{
	(void)state;
	sm.answers = 10;
	sm.to_send = 1;
	daemon_turn(&d);
	assert_true(sm.ticks >= 5);
	assert_int_equal(sm.answers, 0);
	assert_int_equal(hw.sent, 1);
}

/* While a sweep awaits answers, the program does not sleep at once; it does when none comes. */
static void
answers_that_are_under_way(void **state)
{
	(void)state;
	daemon_turn(&d);
	assert_int_equal(hw.looks, 1);
	hw.arrives = monotime_add_us(now, 60);
	daemon_turn(&d);
	assert_int_equal(sm.received, 0);       /* nobody awaits it */
	hw.arrives = monotime_add_us(now, 60);
	sm.awaits = true;
	daemon_turn(&d);
	assert_int_equal(sm.received, 1);
	hw.arrives = monotime_add_us(now, 5000);
	daemon_turn(&d);
	assert_int_equal(sm.received, 1);
	assert_true(hw.looks < 1000);
	hw.looks = 0;
	sm.answers = 2;                         /* clients come first */
	sm.to_send = 1;
	daemon_turn(&d);
	assert_int_equal(hw.sent, 1);
	assert_int_equal(hw.looks_at_send, 1);
	hw.recv_error = -EAGAIN;
	hw.looks = 0;
	daemon_turn(&d);
	assert_int_equal(hw.looks, 1);
}

static void
a_datagram_that_cannot_be_sent(void **state)
{
	(void)state;
	hw.send_error = -EINVAL;
	sm.to_send = 3;
	daemon_turn(&d);
	assert_int_equal(sm.failed, 3); /* the others are tried */
	assert_false(d.device.lost);
	assert_non_null(d.manager);
}

static void
the_timer_moves_to_earlier_times_only(void **state)
{
	(void)state;
	daemon_turn(&d);
	assert_false(is_armed(d.timer));
	sm.deadline.us = 5000000;
	daemon_turn(&d);
	assert_true(is_armed(d.timer));
	assert_int_equal(d.timer_at, 5000000);
	sm.deadline.us = 6000000;
	daemon_turn(&d);
	assert_int_equal(d.timer_at, 5000000);
	sm.deadline.us = -1; /* long ago */
	daemon_turn(&d);
	assert_int_equal(d.timer_at, 0);
	sm.deadline.us = 7000000;
	assert_int_equal(daemon_on_timer(d.timer, 0, &d), 0);
	assert_int_equal(d.timer_at, 7000000);
}

/* Without a device there is no manager; another attempt is due, and the reason is logged once. */
static void
assert_waits(const char *reason)
{
	assert_null(d.manager);
	assert_null(d.device.io);
	assert_false(d.device.lost);
	assert_int_equal(sm.freed, 1);
	assert_int_equal(stored_last, 1);
	assert_int_equal(closed, 1);
	assert_int_equal(stopped, 0);
	assert_true(is_armed(d.device.timer));
	assert_non_null(strstr(said, reason));
	assert_non_null(strstr(said, "waiting for an InfiniBand port"));
}

static void
a_device_that_cannot_receive(void **state)
{
	(void)state;
	hw.recv_error = -EIO;
	daemon_turn(&d);
	assert_waits("ca-0 port 1: ");
}

/* What else was to be sent is not tried. */
static void
a_device_that_cannot_send(void **state)
{
	(void)state;
	hw.send_error = -ENODEV;
	sm.to_send = 5;
	daemon_turn(&d);
	assert_int_equal(hw.sent, 1);
	assert_int_equal(sm.failed, 1);
	assert_waits("ca-0 port 1: ");
}

static void
a_lost_device_ends_a_single_run(void **state)
{
	(void)state;
	d.conf->once = true;
	hw.recv_error = -EIO;
	daemon_turn(&d);
	assert_int_equal(stopped, 1);
	assert_int_equal(stop_status, EXIT_FATAL);
	assert_int_equal(sm.freed, 1);
	assert_false(is_armed(d.device.timer));
	assert_non_null(strstr(said, "heddled: ca-0 port 1: "));
}

static void
a_device_that_comes_back(void **state)
{
	(void)state;
	hw.recv_error = -EIO;
	daemon_turn(&d);
	assert_int_equal(lines, 1);
	hw.open_error = -ENODEV;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(daemon_on_device_timer(d.device.timer, 0, &d), 0);
	assert_int_equal(hw.opens, 3);
	assert_int_equal(lines, 2); /* another reason, once */
	assert_string_equal(said, "device: no port yet; waiting for an InfiniBand port");
	assert_true(is_armed(d.device.timer));
	assert_int_equal(daemon_on_timer(d.timer, 0, &d), 0); /* nobody to turn */
	d.manager = (struct manager *)(void *)&anything; /* there is one already */
	assert_int_equal(daemon_on_device_timer(d.device.timer, 0, &d), 0);
	assert_int_equal(hw.opens, 3);
}

/* The report of --once is written when the first sweep has ended, and only once. */
static void
a_single_run_ends_with_its_sweep(void **state)
{
	(void)state;
	d.conf->once = true;
	daemon_turn(&d);
	assert_int_equal(reports + stopped, 0);
	sm.sweeps = 1;
	daemon_turn(&d);
	daemon_turn(&d);
	assert_int_equal(reports, 1);
	assert_int_equal(stopped, 1);
	assert_int_equal(stop_status, 3);
	d.conf->once = false;
	d.once_done = false;
	daemon_turn(&d);
	assert_int_equal(reports, 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, turns_setup, turns_teardown)
	const struct CMUnitTest tests[] = {
		T(all_is_received_and_sent),
		T(batches),
		T(a_turn_ends_in_time),
		T(answers_that_wait),
		T(answers_that_are_under_way),
		T(a_datagram_that_cannot_be_sent),
		T(the_timer_moves_to_earlier_times_only),
		T(a_device_that_cannot_receive),
		T(a_device_that_cannot_send),
		T(a_lost_device_ends_a_single_run),
		T(a_device_that_comes_back),
		T(a_single_run_ends_with_its_sweep),
	};

	return cmocka_run_group_tests_name("sm/daemon/turns", tests, NULL, NULL);
}
