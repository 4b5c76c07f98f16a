/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store against sums made here from the same records. On SQLite; on PostgreSQL where WATTLE_TEST_DATABASE is the
 * URL of an empty database (tests/integration/jobs).
 */
#define _GNU_SOURCE
#include "jobs/store.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "jobs/database/store_state.h"
#include "made_jobs.h"
#include "tap.h"

enum { JOBS = 1500, GROUPS_MAX = 128 };
#define DAY INT64_C(86400000000000)

static char url[256], folder[] = "/tmp/wattle-store-XXXXXX";
static struct wattle_error err;

/* Sums of this test. */
struct sum {
    char key[64];
    int64_t jobs, unknown, lower;
    double charged_j, node_s, cpu_s;
};
static struct sum sums[GROUPS_MAX];
static size_t sum_count;

struct job {
    const struct wtl_job_record *first;
    int64_t end_ns, seen, known, lower, nodes;
    double charged_j, node_s, cpu_s;
    bool simulated;
};
static struct job jobs[JOBS * 2];
static size_t job_count;

static bool same_key(const struct wtl_job_record *a, const struct wtl_job_record *b)
{
    return strcmp(a->cluster, b->cluster) == 0 && strcmp(a->unit, b->unit) == 0 &&
           strcmp(a->step, b->step) == 0 && strcmp(a->node, b->node) == 0 &&
           strcmp(a->boot_id, b->boot_id) == 0;
}

/* Not the second of two records with one key. */
static bool is_first(const struct made_jobs *made, size_t i)
{
    for (size_t k = i < 400 ? 0 : i - 400; k < i; k++)
        if (same_key(&made->list[k], &made->list[i]))
            return false;
    return true;
}

static void join(const struct made_jobs *made)
{
    job_count = 0;
    for (size_t i = 0; i < made->count; i++) {
        const struct wtl_job_record *r = &made->list[i];
        if (r->step[0] || !is_first(made, i))
            continue;
        size_t k = 0;
        while (k < job_count && !(strcmp(jobs[k].first->unit, r->unit) == 0 &&
                                  strcmp(jobs[k].first->cluster, r->cluster) == 0))
            k++;
        struct job *job = &jobs[k];
        if (k == job_count) {
            jobs[job_count++] = (struct job){.first = r};
        }
        job->end_ns = r->end_ns > job->end_ns ? r->end_ns : job->end_ns;
        job->seen++;
        job->nodes = r->nodes > job->nodes ? r->nodes : job->nodes;
        job->known += !isnan(r->charged_j);
        job->lower += r->lower_bound;
        job->charged_j += isnan(r->charged_j) ? 0 : r->charged_j;
        job->cpu_s += isnan(r->cpu_s) ? 0 : r->cpu_s;
        job->node_s += 1e-9 * (double)r->elapsed_ns;
    }
}

static struct sum *sum_of(const char *key)
{
    size_t i = 0;
    while (i < sum_count && strcmp(sums[i].key, key) != 0)
        i++;
    if (i == sum_count) {
        if (sum_count == GROUPS_MAX)
            abort();
        sums[sum_count] = (struct sum){.jobs = 0};
        (void)snprintf(sums[sum_count++].key, sizeof sums[0].key, "%s", key);
    }
    return &sums[i];
}

static void add_job(const struct job *job, const char *key)
{
    struct sum *sum = sum_of(key);
    sum->jobs++;
    sum->unknown += job->known == 0;
    sum->lower +=
        job->known > 0 && (job->lower > 0 || job->known < job->seen || job->seen < job->nodes);
    sum->charged_j += job->charged_j;
    sum->node_s += job->node_s;
    sum->cpu_s += job->cpu_s;
}

