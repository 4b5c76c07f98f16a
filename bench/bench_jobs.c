/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries of the database of jobs (SQLite, or PostgreSQL by its URL), and inserting into it.
 *
 *     bench_jobs [JOBS [FILE]]       default 10^6 jobs in a temporary file, which is removed; a FILE stays
 *     bench_jobs JOBS FILE records   only the records
 *     bench_jobs JOBS FILE derive    sums and indexes of a FILE that is there; then the queries, as above
 *     bench_jobs JOBS URL [PART]     the same in a database of PostgreSQL, whose owner asks; it stays
 *     bench_jobs 0 URL queries       only the queries, as any role of a database that is there
 *
 * Jobs of two years on 500 nodes: 500 users, few of whom are active on a day, 60 accounts, 4 partitions, about 10
 * programs per user; one in ten jobs has 2 to 8 nodes; durations from seconds to a week. The table is filled in bulk,
 * without triggers, and its sums and indexes made afterwards, as a migration does. Each query runs once cold: with a new
 * connection, and no page of the file in memory (PostgreSQL keeps its own); and five times warm, of which the median counts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/whole.h"
#include "bench_spread.h"
#include "bench_time.h"
#include "jobs/database/schema.h"
#include "jobs/database/store_state.h"

enum {
    DAYS = 730,
    NODES = 500,
    USERS = 500,
    ACCOUNTS = 60,
    PARTITIONS = 4,
    BATCH = 10000,
    TIMES = 5
};
#define START_NS INT64_C(1704067200000000000)

static struct wattle_error err;
static uint64_t draw;

static double uniform(void)
{
    return wtl_random_uniform(7, draw++);
}

static unsigned one_of(unsigned n)
{
    return (unsigned)(uniform() * n);
}

static _Noreturn void stop(void)
{
    (void)fprintf(stderr, "bench_jobs: %s\n", err.text);
    exit(1);
}

/* A user who is active on a day: everybody has days, and some have many. */
static unsigned user_of(uint64_t day)
{
    for (;;) {
        double x = uniform();
        unsigned user = (unsigned)(x * x * USERS);
        double active = 0.05 + 0.85 * exp(-0.01 * user);
        if (wtl_random_uniform(user + 1000, day) < active)
            return user;
    }
}

static void make_job(struct wtl_job_record *job, uint64_t id, uint64_t jobs)
{
    uint64_t end_s = (uint64_t)((double)id / (double)jobs * DAYS * 86400);
    unsigned user = user_of(end_s / 86400);
    double seconds = exp(1 + 8 * uniform() * uniform() + 4 * uniform() * uniform());
    wtl_job_record_init(job);
    (void)snprintf(job->cluster, sizeof job->cluster, "main");
    job->end_ns = START_NS + (int64_t)end_s * 1000000000;
    job->begin_ns = job->end_ns - (int64_t)(1e9 * fmin(seconds, 604800));
    job->submit_ns = job->begin_ns - 60000000000;
    (void)snprintf(job->unit, sizeof job->unit, "%lu.%ld.0", (unsigned long)id + 1000000,
                   (long)(job->submit_ns / 1000000000));
    (void)snprintf(job->job_id, sizeof job->job_id, "%lu", (unsigned long)id + 1000000);
    (void)snprintf(job->user, sizeof job->user, "user%03u", user);
    (void)snprintf(job->account, sizeof job->account, "project%02u",
                   (user * 7 + one_of(2)) % ACCOUNTS);
    (void)snprintf(job->partition, sizeof job->partition, "part%u", one_of(PARTITIONS));
    (void)snprintf(job->name, sizeof job->name, "prog%04u", (user * 13 + one_of(10)) % 2000);
    job->kind = WTL_JOB_SLURM;
    job->state = id % 100000 == 17 ? WTL_JOB_CUT : WTL_JOB_ENDED;
    job->raw_job_id = id + 1000000;
    job->uid = 10000 + user;
    job->exit_status = 0;
    job->exit_signal = 0;
    job->nodes = uniform() < 0.9 ? 1 : 2 + one_of(7);
    job->cpus = 32;
    job->node_cpus = 64;
    job->elapsed_ns = job->end_ns - job->begin_ns;
}

/* The ledger divides whole ones. */
static double microjoules(double joules)
{
    return round(1e6 * joules) / 1e6;
}

