/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * preload.h - the value of LD_PRELOAD with which a program uses the simulated devices.
 * Room: sim/serve.
 */
#ifndef HEDDLE_SIM_SERVE_PRELOAD_H
#define HEDDLE_SIM_SERVE_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

/* The shim library: $HEDDLE_SIM_SHIM, that of the build tree this program runs from, or the
 * installed one.  False: none exists; 'path' then names the last. */
bool preload_find_shim(char *path, size_t room);
/* LD_PRELOAD for 'command' (as execvp() would find it): sanitizers' runtimes, what 'before'
 * says, the shim. The caller frees. */
char *preload_value(const char *command, const char *shim, const char *before);
/* The shim brings a sanitizer's runtime into a 'command' that was built without. */
bool preload_is_guest(const char *command, const char *shim);

/* ---- elf.c ---- */
/* Calls 'each' for every library that the ELF file of this machine's kind names as needed; other
 * files have none. */
void elf_each_needed(const char *path, void (*each)(void *arg, const char *soname), void *arg);

#endif