static void add_up(int64_t from, int64_t to, const char *user, size_t key_offset)
{
    sum_count = 0;
    for (size_t i = 0; i < job_count; i++) {
        const struct job *job = &jobs[i];
        if (job->end_ns < from || (to > 0 && job->end_ns >= to) ||
            (user && strcmp(job->first->user, user) != 0))
            continue;
        add_job(job, (const char *)job->first + key_offset);
    }
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

struct check {
    size_t rows, wrong;
    double last_j;
};

static int check_total(void *arg, const struct wtl_total_row *row)
{
    struct check *check = (struct check *)arg;
    const struct sum *sum = sum_of(row->key);
    check->rows++;
    double charged = isnan(row->charged_j) ? 0 : row->charged_j;
    bool right = sum->jobs == row->jobs && sum->unknown == row->jobs_unknown &&
                 sum->lower == row->jobs_lower && close_to(sum->charged_j, charged) &&
                 close_to(sum->node_s, row->node_s) && close_to(sum->cpu_s, row->cpu_s) &&
                 isnan(row->charged_j) == (row->jobs == row->jobs_unknown);
    if (!right && check->wrong++ == 0)
        diag("%s: jobs %d %d, unknown %d %d, lower %d %d, J %.9g %.9g, node s %.9g %.9g, CPU s "
             "%.9g %.9g",
             row->key, (int)row->jobs, (int)sum->jobs, (int)row->jobs_unknown, (int)sum->unknown,
             (int)row->jobs_lower, (int)sum->lower, row->charged_j, sum->charged_j, row->node_s,
             sum->node_s, row->cpu_s, sum->cpu_s);
    return 0;
}

static const struct {
    enum wtl_store_group group;
    const char *name;
    size_t offset;
} groups[] = {
    {WTL_GROUP_USER, "user", offsetof(struct wtl_job_record, user)},
    {WTL_GROUP_ACCOUNT, "account", offsetof(struct wtl_job_record, account)},
    {WTL_GROUP_PROGRAM, "program", offsetof(struct wtl_job_record, name)},
    {WTL_GROUP_PARTITION, "partition", offsetof(struct wtl_job_record, partition)},
    {WTL_GROUP_CLUSTER, "cluster", offsetof(struct wtl_job_record, cluster)},
};

static void test_totals(struct wtl_store *store, const char *when)
{
    const int64_t midnight = (MADE_START_NS / DAY + 5) * DAY;
    const int64_t ranges[][2] = {{0, 0},
                                 {MADE_START_NS + 3 * DAY, MADE_START_NS + 20 * DAY},
                                 {midnight, midnight + 7 * DAY},
                                 {midnight + 1, midnight + 2},
                                 {midnight + DAY / 3, midnight + DAY / 2},
                                 {midnight + DAY / 3, 0},
                                 {0, midnight + DAY / 3}};
    size_t wrong = 0, rows = 0, missing = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
            for (int u = 0; u < 2; u++) {
                struct wtl_job_query query = {
                    .from_ns = ranges[r][0], .to_ns = ranges[r][1], .user = u ? "user3" : NULL};
                struct check check = {0, 0, 0};
                add_up(query.from_ns, query.to_ns, query.user, groups[g].offset);
                size_t want = sum_count;
                int rc =
                    wtl_store_totals(store, &query, groups[g].group, check_total, &check, &err);
                if (rc < 0)
                    diag("%s", err.text);
                wrong += check.wrong + (rc < 0);
                rows += check.rows;
                missing += check.rows != want;
                if (check.rows != want)
                    diag("%s, range %zu, user %d: %zu rows of %zu", groups[g].name, r, u,
                         check.rows, want);
            }
    ok(wrong == 0 && missing == 0 && rows > 100,
       "%s: sums by five keys over seven times are those of the jobs (%zu rows)", when, rows);
}

struct walk {
    size_t rows, wrong;
    int64_t last_ns;
    double last_j;
    bool by_energy, unordered;
};

static int check_job(void *arg, const struct wtl_job_row *row)
{
    struct walk *walk = (struct walk *)arg;
    const struct job *job = NULL;
    for (size_t i = 0; i < job_count && !job; i++)
        if (strcmp(jobs[i].first->unit, row->unit) == 0 &&
            strcmp(jobs[i].first->cluster, row->cluster) == 0)
            job = &jobs[i];
    bool right =
        job && job->seen == row->nodes_seen && job->known == row->nodes_known &&
        job->end_ns == row->end_ns && isnan(row->charged_j) == (job->known == 0) &&
        (job->known == 0 || close_to(job->charged_j, row->charged_j)) &&
        row->lower_bound == (job->lower > 0 || job->known < job->seen || job->seen < job->nodes);
    right = right &&
            (walk->by_energy || walk->unordered || walk->rows == 0 || row->end_ns <= walk->last_ns);
    right = right && (!walk->by_energy || walk->rows == 0 || isnan(row->charged_j) ||
                      row->charged_j <= walk->last_j);
    if (!right && walk->wrong++ == 0)
        diag("%s: seen %d, known %d, J %.9g", row->unit, (int)row->nodes_seen,
             (int)row->nodes_known, row->charged_j);
    walk->last_ns = row->end_ns;
    walk->last_j = row->charged_j;
    walk->rows++;
    return 0;
}

static size_t count_jobs(const struct wtl_job_query *query)
{
    size_t n = 0;
    for (size_t i = 0; i < job_count; i++) {
        const struct wtl_job_record *r = jobs[i].first;
        n += (!query->user || strcmp(r->user, query->user) == 0) &&
             (!query->partition || strcmp(r->partition, query->partition) == 0) &&
             jobs[i].end_ns >= query->from_ns &&
             (query->to_ns == 0 || jobs[i].end_ns < query->to_ns) &&
             (!query->job_id || strcmp(r->job_id, query->job_id) == 0) &&
             (query->kind == 0 || (int)r->kind + 1 == query->kind);
    }
    return query->limit && n > query->limit ? query->limit : n;
}

static void test_jobs(struct wtl_store *store)
{
    const struct wtl_job_query queries[] = {
        {.limit = 0},
        {.user = "user1", .limit = 7},
        {.from_ns = MADE_START_NS + 3 * DAY, .to_ns = MADE_START_NS + 4 * DAY},
        {.by_energy = true, .limit = 10},
        {.by_energy = true},
        {.by_energy = true,
         .user = "user2",
         .from_ns = MADE_START_NS + DAY,
         .to_ns = MADE_START_NS + 30 * DAY,
         .limit = 5},
        {.partition = "p1", .by_energy = true, .limit = 20},
        {.job_id = "49"},
        {.user = "nobody"},
        {.user = "user1' OR '1' = '1"},
        {.kind = WTL_JOB_RUN + 1},
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct walk walk = {.by_energy = queries[i].by_energy};
        int rc = wtl_store_jobs(store, &queries[i], check_job, &walk, &err);
        if (rc < 0)
            diag("%s", err.text);
        ok(rc == 0 && walk.wrong == 0, "query %zu: rows are those of the records", i);
        is_int(walk.rows, count_jobs(&queries[i]), "query %zu: number of rows", i);
    }
}

static bool same(const char *wanted, const char *text)
{
    return !wanted || strcmp(wanted, text) == 0;
}

/* With a node, sums are of what the jobs are charged there. */
static struct job on_node(const struct job *job, const char *node, const struct made_jobs *made)
{
    struct job part = {.first = job->first};
    for (const struct wtl_job_record *r = job->first;
         r < made->list + made->count && strcmp(r->unit, job->first->unit) == 0; r++) {
        if (r->step[0] || strcmp(r->cluster, job->first->cluster) != 0 ||
            strcmp(r->node, node) != 0 || !is_first(made, (size_t)(r - made->list)))
            continue;
        part.seen++;
        part.known += !isnan(r->charged_j);
        part.lower += r->lower_bound;
        part.charged_j += isnan(r->charged_j) ? 0 : r->charged_j;
        part.cpu_s += isnan(r->cpu_s) ? 0 : r->cpu_s;
        part.node_s += 1e-9 * (double)r->elapsed_ns;
    }
    return part;
}

/* When a job ended: on the node of the query, or as a whole. INT64_MIN = it has no record there. */
static int64_t end_of(const struct job *job,
                      const struct wtl_job_query *query,
                      const struct made_jobs *made)
{
    int64_t end = INT64_MIN;
    if (!query->node)
        return job->end_ns;
    for (const struct wtl_job_record *r = job->first;
         r < made->list + made->count && strcmp(r->unit, job->first->unit) == 0; r++)
        if (!r->step[0] && same(r->cluster, job->first->cluster) && same(query->node, r->node))
            end = r->end_ns;
    return end;
}

static bool is_of(const struct job *job,
                  const struct wtl_job_query *query,
                  const struct made_jobs *made)
{
    const struct wtl_job_record *r = job->first;
    int64_t end = end_of(job, query, made);
    return same(query->cluster, r->cluster) && same(query->user, r->user) &&
           same(query->account, r->account) && same(query->partition, r->partition) &&
           same(query->name, r->name) && (query->kind == 0 || (int)r->kind + 1 == query->kind) &&
           (query->state == 0 || (int)r->state + 1 == query->state) && end >= query->from_ns &&
           (query->to_ns == 0 || end < query->to_ns);
}

static uint64_t draw;
static int64_t one_of(int64_t n)
{
    return (int64_t)(wtl_random_uniform(3, draw++) * (double)n);
}

/* Each condition now and then, also one that nothing fulfils. */
static struct wtl_job_query any_query(char texts[6][16])
{
    static const char *const words[] = {"c", "user", "account", "p", "program", "n"};
    static const int64_t counts[] = {4, 6, 4, 3, 8, MADE_NODES};
    const char *given[6];
    for (size_t i = 0; i < 6; i++) {
        (void)snprintf(texts[i], 16, "%s%d", words[i], (int)one_of(counts[i]));
        given[i] = one_of(10) < 4 ? texts[i] : NULL;
    }
    struct wtl_job_query query = {.cluster = given[0],
                                  .user = given[1],
                                  .account = given[2],
                                  .partition = given[3],
                                  .name = given[4],
                                  .node = given[5],
                                  .by_energy = one_of(2) == 0,
                                  .kind = one_of(3) > 0 ? 0 : 1 + (int)one_of(WTL_JOB_KINDS),
                                  .state = one_of(3) > 0 ? 0 : 1 + (int)one_of(WTL_JOB_STATES),
                                  .limit = one_of(2) == 0 ? 0 : 1 + (size_t)one_of(30)};
    if (one_of(2) == 0)
        query.from_ns = MADE_START_NS + one_of(20 * DAY);
    if (one_of(2) == 0)
        query.to_ns = MADE_START_NS + 15 * DAY + one_of(20 * DAY);
    return query;
}

static void test_conditions(struct wtl_store *store, const struct made_jobs *made)
{
    enum { QUERIES = 120 };
    size_t wrong = 0, some = 0;
    for (int i = 0; i < QUERIES; i++) {
        char texts[6][16];
        struct wtl_job_query query = any_query(texts);
        struct walk walk = {.by_energy = query.by_energy, .unordered = query.node != NULL};
        struct check check = {0, 0, 0};
        sum_count = 0;
        size_t want = 0;
        for (size_t k = 0; k < job_count; k++) {
            if (!is_of(&jobs[k], &query, made))
                continue;
            want++;
            struct job job = query.node ? on_node(&jobs[k], query.node, made) : jobs[k];
            add_job(&job, jobs[k].first->account);
        }
        some += want > 0;
        bool right = wtl_store_jobs(store, &query, check_job, &walk, &err) == 0 &&
                     walk.wrong == 0 &&
                     walk.rows == (query.limit && want > query.limit ? query.limit : want);
        query.limit = 0;
        right =
            wtl_store_totals(store, &query, WTL_GROUP_ACCOUNT, check_total, &check, &err) == 0 &&
            check.wrong == 0 && check.rows == sum_count && right;
        if (!right && wrong++ == 0)
            diag("query %d: %zu rows of %zu, %zu wrong; %zu sums of %zu, %zu wrong; %s", i,
                 walk.rows, want, walk.wrong, check.rows, sum_count, check.wrong, err.text);
    }
    ok(wrong == 0 && some > 30, "conditions in any combination: %zu of %d have jobs", some,
       QUERIES);
}

struct nodes {
    const struct made_jobs *made;
    int64_t from, to;
    size_t rows, wrong;
};

static int check_node(void *arg, const struct wtl_node_row *row)
{
    struct nodes *nodes = (struct nodes *)arg;
    double want = 0, cut = 0;
    int64_t records = 0, records_cut = 0;
    for (size_t i = 0; i < nodes->made->count; i++) {
        const struct wtl_job_record *r = &nodes->made->list[i];
        if (r->step[0] || strcmp(r->node, row->node) != 0 ||
            strcmp(r->cluster, row->cluster) != 0 || !is_first(nodes->made, i))
            continue;
        int64_t a = r->begin_ns > nodes->from ? r->begin_ns : nodes->from;
        int64_t b = r->end_ns < nodes->to ? r->end_ns : nodes->to;
        if (b <= a && !(r->end_ns >= nodes->from && r->end_ns < nodes->to))
            continue;
        double part = (double)(b - a) / (double)(r->end_ns - r->begin_ns);
        bool is_cut = r->begin_ns < nodes->from || r->end_ns >= nodes->to;
        records++;
        records_cut += is_cut && r->end_ns > nodes->from;
        want += isnan(r->charged_j) ? 0 : r->charged_j * part;
        cut += is_cut && !isnan(r->charged_j) ? r->charged_j * part : 0;
    }
    bool right = records == row->records && records_cut == row->records_cut &&
                 fabs(want - row->charged_j) < 1e-6 * (1 + want) &&
                 fabs(cut - row->cut_j) < 1e-6 * (1 + cut);
    nodes->rows++;
    if (!right && nodes->wrong++ == 0)
        diag("%s %s: records %d of %d, cut %d of %d, J %.9g of %.9g, cut J %.9g of %.9g",
             row->cluster, row->node, (int)row->records, (int)records, (int)row->records_cut,
             (int)records_cut, row->charged_j, want, row->cut_j, cut);
    return 0;
}

static void test_nodes(struct wtl_store *store, const struct made_jobs *made)
{
    const char *const some[] = {"n1", "n4", "absent"};
    const int64_t ranges[][2] = {
        {MADE_START_NS + 3 * DAY, MADE_START_NS + 20 * DAY},
        {MADE_START_NS + 3 * DAY, MADE_START_NS + 3 * DAY + DAY / 50},
        {0, MADE_START_NS + 100 * DAY},
        {(MADE_START_NS / DAY + 5) * DAY, (MADE_START_NS / DAY + 8) * DAY}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct nodes all = {made, ranges[i][0], ranges[i][1], 0, 0}, two = all;
        int rc =
            wtl_store_nodes_energy(store, NULL, NULL, 0, all.from, all.to, check_node, &all, &err);
        if (rc < 0)
            diag("%s", err.text);
        ok(rc == 0 && all.wrong == 0 && all.rows > 5, "range %zu: energy of all nodes by overlap",
           i);
        rc = wtl_store_nodes_energy(store, "c1", some, 3, two.from, two.to, check_node, &two, &err);
        ok(rc == 0 && two.wrong == 0 && two.rows <= 2 && (two.rows == 2 || i == 1),
           "range %zu: of two nodes of a cluster", i);
    }
    is_int(wtl_store_nodes_energy(store, NULL, NULL, 0, 5, 5, check_node, NULL, &err), -EINVAL,
           "no time");
}

struct seen {
    size_t records, steps, channels, wrong;
    const struct made_jobs *made;
};

static int check_record(void *arg, const struct wtl_job_record *record)
{
    struct seen *seen = (struct seen *)arg;
    char *line, *want;
    size_t n, m;
    for (size_t i = 0; i < seen->made->count; i++) {
        if (!same_key(&seen->made->list[i], record) || !is_first(seen->made, i))
            continue;
        if (wtl_job_record_line(record, &line, &n, &err) < 0 ||
            wtl_job_record_line(&seen->made->list[i], &want, &m, &err) < 0)
            return -1;
        if (n != m || memcmp(line, want, n) != 0) {
            seen->wrong++;
            diag("%s%s", line, want);
        }
        free(line);
        free(want);
        seen->records++;
        seen->steps += record->step[0] != '\0';
        seen->channels += record->channel_count;
    }
    return 0;
}

static void test_records(struct wtl_store *store, const struct made_jobs *made)
{
    struct seen seen = {.made = made};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < 200; i++) {
        const struct wtl_job_query query = {.unit = made->list[i].unit,
                                            .cluster = made->list[i].cluster};
        rc = i > 0 && strcmp(made->list[i].unit, made->list[i - 1].unit) == 0
                 ? 0
                 : wtl_store_records(store, &query, check_record, &seen, &err);
    }
    ok(rc == 0 && seen.wrong == 0 && seen.records > 100 && seen.steps > 10 && seen.channels > 100,
       "%zu records come back as they were put, %zu of steps, with %zu channels", seen.records,
       seen.steps, seen.channels);
}

