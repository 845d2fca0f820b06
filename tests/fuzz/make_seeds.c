/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * make_seeds.c - writes the seed corpus: DIR/wire, DIR/dgram, DIR/attr, DIR/txn, DIR/rmpp, DIR/varlink,
 * DIR/conf, DIR/partitions, DIR/qos_policy, DIR/sa, DIR/cm, DIR/packet, DIR/soft,
 * DIR/meas.
 * Usage: make_seeds DIR
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "libmad/attr/cc_attr.h"
#include "libmad/attr/cm_attr.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/attr/vs_attr.h"
#include "libmad/mad/dgram.h"
#include "verbs/soft/wire/packet.h"

static const char *top;

static void
write_seed(const char *target, const char *name, const void *data, size_t size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, target);
	if (mkdir(path, 0777) && errno != EEXIST) {
		perror(path);
		exit(1);
	}
	snprintf(path, sizeof(path), "%s/%s/%s", top, target, name);
	f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* For each attribute: zeros, ones, and bytes that count. */
static void
attribute_seeds(uint8_t list, const struct attr_desc *const *all)
{
	uint8_t data[2 + 256];
	char name[64];

	for (unsigned i = 0; all[i]; i++)
		for (unsigned kind = 0; kind < 3; kind++) {
			data[0] = list;
			data[1] = (uint8_t)i;
			for (unsigned k = 0; k < 256; k++)
				data[2 + k] = (uint8_t)(kind == 0 ? 0 : kind == 1 ? 0xff : k + i);
			snprintf(name, sizeof(name), "%u-%u-%u", list, i, kind);
			write_seed("attr", name, data, 2u + all[i]->bytes);
		}
}

static void
smp_seeds(void)
{
	static const uint16_t ids[] = { 0x10, 0x11, 0x12, 0x15, 0x16, 0x19, 0x20, 0x02 };
	static const uint8_t path[4] = { 0, 1, 17, 36 };
	uint8_t w[DGRAM_BYTES];
	char name[64];

	for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct dgram_smp s = {
			.method = i & 1 ? METHOD_SET : METHOD_GET, .attr_id = ids[i], .modifier = i, .tid = i + 1,
			.hop_count = 3, .path = i & 2 ? path : NULL,
		};

		dgram_smp_make(w, &s);
		snprintf(name, sizeof(name), "smp-%04x", ids[i]);
		write_seed("dgram", name, w, sizeof(w));
		dgram_smp_respond(w, STATUS_BAD_VALUE);
		snprintf(name, sizeof(name), "response-%04x", ids[i]);
		write_seed("dgram", name, w, sizeof(w));
	}
}

static void
sa_seeds(void)
{
	static const uint8_t methods[] = {
		METHOD_GET, METHOD_GET_TABLE, METHOD_GET_TABLE_RESP, METHOD_REPORT, METHOD_DELETE,
	};
	uint8_t w[DGRAM_BYTES] = { 0 };
	char name[64];

	for (unsigned i = 0; i < sizeof(methods); i++) {
		struct dgram_head h = {
			.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = methods[i],
			.status = i == 2 ? STATUS_SA_NO_RECORDS : 0, .tid = 7, .attr_id = 0x35,
		};
		struct dgram_rmpp_head rmpp = {
			.version = 1, .type = RMPP_DATA, .flags = RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST, .segment = 1,
			.length = 620,
		};
		struct dgram_sa_head sa = { .attr_offset = 8, .comp_mask = 0x300c };

		dgram_head_encode(w, &h);
		dgram_rmpp_head_encode(w, &rmpp);
		dgram_sa_head_encode(w, &sa);
		snprintf(name, sizeof(name), "sa-%02x", methods[i]);
		write_seed("dgram", name, w, sizeof(w));
	}
}

