/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * place.h - where servers keep their sockets, and how others find them by name.
 * Room: sim/serve.
 *
 * A server NAME lives in BASE/NAME/: sockets "umad" (programs) and "ctl" (operators), "nodes/GUID/"
 * with what each node's programs keep.  BASE is $RUNTIME_DIRECTORY, /run/heddle-sim,
 * $XDG_RUNTIME_DIR/heddle-sim or /tmp/heddle-sim-UID, the first that can be used; a program started
 * by `heddle-sim exec` is told it.
 */
#ifndef HEDDLE_SIM_SERVE_PLACE_H
#define HEDDLE_SIM_SERVE_PLACE_H

#include <stdint.h>
#include <systemd/sd-event.h>

#define PLACE_ENV "HEDDLE_SIM_DIR"
#define PLACE_PATH 100                  /* longest directory: a socket's name must fit behind it */
#define PLACE_WHY 256

/* Makes BASE/NAME for a server and locks it.  0 and the directory; -EEXIST: such a server runs;
 * else a negative errno; 'why' says it in a sentence.  '*lock' is held until closed. */
int place_make(const char *name, char dir[PLACE_PATH], int *lock, char why[PLACE_WHY]);
/* Removes all of it. */
void place_remove(const char *dir);
/* Finds the directory of the running server NAME.  0, -ENOENT. */
int place_find(const char *name, char dir[PLACE_PATH], char why[PLACE_WHY]);
/* Makes the directories of a node below 'dir' (they may be there).  0 or a negative errno. */
int place_make_node(const char *dir, uint64_t guid);
/* A server's socket, where clients wait to be accepted; 'type' is SOCK_STREAM or SOCK_SEQPACKET.
 * A descriptor that does not block, or a negative errno. */
int place_listen(const char *dir, const char *socket_name, int type, int backlog);
/* A connection to a server's socket 'fd', which is watched: 'on' is called with 'arg' when
 * something comes in.  A descriptor that does not block, or -1: there was none. */
int place_accept(int fd, sd_event *event, sd_event_source **source, sd_event_io_handler_t on,
	void *arg);
/* Connects to a server's socket ("ctl", a stream).  A descriptor or a negative errno. */
int place_connect(const char *dir, const char *socket_name);

#endif