static size_t put_all(struct wtl_store *store, const struct made_jobs *made)
{
    size_t added = 0, n, at = 0;
    while (at < made->count) {
        size_t some = made->count - at < 100 ? made->count - at : 100;
        if (wtl_store_put(store, made->list + at, some, &n, &err) < 0) {
            diag("%s", err.text);
            return 0;
        }
        added += n;
        at += some;
    }
    return added;
}

/* Of a node, sums over months and of other times must be those of its records, as the sums of all users are. */
static void test_node_users(struct wtl_store *store, const struct made_jobs *made)
{
    const int64_t month = (MADE_START_NS / DAY / 32 + 1) * 32 * DAY;
    const int64_t ranges[][2] = {{0, 0},
                                 {month, 0},
                                 {0, month},
                                 {month - DAY / 3, month + DAY / 3},
                                 {MADE_START_NS + DAY / 7, month + 40 * DAY}};
    size_t wrong = 0, rows = 0;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int by_node = 0; by_node < 2; by_node++) {
            const struct wtl_job_query query = {.from_ns = ranges[r][0],
                                                .to_ns = ranges[r][1],
                                                .user = by_node ? "user2" : NULL,
                                                .node = by_node ? NULL : "n2"};
            struct check check = {0, 0, 0};
            sum_count = 0;
            for (size_t i = 0; i < made->count; i++) {
                const struct wtl_job_record *record = &made->list[i];
                struct job job = {.first = record};
                if (record->step[0] || !is_first(made, i) || record->end_ns < query.from_ns ||
                    (query.to_ns > 0 && record->end_ns >= query.to_ns) ||
                    strcmp(by_node ? record->user : record->node,
                           by_node ? query.user : query.node) != 0)
                    continue;
                job.seen = 1;
                job.known = !isnan(record->charged_j);
                job.lower = record->lower_bound;
                job.charged_j = isnan(record->charged_j) ? 0 : record->charged_j;
                job.cpu_s = isnan(record->cpu_s) ? 0 : record->cpu_s;
                job.node_s = 1e-9 * (double)record->elapsed_ns;
                add_job(&job, by_node ? record->node : record->user);
            }
            int rc = wtl_store_totals(store, &query, by_node ? WTL_GROUP_NODE : WTL_GROUP_USER,
                                      check_total, &check, &err);
            wrong += check.wrong + (rc < 0) + (check.rows != sum_count);
            rows += check.rows;
        }
    ok(wrong == 0 && rows > 20, "users of a node, and nodes of a user: %zu rows", rows);
}

