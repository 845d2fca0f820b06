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
#include "sm/store/store.h"

enum { EXIT_USAGE = 2, EXIT_FATAL = 255 };

/* The port that the manager runs on, while there is one. */
struct daemon_device {
	struct io *io;
	struct io_port port;
	sd_event_source *source, *timer;        /* its descriptor; the next try to open one */
	bool lost;
	char why[IO_WHY_BYTES];         /* why it is lost */
	char waiting[IO_WHY_BYTES];     /* why there is none, as logged; "": there is one */
	bool cm;                        /* class 7 is registered */
	char cm_why[IO_WHY_BYTES];      /* why class 7 is not, if configured */
	bool poll_only;                 /* its descriptor cannot be waited for with epoll */
};

struct daemon {
	struct conf *conf;
	struct log log;
	struct logwriter *logwriter;    /* its sink */
	sd_event *event;
	sd_event_source *timer, *work_timer;
	uint64_t timer_at;              /* us; UINT64_MAX: off */
	struct daemon_device device;
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
	bool once_done;
};

/* daemon.c */
struct monotime daemon_now(void);
void daemon_stop(struct daemon *d, int status);
/* Gives a job to the worker, which owns it from then on. */
void daemon_put_work(struct daemon *d, struct job *j);

/* turns.c: one turn.  Requires a manager; afterwards there may be none. */
void daemon_turn(struct daemon *d);
/* Turns and events until daemon_stop(). */
void daemon_loop(struct daemon *d);
/* The device has just been opened. */
void daemon_manager_begin(struct daemon *d);
/* There is no device: logs the reason, unless it was the last one logged, and retries later. */
void daemon_wait_for_device(struct daemon *d, const char *why);
int daemon_on_timer(sd_event_source *s, uint64_t us, void *daemon);
int daemon_on_device_timer(sd_event_source *s, uint64_t us, void *daemon);

/* reload.c */
int daemon_on_reload(sd_event_source *s, const struct signalfd_siginfo *si, void *daemon);

/* device.c: 0, or a negative errno and a sentence. */
int device_open(struct daemon *d, char *why);
void device_close(struct daemon *d);

/* service.c */
extern const struct ctl_method service_methods[];
extern const unsigned service_nmethods;
void service_notify(struct daemon *d);
void service_documents(struct daemon *d);       /* hands out those that are made */
void service_store(struct daemon *d);
/* Stores the last rows before the manager is freed; there may be no manager. */
void service_store_last(struct daemon *d);
int service_write_report(struct daemon *d);
void service_watchdog(struct daemon *d);

#endif