static void add_channel(struct wtl_job_record *record,
                        const char *name,
                        const char *domain,
                        double part)
{
    struct wtl_job_channel *channel;
    if (wtl_job_channel_add(record, &channel) < 0)
        abort();
    (void)snprintf(channel->name, sizeof channel->name, "%s", name);
    (void)snprintf(channel->domain, sizeof channel->domain, "%s", domain);
    channel->energy_j = microjoules(record->energy_j * part);
    channel->share_j = microjoules(record->charged_j * part);
    channel->resolution_j = 6.1e-5;
    channel->unknown_s = 0;
    (void)snprintf(channel->quality, sizeof channel->quality, "measured");
    channel->in_total = true;
}

static void make_record(struct wtl_job_record *record,
                        const struct wtl_job_record *job,
                        unsigned node)
{
    double seconds = 1e-9 * (double)job->elapsed_ns;
    *record = *job;
    (void)snprintf(record->node, sizeof record->node, "node%03u", node % NODES);
    (void)snprintf(record->boot_id, sizeof record->boot_id, "b%03u", node % NODES);
    record->cpu_s = seconds * 32 * uniform();
    record->max_rss_bytes = one_of(1u << 30);
    record->max_rss_task = one_of(32);
    if (uniform() < 0.01)
        return;
    record->energy_j = microjoules(seconds * (100 + 400 * uniform()));
    record->charged_j = microjoules(record->energy_j * (0.2 + 0.8 * uniform()));
    record->idle_j = record->energy_j - record->charged_j;
    record->unattributed_j = 0;
    record->resolution_j = 0.1;
    record->unknown_s = 0;
    (void)snprintf(record->quality, sizeof record->quality, "measured");
    (void)snprintf(record->rule, sizeof record->rule, "calibrated");
    add_channel(record, "powercap:package-0", "package", 0.8);
    add_channel(record, "powercap:dram-0", "dram", 0.2);
}

static void put(struct wtl_store *store, struct wtl_job_record *records, size_t n)
{
    size_t added;
    if (wtl_store_put(store, records, n, &added, &err) < 0)
        stop();
    for (size_t i = 0; i < n; i++)
        wtl_job_record_fini(&records[i]);
}

static uint64_t put_jobs(struct wtl_store *store,
                         uint64_t first,
                         uint64_t count,
                         uint64_t jobs,
                         size_t batch)
{
    struct wtl_job_record *records = calloc(BATCH + 16, sizeof *records), job;
    size_t n = 0;
    uint64_t put_so_far = 0;
    if (!records)
        abort();
    for (uint64_t id = first; id < first + count; id++) {
        unsigned node = one_of(NODES);
        make_job(&job, id, jobs);
        for (int64_t i = 0; i < job.nodes; i++)
            make_record(&records[n++], &job, node + (unsigned)i);
        if (n >= batch || id + 1 == first + count) {
            put(store, records, n);
            put_so_far += n;
            n = 0;
        }
    }
    free(records);
    return put_so_far;
}

static bool is_file(const struct wtl_store *store)
{
    return store->database->engine == &wtl_database_sqlite;
}

static void script(struct wtl_store *store, void (*write)(FILE *, bool))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    write(out, !is_file(store));
    (void)fclose(out);
    if (store->database->engine->script(store->database, text, &err) < 0)
        stop();
    free(text);
}

/* Nothing that is half made stays: who stops it begins again. */
static void hurry(struct wtl_store *store)
{
    const char *text = is_file(store) ? "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
                                        "PRAGMA cache_size = -1500000"
                                      : "SET synchronous_commit = off; SET statement_timeout = 0";
    if (store->database->engine->script(store->database, text, &err) < 0)
        stop();
}

static void fill(struct wtl_store *store, uint64_t jobs)
{
    uint64_t start = now_ns();
    if (!is_file(store) && wtl_store_migrate(store, NULL, &err) < 0)
        stop();
    script(store, wtl_schema_drop);
    hurry(store);
    uint64_t records = put_jobs(store, 0, jobs, jobs, BATCH);
    printf("%.3g jobs, %.3g records: inserted in %.0f s\n", (double)jobs, (double)records,
           1e-9 * (double)(now_ns() - start));
    (void)fflush(stdout);
}

/* As a migration does, but without a journal. */
static void derive(struct wtl_store *store)
{
    uint64_t start = now_ns();
    hurry(store);
    script(store, wtl_schema_drop);
    script(store, wtl_schema_derive);
    for (unsigned i = 0; i < NODES; i++) {
        char node[16];
        const struct wtl_store_sender sender = {.cluster = "main", .node = node, .version = "1"};
        (void)snprintf(node, sizeof node, "node%03u", i);
        if (wtl_store_seen(store, &sender, &err) < 0)
            stop();
    }
    printf("sums and indexes made in %.0f s\n", 1e-9 * (double)(now_ns() - start));
    (void)fflush(stdout);
    /* As its autovacuum does within minutes. */
    if (!is_file(store) &&
        store->database->engine->script(store->database, "VACUUM ANALYZE", &err) < 0)
        stop();
}

