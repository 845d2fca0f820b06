/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * args.c - parses the arguments of commands: nodes, ports, numbers, percentages.
 * Room: sim/serve.
 *
 * Each function takes one word and returns 0 and the value, or a negative errno and a sentence for
 * the operator.  commands.c and load.c call them.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/serve/control.h"

int
control_refuse(char why[CONTROL_WHY], int error, const char *fmt, const char *word)
{
	snprintf(why, CONTROL_WHY, fmt, word);
	return error;
}

int
control_arg_node(struct server *s, const char *word, uint32_t *node, char why[CONTROL_WHY])
{
	int r = hw_node_find(s->hw, word, node);

	if (r == -ENOTUNIQ)
		return control_refuse(why, r,
			"'%.100s' is the description of several nodes: use the id or the GUID",
			word);
	if (r)
		return control_refuse(why, r,
			"no node '%.100s'; expected an id of the file, a GUID (0x...) or a description",
			word);
	return 0;
}

/* "NODE:PORT"; the part after the last colon must be a number. */
int
control_arg_port(struct server *s, const char *word, uint32_t *node, uint8_t *port,
	char why[CONTROL_WHY])
{
	const char *colon = strrchr(word, ':');
	char name[256], *end;
	unsigned long n;
	int r;

	if (!colon || !isdigit((unsigned char)colon[1]) || (size_t)(colon - word) >= sizeof(name))
		return control_refuse(why, -EINVAL, "'%.100s' is not NODE:PORT", word);
	n = strtoul(colon + 1, &end, 10);
	snprintf(name, sizeof(name), "%.*s", (int)(colon - word), word);
	r = control_arg_node(s, name, node, why);
	if (r)
		return r;
	if (*end || n < 1 || n > hw_node_topo(s->hw, *node)->nports)
		return control_refuse(why, -ENOENT, "'%.100s': the node has no such port",
			word);
	*port = (uint8_t)n;
	return 0;
}

int
control_arg_number(const char *word, int64_t max, int64_t *n, char why[CONTROL_WHY])
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(word, &end, 10);
	if (errno || *end || end == word || v < 0 || v > max) {
		snprintf(why, CONTROL_WHY, "'%.60s' is not a number from 0 to %lld", word,
			(long long)max);
		return -EINVAL;
	}
	*n = v;
	return 0;
}

int
control_arg_percent(const char *word, uint32_t *ppm, char why[CONTROL_WHY])
{
	char *end;
	double v = strtod(word, &end);

	if (end != word && *end == '%')
		end++;
	if (end == word || *end || !(v >= 0 && v <= 100))
		return control_refuse(why, -EINVAL, "'%.60s' is not a percentage from 0 to 100",
			word);
	*ppm = (uint32_t)(v * 10000 + 0.5);
	return 0;
}
