/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon_int.h - what the wiring shares.
 * Room: sm/daemon.   daemon.c: start, loop, end.   device.c: the port.   service.c: control calls, notifications, store.
 */
#ifndef HEDDLE_SM_DAEMON_DAEMON_INT_H
#define HEDDLE_SM_DAEMON_DAEMON_INT_H

#include <systemd/sd-event.h>
#include "sm/ctl/ctl.h"
#include "sm/daemon/work.h"
#include "sm/store/store.h"

struct daemon {
	struct conf *conf;
	struct log log;
	sd_event *event;
	sd_event_source *timer, *device_source, *device_timer, *work_timer;
	uint64_t timer_at;              /* us; UINT64_MAX: off */
	struct io *io;
	struct io_port port;
	struct manager *manager;
	struct work *work;
	struct store *store;
	struct store_lid *store_rows;   /* as read at start */
	size_t nstore_rows;
	struct ctl *ctl;
	uint64_t made_sm_key, made_sa_key;      /* from the secret; 0: they were set */
	uint64_t watchdog_us;
	struct monotime started;
	char noted[160];                /* the last STATUS */
	int exit_status;
	bool once_done, device_lost;
	char device_why[IO_WHY_BYTES];  /* why it is lost */
	char waiting[IO_WHY_BYTES];     /* why there is none yet, as was said; "" there is one */
	bool cm;                        /* class 7 is ours */
	char cm_why[IO_WHY_BYTES];      /* why it is not, although it is wanted */
	bool poll_only;                 /* the device's descriptor cannot be waited for with epoll */
};

struct monotime daemon_now(void);

/* device.c: 0, or a negative errno and a sentence. */
int device_open(struct daemon *d, char *why);
void device_close(struct daemon *d);

/* service.c */
extern const struct ctl_method service_methods[];
extern const unsigned service_nmethods;
void service_notify(struct daemon *d);
void service_documents(struct daemon *d);       /* hands out those that are made */
void service_store(struct daemon *d);
int service_write_report(struct daemon *d);
void service_watchdog(struct daemon *d);

#endif
