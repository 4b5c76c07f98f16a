/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "job.h"

#include <wattle/process.h>
#include <wattle/profiler.h>
#include <wattle/region.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "call_time.h"
#include "call_words.h"
#include "clock_offset.h"
#include "communicator.h"
#include "handles.h"

static struct {
    bool seen, measuring; /* wattle_init() was called, but not wattle_finalize() */
    struct mpi_handles mpi;
    int *leaders; /* rank of each node's leader, ascending; NULL = there is only one node, or it is
                   * unknown */
    size_t leader_count, leader; /* this rank is leaders[leader], or not a leader if leader ==
                         * leader_count */
    uint64_t init_ns;            /* time of job_begin() */
    uint64_t reference;          /* node of the first leader */
} job;

bool job_was_seen(void)
{
    return job.seen;
}

static bool is_one(const char *variable)
{
    static const char *const yes[] = {"1", "yes", "on", "true"}; /* same words as in
                                                                  * wattle_init() */
    const char *text = secure_getenv(variable);

    for (size_t i = 0; text && i < sizeof(yes) / sizeof(yes[0]); i++)
        if (!strcmp(text, yes[i]))
            return true;
    return false;
}

void job_say(const char *sentence)
{
    if (!is_one("WATTLE_QUIET"))
        (void)fprintf(stderr, "wattle: %s\n", sentence);
}

/* ---- clocks ---- */

static uint64_t now_ns(void *unused)
{
    struct timespec ts = {0};

    (void)unused;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts); /* it exists */
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int send_to(void *unused, size_t to, const void *bytes, size_t size)
{
    (void)unused;
    return mpi_handles_send(&job.mpi, job.leaders[to], bytes, size);
}

static int receive_from(void *unused, size_t from, void *ret_bytes, size_t size)
{
    (void)unused;
    return mpi_handles_receive(&job.mpi, job.leaders[from], ret_bytes, size);
}

static void compare_clocks(void)
{
    static const struct clock_peers peers = {
        .now_ns = now_ns, .send = send_to, .receive = receive_from};
    struct clock_offset offset;

    if (!job.leaders || job.leader == job.leader_count)
        return;
    if (clock_offset_measure(&peers, job.leader, job.leader_count, &offset) == 0)
        wattle_process_sync(offset.offset_ns, offset.error_ns, job.reference);
    else
        job_say("the clocks of the nodes could not be compared over MPI; they are aligned by wall "
                "clock time");
}

/* Find the leader of each node. If there is no memory for all ranks' nodes: none, on any rank (all
 * need the same amount). */
static void find_leaders(void)
{
    size_t ranks = (size_t)job.mpi.ranks;
    uint64_t mine = wattle_process_node();
    uint64_t *nodes = calloc(ranks, 2 * sizeof(*nodes)); /* the second half is for sorting */
    int *leaders = calloc(ranks, sizeof(*leaders));

    if (nodes && leaders && mpi_handles_allgather(&job.mpi, &mine, sizeof(mine), nodes) == 0) {
        job.reference = nodes[0];
        job.leader_count = clock_offset_leaders(nodes, ranks, nodes + ranks, leaders);
        for (job.leader = 0; job.leader < job.leader_count; job.leader++)
            if (leaders[job.leader] == job.mpi.rank)
                break;
    }
    free(nodes);
    if (job.leader_count > 1) {
        job.leaders = leaders;
    } else {
        free(leaders);
    }
}

/* ---- begin and end ---- */

/* Launchers whose job has a name on all nodes: wattle_init() uses it. */
static bool job_has_a_name(void)
{
    static const char *const variables[] = {"WATTLE_RUN_ID", "SLURM_JOB_ID", "PMIX_NAMESPACE"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *text = secure_getenv(variables[i]);

        if (text && text[0])
            return true;
    }
    return false;
}

/* Rank 0's choice for the run id: "" = the environment has one. 0, or -1. */
static int agree_on_run(char *run_id, size_t size)
{
    uint64_t number;

    memset(run_id, 0, size);
    if (job.mpi.rank == 0 && !job_has_a_name() &&
        getrandom(&number, sizeof(number), 0) == (ssize_t)sizeof(number))
        (void)snprintf(run_id, size, "mpi-%016llx", (unsigned long long)number);
    return mpi_handles_broadcast(&job.mpi, run_id, size);
}

/*
 * Open MPI gives spawned ranks a separate namespace, and to the profiler each namespace is a job
 * with its own measurement. They belong to the first namespace of their launcher: "NAME@1" for
 * "NAME@3" (prrte), or the number with 1 in its low 16 bits (orte). Returns false if this is not
 * such a name, or the first itself.
 */
static bool first_namespace(const char *name, char *ret_first, size_t size)
{
    const char *at = strrchr(name, '@');
    char *end;

    if (at) {
        (void)snprintf(ret_first, size, "%.*s@1", (int)(at - name), name);
    } else {
        unsigned long number = strtoul(name, &end, 10);

        if (end == name || *end || number > UINT32_MAX)
            return false;
        (void)snprintf(ret_first, size, "%lu", (number & ~0xfffful) | 1);
    }
    return strcmp(name, ret_first) != 0;
}

