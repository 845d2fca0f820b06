/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * job.h - long computations that run outside the event loop: routing, verifying, comparing,
 * indexing, freeing.
 * Room: sm/subnet.
 *
 * Jobs run one after the other, in the order in which they were handed out.  The data that a job
 * reads is const until the job has ended.  The data that a job changes is used by no one else
 * meanwhile.  The manager also frees shared data by a job: that job runs after every job that may
 * read the data, so no reference counts are needed.  subnet_hand_out() (subnet.h) gives a job to
 * the runner; manager_job_done() (sm/manager/manager.h) takes it back.
 */
#ifndef HEDDLE_SM_SUBNET_JOB_H
#define HEDDLE_SM_SUBNET_JOB_H

struct job {
	void (*run)(struct job *j);             /* once, on any thread; logs nothing */
	void (*drop)(struct job *j);            /* frees the job and what it owns, run or not */
	struct job *next;                       /* used by the runner only */
};

#endif
