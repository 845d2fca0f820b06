/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * preload.h - the value of LD_PRELOAD with which a program uses the simulated devices.
 * Room: sim/serve.
 *
 * `heddle-sim exec` starts a program with the shim (sim/shim) in LD_PRELOAD, so that its calls of
 * /dev/infiniband reach a server.  The order of the libraries matters: the runtime of a sanitizer
 * must be loaded first of all, the shim after it.  Which of them need a runtime is read from their
 * ELF files (elf.c), which are not trusted.
 */
#ifndef HEDDLE_SIM_SERVE_PRELOAD_H
#define HEDDLE_SIM_SERVE_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the shim library: $HEDDLE_SIM_SHIM, that of the build tree this program runs from, or the
 * installed one.  False: none exists; 'path' then names the last. */
bool preload_find_shim(char *path, size_t room);
/* Returns the value of LD_PRELOAD for 'command' (found as execvp() would find it): the runtimes of
 * sanitizers, the libraries of 'before', the shim.  The caller frees it. */
char *preload_value(const char *command, const char *shim, const char *before);
/* Whether the shim needs the runtime of a sanitizer and 'command', built without one, does not. */
bool preload_is_guest(const char *command, const char *shim);

/* ---- elf.c ---- */
/* Calls 'each' for every library that the ELF file 'path' names as needed.  Files that are no ELF
 * files of this machine's kind have none. */
void elf_each_needed(const char *path, void (*each)(void *arg, const char *soname), void *arg);

#endif
