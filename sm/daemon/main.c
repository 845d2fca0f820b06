/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <config.h>
#include "sm/daemon/daemon.h"

int
main(int argc, char **argv)
{
	return heddled_main(argc, argv);
}
