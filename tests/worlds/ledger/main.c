/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * worlds-ledger: wattled's sampler, ledger and jobs on a simulated node in virtual time. It does what the loop of
 * wattled does (samples, looks, checkpoints, the ledger file) and what requests make it do, at given instants, and
 * prints a line of JSON for each. It asserts nothing.
 *
 *     worlds-ledger FOLDER <SCRIPT
 *
 * Lines of the script: `sim ARGUMENT` (of "wattle-sim run"), `cpus N`, `system CPUS`, `seed N`, `idle NS` (between samples),
 * `checkpoint NS`, `model IDLE_W ACTIVATION_W` (a calibration); and at instants in ns since t = 0, in order,
 * `at NS start|stop|kill`, `at NS begin NAME plain|RESERVED FROM_NS TO_NS CPUS` (the cgroup's life and its use),
 * `at NS end NAME`, `at NS show NAME`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/health.h"
#include "daemon/ledger.h"
#include "daemon/ledger_jobs.h"
#include "record/lane.h"
#include "source/registry.h"
#include "source/select.h"
#include "world.h"

#define BOOT "11111111-2222-3333-4444-555555555555"

static const uint64_t SECOND_NS = 1000000000, FAST_NS = 1000000, LEARN_NS = 300000000;
static const double WRAP_PART = 0.25;

enum { WORDS = 256, EVENTS = 512 };

struct event {
    uint64_t time_ns;
    char text[200];
};

struct script {
    char *sim[WORDS];
    int sim_count;
    struct event events[EVENTS];
    int event_count;
    uint64_t idle_ns, checkpoint_ns, seed;
    int cpus;
    double system_cpus, idle_w, activation_w;
};

/* A wattled: from its start until it is stopped or killed. */
struct daemon {
    struct wtl_selection *selection;
    struct wtl_ledger *ledger;
    struct wtl_energy_writer *writer;
    struct wtl_ledger_jobs *jobs;
    struct wtl_lane lane;
    struct wattle_page page;
    uint64_t sample_ns, watch_ns, share_ns, checkpoint_ns,
        learn_ns; /* when next; learn_ns 0 = done */
    uint64_t idle_ns;
};

static struct script script;
static struct machine machine;
static const char *folder;
static struct daemon *daemon_now; /* NULL = none runs */

static void die(const char *what, int rc, const struct wattle_error *err)
{
    (void)fprintf(stderr, "worlds-ledger: %s: %s (%d)\n", what, err ? err->text : "", rc);
    exit(1);
}

/* ---- the script ---- */

static void read_line(char *line)
{
    char word[16], rest[200];
    int n = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%15s %n", word, &n) != 1)
        return;
    (void)snprintf(rest, sizeof rest, "%s", line + n);
    if (strcmp(word, "sim") == 0 && script.sim_count < WORDS - 4)
        script.sim[script.sim_count++] = strdup(rest);
    else if (strcmp(word, "cpus") == 0)
        script.cpus = atoi(rest);
    else if (strcmp(word, "system") == 0)
        script.system_cpus = strtod(rest, NULL);
    else if (strcmp(word, "seed") == 0)
        script.seed = strtoull(rest, NULL, 10);
    else if (strcmp(word, "idle") == 0)
        script.idle_ns = strtoull(rest, NULL, 10);
    else if (strcmp(word, "checkpoint") == 0)
        script.checkpoint_ns = strtoull(rest, NULL, 10);
    else if (strcmp(word, "model") == 0 &&
             sscanf(rest, "%lf %lf", &script.idle_w, &script.activation_w) == 2)
        return;
    else if (strcmp(word, "at") == 0 && script.event_count < EVENTS) {
        struct event *event = &script.events[script.event_count++];
        char *end;
        event->time_ns = strtoull(rest, &end, 10);
        (void)snprintf(event->text, sizeof event->text, "%s", end + 1);
    } else
        die(line, -EINVAL, NULL);
}

static void read_script(void)
{
    char line[300];
    script = (struct script){.idle_ns = SECOND_NS,
                             .checkpoint_ns = 60 * SECOND_NS,
                             .seed = 1,
                             .cpus = 4,
                             .idle_w = (double)NAN};
    script.sim[script.sim_count++] = strdup("run");
    while (fgets(line, sizeof line, stdin))
        read_line(line);
    script.sim[script.sim_count++] = strdup("--");
    script.sim[script.sim_count++] = strdup("true");
}

/* ---- wattled ---- */

static uint64_t now(void)
{
    return machine_now(&machine);
}

static bool rest_of(void *context,
                    const struct wattle_channel *channel,
                    struct wattle_page_now *ret)
{
    const struct daemon *daemon = context;
    struct wtl_ledger_entry entry;
    if (!wtl_ledger_find(daemon->ledger, channel->name, channel->scale, &entry))
        return false;
    *ret = entry.now;
    return true;
}

/* All recorded channels in one lane without a thread. */
static void open_lane(struct daemon *daemon)
{
    struct wtl_selection *selection = daemon->selection;
    struct wtl_lane *lane = &daemon->lane;
    *lane = (struct wtl_lane){
        .world = &machine.world, .interval_ns = SECOND_NS, .cpu = -1, .energy = daemon->writer};
    lane->runs = calloc(selection->recorded_count + 1, sizeof *lane->runs);
    for (size_t i = 0; lane->runs && i < selection->recorded_count;) {
        size_t n = wtl_selection_run(selection, i);
        n = n > WTL_RUN_MAX ? WTL_RUN_MAX : n;
        lane->runs[lane->run_count] = (struct wtl_batch){.source = selection->picks[i].source,
                                                         .first = selection->picks[i].at,
                                                         .n = n,
                                                         .channel = i,
                                                         .number = (unsigned)lane->run_count};
        lane->run_count++;
        i += n;
    }
    if (!lane->runs || wtl_lane_init(lane) < 0)
        die("lane", -ENOMEM, NULL);
}

/* As wattled: a quarter of the shortest wrap at most. */
static uint64_t idle_of(const struct wtl_selection *selection, uint64_t wanted_ns)
{
    double most_ns = (double)wanted_ns;
    for (size_t i = 0; i < selection->recorded_count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        if (channel->kind == WATTLE_COUNTER && channel->modulus > 0 && channel->max_w > 0)
            most_ns = fmin(most_ns, WRAP_PART * (double)channel->modulus * channel->scale /
                                        channel->max_w * 1e9);
    }
    return (uint64_t)most_ns;
}

static struct wtl_share_model model_of(void)
{
    struct wtl_share_model model = wtl_share_by_cpu_time((double)NAN, WTL_IDLE_UNKNOWN);
    if (!isnan(script.idle_w)) {
        model = wtl_share_by_cpu_time(script.idle_w, WTL_IDLE_CALIBRATED);
        model.rule = WTL_SHARE_CALIBRATED;
        model.node.activation_w = script.activation_w;
        model.node.smt_part = 1;
    }
    return model;
}

static void open_page(struct daemon *daemon)
{
    struct wtl_energy_page_options options = {.channels = daemon->selection->channels,
                                              .count = daemon->selection->recorded_count,
                                              .interval_ns = FAST_NS,
                                              .public = true,
                                              .generation = wtl_ledger_generation(daemon->ledger),
                                              .writer = "worlds-ledger",
                                              .boot_id = BOOT,
                                              .rest = rest_of,
                                              .context = daemon};
    int rc = wtl_energy_page_open_writer(&options, &daemon->writer);
    if (rc < 0)
        die("page", rc, NULL);
    daemon->page = (struct wattle_page){.socket = -1};
    size_t size;
    daemon->page.header = wtl_energy_page_lend(daemon->writer, &size);
    daemon->page.size = size;
}

static struct daemon *start(void)
{
    struct daemon *daemon = calloc(1, sizeof *daemon);
    struct wattle_error err = {""};
    struct wtl_request request = {.drivers = wtl_drivers, .which = "powercap", .in_place = true};
    bool created;
    if (!daemon)
        die("wattled", -ENOMEM, NULL);
    int rc = wtl_selection_open(&request, &machine.world, &daemon->selection, &err);
    if (rc == 0 && daemon->selection->recorded_count == 0) {
        wtl_selection_close(daemon->selection);
        free(daemon);
        return NULL; /* the sensor has vanished */
    }
    rc = rc < 0 ? rc : wtl_ledger_open(folder, BOOT, &daemon->ledger, &created, &err);
    rc = rc < 0 ? rc
                : wtl_ledger_jobs_open(folder, folder, BOOT, &machine.world, &daemon->jobs, &err);
    if (rc < 0)
        die("start", rc, &err);
    open_page(daemon);
    open_lane(daemon);
    struct wtl_share_model model = model_of();
    wtl_ledger_jobs_watch(daemon->jobs, daemon->selection);
    wtl_ledger_jobs_set_model(daemon->jobs, &model);
    wtl_lane_collect(&daemon->lane);
    daemon->idle_ns = idle_of(daemon->selection, script.idle_ns);
    daemon->learn_ns = now() + LEARN_NS;
    daemon->sample_ns = now() + FAST_NS;
    daemon->checkpoint_ns = now() + script.checkpoint_ns;
    return daemon;
}

static void save(struct daemon *daemon)
{
    for (size_t i = 0; i < wattle_page_count(&daemon->page); i++) {
        const struct wattle_page_channel *channel = wattle_page_channel_at(&daemon->page, i);
        struct wtl_ledger_entry entry = {.scale = channel->scale};
        memcpy(entry.name, channel->name, sizeof entry.name);
        int rc = wattle_page_read(&daemon->page, i, &entry.now);
        if (rc == 0 || rc == -ESTALE)
            (void)wtl_ledger_store(daemon->ledger, &entry);
    }
}

/* Take a sample now; the next one comes an interval later. */
static void sample(struct daemon *daemon)
{
    wtl_lane_collect(&daemon->lane);
    daemon->sample_ns = now() + (daemon->learn_ns ? FAST_NS : daemon->idle_ns);
}

/* Where a job begins or ends, or is looked at. */
static void sample_border(struct daemon *daemon)
{
    sample(daemon);
    uint64_t wait_ns = wtl_health_proof_ns(&daemon->page);
    if (wait_ns == 0)
        return;
    machine_sleep_until(&machine, now() + wait_ns);
    sample(daemon);
}

static void leave(struct daemon *daemon, bool killed)
{
    if (!killed) {
        sample(daemon);
        wtl_ledger_jobs_look(daemon->jobs, &daemon->page);
        wtl_ledger_jobs_flush(daemon->jobs);
        wtl_ledger_jobs_checkpoint(daemon->jobs, &daemon->page);
    }
    wtl_ledger_jobs_close(daemon->jobs);
    if (!killed) {
        sample(daemon);
        save(daemon);
    }
    wtl_lane_fini(&daemon->lane);
    free(daemon->lane.runs);
    wtl_energy_page_close_writer(daemon->writer);
    wtl_selection_close(daemon->selection);
    wtl_ledger_close(daemon->ledger);
    free(daemon);
}

/* What the loop of wattled does when it is due; returns when to come again. */
static uint64_t do_due(struct daemon *daemon)
{
    uint64_t time_ns = now();
    if (daemon->learn_ns && time_ns >= daemon->learn_ns) {
        daemon->learn_ns = 0;
        sample(daemon);
    } else if (time_ns >= daemon->sample_ns)
        sample(daemon);
    if (time_ns >= daemon->watch_ns) {
        save(daemon);
        daemon->watch_ns = time_ns + SECOND_NS;
    }
    if (wtl_ledger_jobs_is_shared(daemon->jobs) && time_ns >= daemon->share_ns) {
        sample(daemon);
        wtl_ledger_jobs_look(daemon->jobs, &daemon->page);
        daemon->share_ns = time_ns + SECOND_NS;
    }
    if (time_ns >= daemon->checkpoint_ns) {
        wtl_ledger_jobs_checkpoint(daemon->jobs, &daemon->page);
        daemon->checkpoint_ns = time_ns + script.checkpoint_ns;
    }
    uint64_t next_ns = daemon->sample_ns < daemon->watch_ns ? daemon->sample_ns : daemon->watch_ns;
    if (wtl_ledger_jobs_is_shared(daemon->jobs) && daemon->share_ns < next_ns)
        next_ns = daemon->share_ns;
    return daemon->checkpoint_ns < next_ns ? daemon->checkpoint_ns : next_ns;
}

static void serve_until(uint64_t time_ns)
{
    while (daemon_now) {
        uint64_t next_ns = do_due(daemon_now);
        if (next_ns >= time_ns)
            break;
        machine_sleep_until(&machine, next_ns);
    }
    machine_sleep_until(&machine, time_ns);
}

/* ---- what is printed ---- */

static void put_number(const char *key, double value)
{
    if (isfinite(value))
        (void)printf(", \"%s\": %.17g", key, value);
    else
        (void)printf(", \"%s\": null", key);
}

static void put_channel(const struct wtl_ledger_job *job,
                        const struct wtl_ledger_job_channel *channel)
{
    (void)printf("{\"name\": \"%s\", \"in_total\": %s, \"quality\": \"%s\"", channel->name,
                 channel->in_total ? "true" : "false", channel->quality);
    put_number("energy_j", wtl_ledger_job_energy_j(job, channel));
    put_number("resolution_j", channel->resolution_j);
    (void)printf(", \"unknown_ns\": %" PRIu64, wtl_ledger_job_unknown_ns(job, channel));
    (void)printf(", \"charged_uj\": %" PRId64 ", \"others_uj\": %" PRId64 ", \"idle_uj\": %" PRId64
                 ", \"unattributed_uj\": %" PRId64 "}",
                 channel->charged_uj, channel->others_uj, channel->idle_uj,
                 channel->unattributed_uj);
}

static void put_job(const char *what, const struct wtl_ledger_job *job)
{
    static const char *const states[] = {"open", "ended", "cut"};
    (void)printf("{\"what\": \"%s\", \"name\": \"%s\", \"state\": \"%s\", \"rule\": \"%s\", "
                 "\"begin_ns\": %" PRIu64 ", \"until_ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64
                 ", \"seen_ns\": %" PRIu64 ", \"gone_ns\": %" PRIu64 ", \"channels\": [",
                 what, job->id, states[job->state], wtl_ledger_job_rule(job), job->begin_ns,
                 job->until_ns, job->use.cpu_ns, job->use.seen_ns, job->use.gone_ns);
    for (size_t i = 0; i < job->channel_count; i++) {
        (void)printf("%s", i ? ", " : "");
        put_channel(job, &job->channels[i]);
    }
    (void)printf("]}\n");
}

static void put_problem(const char *what, const char *name, int rc, const char *why)
{
    (void)printf("{\"what\": \"%s\", \"name\": \"%s\", \"now_ns\": %" PRIu64
                 ", \"problem\": %d, \"why\": \"",
                 what, name, now(), rc);
    for (; *why; why++)
        (void)printf(*why == '"' || *why == '\\' ? "\\%c" : "%c", *why);
    (void)printf("\"}\n");
}

/* ---- requests ---- */

static void begin(const char *text)
{
    char name[65], reserved[24];
    double from_ns, to_ns, cpus;
    struct wattle_error err = {""};
    if (sscanf(text, "%64s %23s %lf %lf %lf", name, reserved, &from_ns, &to_ns, &cpus) != 5 ||
        machine.load_count == LEDGER_JOBS)
        die(text, -EINVAL, NULL);
    struct load *load = &machine.loads[machine.load_count++];
    const double zero_ns = LEDGER_START_S * 1e9;
    *load = (struct load){.from_ns = (uint64_t)(zero_ns + from_ns),
                          .to_ns = (uint64_t)(zero_ns + to_ns),
                          .cpus = cpus};
    (void)snprintf(load->name, sizeof load->name, "%s", name);
    if (!daemon_now) {
        put_problem("begin", name, -ECONNREFUSED, "wattled is not running");
        return;
    }
    struct wtl_job_terms terms = {.given = true, .reserved = strtod(reserved, NULL)};
    (void)snprintf(terms.cgroup, sizeof terms.cgroup, "batch/%s", name);
    sample_border(daemon_now);
    save(daemon_now);
    int rc = wtl_ledger_jobs_begin(daemon_now->jobs, name,
                                   strcmp(reserved, "plain") == 0 ? NULL : &terms,
                                   &daemon_now->page, &err);
    put_problem("begin", name, rc, err.text);
}

static void end(const char *name)
{
    const struct wtl_ledger_job *job;
    struct wattle_error err = {""};
    int rc = -ECONNREFUSED;
    if (daemon_now) {
        sample_border(daemon_now);
        rc = wtl_ledger_jobs_end(daemon_now->jobs, name, &daemon_now->page, &job, &err);
    }
    if (rc < 0)
        put_problem("end", name, rc, err.text);
    else
        put_job("end", job);
}

static void show(const char *name)
{
    const struct wtl_ledger_job *job = NULL;
    size_t i = 0;
    while (daemon_now && (job = wtl_ledger_jobs_at(daemon_now->jobs, i)) &&
           strcmp(job->id, name) != 0)
        i++;
    if (!job) {
        put_problem("show", name, -ENOENT, "");
        return;
    }
    sample_border(daemon_now);
    wtl_ledger_jobs_look(daemon_now->jobs, &daemon_now->page);
    put_job("show", job);
}

static void put_channels(void)
{
    (void)printf("{\"what\": \"channels\", \"list\": [");
    for (size_t i = 0; i < daemon_now->selection->recorded_count; i++) {
        const struct wattle_channel *c = &daemon_now->selection->channels[i];
        (void)printf(
            "%s{\"name\": \"%s\", \"max_w\": %.17g, \"scale\": %.17g, \"modulus\": %" PRIu64
            ", \"refresh_ns\": %" PRIu64 "}",
            i ? ", " : "", c->name, c->max_w, c->scale, c->modulus, c->refresh_ns);
    }
    (void)printf("], \"idle_ns\": %" PRIu64 "}\n", daemon_now->idle_ns);
}

static void obey(const char *text)
{
    if (strncmp(text, "begin ", 6) == 0)
        begin(text + 6);
    else if (strncmp(text, "end ", 4) == 0)
        end(text + 4);
    else if (strncmp(text, "show ", 5) == 0)
        show(text + 5);
    else if (strcmp(text, "start") == 0 && !daemon_now) {
        daemon_now = start();
        put_problem("start", "", daemon_now ? 0 : -ENODEV, "");
        if (daemon_now)
            put_channels();
    } else if ((strcmp(text, "stop") == 0 || strcmp(text, "kill") == 0) && daemon_now) {
        leave(daemon_now, text[0] == 'k');
        daemon_now = NULL;
        put_problem("stop", "", 0, text);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        die("usage: worlds-ledger FOLDER <SCRIPT", -EINVAL, NULL);
    folder = argv[1];
    read_script();
    if (!machine_open(&machine, script.sim_count, script.sim, script.cpus, script.seed))
        return 1;
    machine.system_cpus = script.system_cpus;
    for (int i = 0; i < script.event_count; i++) {
        serve_until(LEDGER_START_S * SECOND_NS + script.events[i].time_ns);
        obey(script.events[i].text);
    }
    if (daemon_now)
        leave(daemon_now, false);
    machine_close(&machine);
    for (int i = 0; i < script.sim_count; i++)
        free(script.sim[i]);
    return 0;
}