static int count_job(void *arg, const struct wtl_job_row *row)
{
    (void)row;
    ++*(size_t *)arg;
    return 0;
}

static int count_total(void *arg, const struct wtl_total_row *row)
{
    (void)row;
    ++*(size_t *)arg;
    return 0;
}

static int count_node(void *arg, const struct wtl_node_row *row)
{
    (void)row;
    ++*(size_t *)arg;
    return 0;
}

static int count_sender(void *arg, const struct wtl_store_sender *sender)
{
    (void)sender;
    ++*(size_t *)arg;
    return 0;
}

static int count_record(void *arg, const struct wtl_job_record *record)
{
    (void)record;
    ++*(size_t *)arg;
    return 0;
}

#define DAY INT64_C(86400000000000)
#define NOW (START_NS + DAYS * DAY)
/* Not at a day's border. */
#define MONTH_FROM (NOW - 60 * DAY - DAY / 3)
#define MONTH_TO   (NOW - 30 * DAY - DAY / 3)
#define MONTH      .from_ns = MONTH_FROM, .to_ns = MONTH_TO

enum what { JOBS, TOTALS, NODES_ENERGY, RECORDS, SENDERS };
static const struct row {
    const char *name;
    enum what what;
    struct wtl_job_query query;
    enum wtl_store_group group;
} rows[] = {
    {"list: the newest 20", JOBS, {.limit = 20}, 0},
    {"list: 20 of a user", JOBS, {.user = "user300", .limit = 20}, 0},
    {"list: 20 of an account in a month", JOBS, {.account = "project07", .limit = 20, MONTH}, 0},
    {"list: 20 of a partition", JOBS, {.partition = "part2", .limit = 20}, 0},
    {"list: 20 of a program", JOBS, {.name = "prog0100", .limit = 20}, 0},
    {"list: a program that is not there", JOBS, {.name = "absent", .limit = 20}, 0},
    {"list: a partition that is not there", JOBS, {.partition = "absent", .limit = 20}, 0},
    {"list: 20 on a node", JOBS, {.node = "node123", .limit = 20}, 0},
    {"list: 20 of a user on a node", JOBS, {.user = "user300", .node = "node123", .limit = 20}, 0},
    {"list: 20 on a node in a month", JOBS, {.node = "node123", .limit = 20, MONTH}, 0},
    {"list: 20 of a user and a program",
     JOBS,
     {.user = "user010", .name = "prog0131", .limit = 20},
     0},
    {"list: of a user a program of others",
     JOBS,
     {.user = "user010", .name = "prog0001", .limit = 20},
     0},
    {"list: 20 of a user in a partition",
     JOBS,
     {.user = "user010", .partition = "part3", .limit = 20},
     0},
    {"list: 20 that were cut short", JOBS, {.state = WTL_JOB_CUT + 1, .limit = 20}, 0},
    {"list: of a user, cut short",
     JOBS,
     {.user = "user010", .state = WTL_JOB_CUT + 1, .limit = 20},
     0},
    {"list: of wattle run (there are none)", JOBS, {.kind = WTL_JOB_RUN + 1, .limit = 20}, 0},
    {"list: a node that is not there", JOBS, {.node = "absent", .limit = 20}, 0},
    {"list: 1000 of a month", JOBS, {.limit = 1000, MONTH}, 0},
    {"show: by id", JOBS, {.job_id = "1004711"}, 0},
    {"show: its records", RECORDS, {.job_id = "1004711"}, 0},
    {"top: 20 of all", JOBS, {.by_energy = true, .limit = 20}, 0},
    {"top: 20 of a month", JOBS, {.by_energy = true, .limit = 20, MONTH}, 0},
    {"top: 20 of a day", JOBS, {.by_energy = true, .limit = 20, .from_ns = NOW - DAY}, 0},
    {"top: 20 of a user", JOBS, {.by_energy = true, .limit = 20, .user = "user003"}, 0},
    {"top: 20 of a user in a month",
     JOBS,
     {.by_energy = true, .limit = 20, .user = "user003", MONTH},
     0},
    {"top: 20 of a program", JOBS, {.by_energy = true, .limit = 20, .name = "prog0100"}, 0},
    {"top: 20 on a node", JOBS, {.by_energy = true, .limit = 20, .node = "node123"}, 0},
    {"top: 20 on a node in a month",
     JOBS,
     {.by_energy = true, .limit = 20, .node = "node123", MONTH},
     0},
    {"top: 20 that were cut short",
     JOBS,
     {.by_energy = true, .limit = 20, .state = WTL_JOB_CUT + 1},
     0},
    {"top: 20 of a partition", JOBS, {.by_energy = true, .limit = 20, .partition = "part1"}, 0},
    {"report: all", TOTALS, {.limit = 0}, WTL_GROUP_ALL},
    {"report: users", TOTALS, {.limit = 0}, WTL_GROUP_USER},
    {"report: users in a month", TOTALS, {MONTH}, WTL_GROUP_USER},
    {"report: accounts", TOTALS, {.limit = 0}, WTL_GROUP_ACCOUNT},
    {"report: programs", TOTALS, {.limit = 0}, WTL_GROUP_PROGRAM},
    {"report: programs in a month", TOTALS, {MONTH}, WTL_GROUP_PROGRAM},
    {"report: programs of a user", TOTALS, {.user = "user003"}, WTL_GROUP_PROGRAM},
    {"report: partitions", TOTALS, {.limit = 0}, WTL_GROUP_PARTITION},
    {"report: nodes", TOTALS, {.limit = 0}, WTL_GROUP_NODE},
    {"report: nodes in a month", TOTALS, {MONTH}, WTL_GROUP_NODE},
    {"report: programs of a partition", TOTALS, {.partition = "part1"}, WTL_GROUP_PROGRAM},
    {"report: users, cut short", TOTALS, {.state = WTL_JOB_CUT + 1}, WTL_GROUP_USER},
    {"report: users on a node", TOTALS, {.node = "node123"}, WTL_GROUP_USER},
    {"report: users on a node in a month", TOTALS, {.node = "node123", MONTH}, WTL_GROUP_USER},
    {"report: nodes of a user", TOTALS, {.user = "user003"}, WTL_GROUP_NODE},
    {"report: nodes of a user in a month", TOTALS, {.user = "user003", MONTH}, WTL_GROUP_NODE},
    {"report: days of a user", TOTALS, {.user = "user003"}, WTL_GROUP_DAY},
    {"report: months of a program", TOTALS, {.name = "prog0100"}, WTL_GROUP_MONTH},
    {"budget: an account in a quarter",
     TOTALS,
     {.account = "project07", .from_ns = NOW - 90 * DAY},
     WTL_GROUP_ALL},
    {"report: days", TOTALS, {.limit = 0}, WTL_GROUP_DAY},
    {"report: months of an account", TOTALS, {.account = "project07"}, WTL_GROUP_MONTH},
    {"energy: 16 nodes in a month", NODES_ENERGY, {MONTH}, 16},
    {"energy: all nodes in a month", NODES_ENERGY, {MONTH}, 0},
    {"energy: all nodes in two years",
     NODES_ENERGY,
     {.from_ns = START_NS + DAY / 3, .to_ns = NOW - DAY / 5},
     0},
    {"energy: all nodes in an hour",
     NODES_ENERGY,
     {.from_ns = NOW - DAY / 2, .to_ns = NOW - DAY / 2 + DAY / 24},
     0},
    {"health: the senders", SENDERS, {.limit = 0}, 0},
};