/* Questions to subnet administration, as fuzz_sa takes them: each record by Get and GetTable, by LID and by all. */
static void
sa_request_seeds(void)
{
	static const uint8_t tables[16] = { 255, 0, 1, 3, 4, 4, 2, 255, 255, 1, 0, 1, 2, 1, 3, 255 };
	static const uint16_t ids[] = { 0x01, 0x11, 0x12, 0x14, 0x15, 0x17, 0x18, 0x20, 0x30, 0x33, 0x35, 0x38 };
	static const uint64_t masks[] = { 0, 1, 0x10, 0x30, 0x3f0830, 0x1804 };
	uint8_t w[19 + DGRAM_BYTES] = { 3 }, *mad = w + 19;
	char name[64];

	memcpy(w + 1, tables, sizeof(tables));
	wire_put16(w + 17, DGRAM_BYTES);
	for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (unsigned k = 0; k < 4 * sizeof(masks) / sizeof(masks[0]); k++) {
			struct dgram_head h = {
				.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .tid = k,
				.method = k & 1 ? METHOD_GET_TABLE : METHOD_GET, .attr_id = ids[i],
			};
			struct dgram_sa_head sa = {
				.sm_key = k & 2 ? UINT64_C(0x5ec4e75ec4e75ec4) : 0, .comp_mask = masks[k / 4],
			};

			dgram_head_encode(mad, &h);
			dgram_sa_head_encode(mad, &sa);
			mad[57] = 3;            /* a record's LID; a path's ends and what it carries */
			mad[56 + 41] = 4;
			mad[56 + 43] = 3;
			memset(mad + 56 + 49, 0x81, 8);
			snprintf(name, sizeof(name), "%02x-%u", ids[i], k);
			write_seed("sa", name, w, sizeof(w));
		}
}

/* Traces: by LIDs and by GIDs, through both switches, over tables that lead there and ones that lead in a circle. */
static void
sa_trace_seeds(void)
{
	static const uint8_t tables[2][16] = {
		{ 255, 0, 1, 3, 4, 4, 2, 255, 255, 1, 0, 1, 2, 1, 3, 255 }, { 255, 0, 1, 1, 1, 1, 1, 255, 255, 1, 0, 1, 1, 1, 1, 255 },
	};
	char name[64];

	for (unsigned k = 0; k < 8; k++) {
		struct dgram_head h = {
			.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .tid = k, .method = METHOD_GET_TRACE,
			.attr_id = k & 1 ? PATH_RECORD_ID : TRACE_RECORD_ID,
		};
		struct dgram_sa_head sa = { .comp_mask = k & 2 ? 0x0c : 0x30 };
		uint8_t w[19 + 56 + PATH_RECORD_BYTES] = { 3 }, *mad = w + 19;

		memcpy(w + 1, tables[k / 4], sizeof(tables[0]));
		wire_put16(w + 17, 56 + PATH_RECORD_BYTES);
		dgram_head_encode(mad, &h);
		dgram_sa_head_encode(mad, &sa);
		wire_put64(mad + 56 + 8, GID_PREFIX_DEFAULT);
		wire_put64(mad + 56 + 16, 0x42);
		wire_put64(mad + 56 + 24, GID_PREFIX_DEFAULT);
		wire_put64(mad + 56 + 32, 0x31);
		wire_put16(mad + 56 + 40, 6);
		wire_put16(mad + 56 + 42, 3);
		snprintf(name, sizeof(name), "trace-%u", k);
		write_seed("sa", name, w, sizeof(w));
	}
}

