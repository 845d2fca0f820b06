/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_preload.c - LD_PRELOAD: runtimes first, the shim, the rest; and needed libraries read from any file.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sim/serve/preload.h"

static void
sanitizers_come_first_and_the_shim_once(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{ NULL, "/x/libheddle-umad.so" },
		{ "", "/x/libheddle-umad.so" },
		{ "/old/libheddle-umad.so", "/x/libheddle-umad.so" },
		{ "libfoo.so", "/x/libheddle-umad.so:libfoo.so" },
		{ "libfoo.so:/y/libasan.so.8:/old/libheddle-umad.so", "/y/libasan.so.8:/x/libheddle-umad.so:libfoo.so" },
		{ "libtsan.so.2 libfoo.so libtsan.so.2", "libtsan.so.2:/x/libheddle-umad.so:libfoo.so" },
		{ "/x/libheddle-umad.so:/x/libheddle-umad.so", "/x/libheddle-umad.so" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *v = preload_value("no-such-command", "/x/libheddle-umad.so", cases[i].before);

		assert_string_equal(v, cases[i].after);
		free(v);
	}
}

/* This program needs the runtime that everything was built with, if any; /bin/sh needs none. */
static void
a_guest_is_who_needs_no_runtime(void **state)
{
	bool sanitized = false;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	sanitized = true;
#elif defined(__SANITIZE_THREAD__)
	sanitized = true;
#endif
	assert_int_equal(preload_is_guest("/bin/sh", "/proc/self/exe"), sanitized);
	assert_int_equal(preload_is_guest("sh", "/proc/self/exe"), sanitized);
	assert_false(preload_is_guest("/proc/self/exe", "/proc/self/exe"));
	assert_false(preload_is_guest("/bin/sh", "/no/such/shim"));
	assert_false(preload_is_guest("no-such-command", "/proc/self/exe"));
}

static void
note(void *arg, const char *soname)
{
	if (!strncmp(soname, "libc.so", 7))
		++*(int *)arg;
}

static void
a_program_names_what_it_needs(void **state)
{
	int libc = 0;

	(void)state;
	elf_each_needed("/proc/self/exe", note, &libc);
	assert_int_equal(libc, 1);
	elf_each_needed("/no/such/file", note, &libc);
	elf_each_needed("/dev/null", note, &libc);
	elf_each_needed("/", note, &libc);
	assert_int_equal(libc, 1);
}

static size_t
read_self(unsigned char *bytes, size_t room)
{
	FILE *f = fopen("/proc/self/exe", "rb");
	size_t n = f ? fread(bytes, 1, room, f) : 0;

	if (f)
		fclose(f);
	return n;
}

static void
try_bytes(const char *path, const unsigned char *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	int libc = 0;

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
	elf_each_needed(path, note, &libc);
}

/* Cut short and altered in its headers: whatever is said, nothing outside the file is read. */
static void
a_broken_file_harms_nobody(void **state)
{
	static unsigned char whole[1 << 20], bytes[1 << 20];
	size_t n = read_self(whole, sizeof(whole));
	char path[] = "/tmp/heddle-elf-XXXXXX";
	unsigned seed = 42;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && n > 4096);
	close(fd);
	for (size_t cut = 0; cut < 1200; cut += 37)
		try_bytes(path, whole, cut);
	for (unsigned round = 0; round < 300; round++) {
		memcpy(bytes, whole, n);
		for (unsigned i = 0; i < 20; i++)
			bytes[16 + (unsigned)rand_r(&seed) % 900] = (unsigned char)rand_r(&seed);
		try_bytes(path, bytes, n < 65536 ? n : 65536);
	}
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sanitizers_come_first_and_the_shim_once),
		cmocka_unit_test(a_guest_is_who_needs_no_runtime),
		cmocka_unit_test(a_program_names_what_it_needs),
		cmocka_unit_test(a_broken_file_harms_nobody),
	};

	return cmocka_run_group_tests_name("preload", tests, NULL, NULL);
}
