/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MonEQ's calls on top of the profiler: see <moneq.h>. The state is global, since its programs have
 * no object to keep it in. The agent is the process that measures; under "wattle run" it is one of
 * the node's processes, elected by a separate seat.
 */
#define _GNU_SOURCE
#include <moneq.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/profiler.h>
#include <wattle/region.h>

#include "base/environment.h"
#include "base/world/world.h"
#include "profiler/moneq_power.h"
#include "record/regions/region_name.h"
#include "record/seat.h"

enum { TAGS_MAX = 65536, DELAY_LEAST_S = 3, DCAS = 2 };

static const uint64_t DEFAULT_NS = 560000000, LEAST_NS = 10000, MOST_NS = 3600000000000;

enum agent { AGENT_MEASURES, AGENT_READS, AGENT_NOT };

static struct {
    pthread_mutex_t lock;
    atomic_int running; /* between Initialize and Finalize */
    enum agent agent;
    struct wtl_seat *seat; /* the seat of an agent that reads by itself */
    bool reads_only, has_interval;
    int64_t interval_ns;
    _Atomic(const char *) message;
    atomic_uchar started[TAGS_MAX / 8]; /* indexed by the id of the region's name */
} moneq = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int set_message(int code, const char *message)
{
    moneq.message = message;
    return code;
}

/* ---- begin and end ---- */

void MonEQ_DisableAutoCollection(void)
{
    moneq.reads_only = true;
}

int MonEQ_SetFirstCollectionDelay(int seconds, int microSeconds)
{
    (void)microSeconds;
    if (seconds < DELAY_LEAST_S)
        return set_message(EFSTCOLLSHORT, "The first collection delay must be at least 3 seconds.");
    return set_message(MonEQ_SUCCESS,
                       "The first collection delay is accepted; today's sensors need none.");
}

int MonEQ_SetCollectionInterval(int seconds, int microSeconds)
{
    moneq.has_interval = true;
    moneq.interval_ns = (int64_t)seconds * 1000000000 + (int64_t)microSeconds * 1000;
    return set_message(MonEQ_SUCCESS, "The collection interval is set.");
}

/* The value set by the program, or else 560 ms if the environment does not set one; when read on
 * request, the profiler's own. */
static uint64_t interval(void)
{
    bool sensible = moneq.interval_ns >= (int64_t)LEAST_NS && moneq.interval_ns <= (int64_t)MOST_NS;
    if (moneq.has_interval && sensible)
        return (uint64_t)moneq.interval_ns;
    if (moneq.has_interval)
        (void)fputs("wattle: MonEQ_SetCollectionInterval: ignored, the interval must be between 10 "
                    "us and an hour\n",
                    stderr);
    return moneq.reads_only || wtl_environment("WATTLE_INTERVAL") ? 0 : DEFAULT_NS;
}

/* Measured from outside: one process of the job on this node reads. */
static enum agent elect(void)
{
    struct wtl_seat_key key;
    size_t used;
    if (wtl_seat_key_of(wtl_world_library(), &key) < 0 || !key.job[0])
        return AGENT_READS; /* not shared */
    used = strlen(key.job);
    (void)snprintf(key.job + used, sizeof key.job - used, "/moneq");
    if (wtl_seat_open(wtl_world_library(), &key, &moneq.seat, NULL) < 0) {
        moneq.seat = NULL;
        return AGENT_READS;
    }
    if (wtl_seat_try(moneq.seat) == 1)
        return AGENT_READS;
    wtl_seat_close(moneq.seat);
    moneq.seat = NULL;
    return AGENT_NOT;
}

static int start(void)
{
    char folder[PATH_MAX] = "";
    const char *prefix = wtl_environment("MonEQ_PREFIX");
    bool outside = wattle_recording();
    if (prefix && *prefix)
        (void)snprintf(folder, sizeof folder, "%s/", prefix);
    const struct wattle_profiler_options options = {.size = sizeof options,
                                                    .output = folder[0] ? folder : NULL,
                                                    .interval_ns = interval(),
                                                    .no_trace = moneq.reads_only};
    int rc = wattle_init(&options);
    if (rc < 0 && rc != -EALREADY)
        return rc;
    moneq.agent = outside ? elect() : AGENT_MEASURES;
    return 0;
}

int MonEQ_Initialize(void)
{
    int rc = 0;
    (void)pthread_mutex_lock(&moneq.lock);
    if (!moneq.running) {
        rc = start();
        moneq.running = rc == 0;
    }
    (void)pthread_mutex_unlock(&moneq.lock);
    return rc < 0 ? set_message(EEMONERR,
                                "The power of this node cannot be measured; see standard error.")
                  : set_message(MonEQ_SUCCESS, "MonEQ is initialized.");
}

int MonEQ_Finalize(void)
{
    (void)pthread_mutex_lock(&moneq.lock);
    bool was = moneq.running;
    int rc = was ? wattle_finalize() : 0;
    moneq.running = 0;
    wtl_seat_close(moneq.seat);
    moneq.seat = NULL;
    (void)pthread_mutex_unlock(&moneq.lock);
    if (!was)
        return set_message(EEMONERR, "MonEQ_Initialize was not called, or failed.");
    if (rc < 0 && rc != -EALREADY)
        return set_message(EOPENOUTPUT,
                           "The trace could not be written completely; see standard error.");
    return set_message(MonEQ_SUCCESS, "MonEQ is finalized.");
}

