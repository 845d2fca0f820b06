/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon.h - heddled as a whole, from the command line to the exit status.
 * Room: sm/daemon.
 *
 * main.c calls heddled_main(), which returns when the daemon ends. daemon.c has the course of a
 * run, daemon_int.h the state that its files share. Everything that concerns the subnet is in
 * sm/manager, which owns no file descriptor and no thread.
 */
#ifndef HEDDLE_SM_DAEMON_DAEMON_H
#define HEDDLE_SM_DAEMON_DAEMON_H

/* 0 ok, 1 findings, 2 usage or configuration, 3 partial, 255 fatal. */
int heddled_main(int argc, char **argv);

#endif
