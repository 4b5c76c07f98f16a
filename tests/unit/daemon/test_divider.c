/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy divided among jobs, in random histories: jobs and steps that begin and end, cgroups that come, grow and vanish, counters that
 * hang, fail, count anew, or fall, and wattleds that are killed. In each, for each channel and to the microjoule: what jobs are charged,
 * idle and unattributed energy are what the counter has counted, in each look and in the sums of each job.
 */
#define _GNU_SOURCE
#include "daemon/jobs/divider.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/jobs/job_gpus.h"
#include "daemon/ledger_job_file.h"
#include "folder_world.h"
#include "record/energy_page.h"
#include "tap.h"

#define BOOT "11111111-2222-3333-4444-555555555555"

enum { CHANNELS = 4, JOBS = 6, GROUPS = JOBS, STAT_FD = 99999, FIRST_FD, HISTORIES = 10000 };

static const struct wattle_channel channels[CHANNELS] = {
    {.name = "package",
     .domain = WATTLE_DOMAIN_PACKAGE,
     .quantity = WATTLE_ENERGY,
     .kind = WATTLE_COUNTER,
     .quality = WATTLE_MEASURED,
     .flags = WATTLE_CHANNEL_IN_TOTAL,
     .scale = 1e-6,
     .max_w = 1e3,
     .refresh_ns = 1000000},
    {.name = "dram",
     .domain = WATTLE_DOMAIN_DRAM,
     .quantity = WATTLE_ENERGY,
     .kind = WATTLE_COUNTER,
     .quality = WATTLE_MEASURED,
     .flags = WATTLE_CHANNEL_IN_TOTAL,
     .scale = 1e-6,
     .max_w = 1e3,
     .refresh_ns = 1000000},
    {.name = "gpu",
     .sensor = "nvml",
     .location = "pci 0000:65:00.0, node 1, GPU-5f1a, nvmlDeviceGetTotalEnergyConsumption",
     .domain = WATTLE_DOMAIN_GPU,
     .quantity = WATTLE_ENERGY,
     .kind = WATTLE_COUNTER,
     .quality = WATTLE_MEASURED,
     .flags = WATTLE_CHANNEL_IN_TOTAL,
     .scale = 1e-6,
     .max_w = 1e3,
     .refresh_ns = 1000000},
    {.name = "node",
     .domain = WATTLE_DOMAIN_NODE,
     .quantity = WATTLE_POWER,
     .kind = WATTLE_GAUGE,
     .quality = WATTLE_MEASURED,
     .scale = 1,
     .max_w = 1e3,
     .refresh_ns = 1000000},
};

static uint64_t seed = 1, now_ns = 1000000000;
static uint64_t cgroups_ns[GROUPS]; /* UINT64_MAX = not there */
static uint64_t idle_ticks[2];      /* of two CPUs */
static struct wtl_world_ops ops;
static struct wtl_world world;
static struct wattle_page page;
static struct wtl_page_value values_list[CHANNELS];
static struct wtl_page_values values = {.count = CHANNELS, .list = values_list};
static int bad;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

/* ---- a world whose cgroups are numbers ---- */

static int group_open(const struct wtl_world *of, const char *path, int flags)
{
    static const char prefix[] = "/sys/fs/cgroup/g", file[] = "/cpu.stat";
    size_t n = strlen(path);
    if (strcmp(path, "/proc/stat") == 0)
        return STAT_FD;
    if (strncmp(path, "/sys/fs/cgroup/", 15) != 0)
        return folder_open(of, path, flags);
    if (strncmp(path, prefix, sizeof prefix - 1) != 0)
        return -ENOENT;
    size_t group = (size_t)(path[sizeof prefix - 1] - '0');
    if (n != sizeof prefix + sizeof file - 1 || strcmp(path + sizeof prefix, file) != 0 ||
        group >= GROUPS || cgroups_ns[group] == UINT64_MAX)
        return -ENOENT;
    return FIRST_FD + (int)group;
}

static void group_close(const struct wtl_world *of, int fd)
{
    if (fd < STAT_FD)
        folder_close(of, fd);
}

static ssize_t group_pread(const struct wtl_world *of, int fd, void *buf, size_t n, off_t offset)
{
    if (fd < STAT_FD)
        return folder_pread(of, fd, buf, n, offset);
    if (fd == STAT_FD)
        return offset > 0
                   ? 0
                   : snprintf(buf, n,
                              "cpu 0 0 0 0\ncpu0 0 0 0 %llu 0 0 0 0\n"
                              "cpu1 0 0 0 %llu 0 0 0 0\n",
                              (unsigned long long)idle_ticks[0], (unsigned long long)idle_ticks[1]);
    return snprintf(buf, n, "usage_usec %llu\n",
                    (unsigned long long)cgroups_ns[fd - FIRST_FD] / 1000);
}

