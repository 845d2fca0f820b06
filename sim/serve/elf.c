/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * elf.c - reads from an ELF file which libraries it needs (DT_NEEDED).
 * Room: sim/serve.  Used by preload.c.  The file is not trusted: every offset is checked, and a
 * file that is not valid has no libraries.
 */
#include <config.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sim/serve/preload.h"

struct image {
	const unsigned char *bytes;
	size_t size;
};

static bool
image_copy(const struct image *m, size_t at, void *to, size_t bytes)
{
	if (at > m->size || bytes > m->size - at)
		return false;
	memcpy(to, m->bytes + at, bytes);
	return true;
}

static bool
header(const struct image *m, size_t at, unsigned i, unsigned size, ElfW(Phdr) *p)
{
	return size == sizeof(*p) && image_copy(m, at + (size_t)i * size, p, sizeof(*p));
}

/* Returns the offset of an address in the file, or 0 if no loaded segment contains it. */
static size_t
file_offset(const struct image *m, const ElfW(Ehdr) *e, ElfW(Addr) address)
{
	ElfW(Phdr) p;

	for (unsigned i = 0; i < e->e_phnum && header(m, e->e_phoff, i, e->e_phentsize, &p); i++)
		if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
			return (size_t)(address - p.p_vaddr + p.p_offset);
	return 0;
}

static void
walk_dynamic(const struct image *m, const ElfW(Ehdr) *e, const ElfW(Phdr) *p,
	void (*each)(void *, const char *), void *arg)
{
	size_t strings = 0, n = p->p_filesz / sizeof(ElfW(Dyn));
	ElfW(Dyn) d;

	for (size_t i = 0; i < n && image_copy(m, p->p_offset + i * sizeof(d), &d, sizeof(d)); i++)
		if (d.d_tag == DT_STRTAB)
			strings = file_offset(m, e, d.d_un.d_ptr);
	if (!strings)
		return;
	for (size_t i = 0; i < n && image_copy(m, p->p_offset + i * sizeof(d), &d, sizeof(d));
		i++) {
		size_t at = strings + d.d_un.d_val;

		if (d.d_tag == DT_NEEDED && at < m->size && memchr(m->bytes + at, '\0',
		    m->size - at))
			each(arg, (const char *)m->bytes + at);
	}
}

static void
needed_walk(const struct image *m, void (*each)(void *, const char *), void *arg)
{
	ElfW(Ehdr) e;
	ElfW(Phdr) p;

	if (!image_copy(m, 0, &e, sizeof(e)) || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
		e.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return;
	for (unsigned i = 0; i < e.e_phnum && header(m, e.e_phoff, i, e.e_phentsize, &p); i++)
		if (p.p_type == PT_DYNAMIC)
			walk_dynamic(m, &e, &p, each, arg);
}

void
elf_each_needed(const char *path, void (*each)(void *arg, const char *soname), void *arg)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct image m = { 0 };
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		m.size = (size_t)st.st_size;
		m.bytes = mmap(NULL, m.size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (m.bytes != MAP_FAILED) {
			needed_walk(&m, each, arg);
			munmap((void *)(uintptr_t)m.bytes, m.size);
		}
	}
	close(fd);
}
