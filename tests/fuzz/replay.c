/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * replay.c - runs a fuzz target over the files it is given, without a fuzzer: as they are, cut at every length,
 * and with bytes altered by a generator whose seed is fixed, so that every run is the same.
 * Usage: fuzz_NAME FILE...     Exit 0 if the target survived all of them.
 * With HEDDLE_LIBFUZZER there is nothing here: the fuzzer has a main() of its own.
 */
#include <config.h>
#ifndef HEDDLE_LIBFUZZER
#include <string.h>
#include "tests/fuzz/fuzz.h"

#define FILE_BYTES_MAX 65536
#define ALTERED 64              /* altered copies of each file */

static uint64_t state = 1;

static uint32_t
next(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33);
}

/* The target gets a copy of its own, so that a sanitizer sees a byte too far. */
static void
input_replay(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void
run_altered(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	if (!copy)
		abort();
	for (unsigned i = 0; i < ALTERED; i++) {
		memcpy(copy, data, size);
		for (unsigned n = 1 + next() % 8; n; n--)
			copy[next() % size] = (uint8_t)next();
		input_replay(copy, size);
	}
	free(copy);
}

static int
replay(const char *path)
{
	static uint8_t data[FILE_BYTES_MAX];
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f) {
		perror(path);
		return -1;
	}
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	for (size_t n = 0; n <= size; n += n < 512 ? 1 : 97)
		input_replay(data, n);
	input_replay(data, size);
	if (size)
		run_altered(data, size);
	return 0;
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (replay(argv[i]))
			return 1;
	printf("%d files\n", argc - 1);
	return argc > 1 ? 0 : 1;
}
#endif