static uint64_t virtual_now(const struct wtl_world *of, clockid_t clock)
{
    (void)of;
    (void)clock;
    return now_ns;
}

/* ---- one history ---- */

struct history {
    struct wtl_divider *divider;
    struct wtl_ledger_job *jobs[JOBS];
    size_t count;
    struct wtl_share_model model;
    char path[200];
};

static void set_values(void)
{
    values.page = &page;
    values.time_ns = now_ns;
}

static void start_values(void)
{
    now_ns += 1000000000;
    for (size_t c = 0; c < CHANNELS; c++) {
        values_list[c] = (struct wtl_page_value){.known = draw(10) > 0};
        values_list[c].now.energy_j = (double)draw(1000000) * 1e-3;
        values_list[c].now.time_ns = now_ns;
        values_list[c].now.since_ns = 1;
        values_list[c].now.power_w = 10;
    }
    for (size_t g = 0; g < GROUPS; g++)
        cgroups_ns[g] = draw(3) ? draw(1000000000) : UINT64_MAX;
    set_values();
}

/* Some time later. */
static void move_on(void)
{
    uint64_t elapsed_ns = 1 + draw(2000000000);
    now_ns += elapsed_ns;
    idle_ticks[0] += draw(2) * elapsed_ns / 10000000;
    idle_ticks[1] += draw(elapsed_ns) / 10000000;
    set_values();
    for (size_t c = 0; c < CHANNELS; c++) {
        struct wattle_page_now *now = &values_list[c].now;
        uint64_t what = draw(40);
        values_list[c].known = what != 0;
        if (what <= 4 || !values_list[c].known) /* it hangs, or fails */
            continue;
        now->time_ns = now_ns - draw(1000);
        now->energy_j += (double)draw(300000000) * 1e-6 + (double)draw(1000) * 1e-9;
        if (what == 5) { /* it counts anew */
            now->since_ns++;
            now->energy_j = (double)draw(10);
        } else if (what == 6 && channels[c].kind == WATTLE_GAUGE) {
            now->energy_j -= (double)draw(400);
        } else if (what == 7) {
            now->unknown_ns += draw(1000000000);
        } else if (what == 8) { /* nothing was used */
            now->energy_j = floor(now->energy_j);
        }
    }
    for (size_t g = 0; g < GROUPS; g++) {
        if (draw(20) == 0)
            cgroups_ns[g] = cgroups_ns[g] == UINT64_MAX ? 0 : UINT64_MAX;
        else if (cgroups_ns[g] != UINT64_MAX)
            cgroups_ns[g] += draw(2) * draw(2000000000);
    }
}

static struct wtl_ledger_job *copy_job(const struct wtl_ledger_job *job)
{
    struct wtl_ledger_job *copy = wtl_ledger_job_copy(job);
    if (!copy)
        exit(1);
    return copy;
}

static void begin(struct history *h)
{
    static unsigned number;
    if (h->count == JOBS)
        return;
    struct wtl_ledger_job *job = calloc(1, sizeof *job);
    if (!job || !(job->channels = calloc(CHANNELS, sizeof *job->channels)))
        exit(1);
    (void)snprintf(job->id, sizeof job->id, "j%u", number++);
    job->begin_ns = job->until_ns = now_ns;
    job->terms.given = draw(8) > 0;
    if (draw(4) == 0)
        memcpy(job->terms.cpus, "1", 2);
    if (job->terms.given && draw(6) > 0)
        (void)snprintf(job->terms.cgroup, sizeof job->terms.cgroup, "g%d", (int)draw(GROUPS));
    if (job->terms.given)
        job->terms.reserved = draw(3) ? (double)draw(1000) * 1e-3 : 1;
    if (job->terms.given && draw(3) == 0)
        memcpy(job->terms.gpus, "3,0", 4);
    size_t parent = draw(2 * JOBS);
    if (job->terms.given && parent < h->count && !h->jobs[parent]->terms.parent[0])
        memcpy(job->terms.parent, h->jobs[parent]->id, sizeof job->terms.parent);
    wtl_job_channels_begin(job, &values);
    wtl_divider_begin(h->divider, job);
    h->jobs[h->count++] = job;
}

static void drop(struct history *h, size_t i)
{
    wtl_ledger_job_free(h->jobs[i]);
    memmove(&h->jobs[i], &h->jobs[i + 1], (--h->count - i) * sizeof h->jobs[0]);
}

