/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * row.c - see row.h.
 * Room: verbs/meas.  Pure.
 */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "verbs/meas/control/msg.h"
#include "verbs/meas/row.h"
#include "verbs/meas/run/counts.h"

#define BAR_MAX 50

static json_t *
rates_row(const struct meas_rates *r)
{
	double gb = 8e-9;

	if (r->seconds <= 0)
		return json_null();
	return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "avg_gbps", r->bytes_per_s * gb, "peak_gbps",
		r->peak_bytes_per_s * gb, "min_gbps", r->min_bytes_per_s * gb, "mpps",
		r->messages_per_s / 1e6, "seconds", r->seconds, "interval_s", r->interval_s);
}

static double
us_of_ns(uint64_t ns)
{
	return (double)ns / 1e3;
}

static json_t *
times_row(const struct meas_hist *h)
{
	json_t *o;

	if (!h || !h->count)
		return json_null();
	o = json_pack("{s:I,s:f,s:f,s:f,s:f}", "samples", (json_int_t)h->count, "min",
		us_of_ns(h->min_ns), "max", us_of_ns(h->max_ns), "avg", h->mean_ns / 1e3,
		"stdev", meas_hist_stdev_ns(h) / 1e3);
	json_object_set_new(o, "p50", json_real(us_of_ns(meas_hist_percentile(h, 50))));
	json_object_set_new(o, "p90", json_real(us_of_ns(meas_hist_percentile(h, 90))));
	json_object_set_new(o, "p99", json_real(us_of_ns(meas_hist_percentile(h, 99))));
	json_object_set_new(o, "p99.9", json_real(us_of_ns(meas_hist_percentile(h, 99.9))));
	json_object_set_new(o, "p99.99", json_real(us_of_ns(meas_hist_percentile(h, 99.99))));
	return o;
}

static json_t *
bins_row(const struct meas_hist *h)
{
	json_t *a = json_array();
	struct meas_bin b;
	unsigned at = 0;

	while (h && meas_hist_bin(h, &at, &b))
		json_array_append_new(a,
			json_pack("{s:I,s:I,s:I}", "from_ns", (json_int_t)b.from_ns, "to_ns",
			(json_int_t)b.to_ns, "count", (json_int_t)b.count));
	return a;
}

json_t *
meas_row_json(const struct meas_result *r, const struct meas_test *t)
{
	bool bw = t->mode == MEAS_BW;

	return json_pack("{s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "size", (json_int_t)r->size,
		"iterations", (json_int_t)r->iterations,
		"bandwidth", bw ? rates_row(&r->rates) : json_null(), "bandwidth_back",
		bw ? rates_row(&r->peer_rates) : json_null(),
		"latency_us", times_row(r->hist), "histogram", bins_row(r->hist), "counts",
		meas_counts_json(&r->counts, &r->bad),
		"counts_back", meas_counts_json(&r->peer_counts, &r->peer_bad));
}

/* ---- rows of others ---- */

static json_t *
clean_figures(struct meas_reader *r, const char *key, const char *count, const char *const *numbers)
{
	const json_t *o = json_object_get(r->object, key);
	struct meas_reader m = meas_reader(o);
	json_t *c;

	if (json_is_null(o))
		return json_null();
	c = json_object();
	if (count)
		json_object_set_new(c, count,
			json_integer((json_int_t)meas_read_int(&m, count, 0, INT64_MAX)));
	for (; *numbers; numbers++)
		json_object_set_new(c, *numbers, json_real(meas_read_number(&m, *numbers)));
	if (m.bad)
		meas_reader_bad(r, key);
	return c;
}

static json_t *
clean_counts(struct meas_reader *r, const char *key)
{
	struct meas_counts c;
	struct meas_bad b;

	if (meas_counts_from_json(json_object_get(r->object, key), &c, &b)) {
		meas_reader_bad(r, key);
		return json_null();
	}
	return meas_counts_json(&c, &b);
}