/* Alias GUIDs: asked for, given back, by the port itself and by others; a join, a path and a service by one. */
static void
sa_alias_seeds(void)
{
	static const struct {
		uint8_t from, method;
		uint16_t attr;
		uint64_t mask;
		uint8_t at[6], value[6];        /* bytes of the record */
	} v[] = {
		{ 3, METHOD_SET, GUID_INFO_RECORD_ID, 0x23, { 1, 23 }, { 3, 0x77 } },
		{ 3, METHOD_SET, GUID_INFO_RECORD_ID, 0xff3, { 1, 2, 23, 31 }, { 3, 1, 0xa1, 0x31 } },
		{ 3, METHOD_SET, GUID_INFO_RECORD_ID, 0xfe3, { 1 }, { 3 } },
		{ 3, METHOD_SET, GUID_INFO_RECORD_ID, 0x23, { 1, 23 }, { 6, 0x77 } },
		{ 6, METHOD_DELETE, GUID_INFO_RECORD_ID, 0x23, { 1 }, { 6 } },
		{ 6, METHOD_DELETE, GUID_INFO_RECORD_ID, 0x21, { 1 }, { 6 } },
		{ 6, METHOD_SET, MCMEMBER_RECORD_ID, 0x130c7, { 0, 1, 15, 31, 41, 48 }, { 0xff, 0x15, 1, 0xa1, 0xff, 1 } },
		{ 3, METHOD_GET, PATH_RECORD_ID, 0xc, { 23, 39 }, { 0xa1, 0x31 } },
		{ 6, METHOD_SET, SERVICE_RECORD_ID, 3, { 7, 23 }, { 9, 0xa1 } },
	};
	static const uint8_t tables[16] = { 255, 0, 1, 3, 4, 4, 2, 255, 255, 1, 0, 1, 2, 1, 3, 255 };
	char name[64];

	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct dgram_head h = {
			.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .tid = i, .method = v[i].method, .attr_id = v[i].attr,
		};
		struct dgram_sa_head sa = { .comp_mask = v[i].mask };
		uint8_t w[19 + DGRAM_BYTES] = { v[i].from }, *mad = w + 19;

		memcpy(w + 1, tables, sizeof(tables));
		wire_put16(w + 17, DGRAM_BYTES);
		dgram_head_encode(mad, &h);
		dgram_sa_head_encode(mad, &sa);
		if (v[i].attr == MCMEMBER_RECORD_ID)
			wire_put64(mad + 56 + 16, GID_PREFIX_DEFAULT);
		if (v[i].attr == PATH_RECORD_ID || v[i].attr == SERVICE_RECORD_ID)
			wire_put64(mad + 56 + 8, GID_PREFIX_DEFAULT);
		if (v[i].attr == PATH_RECORD_ID)
			wire_put64(mad + 56 + 24, GID_PREFIX_DEFAULT);
		for (unsigned k = 0; k < 6; k++)
			mad[56 + v[i].at[k]] |= v[i].value[k];
		if (v[i].attr == MCMEMBER_RECORD_ID)
			mad[56 + 40] = 0xff;
		snprintf(name, sizeof(name), "alias-%u", i);
		write_seed("sa", name, w, sizeof(w));
	}
}

/* MultiPathRecord: of 2 and 2 ends in one datagram, of 8 and 8 in two; any paths and disjoint ones. */
static void
sa_multipath_seeds(void)
{
	static const uint8_t tables[16] = { 255, 0, 1, 3, 4, 4, 2, 255, 255, 1, 0, 1, 2, 1, 3, 255 };
	static const uint8_t guids[] = { 0x31, 0x41, 0x42, 0x10, 0x20 };
	char name[64];

	for (unsigned k = 0; k < 4; k++) {
		struct dgram_head h = {
			.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .tid = k, .method = METHOD_GET_MULTI,
			.attr_id = MULTIPATH_RECORD_ID,
		};
		struct dgram_sa_head sa = { .comp_mask = k & 1 ? 0x1a0000 : 0x1800f2 };
		unsigned n = k & 2 ? 8 : 2;
		uint8_t w[19 + 80 + 256] = { 3 }, *mad = w + 19;

		memcpy(w + 1, tables, sizeof(tables));
		wire_put16(w + 17, (uint16_t)(80 + n * 32));
		dgram_head_encode(mad, &h);
		dgram_sa_head_encode(mad, &sa);
		memcpy(mad + 56 + 4, (const uint8_t[]){ 0, 0x85, 0xff, 0xff }, 4);
		memcpy(mad + 56 + 14, (const uint8_t[]){ 1, (uint8_t)n, (uint8_t)n }, 3);
		for (unsigned i = 0; i < 2 * n; i++) {
			wire_put64(mad + 80 + i * 16, GID_PREFIX_DEFAULT);
			mad[80 + i * 16 + 15] = guids[i % sizeof(guids)];
		}
		snprintf(name, sizeof(name), "multi-%u", k);
		write_seed("sa", name, w, 19 + 80 + n * 32);
	}
}

