/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * place.h - where servers keep their sockets, and how others find them by name.
 * Room: sim/serve.
 *
 * A server NAME has the directory BASE/NAME/ with the sockets "umad" (for programs) and "ctl" (for
 * operators), and "nodes/GUID/" with the files of each node's programs.  BASE is the first of
 * $RUNTIME_DIRECTORY, /run/heddle-sim, $XDG_RUNTIME_DIR/heddle-sim and /tmp/heddle-sim-UID that can
 * be used.  `heddle-sim exec` passes BASE to its program in PLACE_ENV.
 */
#ifndef HEDDLE_SIM_SERVE_PLACE_H
#define HEDDLE_SIM_SERVE_PLACE_H

#include <stdint.h>
#include <systemd/sd-event.h>

#define PLACE_ENV "HEDDLE_SIM_DIR"
#define PLACE_PATH 100                  /* longest directory; the name of a socket follows it */
#define PLACE_WHY 256

/* Makes BASE/NAME for a server and locks it.  Returns 0 and the directory, -EEXIST if a server of
 * this name runs, or another negative errno; 'why' then has a sentence.  The lock is held until
 * '*lock' is closed. */
int place_make(const char *name, char dir[PLACE_PATH], int *lock, char why[PLACE_WHY]);
/* Removes the directory with all its files. */
void place_remove(const char *dir);
/* Finds the directory of the running server NAME.  Returns 0, or a negative errno and a reason. */
int place_find(const char *name, char dir[PLACE_PATH], char why[PLACE_WHY]);
/* Makes the directories of a node below 'dir'; they may exist.  Returns 0 or a negative errno. */
int place_make_node(const char *dir, uint64_t guid);
/* Opens a listening socket of a server; 'type' is SOCK_STREAM or SOCK_SEQPACKET.  Returns a
 * nonblocking descriptor or a negative errno. */
int place_listen(const char *dir, const char *socket_name, int type, int backlog);
/* Accepts a connection to the socket 'fd' and adds it to the event loop, which calls 'on' with
 * 'arg' when data arrive.  Returns a nonblocking descriptor, or -1 if there was no connection. */
int place_accept(int fd, sd_event *event, sd_event_source **source, sd_event_io_handler_t on,
	void *arg);
/* Connects to a server's socket ("ctl", a stream).  Returns a descriptor or a negative errno. */
int place_connect(const char *dir, const char *socket_name);

#endif
