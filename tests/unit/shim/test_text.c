/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_text.c - the shim's words are libibumad's, to the letter; and it exports what libibumad exports.
 */
#include <config.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include <infiniband/umad.h>
#include <infiniband/umad_str.h>

static void *shim;

static int
shim_text_setup(void **state)
{
	const char *top = getenv("top_builddir");
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/sim/shim/.libs/libheddle-umad.so", top ? top : ".");
	shim = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!shim)
		print_error("%s\n", dlerror());
	return shim ? 0 : -1;
}

#define LOOK(name) __typeof__(&name) ours = (__typeof__(&name))(uintptr_t)dlsym(shim, #name); assert_non_null(ours); \
	assert_ptr_not_equal(ours, name)

static void
classes(void **state)
{
	LOOK(umad_class_str);

	(void)state;
	for (unsigned c = 0; c < 256; c++)
		assert_string_equal(ours((uint8_t)c), umad_class_str((uint8_t)c));
}

static void
methods(void **state)
{
	LOOK(umad_method_str);

	(void)state;
	for (unsigned m = 0; m < 256; m++) {
		assert_string_equal(ours(3, (uint8_t)m), umad_method_str(3, (uint8_t)m));
		assert_string_equal(ours(4, (uint8_t)m), umad_method_str(4, (uint8_t)m));
	}
}

static void
attributes(void **state)
{
	static const uint8_t some[] = { 0x01, 0x81, 0x03, 0x04, 0x07, 0x32 };
	LOOK(umad_attribute_str);

	(void)state;
	for (size_t i = 0; i < sizeof(some); i++)
		for (unsigned a = 0; a < 65536; a++)
			assert_string_equal(ours(some[i], htobe16((uint16_t)a)),
				umad_attribute_str(some[i], htobe16((uint16_t)a)));
}

static void
common_statuses(void **state)
{
	LOOK(umad_common_mad_status_str);

	(void)state;
	for (unsigned s = 0; s < 65536; s++)
		assert_string_equal(ours(htobe16((uint16_t)s)), umad_common_mad_status_str(htobe16((uint16_t)s)));
}

static void
sa_statuses(void **state)
{
	LOOK(umad_sa_mad_status_str);

	(void)state;
	for (unsigned s = 0; s < 65536; s++)
		assert_string_equal(ours(htobe16((uint16_t)s)), umad_sa_mad_status_str(htobe16((uint16_t)s)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes), cmocka_unit_test(methods), cmocka_unit_test(attributes),
		cmocka_unit_test(common_statuses), cmocka_unit_test(sa_statuses),
	};

	return cmocka_run_group_tests_name("shim text", tests, shim_text_setup, NULL);
}