static void end(struct history *h)
{
    if (h->count == 0)
        return;
    char id[WTL_JOB_ID_MAX + 1];
    size_t i = draw(h->count);
    memcpy(id, h->jobs[i]->id, sizeof id);
    drop(h, i);
    for (size_t k = h->count; k-- > 0;) {
        if (strcmp(h->jobs[k]->terms.parent, id) == 0)
            drop(h, k);
    }
}

static void check(bool holds, const char *what, const struct wtl_ledger_job *job, size_t c)
{
    if (!holds && bad++ < 5)
        diag("%s: job %s, %s, after %llu", what, job->id, channels[c].name,
             (unsigned long long)seed);
}

/* A job's own sum, for as long as its channel is known. */
static void check_job(const struct wtl_ledger_job *job)
{
    for (size_t c = 0; c < CHANNELS; c++) {
        const struct wtl_ledger_job_channel *of = &job->channels[c];
        int64_t sum_uj = of->charged_uj + of->others_uj + of->idle_uj + of->unattributed_uj;
        if (isnan(of->begin_j) || !job->terms.given)
            continue;
        check(sum_uj == wtl_ledger_microjoules(of->until_j) - wtl_ledger_microjoules(of->begin_j),
              "its parts are its energy", job, c);
        check(of->undivided_uj >= 0 &&
                  (channels[c].domain == WATTLE_DOMAIN_GPU
                       ? of->undivided_uj <= of->unattributed_uj + of->others_uj
                       : of->undivided_uj == 0),
              "what is not divided is not the job's", job, c);
        check(channels[c].kind == WATTLE_GAUGE || (of->charged_uj >= 0 && of->idle_uj >= 0),
              "nothing negative is charged", job, c);
    }
}

/* The steps of a job that has the node for itself have the counter, too, as far as they have a value. */
static void check_steps(const struct history *h,
                        struct wtl_ledger_job *const *before,
                        const char *parent,
                        size_t c)
{
    for (size_t i = 0; i < h->count; i++) {
        const struct wtl_ledger_job *job = h->jobs[i];
        const struct wtl_ledger_job_channel *at = &job->channels[c];
        const struct wtl_ledger_job_channel *was = &before[i]->channels[c];
        bool counts = job->terms.given && !isnan(at->begin_j) &&
                      at->since_ns == values_list[c].now.since_ns && values_list[c].known;
        if (counts && strcmp(job->terms.parent, parent) == 0 && !job->terms.gpus[0])
            check(at->charged_uj - was->charged_uj ==
                      wtl_ledger_microjoules(at->until_j) - wtl_ledger_microjoules(was->until_j),
                  "a step of one that is alone: the counter", job, c);
    }
}

/* All jobs with a value agree on what a look has divided. */
static void check_look(const struct history *h, struct wtl_ledger_job *const *before)
{
    for (size_t c = 0; c < CHANNELS; c++) {
        int64_t charged_uj = 0;
        size_t whole = 0, jobs = 0, first = SIZE_MAX;
        for (size_t i = 0; i < h->count; i++) {
            const struct wtl_ledger_job *job = h->jobs[i];
            const struct wtl_ledger_job_channel *at = &job->channels[c];
            const struct wtl_ledger_job_channel *was = &before[i]->channels[c];
            if (job->terms.parent[0])
                continue;
            bool counts = job->terms.given && !isnan(at->begin_j) &&
                          at->since_ns == values_list[c].now.since_ns && values_list[c].known;
            jobs++;
            whole += counts;
            charged_uj += at->charged_uj - was->charged_uj;
            if (counts && first == SIZE_MAX)
                first = i;
        }
        if (first == SIZE_MAX)
            continue;
        const struct wtl_ledger_job_channel *at = &h->jobs[first]->channels[c];
        const struct wtl_ledger_job_channel *was = &before[first]->channels[c];
        int64_t all_uj = at->charged_uj - was->charged_uj + at->others_uj - was->others_uj;
        int64_t delta_uj =
            wtl_ledger_microjoules(at->until_j) - wtl_ledger_microjoules(was->until_j);
        int64_t rest_uj = at->idle_uj - was->idle_uj + at->unattributed_uj - was->unattributed_uj;
        check(all_uj + rest_uj == delta_uj, "a look divides what was counted", h->jobs[first], c);
        if (whole == jobs) /* else a part is charged to a job that has no value of it */
            check(charged_uj == all_uj, "what all jobs are charged", h->jobs[first], c);
        bool alone = jobs == 1 && h->jobs[first]->terms.reserved >= 1;
        if (alone)
            check(at->charged_uj - was->charged_uj == delta_uj, "alone: the counter",
                  h->jobs[first], c);
        if (alone)
            check_steps(h, before, h->jobs[first]->id, c);
    }
}