json_t *
meas_row_clean(const json_t *row)
{
	static const char *const rates[] = { "avg_gbps", "peak_gbps", "min_gbps", "mpps", "seconds",
		"interval_s", NULL };
	static const char *const times[] = { "min", "max", "avg", "stdev", "p50", "p90", "p99",
		"p99.9", "p99.99", NULL };
	struct meas_reader r = meas_reader(row);
	json_t *o = json_object();

	json_object_set_new(o, "size",
		json_integer((json_int_t)meas_read_int(&r, "size", 1, UINT32_MAX)));
	json_object_set_new(o, "iterations",
		json_integer((json_int_t)meas_read_int(&r, "iterations", 0, INT64_MAX)));
	json_object_set_new(o, "bandwidth", clean_figures(&r, "bandwidth", NULL, rates));
	json_object_set_new(o, "bandwidth_back", clean_figures(&r, "bandwidth_back", NULL, rates));
	json_object_set_new(o, "latency_us", clean_figures(&r, "latency_us", "samples", times));
	/* Messages are limited in size and carry no histogram. */
	json_object_set_new(o, "histogram", json_array());
	json_object_set_new(o, "counts", clean_counts(&r, "counts"));
	json_object_set_new(o, "counts_back", clean_counts(&r, "counts_back"));
	if (!r.bad)
		return o;
	json_decref(o);
	return NULL;
}

/* ---- figures ---- */

static bool
number_read(const json_t *o, const char *key, double *value)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_number(v))
		return false;
	*value = json_number_value(v);
	return isfinite(*value);
}

/* Adds up both directions. */
static bool
figure_sum(const json_t *row, const char *a, const char *b, const char *key, double *value)
{
	double other = 0;

	if (!number_read(json_object_get(row, a), key, value))
		return false;
	if (number_read(json_object_get(row, b), key, &other))
		*value += other;
	return true;
}

bool
meas_row_figure(const json_t *row, enum meas_figure f, double *value)
{
	switch (f) {
	case MEAS_FIGURE_BW:
		return figure_sum(row, "bandwidth", "bandwidth_back", "avg_gbps", value);
	case MEAS_FIGURE_BW_PEAK:
		return figure_sum(row, "bandwidth", "bandwidth_back", "peak_gbps", value);
	case MEAS_FIGURE_BW_MIN:
		return figure_sum(row, "bandwidth", "bandwidth_back", "min_gbps", value);
	case MEAS_FIGURE_MSGRATE:
		return figure_sum(row, "bandwidth", "bandwidth_back", "mpps", value);
	case MEAS_FIGURE_LOST:
	case MEAS_FIGURE_CORRUPT:
	case MEAS_FIGURE_ERRORS:
		return figure_sum(row, "counts", "counts_back", meas_figure_name(f), value);
	case MEAS_FIGURE_MESSAGES:
		return number_read(row, "iterations", value);
	case MEAS_FIGURE_MIN:
	case MEAS_FIGURE_MAX:
	case MEAS_FIGURE_AVG:
	case MEAS_FIGURE_STDEV:
	case MEAS_FIGURE_P50:
	case MEAS_FIGURE_P90:
	case MEAS_FIGURE_P99:
	case MEAS_FIGURE_P999:
	case MEAS_FIGURE_P9999:
		return number_read(json_object_get(row, "latency_us"), meas_figure_name(f), value);
	case MEAS_FIGURE_KINDS:
		break;
	}
	return false;
}

/* ---- text: perftest's columns, which scripts cut ---- */

void
meas_row_header(FILE *f, enum meas_mode mode, bool gbits)
{
	if (mode == MEAS_LAT)
		fprintf(f, " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    "
			"t_avg[usec]    t_stdev[usec]   99%% percentile[usec]   99.9%% "
			"percentile[usec] \n");
	else
		fprintf(f,
			" #bytes     #iterations    BW peak[%s]    BW average[%s]   MsgRate[Mpps]\n",
			gbits ? "Gb/sec" : "MiB/sec", gbits ? "Gb/sec" : "MiB/sec");
}

