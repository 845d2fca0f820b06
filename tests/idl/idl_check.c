/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * idl_check.c - tells whether a reply, or the member of that name of the document on the standard input, is what
 * the interface says: heddlectl --json status | idl_check FILE.varlink Status status
 */
#include <config.h>
#include <stdio.h>
#include "tests/idl/idl.h"

int
main(int argc, char **argv)
{
	static char text[65536];
	char why[256] = "the input is no JSON with this member";
	json_t *document, *reply;
	bool ok;
	FILE *f;

	if (argc < 3 || argc > 4 || !(f = fopen(argv[1], "r"))) {
		fprintf(stderr, "usage: idl_check FILE METHOD [MEMBER]\n");
		return 2;
	}
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	document = json_loadf(stdin, JSON_REJECT_DUPLICATES, NULL);
	reply = argc == 4 ? json_object_get(document, argv[3]) : document;
	ok = reply && idl_reply(text, argv[2], reply, why, sizeof(why));
	if (!ok)
		fprintf(stderr, "%s\n", why);
	json_decref(document);
	return !ok;
}