static int count_row(void *arg, const struct wtl_total_row *row)
{
    *(int64_t *)arg += row->jobs;
    return 0;
}

static int64_t jobs_in(struct wtl_store *store,
                       const struct wtl_job_query *query,
                       enum wtl_store_group group)
{
    int64_t n = 0;
    if (wtl_store_totals(store, query, group, count_row, &n, &err) < 0)
        diag("%s", err.text);
    return n;
}

static void test_forgetting(struct wtl_store *store)
{
    const int64_t before = MADE_START_NS + 10 * DAY;
    const struct wtl_job_query old = {.to_ns = before}, all = {0}, nameless = {.user = "anonymous"};
    int64_t n, old_jobs = jobs_in(store, &old, WTL_GROUP_ALL),
               jobs_before = jobs_in(store, &all, WTL_GROUP_ALL);
    is_int(wtl_store_anonymise(store, before, &n, &err), 0, "anonymise");
    is_int(n, old_jobs, "as many as there were");
    is_int(jobs_in(store, &nameless, WTL_GROUP_ALL), old_jobs, "they are nobody's");
    ok(jobs_in(store, &nameless, WTL_GROUP_NODE) >= old_jobs, "also in the sums of nodes");
    is_int(jobs_in(store, &all, WTL_GROUP_ACCOUNT), jobs_before, "sums by account are as before");
    is_int(wtl_store_purge(store, before, &n, &err), 0, "purge");
    is_int(n, old_jobs, "as many as there were");
    is_int(jobs_in(store, &nameless, WTL_GROUP_ALL), 0, "gone from the sums");
    is_int(jobs_in(store, &nameless, WTL_GROUP_NODE), 0, "also of nodes");
    is_int(jobs_in(store, &all, WTL_GROUP_PROGRAM), jobs_before - old_jobs, "the others are there");
}