static void
cursor_seeds(void)
{
	uint8_t ops[256];

	for (unsigned i = 0; i < sizeof(ops); i++)
		ops[i] = (uint8_t)(i * 7);
	write_seed("wire", "mixed", ops, sizeof(ops));
	memset(ops, 0x0c, sizeof(ops));
	write_seed("wire", "subs", ops, sizeof(ops));
	memset(ops, 3, sizeof(ops));
	write_seed("wire", "words", ops, sizeof(ops));
}

/* Targets whose input is a list of steps: any bytes are a script. */
static void
script_seeds(const char *target)
{
	uint8_t script[1500];
	uint32_t x = 1;
	char name[64];

	for (unsigned i = 0; i < 12; i++) {
		for (unsigned k = 0; k < sizeof(script); k++) {
			x = x * 1664525u + 1013904223u;
			script[k] = (uint8_t)(x >> 24) & (i & 1 ? 0x3f : 0xff);
		}
		snprintf(name, sizeof(name), "script-%u", i);
		write_seed(target, name, script, sizeof(script));
	}
}

/* Configuration files and calls: every kind of value, quotes, comments and fault. */
static void
text_seeds(void)
{
	static const char *const conf[] = {
		"lmc = 2\nsweep_interval = 0x10 # c\n// c\n/* c */ guid=0x0002c90300000001\n",
		"routing_engine = \"minhop,updn,no_fallback\"\nca = 'a b'\nlmc_esp0 = yes\nlog_level = trace\n",
		"ca = \"\\x41\\n${HOME}\\\"\"\nqos = TRUE\nunknown_key = 3\nlmc = {1, 2}\nlmc += 1\n",
		"include(\"/dev/null\")\nsection x { lmc = 1 }\nlmc 3\nlmc = 9\n",
	};
	static const char *const partitions[] = {
		"Default=0x7fff,ipoib:ALL=full,SELF=both;\n# c\nA=0x8001,indx0,defmember=both,rate=100Gbps,mtu=2048B:\n0x1-0x9 ,\n0x10=limited\n;B:;",
		"P=2,ipoib,scope=2,scope=5,Q_Key=0x1,TClass=3,FlowLabel=4,sl=1:mgid=ff12:401b::5,sl=2 # c\nALL_CAS=fu,ALL_S,NONE,;",
		":ALL_ROUTERS;=3:\nmgid=ff12:601b:8003::1;A=0x1:ALL\nB=0x2:ALL;",
	};
	static const char *const policies[] = {
		"port-groups\nport-group # c\nname: \"A, B\"\nuse: x, \"y # z\"\nport-guid: 0x1-0x9,\n0x10\nport-name: a b/P1,c/p2\n"
		"pkey: 0x8001-2\npartition: Default,x\nnode-type: ca,SWITCH,Self\nend-port-group end-port-groups\nqos-ulps\ndefault : 1\n"
		"sdp, port-num 10-20,30 : 2\nrds:3\niser, port-num 1:4\nsrp, target-port-guid 1-2 : 5\nipoib : 6\nipoib, pkey 1:7\n"
		"any, service-id 1:8\nANY , pkey 1 : 9\nany, source-port-guid 1:1\nany, source-target-port-guid 2:2\nend-qos-ulps\n",
		"qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nmtu-limit: 5\nrate-limit: 26\npacket-life: 63\npath-bits: 0-3,2\npkey: 7\n"
		"end-qos-level\nend-qos-levels\nqos-match-rules\nqos-match-rule\nuse:\nqos-class: 1,9-7\nsource: a b\ndestination: AB,ab\n"
		"service-id: 0-0xffffffffffffffff\npkey: 1\nqos-level-name: default\nend-qos-match-rule\nend-qos-match-rules\n"
		"port-groups port-group\nname:AB\nend-port-group end-port-groups\n",
		"qos-setup\nvlarb-tables\nvlarb-scope\ngroup: g\nacross: g\nvlarb-high: 0:255,1:0\nvlarb-low: 14:1\nvl-high-limit: 255\n"
		"end-vlarb-scope\nend-vlarb-tables\nsl2vl-tables\nsl2vl-scope\nacross: g\nacross-from: g\nacross-to: g\nfrom: *\nto: 1-3,254\n"
		"sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nend-sl2vl-scope\nend-sl2vl-tables\nend-qos-setup\n"
		"port-groups port-group\nname:g\nend-port-group end-port-groups qos-ulps default:0\nend-qos-ulps",
		"qos-levels\nqos-level\nname: \"x\nsl: 16\n",
	};
	static const char calls[][160] = {
		"\007{\"method\":\"org.varlink.service.GetInfo\"}\0{\"method\":\"io.heddle.Manager.Status\",\"more\":true}",
		"\377{\"method\":\"org.varlink.service.GetInterfaceDescription\",\"parameters\":{\"interface\":\"a.b\"}}",
		"\040{\"parameters\":{\"x\":[1,2.5,null]},\"continues\":true}\0{\"error\":\"a.b.C\"}",
	};
	char name[16];

	for (unsigned i = 0; i < sizeof(conf) / sizeof(conf[0]); i++) {
		snprintf(name, sizeof(name), "%u", i);
		write_seed("conf", name, conf[i], strlen(conf[i]));
	}
	for (unsigned i = 0; i < sizeof(partitions) / sizeof(partitions[0]); i++) {
		snprintf(name, sizeof(name), "%u", i);
		write_seed("partitions", name, partitions[i], strlen(partitions[i]));
	}
	for (unsigned i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		snprintf(name, sizeof(name), "%u", i);
		write_seed("qos_policy", name, policies[i], strlen(policies[i]));
	}
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		snprintf(name, sizeof(name), "%u", i);
		write_seed("varlink", name, calls[i], sizeof(calls[i]));
	}
}