static size_t run(struct wtl_store *store, const struct row *row)
{
    static const char *const nodes[16] = {
        "node000", "node001", "node002", "node003", "node004", "node005", "node006", "node007",
        "node008", "node009", "node010", "node011", "node012", "node013", "node014", "node015"};
    size_t n = 0;
    int rc = 0;
    switch (row->what) {
    case JOBS:
        rc = wtl_store_jobs(store, &row->query, count_job, &n, &err);
        break;
    case TOTALS:
        rc = wtl_store_totals(store, &row->query, row->group, count_total, &n, &err);
        break;
    case NODES_ENERGY:
        rc = wtl_store_nodes_energy(store, NULL, nodes, (size_t)row->group, row->query.from_ns,
                                    row->query.to_ns, count_node, &n, &err);
        break;
    case SENDERS:
        rc = wtl_store_senders(store, count_sender, &n, &err);
        break;
    case RECORDS:
        rc = wtl_store_records(store, &row->query, count_record, &n, &err);
        break;
    }
    if (rc < 0)
        stop();
    return n;
}

/* Not the pages that others have written and that are not on the disk yet. */
static void forget_pages(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fdatasync(fd) < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
        (void)fprintf(stderr, "bench_jobs: %s stays in memory\n", path);
    if (fd >= 0)
        (void)close(fd);
}