struct sender_check {
    size_t rows;
    int64_t backlog, seen_ns;
};

static int check_sender(void *arg, const struct wtl_store_sender *sender)
{
    struct sender_check *check = (struct sender_check *)arg;
    check->rows++;
    if (strcmp(sender->node, "n1") == 0) {
        check->backlog = sender->backlog_records;
        check->seen_ns = sender->seen_ns;
    }
    return 0;
}

static void test_senders(struct wtl_store *store)
{
    struct wtl_store_sender sender = {
        .cluster = "c1", .node = "n1", .version = "1", .backlog_records = 7};
    struct sender_check check = {0, 0, 0};
    int64_t now = (int64_t)time(NULL);
    is_int(wtl_store_seen(store, &sender, &err), 0, "a node tells of itself");
    sender.node = "n2";
    is_int(wtl_store_seen(store, &sender, &err), 0, "another one");
    sender.node = "n1";
    sender.backlog_records = 3;
    is_int(wtl_store_seen(store, &sender, &err), 0, "the first one again");
    is_int(wtl_store_senders(store, check_sender, &check, &err), 0, "ask for them");
    is_int(check.rows, 2, "a row each");
    is_int(check.backlog, 3, "what was said last");
    ok(llabs(check.seen_ns / 1000000000 - now) < 300, "at the time of the database");
}

