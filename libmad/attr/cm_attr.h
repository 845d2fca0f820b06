/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm_attr.h - the messages of communication management (class 0x07, class version 2), and the path
 * inside REQ.
 * Room: libmad/attr.  Pure.  Layouts: docs/wire.md.
 *
 * Each block below declares one message from its .def file; attr.h lists what it generates.  All
 * messages have the same length.  The state machine that uses them: libmad/cm.
 */
#ifndef HEDDLE_LIBMAD_ATTR_CM_ATTR_H
#define HEDDLE_LIBMAD_ATTR_CM_ATTR_H

#include "libmad/attr/attr.h"

/* Offset of a message in its datagram, and the length of every message. */
#define CM_MESSAGE_AT 24
#define CM_MESSAGE_BYTES 232

#define CM_REQ_ID 0x0010
#define CM_MRA_ID 0x0011
#define CM_REJ_ID 0x0012
#define CM_REP_ID 0x0013
#define CM_RTU_ID 0x0014
#define CM_DREQ_ID 0x0015
#define CM_DREP_ID 0x0016
#define CM_SIDR_REQ_ID 0x0017
#define CM_SIDR_REP_ID 0x0018
#define CM_LAP_ID 0x0019
#define CM_APR_ID 0x001a

#define CM_PATH_BYTES 44
#define CM_REQ_BYTES CM_MESSAGE_BYTES
#define CM_MRA_BYTES CM_MESSAGE_BYTES
#define CM_REJ_BYTES CM_MESSAGE_BYTES
#define CM_REP_BYTES CM_MESSAGE_BYTES
#define CM_RTU_BYTES CM_MESSAGE_BYTES
#define CM_DREQ_BYTES CM_MESSAGE_BYTES
#define CM_DREP_BYTES CM_MESSAGE_BYTES
#define CM_SIDR_REQ_BYTES CM_MESSAGE_BYTES
#define CM_SIDR_REP_BYTES CM_MESSAGE_BYTES
#define CM_LAP_BYTES CM_MESSAGE_BYTES
#define CM_APR_BYTES CM_MESSAGE_BYTES

/* The message that an MRA or REJ refers to. */
enum cm_about { CM_ABOUT_REQ, CM_ABOUT_REP, CM_ABOUT_OTHER };
/* Transport service types. */
enum cm_transport { CM_RC, CM_UC, CM_RD, CM_TRANSPORT_EXTENDED };

/* REJ reasons that the program sends or handles.  The printer ATTR_SHOW_CM_REJECT has words for all
 * reasons. */
enum cm_reject {
	CM_REJECT_NO_QP = 1, CM_REJECT_NO_RESOURCES = 3, CM_REJECT_TIMEOUT = 4,
	CM_REJECT_UNSUPPORTED = 5,
	CM_REJECT_COMM_ID = 6, CM_REJECT_SERVICE_ID = 8, CM_REJECT_TRANSPORT = 9,
	CM_REJECT_STALE = 10,
	CM_REJECT_PRIMARY_GID = 12, CM_REJECT_PRIMARY_LID = 13, CM_REJECT_ALTERNATE_GID = 18,
	CM_REJECT_MTU = 26, CM_REJECT_CONSUMER = 28, CM_REJECT_DUPLICATE_ID = 30,
	CM_REJECT_CLASS_VERSION = 31,
};
enum cm_apr_status { CM_APR_OK, CM_APR_COMM_ID, CM_APR_UNSUPPORTED, CM_APR_REJECTED };
enum cm_sidr_status {
	CM_SIDR_OK, CM_SIDR_UNSUPPORTED, CM_SIDR_REJECTED, CM_SIDR_NO_QP, CM_SIDR_REDIRECT,
	CM_SIDR_VERSION,
};

#define ATTR_NAME cm_path
#define ATTR_DEF "libmad/attr/cm_path.def"
#define ATTR_BYTES CM_PATH_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_req
#define ATTR_DEF "libmad/attr/cm_req.def"
#define ATTR_BYTES CM_REQ_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_mra
#define ATTR_DEF "libmad/attr/cm_mra.def"
#define ATTR_BYTES CM_MRA_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_rej
#define ATTR_DEF "libmad/attr/cm_rej.def"
#define ATTR_BYTES CM_REJ_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_rep
#define ATTR_DEF "libmad/attr/cm_rep.def"
#define ATTR_BYTES CM_REP_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_rtu
#define ATTR_DEF "libmad/attr/cm_rtu.def"
#define ATTR_BYTES CM_RTU_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_dreq
#define ATTR_DEF "libmad/attr/cm_dreq.def"
#define ATTR_BYTES CM_DREQ_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_drep
#define ATTR_DEF "libmad/attr/cm_drep.def"
#define ATTR_BYTES CM_DREP_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_sidr_req
#define ATTR_DEF "libmad/attr/cm_sidr_req.def"
#define ATTR_BYTES CM_SIDR_REQ_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_sidr_rep
#define ATTR_DEF "libmad/attr/cm_sidr_rep.def"
#define ATTR_BYTES CM_SIDR_REP_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_lap
#define ATTR_DEF "libmad/attr/cm_lap.def"
#define ATTR_BYTES CM_LAP_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cm_apr
#define ATTR_DEF "libmad/attr/cm_apr.def"
#define ATTR_BYTES CM_APR_BYTES
#include "libmad/attr/attr_decl.h"

/* All of the above, ended by NULL. */
extern const struct attr_desc *const cm_attr_all[];
/* The message with attribute id 'id', or NULL. */
const struct attr_desc *cm_attr_find(uint16_t id);
/* The text of a REJ reason; never NULL. */
const char *cm_reject_text(uint16_t reason);

#endif
