/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fake.h - tools that run in a child process, and small fabrics without a device.
 */
#ifndef HEDDLE_TESTS_UNIT_DIAGS_FAKE_H
#define HEDDLE_TESTS_UNIT_DIAGS_FAKE_H

#include <jansson.h>
#include "diags/core/tool.h"
#include "tests/unit/test.h"

struct snapshot;

/* What a program did: its exit status (-1: a signal ended it) and all it printed, as strings. */
struct outcome {
	int status;
	char *out, *err;
};

/* Runs the tool in a child process; 'args' are separated by single blanks, "" is none.  Clear the outcome. */
struct outcome fake_run(const struct diag_tool *tool, const char *args);
void outcome_clear(struct outcome *o);
/* The document on standard output; fails the test if it is none.  The caller's. */
json_t *outcome_document(const struct outcome *o);
/* Writes a file below the directory of temporary files; returns its path, to be free()d after unlink(). */
char *fake_file(const char *text);

/*
 * Switch "leaf-0" (GUID 0x100) with hosts "host-0" (0x200) and "host-1" (0x300) at ports 1 and 2, a cable from port 4 to port 4
 * of switch "spine-0" (0x400), and host "host-1" (0x500), which has the name of the other, at its port 1.  Host ports are 0x201 and so
 * on; our own is that of host-0.  LIDs are 1, 2 ... in the order of GUIDs.
 */
struct snapshot *fake_snapshot(void);

#endif
