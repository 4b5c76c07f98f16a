/* SPDX-License-Identifier: BSD-3-Clause */
/* A job of Slurm in its prolog or epilog: see slurm_job.h. */
#define _GNU_SOURCE
#include "cli/jobs/node/slurm_job.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/parse.h"

enum { CONF_MAX = 1 << 20 };

static const char *get(const struct wtl_world *world, const char *name)
{
    const char *value = world->ops->getenv(world, name);
    return value ? value : "";
}

static bool get_number(const struct wtl_world *world, const char *name, uint64_t *ret)
{
    return wtl_parse_u64(get(world, name), ret) == 0;
}

/* "5_2" and "8+1", as users type them. */
static void name_job(const struct wtl_world *world,
                     const struct wtl_slurm_job *job,
                     struct wtl_job_record *record)
{
    const char *array = get(world, "SLURM_ARRAY_JOB_ID"), *task = get(world, "SLURM_ARRAY_TASK_ID");
    const char *het = get(world, "SLURM_HET_JOB_ID"), *offset = get(world, "SLURM_HET_JOB_OFFSET");
    char text[64];
    if (array[0] && task[0])
        (void)snprintf(text, sizeof text, "%.20s_%.20s", array, task);
    else if (het[0] && offset[0])
        (void)snprintf(text, sizeof text, "%.20s+%.20s", het, offset);
    else
        (void)snprintf(text, sizeof text, "%s", job->id_text);
    (void)wtl_job_text_set(record->job_id, sizeof record->job_id, text);
}

/* The same on each of its nodes, and another one for each time that it runs. Without SLUID (25.11), that is what each release has of:
 * number, when it was started, how often it was requeued. */
static void name_unit(const struct wtl_world *world,
                      const struct wtl_slurm_job *job,
                      struct wtl_job_record *record)
{
    const char *sluid = get(world, "SLURM_JOB_SLUID");
    uint64_t start = 0, restarts = 0;
    char text[100];
    (void)get_number(world, "SLURM_JOB_START_TIME", &start);
    (void)get_number(world, "SLURM_JOB_RESTART_COUNT", &restarts);
    (void)snprintf(text, sizeof text, "%s.%llu.%llu", job->id_text, (unsigned long long)start,
                   (unsigned long long)restarts);
    (void)wtl_job_text_set(record->unit, sizeof record->unit, sluid[0] ? sluid : text);
}

/* "1:0": exit status and signal. */
static void take_exit(const struct wtl_world *world,
                      struct wtl_slurm_job *job,
                      struct wtl_job_record *record)
{
    const char *text = get(world, "SLURM_JOB_EXIT_CODE2");
    uint64_t status, signal;
    int used = wtl_scan_u64(text, strlen(text), &status);
    job->ended = strncmp(get(world, "SLURM_SCRIPT_CONTEXT"), "epilog", 6) == 0;
    if (used <= 0 || text[used] != ':' || wtl_parse_u64(text + used + 1, &signal) < 0 ||
        status > 255 || signal > 255)
        return;
    record->exit_status = (int64_t)status;
    record->exit_signal = (int64_t)signal;
}