static void look(struct history *h)
{
    struct wtl_ledger_job *before[JOBS];
    for (size_t i = 0; i < h->count; i++)
        before[i] = copy_job(h->jobs[i]);
    wtl_divider_look(h->divider, &values, h->jobs, h->count, draw(2));
    check_look(h, before);
    for (size_t i = 0; i < h->count; i++) {
        check_job(h->jobs[i]);
        wtl_ledger_job_free(before[i]);
    }
}

/* Killed after a look, before or after its file was written; then the next one goes on. */
static void restart(struct history *h)
{
    struct wtl_ledger_job *then[JOBS];
    bool saved = draw(4) > 0;
    for (size_t i = 0; i < h->count; i++)
        then[i] = copy_job(h->jobs[i]);
    if (wtl_divider_save(h->divider, h->path, BOOT, h->jobs, h->count) < 0)
        exit(1);
    if (!saved) { /* what is in memory is lost: files of jobs are those of an older look */
        move_on();
        wtl_divider_look(h->divider, &values, h->jobs, h->count, draw(2));
    }
    wtl_divider_destroy(h->divider);
    if (wtl_divider_create(&world, &h->model, &h->divider) < 0)
        exit(1);
    for (size_t i = 0; i < h->count; i++) {
        wtl_ledger_job_free(h->jobs[i]);
        h->jobs[i] = then[i];
    }
    wtl_divider_load(h->divider, h->path, BOOT, h->jobs, h->count);
}

static void run_history(struct history *h)
{
    h->count = 0;
    h->model = wtl_share_by_cpu_time(draw(2) ? (double)draw(50) : (double)NAN, WTL_IDLE_GIVEN);
    if (draw(2)) {
        h->model.rule = WTL_SHARE_CALIBRATED;
        h->model.idle = WTL_IDLE_CALIBRATED;
        h->model.node.activation_w = (double)draw(30);
        h->model.learns = draw(2);
    }
    if (wtl_divider_create(&world, &h->model, &h->divider) < 0)
        exit(1);
    start_values();
    look(h);
    for (size_t steps = 3 + draw(20); steps > 0; steps--) {
        uint64_t what = draw(8);
        move_on();
        look(h);
        if (what < 3)
            begin(h);
        else if (what == 3)
            end(h);
        else if (what == 4 && draw(4) == 0)
            restart(h);
    }
    while (h->count > 0)
        drop(h, 0);
    wtl_divider_destroy(h->divider);
}

static void test_histories(void)
{
    struct history h = {.count = 0};
    (void)snprintf(h.path, sizeof h.path, "%s/shares", run_dir);
    for (int i = 0; i < HISTORIES; i++)
        run_history(&h);
    is_int(bad, 0, "%d histories: sums are exact", HISTORIES);
}

/* ---- known shares ---- */

static struct wtl_ledger_job *make(const char *id, const char *cgroup, const char *parent)
{
    struct wtl_ledger_job *job = calloc(1, sizeof *job);
    if (!job || !(job->channels = calloc(CHANNELS, sizeof *job->channels)))
        exit(1);
    (void)snprintf(job->id, sizeof job->id, "%s", id);
    (void)snprintf(job->terms.cgroup, sizeof job->terms.cgroup, "%s", cgroup);
    (void)snprintf(job->terms.parent, sizeof job->terms.parent, "%s", parent);
    job->terms.given = true;
    job->begin_ns = job->until_ns = now_ns;
    wtl_job_channels_begin(job, &values);
    return job;
}