/* The hostile, the absurd, and what must not enter. */
static void test_hostile(struct wtl_store *store)
{
    struct wtl_job_record record;
    const struct wtl_job_query of_unit = {.unit = "'; DROP TABLE job; --"};
    size_t n = 9;
    int64_t jobs_before, count = 0;
    const struct wtl_job_query all = {0};
    jobs_before = jobs_in(store, &all, WTL_GROUP_ALL);
    wtl_job_record_init(&record);
    (void)wtl_job_text_set(record.unit, sizeof record.unit, of_unit.unit);
    (void)wtl_job_text_set(record.node, sizeof record.node, "n\xff\x1b[31m$1\"'\\");
    (void)wtl_job_text_set(record.user, sizeof record.user,
                           "Robert'); DELETE FROM job WHERE ('1' = '1");
    record.energy_j = record.charged_j = 1e15;
    record.begin_ns = INT64_C(3000000000000000000);
    record.end_ns = 1; /* a clock that jumped */
    is_int(wtl_store_put(store, &record, 1, &n, &err), 0, "hostile texts are texts");
    is_int(n, 1, "one row");
    is_int(jobs_in(store, &all, WTL_GROUP_ALL), jobs_before + 1, "nothing else changed");
    is_int(wtl_store_put(store, &record, 1, &n, &err), 0, "again");
    is_int(n, 0, "idempotent");
    record.charged_j = INFINITY;
    is_int(wtl_store_put(store, &record, 1, &n, &err), -EBADMSG, "infinite energy is refused");
    record.charged_j = -1;
    is_int(wtl_store_put(store, &record, 1, &n, &err), -EBADMSG, "negative energy is refused");
    record.charged_j = NAN;
    record.unit[0] = '\0';
    is_int(wtl_store_put(store, &record, 1, &n, &err), -EBADMSG, "no unit is refused");
    is_int(jobs_in(store, &all, WTL_GROUP_ALL), jobs_before + 1, "and changed nothing");
    is_int(wtl_store_purge(store, 2, &count, &err), 0, "gone again");
    is_int(count, 1, "one row");
}

struct row_check {
    int64_t jobs, lower;
    bool is_lower, estimated;
};

static int take_lower(void *arg, const struct wtl_job_row *row)
{
    ((struct row_check *)arg)->is_lower = row->lower_bound;
    return 0;
}

static int add_sums(void *arg, const struct wtl_total_row *row)
{
    struct row_check *check = (struct row_check *)arg;
    check->jobs += row->jobs;
    check->lower += row->jobs_lower;
    check->estimated |= row->estimated;
    return 0;
}