static double
figure_value(const json_t *row, enum meas_figure f)
{
	double v = 0;

	meas_row_figure(row, f, &v);
	return v;
}

void
meas_row_text(FILE *f, const json_t *row, enum meas_mode mode, bool gbits)
{
	double unit = gbits ? 1 : 1e9 / 8 / 1048576;
	long size = (long)json_integer_value(json_object_get(row, "size"));
	json_int_t n = json_integer_value(json_object_get(row, "iterations"));

	if (mode == MEAS_LAT)
		fprintf(f, " %-7ld %-10" JSON_INTEGER_FORMAT "     %-7.2f        %-7.2f      "
			"%-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f\n", size, n,
			figure_value(row, MEAS_FIGURE_MIN), figure_value(row, MEAS_FIGURE_MAX),
			figure_value(row, MEAS_FIGURE_P50), figure_value(row, MEAS_FIGURE_AVG),
			figure_value(row, MEAS_FIGURE_STDEV), figure_value(row, MEAS_FIGURE_P99),
			figure_value(row, MEAS_FIGURE_P999));
	else
		fprintf(f, " %-7ld    %-10" JSON_INTEGER_FORMAT
			"       %-7.2f            %-7.2f\t\t   %-7.6f\n", size, n,
			figure_value(row, MEAS_FIGURE_BW_PEAK) * unit,
			figure_value(row, MEAS_FIGURE_BW) * unit,
			figure_value(row, MEAS_FIGURE_MSGRATE));
}

void
meas_row_histogram(FILE *f, const json_t *row)
{
	const json_t *bins = json_object_get(row, "histogram"), *b;
	json_int_t most = 1, n;
	size_t i;

	for (i = 0; i < json_array_size(bins); i++) {
		n = json_integer_value(json_object_get(json_array_get(bins, i), "count"));
		most = n > most ? n : most;
	}
	for (i = 0; i < json_array_size(bins); i++) {
		b = json_array_get(bins, i);
		n = json_integer_value(json_object_get(b, "count"));
		fprintf(f, "   %12.3f us  %10" JSON_INTEGER_FORMAT "  ",
			(double)json_integer_value(json_object_get(b, "from_ns")) / 1e3, n);
		for (json_int_t k = 0; k < (n * BAR_MAX + most - 1) / most; k++)
			fputc('#', f);
		fputc('\n', f);
	}
}

static bool
first_bad(const json_t *counts, const char *where, char *text, size_t bytes)
{
	const json_t *b = json_object_get(counts, "first_bad");

	if (!json_is_object(b))
		return false;
	snprintf(text, bytes, ", the first at the %s: queue pair %d, message %" JSON_INTEGER_FORMAT
		", byte %d is 0x%02x and not 0x%02x", where,
		(int)json_integer_value(json_object_get(b, "qp")),
		json_integer_value(json_object_get(b, "message")),
		(int)json_integer_value(json_object_get(b, "offset")),
		(unsigned)json_integer_value(json_object_get(b, "got")) & 255,
		(unsigned)json_integer_value(json_object_get(b, "expected")) & 255);
	return true;
}

bool
meas_row_problem(const json_t *row, char *text, size_t bytes)
{
	char where[160] = "";

	if (figure_value(row, MEAS_FIGURE_CORRUPT) <= 0)
		return false;
	if (!first_bad(json_object_get(row, "counts"), "client", where, sizeof(where)))
		first_bad(json_object_get(row, "counts_back"), "server", where, sizeof(where));
	snprintf(text, bytes, "%.0f of the messages of %ld bytes were not what was sent%s",
		figure_value(row, MEAS_FIGURE_CORRUPT),
		(long)json_integer_value(json_object_get(row, "size")), where);
	return true;
}