/* Two jobs and a step: 2 : 1 of the CPU time, half of the first one in its step. */
static void test_known(void)
{
    struct history h = {.model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN)};
    bad = 0;
    if (wtl_divider_create(&world, &h.model, &h.divider) < 0)
        exit(1);
    start_values();
    for (size_t c = 0; c < CHANNELS; c++)
        values_list[c].known = true;
    for (size_t g = 0; g < GROUPS; g++)
        cgroups_ns[g] = 5000000;
    look(&h);
    static const char *const ids[][3] = {
        {"a", "g0", ""}, {"b", "g1", ""}, {"a.0", "g2", "a"}, {"late", "g3", ""}};
    cgroups_ns[3] = UINT64_MAX;
    for (size_t i = 0; i < 4; i++) {
        h.jobs[h.count] = make(ids[i][0], ids[i][1], ids[i][2]);
        wtl_divider_begin(h.divider, h.jobs[h.count++]);
    }
    now_ns += 1000000000;
    set_values();
    cgroups_ns[0] += 400000000;
    cgroups_ns[1] += 200000000;
    cgroups_ns[2] += 200000000;
    idle_ticks[0] += 60; /* 0.6 s of CPU time in all */
    idle_ticks[1] += 80;
    for (size_t c = 0; c < CHANNELS; c++) {
        values_list[c].now.energy_j += 30;
        values_list[c].now.time_ns = now_ns;
    }
    look(&h);
    is_int(bad, 0, "sums");
    is_int(h.jobs[0]->channels[0].charged_uj, 20000000, "two thirds");
    is_int(h.jobs[1]->channels[0].charged_uj, 10000000, "one third");
    is_int(h.jobs[2]->channels[0].charged_uj, 10000000, "its step is half of it");
    is_int(h.jobs[0]->channels[2].charged_uj, 0, "a device is not divided by CPU time");
    is_int(h.jobs[0]->channels[2].unattributed_uj, 30000000, "it is unattributed");
    is_str(wtl_ledger_job_rule(h.jobs[0]), "cpu_time", "by CPU time");
    is_str(wtl_ledger_job_rule(h.jobs[3]), "none", "a cgroup that never came: unknown, not 0");
    is_int((int)h.jobs[0]->use.cpu_ns, 400000000, "its CPU time");

    cgroups_ns[1] = UINT64_MAX; /* it vanishes with what it had */
    uint64_t seen_ns = now_ns;
    move_on();
    look(&h);
    ok(h.jobs[1]->use.seen_ns == seen_ns, "it is known until when a cgroup was seen");
    is_int((int)h.jobs[1]->use.cpu_ns, 200000000, "what was seen stays");

    while (h.count > 0)
        drop(&h, 0);
    h.jobs[h.count] = make("x", "", "");
    h.jobs[h.count++]->terms.reserved = 1;
    now_ns += 1000000000;
    set_values();
    for (size_t c = 0; c < CHANNELS; c++) {
        values_list[c].known = true;
        values_list[c].now.energy_j += 30;
        values_list[c].now.time_ns = now_ns;
    }
    look(&h);
    is_str(wtl_ledger_job_rule(h.jobs[0]), "exclusive", "the whole node");
    is_int(h.jobs[0]->channels[0].charged_uj, 30000000, "the counter itself");
    is_int(h.jobs[0]->channels[2].charged_uj, 30000000, "with its devices");
    drop(&h, 0);
    is_int(bad, 0, "sums");
    wtl_divider_destroy(h.divider);
}

/* A job has the node for itself, and so its steps, whatever CPU time they use: the counter, for as long as they run. */
static void test_steps_of_all(void)
{
    struct history h = {.model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN)};
    static const struct {
        const char *id, *gpus;
        int begins, charged_j[CHANNELS]; /* after 3 looks of 30 J; begins: after so many */
    } rows[] = {{"a", "", 0, {90, 90, 90, 90}},
                {"a.batch", "", 0, {90, 90, 90, 90}},
                {"a.0", "", 1, {60, 60, 60, 60}},
                {"a.1", "0", 1, {60, 60, 60, 60}},
                {"a.2", "1", 2, {30, 30, 0, 30}}};
    enum { ROWS = sizeof rows / sizeof *rows };
    bad = 0;
    if (wtl_divider_create(&world, &h.model, &h.divider) < 0)
        exit(1);
    start_values();
    for (size_t c = 0; c < CHANNELS; c++)
        values_list[c].known = true;
    look(&h);
    for (int second = 0; second < 3; second++) {
        for (size_t i = 0; i < ROWS; i++) {
            if (rows[i].begins != second)
                continue;
            struct wtl_ledger_job *job = make(rows[i].id, "", i > 0 ? "a" : "");
            (void)snprintf(job->terms.gpus, sizeof job->terms.gpus, "%s", rows[i].gpus);
            job->terms.reserved = i == 0;
            h.jobs[h.count++] = job;
        }
        now_ns += 1000000000;
        set_values();
        for (size_t c = 0; c < CHANNELS; c++) {
            values_list[c].now.energy_j += 30;
            values_list[c].now.time_ns = now_ns;
        }
        look(&h);
    }
    is_int(bad, 0, "sums");
    for (size_t i = 0; i < ROWS; i++) {
        const struct wtl_ledger_job *job = h.jobs[i];
        for (size_t c = 0; c < CHANNELS; c++) {
            const struct wtl_ledger_job_channel *of = &job->channels[c];
            ok(of->charged_uj == 1000000 * (int64_t)rows[i].charged_j[c] && of->undivided_uj == 0,
               "%s, %s: %lld uJ", job->id, channels[c].name, (long long)of->charged_uj);
        }
        is_str(wtl_ledger_job_rule(job), "exclusive", "%s", job->id);
    }
    h.jobs[h.count] = make("a.3", "", "a");
    h.count++;
    now_ns += 1000000000;
    set_values();
    look(&h);
    is_str(wtl_ledger_job_rule(h.jobs[ROWS]), "exclusive", "one in which nothing was counted");
    while (h.count > 0)
        drop(&h, 0);
    wtl_divider_destroy(h.divider);
}