static double ms_of(struct wtl_store *store, const struct row *row, size_t *ret_n)
{
    uint64_t start = now_ns();
    *ret_n = run(store, row);
    return 1e-6 * (double)(now_ns() - start);
}

static void measure(const char *url)
{
    double longest = 0, longest_cold = 0;
    printf("%-40s %8s %10s %10s\n", "query", "rows", "cold ms", "warm ms");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ms[TIMES], cold;
        struct wtl_store *store;
        size_t n;
        if (strncmp(url, "sqlite:", strlen("sqlite:")) == 0)
            forget_pages(url + strlen("sqlite:"));
        if (wtl_store_open(url, WTL_STORE_READ, &store, &err) < 0)
            stop();
        cold = ms_of(store, &rows[i], &n);
        for (int k = 0; k < TIMES; k++)
            ms[k] = ms_of(store, &rows[i], &n);
        wtl_store_close(store);
        struct bench_spread warm = bench_spread_of(ms, TIMES);
        longest = fmax(longest, warm.median);
        longest_cold = fmax(longest_cold, cold);
        printf("%-40s %8zu %10.1f ", rows[i].name, n, cold);
        bench_spread_print(&warm, 1, 1, "ms");
        putchar('\n');
        (void)fflush(stdout);
    }
    printf("the longest: %.0f ms cold, %.0f ms warm\n", longest_cold, longest);
}

static void measure_put(struct wtl_store *store, uint64_t jobs)
{
    static const size_t batches[] = {1, 100, 1000};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++, jobs += 2000) {
        clock_t cpu = clock();
        uint64_t start = now_ns();
        double records = (double)put_jobs(store, jobs, 2000, jobs, batches[i]);
        printf("inserting: %.0f records in transactions of %zu jobs: %.0f per s, %.2f ms of CPU "
               "each\n",
               records, batches[i], records / (1e-9 * (double)(now_ns() - start)),
               1e3 * (double)(clock() - cpu) / CLOCKS_PER_SEC / records);
    }
}

static struct wtl_store *open_store(const char *url, enum wtl_store_access access)
{
    struct wtl_store *store;
    if (wtl_store_open(url, access, &store, &err) < 0)
        stop();
    return store;
}

static void remove_file(const char *url, const char *folder)
{
    (void)unlink(url + strlen("sqlite:"));
    (void)rmdir(folder);
}

/* Fill the database, as far as `part` says; true: its queries can be measured. */
static bool prepare(const char *url, uint64_t jobs, const char *part, bool there)
{
    bool file = strncmp(url, "sqlite:", strlen("sqlite:")) == 0;
    struct wtl_store *store = open_store(url, file ? WTL_STORE_WRITE : WTL_STORE_ADMIN);
    bool only_records = strcmp(part, "records") == 0;
    if (!there)
        fill(store, jobs);
    if (!only_records && (!there || strcmp(part, "derive") == 0))
        derive(store);
    wtl_store_close(store);
    return !only_records;
}

int main(int argc, char **argv)
{
    uint64_t jobs = argc > 1 ? wtl_whole_u64(strtod(argv[1], NULL)) : 1000000;
    char folder[] = "/tmp/wattle-bench-XXXXXX", url[512];
    const char *name = argc > 2 ? argv[2] : NULL, *part = argc > 3 ? argv[3] : "";
    bool server = name && strncmp(name, "postgresql:", strlen("postgresql:")) == 0;
    if (!name && !mkdtemp(folder))
        return 1;
    bool there = server ? strcmp(part, "derive") == 0 : name && access(name, F_OK) == 0;
    if (name)
        (void)snprintf(url, sizeof url, "%s%s", server ? "" : "sqlite:", name);
    else
        (void)snprintf(url, sizeof url, "sqlite:%s/jobs.db", folder);
    if (strcmp(part, "queries") == 0) {
        measure(url);
        return 0;
    }
    if (!prepare(url, jobs, part, there))
        return 0;
    measure(url);
    struct wtl_store *store = open_store(url, WTL_STORE_WRITE);
    measure_put(store, jobs + (there ? (uint64_t)time(NULL) : 0));
    wtl_store_close(store);
    if (!name)
        remove_file(url, folder);
    return 0;
}
