/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_elf.c - the libraries that a program needs, read from whole files and from broken ones.
 */
#include <config.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sim/serve/preload.h"

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

/* ---- a file with one segment that has everything ---- */

struct small {
	ElfW(Ehdr) e;
	ElfW(Phdr) load, dynamic;
	ElfW(Dyn) dyn[4];
	char strings[32];
};

static struct small
small_file(void)
{
	struct small s = { .e = { .e_phoff = offsetof(struct small, load),
				   .e_phnum = 2,
				   .e_phentsize = sizeof(ElfW(Phdr)) } };

	memcpy(s.e.e_ident, ELFMAG, SELFMAG);
	s.e.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	s.load = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(s) };
	s.dynamic = (ElfW(Phdr)){ .p_type = PT_DYNAMIC,
		.p_offset = offsetof(struct small, dyn),
		.p_filesz = sizeof(s.dyn) };
	s.dyn[0] = (ElfW(Dyn)){ .d_tag = DT_NEEDED, .d_un.d_val = 1 };
	s.dyn[1] = (ElfW(Dyn)){ .d_tag = DT_STRTAB,
		.d_un.d_ptr = 0x1000 + offsetof(struct small, strings) };
	s.dyn[2] = (ElfW(Dyn)){ .d_tag = DT_NEEDED, .d_un.d_val = 10 };
	memcpy(s.strings, "\0libone.s\0libtwo.so", sizeof("\0libone.s\0libtwo.so"));
	return s;
}

static void
collect(void *arg, const char *soname)
{
	strcat(strcat((char *)arg, soname), ";");
}

static const char *
needed_by(const struct small *s, size_t bytes)
{
	static char names[200];
	char path[] = "/tmp/heddle-elf-XXXXXX";
	int fd = mkstemp(path);

	names[0] = '\0';
	assert_int_equal(write(fd, s, bytes), bytes);
	close(fd);
	elf_each_needed(path, collect, names);
	unlink(path);
	return names;
}

static void
every_library_in_order(void **state)
{
	struct small s = small_file();

	(void)state;
	assert_string_equal(needed_by(&s, sizeof(s)), "libone.s;libtwo.so;");
	s.strings[10] = '\0'; /* an empty name is a name */
	assert_string_equal(needed_by(&s, sizeof(s)), "libone.s;;");
}

static void
headers_that_are_wrong(void **state)
{
	struct small s = small_file();

	(void)state;
	s.e.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS32 : ELFCLASS64;
	assert_string_equal(needed_by(&s, sizeof(s)), ""); /* of another kind of machine */
	s = small_file();
	s.e.e_ident[0] = 'E';
	assert_string_equal(needed_by(&s, sizeof(s)), "");
	s = small_file();
	s.e.e_phentsize--;
	assert_string_equal(needed_by(&s, sizeof(s)), "");
	s = small_file();
	s.e.e_phoff = (ElfW(Off)) - 8;
	assert_string_equal(needed_by(&s, sizeof(s)), "");
	s = small_file();
	s.e.e_phnum = 65535; /* ends with the file */
	assert_string_equal(needed_by(&s, sizeof(s)), "libone.s;libtwo.so;");
	s = small_file();
	s.dynamic.p_offset = sizeof(s) - 1;
	assert_string_equal(needed_by(&s, sizeof(s)), "");
}

static void
names_that_are_nowhere(void **state)
{
	struct small s = small_file();

	(void)state;
	s.dyn[1].d_un.d_ptr = 0xfff; /* in no loaded segment */
	assert_string_equal(needed_by(&s, sizeof(s)), "");
	s.dyn[1].d_un.d_ptr = 0x1000 + sizeof(s);
	assert_string_equal(needed_by(&s, sizeof(s)), "");
	s = small_file();
	s.dyn[1].d_tag = DT_NULL; /* no table of strings */
	assert_string_equal(needed_by(&s, sizeof(s)), "");
	s = small_file();
	s.dyn[0].d_un.d_val = 1 << 20; /* behind the file */
	assert_string_equal(needed_by(&s, sizeof(s)), "libtwo.so;");
	s = small_file();
	memset(s.strings + 10, 'x', sizeof(s.strings) - 10); /* a name without an end */
	assert_string_equal(
		needed_by(&s, offsetof(struct small, strings) + sizeof(s.strings)), "libone.s;");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_names_what_it_needs),
		cmocka_unit_test(a_broken_file_harms_nobody),
		cmocka_unit_test(every_library_in_order),
		cmocka_unit_test(headers_that_are_wrong),
		cmocka_unit_test(names_that_are_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
