/* SPDX-License-Identifier: BSD-3-Clause */
/* Identifies the launcher of this process: see launcher.h. */
#define _POSIX_C_SOURCE 200809L
#include "record/launcher.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/parse.h"

/* Number of ancestors to check: there may be wrappers between a rank and its launcher, but not
 * many. */
enum { GENERATIONS = 32 };

static const char *variable(const struct wtl_world *world, const char *name)
{
    const char *value = world->ops->getenv(world, name);
    return value && value[0] ? value : NULL;
}

/* The job id given by a launcher, with the step id if there is one. */
static bool by_number(const struct wtl_world *world, struct wtl_launcher *launcher)
{
    static const struct {
        const char *name, *rank, *job, *step;
    } rows[] = {{"slurm", "SLURM_PROCID", "SLURM_JOB_ID", "SLURM_STEP_ID"},
                {"flux", "FLUX_TASK_RANK", "FLUX_JOB_ID", NULL},
                {"pals", "PALS_RANKID", "PALS_APID", NULL},
                {"alps", "ALPS_APP_PE", "ALPS_APP_ID", NULL},
                {"jsm", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_ID", "JSM_JSRUN_JSON_ID"},
                {"mvapich", "MV2_COMM_WORLD_RANK", "MPIRUN_ID", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *job = variable(world, rows[i].job), *step = NULL;
        uint64_t number = 0;
        if (!job || !variable(world, rows[i].rank))
            continue;
        if (rows[i].step)
            step = variable(world, rows[i].step);
        /* Slurm reserves step ids from 0xfffffff0 on: the batch script, a container's keeper. */
        if (i == 0 && (!step || wtl_parse_u64(step, &number) < 0 || number >= 0xfffffff0U))
            continue;
        (void)snprintf(launcher->job, sizeof launcher->job, "%s:%.80s%s%.80s", rows[i].name, job,
                       step ? "." : "", step ? step : "");
        (void)snprintf(launcher->run_id, sizeof launcher->run_id, "%s-%.24s%s%.24s", rows[i].name,
                       job, step ? "." : "", step ? step : "");
        return true;
    }
    return false;
}

/* Parent, start time and name of a process; false if it is not visible. */
static bool read_process(const struct wtl_world *world,
                         const char *pid,
                         uint64_t *ret_parent,
                         uint64_t *ret_start,
                         char name[64])
{
    char path[64], text[1024];
    (void)snprintf(path, sizeof path, "/proc/%s/stat", pid);
    if (wtl_world_text(world, path, text, sizeof text) <= 0)
        return false;
    char *open = strchr(text, '('), *at = strrchr(text, ')');
    if (!open || !at || at < open)
        return false;
    *at = '\0'; /* the name in parentheses may contain anything, even ')' */
    (void)snprintf(name, 64, "%.63s", open + 1);
    at++;
    for (int field = 2; field < 22; field++) {
        at = strchr(at, ' ');
        if (!at)
            return false;
        at++;
        if (field == 3 && wtl_scan_u64(at, strlen(at), ret_parent) < 0)
            return false;
    }
    return wtl_scan_u64(at, strlen(at), ret_start) > 0;
}

static bool is_launcher(const char *name)
{
    static const char *const names[] = {"hydra_pmi_proxy", "pmi_proxy", "mpispawn", "orted",
                                        "orterun",         "prted",     "prterun",  "slurmstepd",
                                        "palsd",           "apinit",    "jsmd",     "pbs_mom"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return strncmp(name, "mpirun", 6) == 0 || strncmp(name, "mpiexec", 7) == 0;
}

/* MPICH's mpiexec has one address for the proxies of all nodes, on their command line. */
static void find_address(const struct wtl_world *world, uint64_t pid, struct wtl_launcher *launcher)
{
    char path[64], line[1024];
    (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/cmdline", pid);
    int fd = world->ops->open(world, path, 0);
    if (fd < 0)
        return;
    ssize_t n = world->ops->pread(world, fd, line, sizeof line - 1, 0);
    world->ops->close(world, fd);
    if (n <= 0)
        return;
    line[n] = '\0';
    for (const char *word = line; word < line + n; word += strlen(word) + 1) {
        if (strcmp(word, "--control-port") != 0)
            continue;
        const char *address = word + strlen(word) + 1;
        if (address < line + n && strlen(address) < sizeof launcher->run_id - 8)
            (void)snprintf(launcher->run_id, sizeof launcher->run_id, "mpich-%.56s", address);
        return;
    }
}

static void by_ancestor(const struct wtl_world *world, struct wtl_launcher *launcher)
{
    char pid[24] = "self", name[64];
    uint64_t parent = 0, start = 0, first_parent = 0, at = 0;
    for (int i = 0; i < GENERATIONS; i++) {
        if (!read_process(world, pid, &parent, &start, name))
            break;
        if (i > 0 && is_launcher(name)) {
            (void)snprintf(launcher->job, sizeof launcher->job, "%s:%" PRIu64 ".%" PRIu64, name, at,
                           start);
            find_address(world, at, launcher);
            return;
        }
        if (i == 1)
            (void)snprintf(launcher->job, sizeof launcher->job, "parent:%" PRIu64 ".%" PRIu64,
                           first_parent, start);
        if (i == 0)
            first_parent = parent;
        if (parent <= 1)
            break;
        at = parent;
        (void)snprintf(pid, sizeof pid, "%" PRIu64, parent);
    }
}

/* Slurm writes "4(x2),3": valid for this node only if all nodes have the same count. */
static int count_of(const struct wtl_world *world)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE",
                                        "SLURM_STEP_TASKS_PER_NODE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = variable(world, names[i]);
        uint64_t count = 0;
        int used = text ? wtl_scan_u64(text, strlen(text), &count) : 0;
        if (used <= 0 || count == 0 || count > 65536 || strchr(text, ','))
            continue;
        if (text[used] == '\0' || text[used] == '(')
            return (int)count;
    }
    return 0;
}

/* Open MPI builds a namespace from its host name and pid, which repeat in containers; the address
 * of its mpirun does not repeat and is the same on all nodes. */
static void by_namespace(const struct wtl_world *world,
                         const char *space,
                         struct wtl_launcher *launcher)
{
    const char *address = variable(world, "OMPI_MCA_orte_hnp_uri");
    (void)snprintf(launcher->job, sizeof launcher->job, "pmix:%.160s", space);
    (void)snprintf(launcher->run_id, sizeof launcher->run_id, "pmix-%.41s", space);
    if (!address)
        return;
    uint64_t hash = wtl_hash_text(address);
    (void)snprintf(launcher->job, sizeof launcher->job, "pmix:%.160s.%016" PRIx64, space, hash);
    (void)snprintf(launcher->run_id, sizeof launcher->run_id, "pmix-%.41s-%016" PRIx64, space,
                   hash);
}

void wtl_launcher_of(const struct wtl_world *world, struct wtl_launcher *ret_launcher)
{
    static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "MPI_LOCALRANKID",
                                        "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK"};
    const char *own = variable(world, "WATTLE_JOB");
    const char *space = variable(world, "PMIX_NAMESPACE");
    *ret_launcher = (struct wtl_launcher){.ranks_here = 0};
    if (own) {
        (void)snprintf(ret_launcher->job, sizeof ret_launcher->job, "job:%.180s", own);
        (void)snprintf(ret_launcher->run_id, sizeof ret_launcher->run_id, "%.63s", own);
    } else if (space) {
        by_namespace(world, space, ret_launcher);
    } else if (!by_number(world, ret_launcher)) {
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !ret_launcher->job[0]; i++) {
            if (variable(world, ranks[i]))
                by_ancestor(world, ret_launcher);
        }
    }
    if (ret_launcher->job[0])
        ret_launcher->ranks_here = count_of(world);
}

bool wtl_launcher_missing(const struct wtl_launcher *launcher,
                          uint32_t took_part,
                          char *text,
                          size_t n)
{
    if (launcher->ranks_here <= 0 || took_part >= (uint32_t)launcher->ranks_here)
        return false;
    (void)snprintf(
        text, n,
        "%d of %d ranks on this node did not take part: their regions are not in this trace",
        launcher->ranks_here - (int)took_part, launcher->ranks_here);
    return true;
}
