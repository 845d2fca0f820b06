/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon.h - heddled, whole: command line to exit status.
 * Room: sm/daemon.
 */
#ifndef HEDDLE_SM_DAEMON_DAEMON_H
#define HEDDLE_SM_DAEMON_DAEMON_H

/* 0 ok, 1 findings, 2 usage or configuration, 3 partial, 255 fatal. */
int heddled_main(int argc, char **argv);

#endif