/* Steps of fuzz_cm: a connection that comes and one that goes, with answers, wishes and time; then pseudo-random ones. */
static void
cm_seeds(void)
{
	static const uint8_t comes[] = {
		0, 0, 48, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x60, 5, 0x00, 2, 0x10, 4, 5, 0x50, 7, 200, 2, 0x10, 6,
	};
	static const uint8_t goes[] = { 4, 9, 2, 0x10, 3, 5, 0x10, 5, 0x70, 2, 0x11, 10, 5, 0x50, 2, 0x12, 6, 0x77, 255 };
	uint8_t any[512];
	uint32_t x = 1;
	char name[32];

	write_seed("cm", "comes", comes, sizeof(comes));
	write_seed("cm", "goes", goes, sizeof(goes));
	for (unsigned n = 0; n < 200; n++) {
		for (unsigned i = 0; i < sizeof(any); i++) {
			x = x * 1664525 + 1013904223;
			any[i] = (uint8_t)(x >> 24);
		}
		snprintf(name, sizeof(name), "any-%u", n);
		write_seed("cm", name, any, sizeof(any));
	}
}

/* One packet of every operation of every service, with and without a global route. */
static void
packet_seeds(void)
{
	uint8_t w[PACKET_MAX_BYTES];
	char name[64];

	for (unsigned i = 0; i < 512; i++) {
		struct packet p = {
			.sl = 3, .dlid = 7, .slid = 5, .has_grh = i >= 256, .hop_limit = 1, .opcode = (uint8_t)i, .migrated = true,
			.ack_request = true, .pkey = 0xffff, .dest_qpn = 0x123456, .psn = 0xfffffe, .qkey = 1, .src_qpn = 2,
			.va = 0x1000, .rkey = 0x100, .dma_bytes = 9, .payload = (const uint8_t *)"payload..",
			.payload_bytes = packet_traits((uint8_t)i) & PACKET_HAS_PAYLOAD ? 9 : 0,
		};

		if (!packet_traits((uint8_t)i))
			continue;
		snprintf(name, sizeof(name), "%u", i);
		write_seed("packet", name, w, packet_encode(w, &p));
	}
}

