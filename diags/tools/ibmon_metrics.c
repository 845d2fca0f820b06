/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibmon_metrics.c - writes a sample in the OpenMetrics format.
 * Room: diags/tools. All lines of a metric are adjacent, as the format requires. There are no time
 * stamps, because a textfile collector rejects them.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "diags/core/names.h"
#include "diags/fabric/fabric.h"
#include "diags/perf/pma.h"
#include "diags/perf/rates.h"
#include "diags/tools/ibmon.h"
#include "libmad/attr/attr.h"
#include "util/xalloc.h"

#define PATH_BYTES 4096

static const struct { const char *name, *label; enum pma_kind kind; } metrics[] = {
#define C(name, label, member, kind) { #member, label, kind },
	PMA_COUNTERS_LIST(C)
#undef C
};

/* Writes a label value in quotes: valid UTF-8, with quotes, backslashes and line ends escaped. */
static void
put_value(FILE *f, const char *key, const char *text)
{
	char clean[ATTR_TEXT_BYTES(DIAG_NAME_BYTES)];

	attr_text_clean((const uint8_t *)text, strnlen(text, DIAG_NAME_BYTES), clean);
	fprintf(f, ",%s=\"", key);
	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			putc('\\', f);
		if (*c == '\n')
			fputs("\\n", f);
		else
			putc(*c, f);
	}
	putc('"', f);
}

/* Returns the labels of a port, "{...}", which the caller frees. */
static char *
labels_of(struct diag *d, const struct diag_fabric *f, const struct fab_port *p)
{
	const struct fab_port *peer = fab_peer_of(f, p);
	const struct fab_node *n = fab_node_of(f, p);
	char name[DIAG_NAME_BYTES], *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		bug("out of memory");
	fprintf(out, "{node_guid=\"0x%016" PRIx64 "\",port=\"%u\",type=\"%s\"", n->guid, p->num,
		fab_type_word(n->type));
	put_value(out, "name", fab_name(d, n, name));
	if (peer) {
		fprintf(out, ",peer_guid=\"0x%016" PRIx64 "\",peer_port=\"%u\"",
			fab_node_of(f, peer)->guid, peer->num);
		put_value(out, "peer_name", fab_name(d, fab_node_of(f, peer), name));
	}
	putc('}', out);
	fclose(out);
	return text;
}

static void
metric_head(FILE *f, const char *name, const char *type, const char *unit, const char *help)
{
	fprintf(f, "# TYPE %s %s\n", name, type);
	if (unit)
		fprintf(f, "# UNIT %s %s\n", name, unit);
	fprintf(f, "# HELP %s %s\n", name, help);
}

static void
put_counter(FILE *f, const struct mon_sample *s, char *const *labels, enum pma_counter c)
{
	bool data = metrics[c].kind == PMA_DATA;
	char name[96];

	snprintf(name, sizeof(name), "heddle_port_%s%s", metrics[c].name, data ? "_bytes" : "");
	metric_head(f, name, "counter", data ? "bytes" : NULL, metrics[c].label);
	for (uint32_t i = 0; i < s->f->s->nports; i++) {
		const struct rates_reading *now = rates_now(s->r, i);
		struct pma_value v;

		if (!now)
			continue;
		v = rates_value(now, c);
		if (!v.supported)
			continue;
		if (data && v.value > UINT64_MAX / 4)
			fprintf(f, "%s_total%s %.17g\n", name, labels[i], (double)v.value * 4);
		else
			fprintf(f, "%s_total%s %" PRIu64 "\n", name, labels[i],
				data ? v.value * 4 : v.value);
	}
}

static unsigned
at_maximum(const struct rates_reading *now)
{
	unsigned n = 0;

	for (enum pma_counter c = 0; c < RATES_COUNTERS; c++) {
		struct pma_value v = rates_value(now, c);

		n += v.supported && v.width < 64 && v.saturated;
	}
	return n;
}

static void
put_ports(FILE *f, const struct mon_sample *s, char *const *labels)
{
	metric_head(f, "heddle_port_answered", "gauge", NULL,
		"1 when the port answered all that was asked");
	for (uint32_t i = 0; i < s->f->s->nports; i++)
		if (rates_now(s->r, i))
			fprintf(f, "heddle_port_answered%s %d\n", labels[i],
				rates_now(s->r, i)->ok);
	metric_head(f, "heddle_port_counters_saturated", "gauge", NULL,
		"counters that stand at their maximum and tell nothing any more");
	for (uint32_t i = 0; i < s->f->s->nports; i++)
		if (rates_now(s->r, i))
			fprintf(f, "heddle_port_counters_saturated%s %u\n", labels[i],
				at_maximum(rates_now(s->r, i)));
	for (enum pma_counter c = 0; c < RATES_COUNTERS; c++)
		put_counter(f, s, labels, c);
}

int
mon_metrics(struct diag *d, const struct mon_sample *s, FILE *f)
{
	char **labels = xcalloc(s->f->s->nports + 1u, sizeof(*labels));

	for (uint32_t i = 0; i < s->f->s->nports; i++)
		if (rates_now(s->r, i))
			labels[i] = labels_of(d, s->f, &s->f->s->ports[i]);
	metric_head(f, "heddle_sample_time_seconds", "gauge", "seconds", "when the sample began");
	fprintf(f, "heddle_sample_time_seconds %lld.%03ld\n", (long long)s->began.tv_sec,
		s->began.tv_nsec / 1000000);
	metric_head(f, "heddle_sample_duration_seconds", "gauge", "seconds",
		"from its first question to its last answer");
	fprintf(f, "heddle_sample_duration_seconds %.6f\n", s->took_s);
	metric_head(f, "heddle_sample_ports", "gauge", NULL, "ports that were asked");
	fprintf(f, "heddle_sample_ports %" PRIu32 "\n", s->ports);
	metric_head(f, "heddle_sample_ports_unanswered", "gauge", NULL,
		"ports that did not answer all");
	fprintf(f, "heddle_sample_ports_unanswered %" PRIu32 "\n", s->unanswered);
	metric_head(f, "heddle_fabric_unanswered", "gauge", NULL,
		"places where nobody answered when the fabric was looked for");
	fprintf(f, "heddle_fabric_unanswered %" PRIu32 "\n", s->f->s->nproblems);
	put_ports(f, s, labels);
	fputs("# EOF\n", f);
	for (uint32_t i = 0; i < s->f->s->nports; i++)
		free(labels[i]);
	free(labels);
	errno = 0;
	return fflush(f) || ferror(f) ? (errno ? errno : EIO) : 0;
}

int
mon_metrics_file(struct diag *d, const struct mon_sample *s, const char *path)
{
	char other[PATH_BYTES];
	FILE *f;
	int fd, r;

	if (snprintf(other, sizeof(other), "%s.XXXXXX", path) >= (int)sizeof(other))
		return ENAMETOOLONG;
	fd = mkstemp(other);
	if (fd < 0)
		return errno;
	f = fdopen(fd, "w");
	if (!f) {
		r = errno;
		close(fd);
		unlink(other);
		return r;
	}
	fchmod(fd, 0644);               /* the collector runs as another user */
	r = mon_metrics(d, s, f);
	if (fclose(f) && !r)
		r = errno;
	if (!r && rename(other, path))
		r = errno;
	if (r)
		unlink(other);
	return r;
}
