/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_attr.c - makes the functions of the messages of communication management from their rows.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/cm_attr.h"
#include "libmad/wire/wire.h"

#define ATTR_NAME cm_path
#define ATTR_DEF "libmad/attr/cm_path.def"
#define ATTR_BYTES CM_PATH_BYTES
#define ATTR_TEXT "CMPath"
#define ATTR_ID 0
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_req
#define ATTR_DEF "libmad/attr/cm_req.def"
#define ATTR_BYTES CM_REQ_BYTES
#define ATTR_TEXT "REQ"
#define ATTR_ID CM_REQ_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_mra
#define ATTR_DEF "libmad/attr/cm_mra.def"
#define ATTR_BYTES CM_MRA_BYTES
#define ATTR_TEXT "MRA"
#define ATTR_ID CM_MRA_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_rej
#define ATTR_DEF "libmad/attr/cm_rej.def"
#define ATTR_BYTES CM_REJ_BYTES
#define ATTR_TEXT "REJ"
#define ATTR_ID CM_REJ_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_rep
#define ATTR_DEF "libmad/attr/cm_rep.def"
#define ATTR_BYTES CM_REP_BYTES
#define ATTR_TEXT "REP"
#define ATTR_ID CM_REP_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_rtu
#define ATTR_DEF "libmad/attr/cm_rtu.def"
#define ATTR_BYTES CM_RTU_BYTES
#define ATTR_TEXT "RTU"
#define ATTR_ID CM_RTU_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_dreq
#define ATTR_DEF "libmad/attr/cm_dreq.def"
#define ATTR_BYTES CM_DREQ_BYTES
#define ATTR_TEXT "DREQ"
#define ATTR_ID CM_DREQ_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_drep
#define ATTR_DEF "libmad/attr/cm_drep.def"
#define ATTR_BYTES CM_DREP_BYTES
#define ATTR_TEXT "DREP"
#define ATTR_ID CM_DREP_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_sidr_req
#define ATTR_DEF "libmad/attr/cm_sidr_req.def"
#define ATTR_BYTES CM_SIDR_REQ_BYTES
#define ATTR_TEXT "SIDR_REQ"
#define ATTR_ID CM_SIDR_REQ_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_sidr_rep
#define ATTR_DEF "libmad/attr/cm_sidr_rep.def"
#define ATTR_BYTES CM_SIDR_REP_BYTES
#define ATTR_TEXT "SIDR_REP"
#define ATTR_ID CM_SIDR_REP_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_lap
#define ATTR_DEF "libmad/attr/cm_lap.def"
#define ATTR_BYTES CM_LAP_BYTES
#define ATTR_TEXT "LAP"
#define ATTR_ID CM_LAP_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cm_apr
#define ATTR_DEF "libmad/attr/cm_apr.def"
#define ATTR_BYTES CM_APR_BYTES
#define ATTR_TEXT "APR"
#define ATTR_ID CM_APR_ID
#include "libmad/attr/attr_impl.h"

const struct attr_desc *const cm_attr_all[] = {
	&cm_path_desc,
	&cm_req_desc,
	&cm_mra_desc,
	&cm_rej_desc,
	&cm_rep_desc,
	&cm_rtu_desc,
	&cm_dreq_desc,
	&cm_drep_desc,
	&cm_sidr_req_desc,
	&cm_sidr_rep_desc,
	&cm_lap_desc,
	&cm_apr_desc,
	NULL,
};

const struct attr_desc *
cm_attr_find(uint16_t id)
{
	for (unsigned i = 1; cm_attr_all[i]; i++)
		if (cm_attr_all[i]->id == id)
			return cm_attr_all[i];
	return NULL;
}

const char *
cm_reject_text(uint16_t reason)
{
	const char *s = attr_word(ATTR_SHOW_CM_REJECT, reason);

	return s ? s : "a reason without a name";
}