/* Steps of fuzz_soft: packets in their order with receives for them, work and its answers, then pseudo-random ones. */
static void
soft_seeds(void)
{
	enum { MADE = 2, WORK = 3, PASS = 4, SEND = 4, WRITE_FIRST = 6, WRITE_LAST = 8, WRITE_ONLY = 10, READ = 12, ACK = 17, ADD = 20 };
	static const uint8_t steps[] = {
		WORK, 4, 1, 0, 0, 255, MADE, 7, SEND, 4, 1, 0, 0, 0, 1, PASS, 1, 3,
		MADE, 7, WRITE_FIRST, 5, 0, 0, 33, 0, 1, MADE, 7, WRITE_LAST, 6, 1, 0, 0, 0, 8, MADE, 7, WRITE_ONLY, 7, 1, 0, 8, 0, 64,
		PASS, 1, 3, MADE, 7, READ, 8, 0, 0, 255, 0, 0, PASS, 1, 9, MADE, 7, ADD, 16, 0, 0, 0, 0, 0, PASS, 1, 9,
		WORK, 4, 0, 2, 0, 255, WORK, 4, 0, 0, 0, 8, PASS, 1, 1, MADE, 7, ACK, 4, 0, 0, 0, 0x1f, 0, MADE, 7, ACK, 5, 0, 0, 0,
		0x61, 0, PASS, 1, 12,
	};
	uint8_t any[400];
	uint32_t x = 7;
	char name[32];

	for (unsigned n = 0; n < 36; n++) {
		any[0] = (uint8_t)n;
		for (unsigned i = 1; i < sizeof(any); i++) {
			x = x * 1664525 + 1013904223;
			any[i] = i > 1 && any[i - 1] % 5 == MADE ? 7 : (uint8_t)(x >> 24);
		}
		if (n < 3)
			memcpy(any + 1, steps, sizeof(steps));
		snprintf(name, sizeof(name), "%u", n);
		write_seed("soft", name, any, n < 3 ? 1 + sizeof(steps) : sizeof(any));
	}
}

/* What a server hears of a client ('s'), and a client of a server ('c'). */
#define MEAS_HELLO "{\"msg\":\"hello\",\"protocol\":1,\"version\":\"0.1.0\"}\n"
#define MEAS_FACTS(lid, gid) \
	"\"facts\":{\"host\":\"vm\",\"device\":\"soft0\",\"provider\":\"soft\",\"firmware\":\"0\",\"state\":\"Active\",\"width\":\"4x\"," \
	"\"speed\":\"EDR\",\"emulated\":\"\",\"node_guid\":\"0xfe1d5000000000\",\"port\":1,\"pkey\":65535,\"mtu_bytes\":4096,\"rate_gbps\":103.125," \
	"\"max_wr\":16384,\"max_cqe\":65536,\"max_qps\":16382,\"rd_atomic_target\":16,\"rd_atomic_initiator\":16,\"atomic\":true," \
	"\"cm_only\":false,\"route\":{\"infiniband\":true,\"lid\":" lid ",\"gids\":[{\"index\":0,\"type\":\"ib\",\"gid\":\"fe80:0000:0000:0000:00fe:1d50:0000:" gid "\"}]}}"
