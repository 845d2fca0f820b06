/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon_int.h - struct daemon, shared by the files of the room.
 * Room: sm/daemon.
 *
 * All files run on the thread of the event loop; jobs run on the worker (work.h), and the log has a
 * thread of its own (logwriter.h).
 *   daemon.c    start, events, end
 *   turns.c     receives and sends datagrams
 *   reload.c    reloads the configuration
 *   device.c    opens the port
 *   service.c   control calls, systemd notifications, store
 */
#ifndef HEDDLE_SM_DAEMON_DAEMON_INT_H
#define HEDDLE_SM_DAEMON_DAEMON_INT_H

#include <systemd/sd-event.h>
#include "sm/ctl/ctl.h"
#include "sm/daemon/logwriter.h"
#include "sm/daemon/work.h"
#include "sm/manager/manager.h"
#include "sm/store/file.h"
#include "sm/store/store.h"

enum { EXIT_USAGE = 2, EXIT_FATAL = 255 };

/* The port that the manager runs on, while there is one. */
struct daemon_device {
	struct io *io;
	struct io_port port;
	/* of its descriptor; of the next attempt to open a device */
	sd_event_source *source, *timer;
	bool lost;
	char why[IO_WHY_BYTES];         /* reason if it is lost */
	/* reason last logged for having no device; "" if there is one */
	char waiting[IO_WHY_BYTES];
	bool cm;                        /* class 7 (CM) is registered */
	char cm_why[IO_WHY_BYTES]; /* reason why class 7 is not registered although configured */
	bool poll_only;                 /* epoll cannot wait for its descriptor */
};

struct daemon {
	struct conf *conf;
	struct log log;
	struct logwriter *logwriter;    /* sink of the log */
	sd_event *event;
	sd_event_source *timer, *work_timer;
	uint64_t timer_at;              /* us; UINT64_MAX: off */
	struct daemon_device device;
	struct manager *manager;
	struct work *work;
	struct store *store;
	struct store_file *tables;      /* forwarding tables, for the next start */
	struct store_lid *store_rows;   /* as read at the start */
	size_t nstore_rows;
	struct ctl *ctl;
	/* derived from the secret; 0: the configuration sets them */
	uint64_t made_sm_key, made_sa_key;
	uint64_t watchdog_us;
	struct monotime started;
	char noted[160];                /* last STATUS sent to systemd */
	int exit_status;
	bool once_done;
};

/* daemon.c */
struct monotime daemon_now(void);
/* Ends the event loop; 'status' becomes the exit status. */
void daemon_stop(struct daemon *d, int status);
/* Gives a job to the worker, which owns it from then on. */
void daemon_put_work(struct daemon *d, struct job *j);

/* turns.c: runs one pass of receiving, timers and sending. Requires a manager; afterwards there may
 * be none. */
void daemon_turn(struct daemon *d);
/* Runs passes and events until daemon_stop(). */
void daemon_loop(struct daemon *d);
/* Makes the manager for a device that has just been opened. */
void daemon_manager_begin(struct daemon *d);
/* There is no device: logs the reason, unless it was the last one logged, and retries later. */
void daemon_wait_for_device(struct daemon *d, const char *why);
int daemon_on_timer(sd_event_source *s, uint64_t us, void *daemon);
int daemon_on_device_timer(sd_event_source *s, uint64_t us, void *daemon);

/* reload.c */
int daemon_on_reload(sd_event_source *s, const struct signalfd_siginfo *si, void *daemon);

/* device.c: both parts work on d->device. device_open() returns 0, or a negative errno with a
 * sentence in 'why'. */
int device_open(struct daemon *d, char *why);
void device_close(struct daemon *d);

/* service.c */
extern const struct ctl_method service_methods[];
extern const unsigned service_nmethods;
/* Sends STATUS= to systemd if the summary line has changed. */
void service_notify(struct daemon *d);
void service_documents(struct daemon *d); /* sends the documents that are made to their clients */
/* Puts tables that have changed into the store. */
void service_store(struct daemon *d);
/* Stores the last rows before the manager is freed; there may be no manager. */
void service_store_last(struct daemon *d);
/* With --once: waits for the store, logs the summary line, and writes the report of --report if
 * that is given. Returns the exit status: that of the sweep, or 255 if the report cannot be
 * written. */
int service_write_report(struct daemon *d);
/* Notifies systemd's watchdog, unless the manager is unhealthy. */
void service_watchdog(struct daemon *d);

#endif