static void give(struct history *h, const char *id, const char *parent, const char *gpus)
{
    struct wtl_ledger_job *job = h->jobs[h->count++] = make(id, "", parent);
    (void)snprintf(job->terms.gpus, sizeof job->terms.gpus, "%s", gpus);
}

/* A GPU that counts 30 J, and nothing else. */
static void use_gpu(struct history *h)
{
    now_ns += 1000000000;
    set_values();
    values_list[2].now.energy_j += 30;
    values_list[2].now.time_ns = now_ns;
    look(h);
}

/* One owner has all of it, until another has reserved it too: then nothing is guessed, and told. A step that says nothing of GPUs
 * does not know its part; one that has reserved it has it. */
static void test_gpus(void)
{
    struct history h = {.model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN)};
    bad = 0;
    if (wtl_divider_create(&world, &h.model, &h.divider) < 0)
        exit(1);
    start_values();
    for (size_t c = 0; c < CHANNELS; c++)
        values_list[c].known = true;
    look(&h);
    give(&h, "a", "", "nvml:gpu-1,nvml:gpu-0");
    give(&h, "b", "", "1");
    give(&h, "a.0", "a", "");
    use_gpu(&h);
    const struct wtl_ledger_job_channel *a = &h.jobs[0]->channels[2], *b = &h.jobs[1]->channels[2],
                                        *step = &h.jobs[2]->channels[2];
    ok(a->charged_uj == 30000000 && a->undivided_uj == 0, "a has its GPU, with nothing left over");
    ok(b->charged_uj == 0 && b->others_uj == 30000000 && b->undivided_uj == 0, "b has not");
    is_str(wtl_ledger_job_device_rule(a), "reserved", "as it has reserved it");
    is_str(wtl_ledger_job_device_rule(b), "", "not b");
    ok(step->charged_uj == 0 && step->undivided_uj == 30000000, "a step does not know its part");
    is_str(wtl_ledger_job_device_rule(step), "none", "and says so");
    give(&h, "a.1", "a", "0");
    use_gpu(&h);
    ok(a->charged_uj == 60000000 && h.jobs[3]->channels[2].charged_uj == 30000000,
       "one that has reserved it has it, and so has its job");
    drop(&h, 3);
    give(&h, "c", "", "GPU-5F1A");
    const struct wtl_ledger_job_channel *c = &h.jobs[3]->channels[2];
    use_gpu(&h);
    ok(a->charged_uj == 60000000 && a->undivided_uj == 30000000 && c->charged_uj == 0 &&
           c->undivided_uj == 30000000 && c->unattributed_uj == 30000000,
       "shared by two, whose use is not known");
    is_str(wtl_ledger_job_device_rule(a), "none", "the weakest rule");
    is_int(b->undivided_uj, 30000000, "b's GPU is none of these: it may be this one");
    is_int(bad, 0, "sums");
    while (h.count > 0)
        drop(&h, 0);
    wtl_divider_destroy(h.divider);
}

/* One that begins while the device has no values pays for its own time, not for that of who had it before. */
static void test_gpus_in_a_gap(void)
{
    struct history h = {.model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN)};
    if (wtl_divider_create(&world, &h.model, &h.divider) < 0)
        exit(1);
    start_values();
    for (size_t c = 0; c < CHANNELS; c++)
        values_list[c].known = true;
    look(&h);
    give(&h, "before", "", "0");
    use_gpu(&h);
    is_int(h.jobs[0]->channels[2].charged_uj, 30000000, "it is read");
    now_ns += 10000000000;
    set_values();
    drop(&h, 0);
    give(&h, "a", "", "0");
    give(&h, "a.0", "a", "0");
    now_ns += 9000000000;
    use_gpu(&h); /* 30 J of 20 s */
    for (size_t i = 0; i < 2; i++)
        ok(h.jobs[i]->channels[2].charged_uj == 15000000 &&
               h.jobs[i]->channels[2].unattributed_uj == 15000000,
           "%s pays for half of it", h.jobs[i]->id);
    use_gpu(&h);
    is_int(h.jobs[0]->channels[2].charged_uj, 45000000, "and then for all of it");
    while (h.count > 0)
        drop(&h, 0);
    wtl_divider_destroy(h.divider);
}