/* Two nodes; one has booted in between and has two records, the other is unknown. */
static void test_boots(struct wtl_store *store)
{
    static const struct {
        const char *node, *boot;
        double joules;
    } parts[] = {{"n1", "a", 5}, {"n1", "b", 6}, {"n2", "a", NAN}};
    const struct wtl_job_query query = {.cluster = "boots"}, of_unit = {.unit = "boots"};
    struct row_check check = {0, 0, false, false};
    int64_t count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct wtl_job_record record;
        wtl_job_record_init(&record);
        (void)wtl_job_text_set(record.cluster, sizeof record.cluster, query.cluster);
        (void)wtl_job_text_set(record.unit, sizeof record.unit, of_unit.unit);
        (void)wtl_job_text_set(record.node, sizeof record.node, parts[i].node);
        (void)wtl_job_text_set(record.boot_id, sizeof record.boot_id, parts[i].boot);
        record.nodes = 2;
        record.end_ns = 1;
        record.charged_j = parts[i].joules;
        (void)wtl_job_text_set(record.quality, sizeof record.quality,
                               i == 1 ? "estimated" : "measured");
        if (wtl_store_put(store, &record, 1, NULL, &err) < 0)
            diag("%s", err.text);
    }
    is_int(wtl_store_totals(store, &query, WTL_GROUP_ALL, add_sums, &check, &err), 0, "sums");
    is_int(check.jobs, 1, "two boots of a node are one job");
    ok(check.estimated, "of which a part is an estimate");
    is_int(check.lower, 1, "its unknown node makes the sum a lower bound");
    is_int(wtl_store_jobs(store, &of_unit, take_lower, &check, &err), 0, "the job");
    ok(check.is_lower, "and the job");
    is_int(wtl_store_purge(store, 2, &count, &err), 0, "gone again");
}

/* ---- records that know nothing ---- */

static int take_job(void *arg, const struct wtl_job_row *row)
{
    *(struct wtl_job_row *)arg = *row; /* its texts are not used later */
    return 0;
}

struct way_sums {
    size_t rows;
    struct wtl_total_row row;
};

static int take_way(void *arg, const struct wtl_total_row *row)
{
    struct way_sums *way = (struct way_sums *)arg;
    way->rows++;
    way->row = *row;
    return 0;
}

/* Cluster "way" has one job of 5 J on each of its nodes that are known. */
static void check_way(struct wtl_store *store, int known, int seen, const char *when)
{
    static const enum wtl_store_group by[] = {WTL_GROUP_USER, WTL_GROUP_PROGRAM, WTL_GROUP_CLUSTER};
    const struct wtl_job_query query = {.cluster = "way"};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        struct way_sums way = {0};
        ok(wtl_store_totals(store, &query, by[i], take_way, &way, &err) == 0 && way.rows == 1 &&
               way.row.jobs == 1 && way.row.jobs_unknown == (known == 0) &&
               way.row.jobs_lower == (known > 0 && known < 2) &&
               (known == 0 || close_to(way.row.charged_j, 5.0 * known)),
           "%s: sums %zu: %zu rows, %d jobs, %d unknown, %d lower, %g J", when, i, way.rows,
           (int)way.row.jobs, (int)way.row.jobs_unknown, (int)way.row.jobs_lower,
           way.row.charged_j);
    }
    struct wtl_job_row row = {0};
    (void)wtl_store_jobs(store, &query, take_job, &row, &err);
    ok(row.nodes_seen == seen && row.nodes_known == known, "%s: %d nodes of %d are known", when,
       (int)row.nodes_known, (int)row.nodes_seen);
}

static size_t put_way(struct wtl_store *store, const char *node, const char *boot, double joules)
{
    struct wtl_job_record record;
    size_t added = 9;
    wtl_job_record_init(&record);
    (void)wtl_job_text_set(record.cluster, sizeof record.cluster, "way");
    (void)wtl_job_text_set(record.unit, sizeof record.unit, "7.0.0");
    (void)wtl_job_text_set(record.user, sizeof record.user, "u");
    (void)wtl_job_text_set(record.node, sizeof record.node, node);
    (void)wtl_job_text_set(record.boot_id, sizeof record.boot_id, boot);
    record.state = isnan(joules) ? WTL_JOB_UNKNOWN : WTL_JOB_ENDED;
    record.energy_j = record.charged_j = joules;
    record.nodes = 2;
    record.begin_ns = isnan(joules) ? 0 : MADE_START_NS;
    record.end_ns = MADE_START_NS + (isnan(joules) ? 2 * DAY : 1000000000);
    if (wtl_store_put(store, &record, 1, &added, &err) < 0)
        diag("%s", err.text);
    return added;
}