int MonEQ_MonitorAgentOnRank(void)
{
    if (!moneq.running)
        return 0;
    return moneq.agent == AGENT_MEASURES ? wattle_measuring() : moneq.agent == AGENT_READS;
}

/* ---- reading ---- */

static double power(double *domains)
{
    if (!MonEQ_MonitorAgentOnRank())
        return set_message(ENOTAGENTONRANK, "This rank does not measure; that is harmless.");
    (void)set_message(MonEQ_SUCCESS, "The power is read.");
    return wtl_moneq_power(domains);
}

double MonEQ_GetPower(void)
{
    return power(NULL);
}

double MonEQ_GetDomainPower(double *arr)
{
    return power(arr);
}

static double nothing_known(double *a, double *b, size_t n)
{
    double watts = power(NULL);
    for (size_t i = 0; watts != ENOTAGENTONRANK && i < n; i++)
        a[i] = b[i] = NAN;
    return watts;
}

double MonEQ_GetDomainPowerByDCA(double *dca0, double *dca1)
{
    return nothing_known(dca0, dca1, WTL_MONEQ_API_DOMAINS);
}

double MonEQ_GetVoltageAndCurrent(double *v, double *a)
{
    return nothing_known(v, a, (size_t)WTL_MONEQ_API_DOMAINS * DCAS);
}

int MonEQ_GetNumDomains(void)
{
    return WTL_MONEQ_API_DOMAINS;
}

int MonEQ_GetNumDCA(void)
{
    return DCAS;
}

int MonEQ_GetVTMRatio(uint32_t *arr)
{
    for (size_t i = 0; i < WTL_MONEQ_API_DOMAINS; i++)
        arr[i] = 1;
    return 0;
}

int MonEQ_GetDomainIDs(int *arr)
{
    for (size_t i = 0; i < WTL_MONEQ_API_DOMAINS; i++)
        arr[i] = wtl_moneq_domains[i].id;
    return 0;
}

void MonEQ_PrintVTMRatio(void)
{
    for (size_t i = 0; i < WTL_MONEQ_API_DOMAINS; i++)
        (void)printf("domain %zu, id %d: factor 1\n", i, wtl_moneq_domains[i].id);
}

void MonEQ_PrintDomainInfo(void)
{
    for (size_t i = 0; i < WTL_MONEQ_API_DOMAINS; i++) {
        const struct wtl_moneq_domain *domain = &wtl_moneq_domains[i];
        (void)printf("domain %zu, id %d: %s; here: %s\n", i, domain->id, domain->what,
                     domain->here ? domain->here : "not measured");
    }
}

/* ---- tags ---- */

static bool was_started(uint32_t id)
{
    return moneq.started[id / 8] >> (id % 8) & 1;
}

/* 0, or what is wrong with the call. */
static int check_tag(const char *name)
{
    if (!moneq.running)
        return set_message(ENOTAGENTONRANK, "MonEQ_Initialize was not called, or failed.");
    if (!name || !*name || strchr(name, ' '))
        return set_message(EMKPWRTAGSP, "The name of a tag must not be empty or contain a space.");
    return 0;
}

static int done(const char *message)
{
    return MonEQ_MonitorAgentOnRank()
               ? set_message(MonEQ_SUCCESS, message)
               : set_message(ENOTAGENTONRANK,
                             "This rank does not measure; its tag is recorded all the same.");
}

int MonEQ_StartPowerTag(const char *tag_name)
{
    int rc = check_tag(tag_name);
    if (rc < 0)
        return rc;
    uint32_t id = wattle_region_id(tag_name);
    if (id == 0 || id >= TAGS_MAX)
        return set_message(EMKPWRTAG,
                           "The tag cannot be recorded: its name is too long, or out of memory.");
    atomic_fetch_or(&moneq.started[id / 8], (unsigned char)(1u << (id % 8)));
    wattle_region_begin(id);
    return done("The tag is started.");
}

int MonEQ_EndPowerTag(const char *tag_name)
{
    size_t length;
    int rc = check_tag(tag_name);
    if (rc < 0)
        return rc;
    uint64_t hash = wtl_region_name_hash(tag_name, &length);
    const struct wtl_region_name *known =
        length ? wtl_region_name_find(tag_name, length, hash) : NULL;
    if (!known || known->id >= TAGS_MAX || !was_started(known->id))
        return set_message(EFINDPWRTAGNM, "No tag of this name was started.");
    wattle_region_end(known->id);
    return done("The tag is ended.");
}

void MonEQ_PrintPowerTagsList(void)
{
    for (uint32_t id = 1; id <= wtl_region_name_count() && id < TAGS_MAX; id++) {
        const struct wtl_region_name *name = wtl_region_name_of(id);
        if (name && was_started(id))
            (void)printf("%.*s\n", (int)name->length, name->text);
    }
}

/* ---- errors ---- */

char *MonEQ_GetLastErrorMessage(void)
{
    const char *message = moneq.message;
    return (char *)(uintptr_t)(message ? message : "No last error message.");
}

char *MonEQ_GetMessageForError(MonEQ_ERROR error)
{
    return error.error_message;
}