static char *read_conf(const char *path)
{
    char *text = malloc(CONF_MAX + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t got = fd >= 0 && text ? pread(fd, text, CONF_MAX, 0) : -1;
    if (fd >= 0)
        (void)close(fd); /* read only */
    if (text)
        text[got > 0 ? got : 0] = '\0';
    return text;
}

/* Did the user, or the partition, ask for whole nodes? 26.05 says NO to over-subscription of each job, and has a variable
 * for this. */
static bool was_given_whole(const struct wtl_world *world)
{
    const char *exclusive = get(world, "SLURM_JOB_EXCLUSIVE");
    return exclusive[0] ? strcmp(exclusive, "NODE") == 0
                        : strcmp(get(world, "SLURM_JOB_OVERSUBSCRIBE"), "NO") == 0;
}

/* How much of the node it has: all of it if Slurm gave it the whole node, else its part of the CPUs. */
static void find_part(const struct wtl_world *world,
                      struct wtl_slurm_job *job,
                      struct wtl_job_record *record)
{
    const char *node = get(world, "SLURMD_NODENAME"), *conf = get(world, "SLURM_CONF");
    const char *nodes = get(world, "SLURM_JOB_NODELIST");
    nodes = nodes[0] ? nodes : get(world, "SLURM_NODELIST");
    char *text = read_conf(conf[0] ? conf : "/etc/slurm/slurm.conf");
    struct wtl_slurm_node of =
        wtl_slurm_conf_node(text ? text : "", node, get(world, "SLURM_JOB_PARTITION"));
    free(text);
    long online = world->ops->sysconf(world, _SC_NPROCESSORS_ONLN);
    uint64_t cpus =
        wtl_slurm_cpus_at(get(world, "SLURM_JOB_CPUS_PER_NODE"), wtl_slurm_node_place(nodes, node));
    uint64_t all = of.cpus > 0 ? of.cpus : online > 0 ? (uint64_t)online : 0;
    uint64_t count;
    bool whole = of.whole || was_given_whole(world);
    record->cpus = cpus > 0 && cpus < INT32_MAX ? (int64_t)cpus : 0;
    record->node_cpus = all < INT32_MAX ? (int64_t)all : 0;
    if (get_number(world, "SLURM_JOB_NUM_NODES", &count) && count < INT32_MAX)
        record->nodes = (int64_t)count;
    job->reserved = whole ? 1 : all > 0 && cpus > 0 ? fmin((double)cpus / (double)all, 1) : 0;
}

/* Where slurmd of this node puts it. Several slurmd on a machine have folders with their names. */
static void find_cgroup(const struct wtl_world *world, struct wtl_slurm_job *job, int64_t uid)
{
    static const char v2[] = "system.slice/", v1[] = "slurm";
    const char *node = get(world, "SLURMD_NODENAME");
    char path[400], scope[300];
    if (strchr(node, '/') || strlen(node) > 200)
        node = "";
    (void)snprintf(scope, sizeof scope, "%s%s_slurmstepd.scope", v2, node);
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup/%s", scope);
    if (!node[0] || !world->ops->exists(world, path))
        (void)snprintf(scope, sizeof scope, "%sslurmstepd.scope", v2);
    if (world->ops->exists(world, "/sys/fs/cgroup/cgroup.controllers")) {
        (void)snprintf(job->cgroup, sizeof job->cgroup, "%.200s/job_%s", scope, job->id_text);
        return;
    }
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup/freezer/%s_%s", v1, node);
    bool named = node[0] && world->ops->exists(world, path);
    (void)snprintf(job->cgroup, sizeof job->cgroup, "%s%s%.200s/uid_%lld/job_%s", v1,
                   named ? "_" : "", named ? node : "", (long long)uid, job->id_text);
}

/*
 * The GPUs that Slurm gave to it: their numbers on this node in the order of gres.conf, which is that of the vendor. Instances
 * (MIG) have UUIDs, in the variable of the vendor, which also says whose they are.
 */
static void find_gpus(const struct wtl_world *world, struct wtl_slurm_job *job)
{
    static const char *const vendors[][2] = {{"CUDA_VISIBLE_DEVICES", "nvml"},
                                             {"ROCR_VISIBLE_DEVICES", "rocm"},
                                             {"ZE_AFFINITY_MASK", "levelzero"}};
    const char *numbers = get(world, "SLURM_JOB_GPUS"), *sensor = NULL;
    size_t used = 0, known = 0;
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        const char *devices = get(world, vendors[i][0]);
        if (!devices[0] || !numbers[0])
            continue;
        if (devices[strspn(devices, "0123456789,")]) { /* UUIDs */
            bool fits = strlen(devices) < sizeof job->gpus;
            (void)snprintf(job->gpus, sizeof job->gpus, "%s", fits ? devices : "");
            return;
        }
        known++;
        sensor = vendors[i][1];
    }
    while (*numbers) {
        size_t n = strcspn(numbers, ",");
        int more =
            snprintf(job->gpus + used, sizeof job->gpus - used, "%s%s%s%.*s", used ? "," : "",
                     known == 1 ? sensor : "", known == 1 ? ":gpu-" : "", (int)n, numbers);
        if (strspn(numbers, "0123456789") != n || more >= (int)(sizeof job->gpus - used)) {
            job->gpus[0] = '\0'; /* not a list that we know */
            return;
        }
        used += (size_t)more;
        numbers += n + (numbers[n] == ',');
    }
}

static void name_node(const struct wtl_world *world, struct wtl_job_record *record)
{
    struct utsname name;
    const char *node = get(world, "SLURMD_NODENAME");
    if (!node[0] && world->ops->uname(world, &name) == 0)
        node = name.nodename;
    (void)wtl_job_text_set(record->node, sizeof record->node, node);
    (void)wtl_world_text(world, "/proc/sys/kernel/random/boot_id", record->boot_id,
                         sizeof record->boot_id);
}

int wtl_slurm_job_read(const struct wtl_world *world,
                       struct wtl_slurm_job *ret_job,
                       struct wtl_job_record *record,
                       struct wattle_error *err)
{
    uint64_t uid;
    *ret_job = (struct wtl_slurm_job){.id = 0};
    if ((!get_number(world, "SLURM_JOB_ID", &ret_job->id) &&
         !get_number(world, "SLURM_JOBID", &ret_job->id)) ||
        ret_job->id == 0 || ret_job->id >= UINT32_MAX)
        return wtl_fail(err, -ENOENT,
                        "SLURM_JOB_ID is not set: --slurm is for Prolog and Epilog of Slurm");
    (void)snprintf(ret_job->id_text, sizeof ret_job->id_text, "%llu",
                   (unsigned long long)ret_job->id);
    record->kind = WTL_JOB_SLURM;
    record->raw_job_id = ret_job->id;
    if (get_number(world, "SLURM_JOB_UID", &uid) && uid < UINT32_MAX)
        record->uid = (int64_t)uid;
    name_job(world, ret_job, record);
    name_unit(world, ret_job, record);
    name_node(world, record);
    const struct {
        char *field;
        size_t size;
        const char *variable;
    } texts[] = {{record->cluster, sizeof record->cluster, "SLURM_CLUSTER_NAME"},
                 {record->user, sizeof record->user, "SLURM_JOB_USER"},
                 {record->account, sizeof record->account, "SLURM_JOB_ACCOUNT"},
                 {record->partition, sizeof record->partition, "SLURM_JOB_PARTITION"},
                 {record->name, sizeof record->name, "SLURM_JOB_NAME"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        (void)wtl_job_text_set(texts[i].field, texts[i].size, get(world, texts[i].variable));
    take_exit(world, ret_job, record);
    find_part(world, ret_job, record);
    find_gpus(world, ret_job);
    find_cgroup(world, ret_job, record->uid);
    return 0;
}