static void test_lists(void)
{
    static const struct {
        const char *list;
        bool has;
    } rows[] = {{"0", true},
                {"1,0", true},
                {"10", false},
                {"", false},
                {",", false},
                {"0,", true},
                {"nvml:gpu-0", true},
                {"rocm:gpu-0", false},
                {"nvml:gpu-01", false},
                {"GPU-5f1a", true},
                {"gpu-5F1A", true},
                {"GPU-5f1", false},
                {"GPU-5f1a2", false},
                {"0000:65:00.0", true},
                {"65:00.0", false},
                {"node 1", true},
                {"18446744073709551616", false},
                {"MIG-5f1a,GPU-5f1a", true}};
    struct wattle_page_channel channel = {.domain = WATTLE_DOMAIN_GPU};
    (void)snprintf(channel.sensor, sizeof channel.sensor, "nvml");
    (void)snprintf(channel.location, sizeof channel.location, "%s", channels[2].location);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ok(wtl_job_gpus_has(rows[i].list, &channel) == rows[i].has, "\"%s\"", rows[i].list);
    (void)snprintf(channel.sensor, sizeof channel.sensor, "hwmon");
    ok(!wtl_job_gpus_has("0", &channel) && wtl_job_gpus_has("0000:65:00.0", &channel),
       "the numbers of hwmon are its own");
    memset(channel.location, 'x', sizeof channel.location);
    ok(!wtl_job_gpus_has("GPU-5f1a", &channel), "a location without an end");
}

/* A job whose epilog never came does not share the node for ever. */
static void test_forgotten(void)
{
    struct history h = {.model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN)};
    if (wtl_divider_create(&world, &h.model, &h.divider) < 0)
        exit(1);
    start_values();
    for (size_t c = 0; c < CHANNELS; c++)
        values_list[c].known = true;
    cgroups_ns[0] = 1;
    cgroups_ns[1] = 0;
    look(&h);
    h.jobs[h.count] = make("old", "g0", "");
    wtl_divider_begin(h.divider, h.jobs[h.count++]);
    cgroups_ns[0] = UINT64_MAX;
    for (size_t turn = 0; turn < 3; turn++) {
        now_ns += 40000000000;
        set_values();
        values_list[0].now.energy_j += 30;
        values_list[0].now.time_ns = now_ns;
        if (turn == 1) {
            h.jobs[h.count] = make("whole", "g1", "");
            h.jobs[h.count++]->terms.reserved = 1;
            h.jobs[1]->channels[0].begin_j = h.jobs[1]->channels[0].until_j -=
                30; /* before the look */
            h.jobs[1]->begin_ns = h.jobs[1]->until_ns -= 40000000000;
        }
        wtl_divider_look(h.divider, &values, h.jobs, h.count, true);
    }
    is_int(h.jobs[1]->channels[0].charged_uj, 30000000, "after a minute, another is alone");
    is_int(h.jobs[1]->channels[0].unattributed_uj, 30000000, "and was not before");
    drop(&h, 0);
    drop(&h, 0);
    wtl_divider_destroy(h.divider);
}

/* Nor one that was never seen, once Slurm gives the whole node to another. */
static void test_never_seen(void)
{
    struct history h = {.model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN)};
    if (wtl_divider_create(&world, &h.model, &h.divider) < 0)
        exit(1);
    start_values();
    for (size_t c = 0; c < CHANNELS; c++)
        values_list[c].known = true;
    cgroups_ns[0] = 0;
    cgroups_ns[5] = UINT64_MAX;
    look(&h);
    for (uint32_t i = 0; i < 2; i++) {
        now_ns += 1000000000;
        set_values();
        wtl_divider_look(h.divider, &values, h.jobs, h.count, true);
        h.jobs[h.count] = make(i ? "whole" : "short", i ? "g0" : "g5", "");
        h.jobs[h.count]->terms.slurm = 4294000000u + i;
        h.jobs[h.count++]->terms.reserved = i ? 1 : 0.5;
    }
    now_ns += 1000000000;
    set_values();
    values_list[0].now.energy_j += 30;
    values_list[0].now.time_ns = now_ns;
    wtl_divider_look(h.divider, &values, h.jobs, h.count, true);
    is_int(h.jobs[1]->channels[0].charged_uj, 30000000, "the whole node is the newer one's");
    drop(&h, 0);
    drop(&h, 0);
    wtl_divider_destroy(h.divider);
}