#define MEAS_NAMES "\"addr\":\"0x625000001000\",\"rkey\":\"0x100\",\"qps\":[[16,10406244]]"
#define MEAS_TEST(op, both, check) \
	"{\"msg\":\"test\",\"test\":{\"mode\":\"bw\",\"op\":\"" op "\",\"transport\":\"RC\",\"connect\":\"socket\",\"sizes\":[8],\"iterations\":4,\"warmup\":0," \
	"\"duration_ms\":0,\"qps\":1,\"tx_depth\":4,\"rx_depth\":4,\"signal_every\":16,\"inline_bytes\":0,\"mtu_bytes\":4096," \
	"\"memory_bytes\":\"0x100000\",\"seed\":\"0x0\",\"sl\":0,\"traffic_class\":0,\"hop_limit\":64,\"timeout\":18,\"retries\":7," \
	"\"rnr_retries\":7,\"pkey_index\":0,\"rate_mbps\":0,\"bidirectional\":" both ",\"validate\":" check ",\"events\":false}," \
	"\"route\":{\"grh\":false,\"client_index\":0,\"server_index\":0},\"names\":{" MEAS_NAMES "}}\n"
#define MEAS_RATES "\"rates\":{\"seconds\":0.5,\"bytes_per_s\":6782.5,\"messages_per_s\":847,\"peak_bytes_per_s\":1,\"min_bytes_per_s\":0,\"interval_s\":1}"
#define MEAS_RUN "{\"msg\":\"run\",\"run\":1,\"size\":8}\n" \
	"{\"msg\":\"busy\",\"ms\":30000}\n{\"msg\":\"done\",\"sent\":[4]," MEAS_RATES "}\n{\"msg\":\"bye\"}\n"
#define MEAS_CLIENT(op, both, check) \
	"s" MEAS_HELLO "{\"msg\":\"offer\"," MEAS_FACTS("1", "0001") ",\"tunnel\":true}\n" MEAS_TEST(op, both, check) MEAS_RUN

static void
meas_seeds(void)
{
	static const char *const seeds[] = {
		MEAS_CLIENT("send", "false", "false"), MEAS_CLIENT("write", "true", "true"), MEAS_CLIENT("read", "false", "true"),
		"s" MEAS_HELLO "{\"msg\":\"ask\",\"to\":\"127.0.0.1:1\"}\n",
		"c" MEAS_HELLO "{\"msg\":\"offer\"," MEAS_FACTS("3", "0101") ",\"gid_index\":-1}\n{\"msg\":\"names\",\"join\":null," MEAS_NAMES "}\n"
			"{\"msg\":\"ready\"}\n{\"msg\":\"alive\"}\n{\"msg\":\"result\",\"sent\":[0]," MEAS_RATES ",\"counts\":{\"sent\":0,\"received\":4,"
			"\"lost\":0,\"corrupt\":0,\"errors\":0,\"first_bad\":{\"qp\":0,\"message\":1,\"offset\":2,\"expected\":3,\"got\":4}}}\n",
		"c" MEAS_HELLO MEAS_HELLO, "cP0123456789\n", "s{\"msg\":\"error\",\"message\":\"no\",\"exit\":255}\n", "sHVT1", "sHVTP\1\1\1\1",
	};
	char name[16];

	for (unsigned i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		snprintf(name, sizeof(name), "%u", i);
		write_seed("meas", name, seeds[i], strlen(seeds[i]));
	}
}

int
main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_seeds DIR\n");
		return 2;
	}
	top = argv[1];
	if (mkdir(top, 0777) && errno != EEXIST) {
		perror(top);
		return 1;
	}
	attribute_seeds(0, sm_attr_all);
	attribute_seeds(1, sa_attr_all);
	attribute_seeds(2, pm_attr_all);
	attribute_seeds(3, cc_attr_all);
	attribute_seeds(4, vs_attr_all);
	attribute_seeds(5, cm_attr_all);
	cm_seeds();
	soft_seeds();
	meas_seeds();
	smp_seeds();
	sa_seeds();
	sa_request_seeds();
	sa_multipath_seeds();
	sa_trace_seeds();
	sa_alias_seeds();
	cursor_seeds();
	script_seeds("txn");
	script_seeds("rmpp");
	text_seeds();
	packet_seeds();
	return 0;
}
