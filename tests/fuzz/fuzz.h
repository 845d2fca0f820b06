/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz.h - what a fuzz target is: one function that must survive any bytes.
 *
 * 'make check' links each target with replay.c and runs it over seeds (make_seeds) and their mutations.  `build-aux/check-all fuzz`
 * links them with libFuzzer instead, which looks for inputs that reach more of the code.
 * What it finds goes into tests/fuzz/found/NAME-*, and is replayed from then on.
 */
#ifndef HEDDLE_TESTS_FUZZ_FUZZ_H
#define HEDDLE_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that any input must keep. */
#define FUZZ_CHECK(x) \
	do { \
		if (!(x)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); \
			abort(); \
		} \
	} while (0)

#endif