static void test_giving_way(struct wtl_store *store)
{
    is_int(put_way(store, "n1", "b", NAN), 1, "wattled of n1 did not answer");
    check_way(store, 0, 1, "unknown");
    is_int(put_way(store, "n2", "b", NAN), 1, "nor that of n2");
    check_way(store, 0, 2, "twice");
    is_int(put_way(store, "n1", "b", 5), 1, "n1 knows it later");
    check_way(store, 1, 2, "one node");
    is_int(put_way(store, "n1", "b", NAN), 0, "nothing is known again");
    is_int(put_way(store, "n1", "b2", NAN), 0, "nor by another boot of it");
    is_int(put_way(store, "n1", "b", 6), 0, "what is known stays");
    check_way(store, 1, 2, "still");
    is_int(put_way(store, "n2", "b0", 5), 1, "n2 knows it until its crash");
    check_way(store, 2, 2, "both");
}

static void test_open(void)
{
    struct wtl_store *store = NULL;
    is_int(wtl_store_open("mysql://x", WTL_STORE_READ, &store, &err), -EINVAL, "another engine");
    is_int(wtl_store_open("sqlite:/nowhere/x", WTL_STORE_READ, &store, &err), -ENOENT, "no file");
    is_int(wtl_store_open("sqlite:", WTL_STORE_READ, &store, &err), -EINVAL, "no name");
    is_int(wtl_store_open("sqlite:/etc/passwd", WTL_STORE_READ, &store, &err), -EIO,
           "no database: %s", err.text);
    int rc = wtl_store_open("postgresql://u@db.example.org/x?sslmode=disable", WTL_STORE_READ,
                            &store, &err);
    ok(rc == -EINVAL || rc == -ENOTSUP, "no TLS to another machine: %s", err.text);
    rc = wtl_store_open("postgresql://u@localhost,db.example.org/x?sslmode=prefer", WTL_STORE_READ,
                        &store, &err);
    ok(rc == -EINVAL || rc == -ENOTSUP, "nor to one of several");
    rc = wtl_store_open("postgresql://u@/x?hostaddr=192.0.2.1&sslmode=allow", WTL_STORE_READ,
                        &store, &err);
    ok(rc == -EINVAL || rc == -ENOTSUP, "nor by address");
}

static bool open_store(struct wtl_store **store)
{
    const char *given = getenv("WATTLE_TEST_DATABASE");
    if (!given && !mkdtemp(folder))
        abort();
    if (given)
        (void)snprintf(url, sizeof url, "%s", given);
    else
        (void)snprintf(url, sizeof url, "sqlite:%s/jobs.db", folder);
    int rc = wtl_store_open(url, given ? WTL_STORE_ADMIN : WTL_STORE_WRITE, store, &err);
    if (rc == 0 && given)
        rc = wtl_store_migrate(*store, NULL, &err);
    if (rc == -ENOTSUP) {
        printf("1..0 # SKIP %s\n", err.text);
        exit(77);
    }
    return ok(rc == 0, "a new database (%s)", rc ? err.text : "");
}

/* From version 3, which had no sums per node and user: they are made from the records, and go on from there. */
static void test_migration(struct wtl_store **store, const struct made_jobs *made)
{
    const struct wtl_database_engine *engine = (*store)->database->engine;
    if (engine != &wtl_database_sqlite)
        return;
    int rc = engine->script((*store)->database,
                            "DROP TABLE node_user_total; DROP TABLE job; DROP INDEX job_node_user; "
                            "UPDATE meta SET value = 3 WHERE name = 'version'",
                            &err);
    ok(rc == 0, "a database of an older version%s", rc ? err.text : "");
    wtl_store_close(*store);
    *store = NULL;
    is_int(wtl_store_open(url, WTL_STORE_WRITE, store, &err), 0, "is migrated");
    test_totals(*store, "migrated");
    test_node_users(*store, made);
    test_conditions(*store, made);
    is_int(put_all(*store, made), 0, "all records are there");
}

int main(void)
{
    struct wtl_store *store = NULL, *reader = NULL;
    struct made_jobs made = made_jobs(JOBS);
    size_t first = 0;
    if (!open_store(&store))
        return done_testing();
    for (size_t i = 0; i < made.count; i++)
        first += is_first(&made, i);
    join(&made);
    is_int(put_all(store, &made), first, "%zu records of %zu jobs", first, job_count);
    is_int(put_all(store, &made), 0, "again: all are there");
    test_totals(store, "put");
    test_jobs(store);
    test_conditions(store, &made);
    test_node_users(store, &made);
    test_records(store, &made);
    test_nodes(store, &made);
    test_migration(&store, &made);
    test_hostile(store);
    test_boots(store);
    test_totals(store, "hostile");
    is_int(wtl_store_open(url, WTL_STORE_READ, &reader, &err), 0, "a second connection");
    test_totals(reader, "reader");
    wtl_store_close(reader);
    test_forgetting(store);
    test_giving_way(store);
    test_senders(store);
    test_open();
    wtl_store_close(store);
    made_free(&made);
    if (!getenv("WATTLE_TEST_DATABASE")) {
        (void)unlink(url + 7);
        (void)rmdir(folder);
    }
    return done_testing();
}