/* A sensor that hangs for a look, while jobs take turns: divided by the CPU time since its last value; the part of a job that has
 * ended is nobody's. */
static void test_late(void)
{
    struct history h = {.model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN)};
    bad = 0;
    if (wtl_divider_create(&world, &h.model, &h.divider) < 0)
        exit(1);
    start_values();
    for (size_t c = 0; c < CHANNELS; c++)
        values_list[c].known = true;
    for (size_t g = 0; g < GROUPS; g++)
        cgroups_ns[g] = 0;
    look(&h);
    for (size_t i = 0; i < 3; i++) {
        char id[2] = {(char)('a' + i), 0}, group[3] = {'g', (char)('0' + i), 0};
        h.jobs[h.count] = make(id, group, "");
        wtl_divider_begin(h.divider, h.jobs[h.count++]);
    }
    for (size_t turn = 0; turn < 3; turn++) { /* a, then b, then c use half a second each */
        now_ns += 1000000000;
        set_values();
        cgroups_ns[turn] += 500000000;
        idle_ticks[0] += 50;
        idle_ticks[1] += 100;
        if (turn == 2) {
            drop(&h, 1); /* b has ended */
            values_list[0].now.energy_j += 30;
            values_list[0].now.time_ns = now_ns;
        }
        look(&h);
        if (turn < 2)
            is_int(h.jobs[0]->channels[0].charged_uj, 0, "nothing while it hangs");
    }
    is_int(bad, 0, "sums");
    is_int(h.jobs[0]->channels[0].charged_uj, 10000000, "a third, which it used before");
    is_int(h.jobs[1]->channels[0].charged_uj, 10000000, "a third, which it used now");
    is_int(h.jobs[0]->channels[0].unattributed_uj, 10000000, "a third of one that has ended");
    drop(&h, 0);
    drop(&h, 0);
    wtl_divider_destroy(h.divider);
}

/* Each byte of the file of a look, damaged or cut: it is not used, or as it was. */
static void test_damaged(void)
{
    struct history h = {.model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN)};
    char path[200], whole[8192], copy[8192];
    (void)snprintf(path, sizeof path, "%s/shares", run_dir);
    if (wtl_divider_create(&world, &h.model, &h.divider) < 0)
        exit(1);
    start_values();
    look(&h);
    h.jobs[h.count++] = make("d", "g0", "");
    move_on();
    look(&h);
    uint64_t until_ns = h.jobs[0]->until_ns;
    is_int(wtl_divider_save(h.divider, path, BOOT, h.jobs, 1), 0, "saved");
    FILE *in = fopen(path, "r");
    size_t n = in ? fread(whole, 1, sizeof whole, in) : 0;
    if (in)
        (void)fclose(in);
    ok(n > 100 && n < sizeof whole, "a small file");
    int used = 0;
    for (size_t at = 0; at < 2 * n; at += 1 + at % 5) {
        memcpy(copy, whole, n);
        copy[at % n] ^= 0x10;
        FILE *out = fopen(path, "w");
        if (!out)
            exit(1);
        (void)fwrite(at < n ? copy : whole, 1, at < n ? n : at - n, out);
        (void)fclose(out);
        h.jobs[0]->until_ns = 1;
        wtl_divider_load(h.divider, path, BOOT, h.jobs, 1);
        used += h.jobs[0]->until_ns != 1;
    }
    is_int(used, 0, "no damaged file is used");
    h.jobs[0]->until_ns = until_ns;
    drop(&h, 0);
    wtl_divider_destroy(h.divider);
}

int main(void)
{
    static const struct wtl_energy_page_options options = {.channels = channels,
                                                           .count = CHANNELS,
                                                           .interval_ns = 1000000,
                                                           .public = true,
                                                           .generation = 1,
                                                           .boot_id = BOOT};
    struct wtl_energy_writer *writer;
    make_world();
    put_file("/sys/devices/system/cpu/online", "0-1\n");
    world = folder_world;
    ops = *world.ops;
    ops.open = group_open;
    ops.close = group_close;
    ops.pread = group_pread;
    ops.now_ns = virtual_now;
    world.ops = &ops;
    if (wtl_energy_page_open_writer(&options, &writer) < 0)
        exit(1);
    page.socket = -1;
    page.header = wtl_energy_page_lend(writer, &page.size);
    test_known();
    test_steps_of_all();
    test_gpus();
    test_gpus_in_a_gap();
    test_lists();
    test_late();
    test_forgotten();
    test_never_seen();
    test_histories();
    test_damaged();
    wtl_energy_page_close_writer(writer);
    remove_world();
    return done_testing();
}
