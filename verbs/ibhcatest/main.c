/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * main.c - the program ibhcatest.
 * Room: verbs/ibhcatest.
 */
#include <config.h>
#include "verbs/ibhcatest/ibhcatest.h"

int
main(int argc, char **argv)
{
	return ibhcatest_main(argc, argv);
}