/* wattle_init() of this rank, as part of the job that spawned it. */
static int init_profiler(const struct wattle_profiler_options *options)
{
    static const char variable[] = "PMIX_NAMESPACE";
    const char *name = secure_getenv(variable);
    char own[256], first[264];

    if (!job.mpi.spawned || !name || !secure_getenv("OMPI_COMM_WORLD_RANK") ||
        strlen(name) >= sizeof(own) || !first_namespace(name, first, sizeof(first)))
        return wattle_init(options);
    memcpy(own, name, strlen(name) + 1);
    (void)setenv(variable, first, 1); /* out of memory: treated as a separate job */
    int rc = wattle_init(options);

    (void)setenv(variable, own, 1);
    return rc;
}

static void start_profiler(const char *run_id)
{
    struct wattle_profiler_options options = {.size = sizeof(options)};

    if (run_id[0])
        options.run_id = run_id;
    job.measuring =
        init_profiler(&options) == 0; /* else it has printed the reason, or the program has called
                                       * it */
    const char *regions = secure_getenv("WATTLE_MPI_REGIONS");

    if (call_time_start(regions) < 0 && job.mpi.rank == 0)
        job_say("WATTLE_MPI_REGIONS is not valid; write all, off, or a time up to 50ms such as "
                "20us; using 20us");
}

/* Are all ranks of the launcher on this node? */
static bool is_one_node(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                            "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *text = secure_getenv(variables[i]);

        if (text)
            return atoi(text) >= job.mpi.ranks;
    }
    return false;
}

/* Are several programs one MPI job ("mpirun ./a : ./b"), according to the launcher? */
static bool is_of_parts(void)
{
    const char *text = secure_getenv("OMPI_NUM_APP_CTX");

    return text && atoi(text) > 1;
}

/*
 * May this rank wait for all others? Ranks of another program in the same job may not have this
 * library, and would never answer. On one node there is nothing to exchange. The answer must be the
 * same on all ranks: it is derived from what the launcher tells all of them.
 */
static bool may_ask(void)
{
    const char *text = secure_getenv("WATTLE_MPI_CLOCKS");

    if (is_one("WATTLE_MPI_CLOCKS"))
        return true;
    if (text && (!strcmp(text, "off") || !strcmp(text, "no") || !strcmp(text, "0")))
        return false;
    if (text && text[0] && strcmp(text, "auto") != 0 && job.mpi.rank == 0)
        job_say("WATTLE_MPI_CLOCKS is not valid; write on, off or auto; using auto");
    return !is_one_node() && !is_of_parts();
}

void job_begin(void)
{
    char run_id[32] = "";

    job.seen = true;
    if (is_one("WATTLE_DISABLE") || job.measuring)
        return;
    uint64_t begin = now_ns(NULL);
    bool known = mpi_handles_open(&job.mpi) == 0;

    if (!known)
        job_say("unknown binary interface of the MPI library (neither MPICH nor Open MPI); ranks "
                "and clocks are unknown");
    if (known && may_ask() && mpi_handles_copy(&job.mpi) == 0) {
        if (agree_on_run(run_id, sizeof(run_id)) < 0)
            run_id[0] = '\0';
        find_leaders();
    }
    start_profiler(run_id);
    if (known && !job.mpi.spawned) {
        call_words_open(job.mpi.open_mpi);
        communicators_open(job.mpi.world, job.mpi.rank, job.mpi.ranks, job.mpi.open_mpi);
    }
    if (known &&
        !job.mpi.spawned) /* ranks of another MPI_COMM_WORLD would be mistaken for those of this
                           * one */
        wattle_process_rank(job.mpi.rank, job.mpi.ranks);
    compare_clocks();
    job.init_ns = now_ns(NULL) - begin;
}

/* For measuring wattle's own cost (bench/bench_mpi.py). */
static void tell_times(uint64_t finalize_ns)
{
    if (is_one("WATTLE_MPI_TIMES"))
        (void)fprintf(stderr, "wattle: rank %d: %.3f ms in MPI_Init, %.3f ms in MPI_Finalize\n",
                      job.mpi.rank, (double)job.init_ns * 1e-6, (double)finalize_ns * 1e-6);
}

void job_end(void)
{
    if (!job.init_ns)
        return; /* WATTLE_DISABLE=1 */
    uint64_t begin = now_ns(NULL);

    compare_clocks();
    call_time_stop();
    communicators_close();
    mpi_handles_close(&job.mpi);
    free(job.leaders);
    job.leaders = NULL;
    if (job.measuring)
        (void)wattle_finalize(); /* prints its own errors */
    job.measuring = false;
    tell_times(now_ns(NULL) - begin);
    job.init_ns = 0;
}

void job_abort(void)
{
    call_time_stop();
    if (job.measuring)
        (void)wattle_finalize_now(); /* the others will not finalize */
    job.measuring = false;
}

void job_session_begin(void)
{
    job.seen = true;
    if (!job.measuring && !is_one("WATTLE_DISABLE"))
        start_profiler("");
}

void job_session_end(void)
{
    call_time_report();
}
