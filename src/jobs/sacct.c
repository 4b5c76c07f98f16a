/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of sacct: see sacct.h. Lines are foreign: each is cut into cells of bounded length, and all numbers are checked. */
#define _GNU_SOURCE
#include "jobs/sacct.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "jobs/job_time.h"
#include "jobs/sacct_cells.h"

enum { LINE_MAX_BYTES = 65536, COLUMNS_MAX = 256 };

/* Of a node: for moments, in which a reading counts for a longer time, and for a minute and longer. The densest nodes have 16
 * accelerators of about 1 kW; the smallest computers that run Slurm draw 2 W. */
static const double WATTS_AT_ONCE = 1e5, WATTS_LONG = 18e3, WATTS_LEAST = 2, LONG_S = 60;

enum column {
    JOB_ID,
    RAW_ID,
    SLUID,
    RESTARTS,
    CLUSTER,
    USER,
    UID,
    ACCOUNT,
    PARTITION,
    SUBMIT,
    START,
    END,
    ELAPSED,
    STATE,
    EXIT_CODE,
    NODES,
    CPUS,
    NODE_LIST,
    ENERGY,
    ENERGY_UNIT,
    CPU_TIME,
    RSS,
    RSS_TASK,
    NAME,
    COLUMNS
};

static const char *const names[COLUMNS] = {"JobID",
                                           "JobIDRaw",
                                           "SLUID",
                                           "Restarts",
                                           "Cluster",
                                           "User",
                                           "UID",
                                           "Account",
                                           "Partition",
                                           "Submit",
                                           "Start",
                                           "End",
                                           "ElapsedRaw",
                                           "State",
                                           "ExitCode",
                                           "NNodes",
                                           "AllocCPUS",
                                           "NodeList",
                                           "ConsumedEnergyRaw",
                                           "ConsumedEnergy",
                                           "TotalCPU",
                                           "MaxRSS",
                                           "MaxRSSTask",
                                           "JobName"};
static const bool needed[COLUMNS] =
    {[JOB_ID] = true, [SUBMIT] = true, [START] = true, [END] = true, [STATE] = true};

struct step {
    double energy_j, half_j;     /* of the largest */
    double sum_j, sum_elapsed_s; /* of all with an energy */
    int64_t first_ns, last_ns;
    double extern_j, extern_half_j; /* NaN = none */
    size_t known;
    bool extern_known;
};

struct wtl_sacct {
    wtl_sacct_take_fn *take;
    void *arg;
    char line[LINE_MAX_BYTES];
    char *cells[COLUMNS];
    int at[COLUMNS]; /* index of each column; -1 = not there */
    size_t columns, number;
    bool has_job;
    struct wtl_sacct_job job; /* being read: its row, and its steps so far */
    struct wtl_job_record record;
    char id[128], energy[64], node_list[LINE_MAX_BYTES];
    const enum wtl_sacct_doubt *others;
    size_t other_count;
    size_t emitted; /* jobs */
    double energy_j, half_j;
    enum wtl_sacct_doubt energy_doubt;
    bool node_fail;
    double node_count;
    struct step steps;
};

const char *wtl_sacct_doubt_text(enum wtl_sacct_doubt doubt)
{
    static const char *const texts[WTL_SACCT_DOUBTS] = {
        [WTL_SACCT_BELIEVED] = "believed",
        [WTL_SACCT_ROW] = "the row does not have the columns of the first line",
        [WTL_SACCT_ID] = "its id is cut off or missing",
        [WTL_SACCT_STATE] = "it has not ended",
        [WTL_SACCT_NOT_RUN] = "it never began",
        [WTL_SACCT_TIMES] = "its times are unknown or contradict each other",
        [WTL_SACCT_ORPHAN] = "a step without its job",
        [WTL_SACCT_EMPTY] = "no energy: no sensor, or no energy plugin",
        [WTL_SACCT_ZERO] = "0 J, which is what Slurm writes without a sensor",
        [WTL_SACCT_NO_VALUE] = "Slurm's number for no value",
        [WTL_SACCT_NOT_A_NUMBER] = "its energy is not a number",
        [WTL_SACCT_OVERFLOW] = "more than 100 kW per node: a counter overflowed",
        [WTL_SACCT_TOO_MUCH] =
            "more than 18 kW per node for a minute or longer: no node draws that",
        [WTL_SACCT_TOO_LITTLE] =
            "less than 2 W per node for a minute or longer: its sensor stood still",
        [WTL_SACCT_SHARED] =
            "other jobs shared its nodes, and Slurm charges each with all that the nodes used",
        [WTL_SACCT_TWICE] = "the sum of steps that ran at the same time, which counts energy twice",
        [WTL_SACCT_LESS_THAN_STEP] = "less than one of its steps",
        [WTL_SACCT_LARGEST_STEP] = "only steps have an energy: at least that of the largest",
        [WTL_SACCT_NODE_FAIL] = "a node failed: at least this",
        [WTL_SACCT_EXTERN] = "its own energy is empty: that of its step extern",
        [WTL_SACCT_UNUSUAL] =
            "ten times more or less per node than other jobs of its partition; recorded as it is",
    };
    return doubt < WTL_SACCT_DOUBTS ? texts[doubt] : "";
}

const char *wtl_sacct_columns(bool sluid)
{
    return sluid ? "JobID,JobIDRaw,SLUID,Restarts,Cluster,User,UID,Account,Partition,Submit,Start,"
                   "End,ElapsedRaw,State,"
                   "ExitCode,NNodes,AllocCPUS,NodeList,ConsumedEnergyRaw,TotalCPU,MaxRSS,"
                   "MaxRSSTask,JobName"
                 : "JobID,JobIDRaw,Cluster,User,UID,Account,Partition,Submit,Start,End,ElapsedRaw,"
                   "State,"
                   "ExitCode,NNodes,AllocCPUS,NodeList,ConsumedEnergyRaw,TotalCPU,MaxRSS,"
                   "MaxRSSTask,JobName";
}

bool wtl_sacct_is_final(const char *state)
{
    static const char *const words[] = {"COMPLETED", "FAILED",    "CANCELLED", "TIMEOUT",
                                        "NODE_FAIL", "PREEMPTED", "REQUEUED",  "OUT_OF_MEMORY",
                                        "DEADLINE",  "BOOT_FAIL", "REVOKED"};
    size_t n = strcspn(state, " +");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && strncmp(state, words[i], n) == 0)
            return true;
    return false;
}

int wtl_sacct_create(wtl_sacct_take_fn *take, void *arg, struct wtl_sacct **ret_sacct)
{
    struct wtl_sacct *sacct = calloc(1, sizeof *sacct);
    if (!sacct)
        return -ENOMEM;
    sacct->take = take;
    sacct->arg = arg;
    *ret_sacct = sacct;
    return 0;
}

void wtl_sacct_use(struct wtl_sacct *sacct, const enum wtl_sacct_doubt *others, size_t count)
{
    sacct->others = others;
    sacct->other_count = count;
}

void wtl_sacct_destroy(struct wtl_sacct *sacct)
{
    if (sacct && sacct->has_job)
        wtl_job_record_fini(&sacct->record);
    free(sacct);
}

/* ---- cells ---- */

static int read_header(struct wtl_sacct *sacct, char *line, struct wattle_error *err)
{
    int index = 0;
    for (int i = 0; i < COLUMNS; i++)
        sacct->at[i] = -1;
    for (char *name; (name = strsep(&line, "|")) != NULL; index++) {
        if (!name[0] && !line)
            break; /* --parsable ends each line with "|" */
        for (int i = 0; i < COLUMNS; i++)
            if (strcasecmp(name, names[i]) == 0)
                sacct->at[i] = index;
    }
    for (int i = 0; i < COLUMNS; i++)
        if (needed[i] && sacct->at[i] < 0)
            return wtl_fail(
                err, -EBADMSG,
                "not the output of \"sacct --parsable2\": its first line has no column %s; use "
                "--format=%s",
                names[i], wtl_sacct_columns(false));
    if (sacct->at[ENERGY] < 0 && sacct->at[ENERGY_UNIT] < 0)
        return wtl_fail(err, -EBADMSG,
                        "sacct's output has no column ConsumedEnergyRaw; use --format=%s",
                        wtl_sacct_columns(false));
    if (index > COLUMNS_MAX)
        return wtl_fail(err, -EBADMSG, "sacct's output has more than %d columns", COLUMNS_MAX);
    sacct->columns = (size_t)index;
    return 0;
}

/* Cut a line into the columns; what follows the last separator belongs to the last column, which can be a name. */
static bool cut(struct wtl_sacct *sacct, char *line)
{
    static char empty[1] = "";
    char *cells[COLUMNS_MAX];
    size_t n = 0;
    bool name_is_last = sacct->at[NAME] == (int)sacct->columns - 1;
    for (; n < sacct->columns && line; n++)
        cells[n] = n + 1 == sacct->columns && name_is_last ? line : strsep(&line, "|");
    if (n > 0 && n == sacct->columns && name_is_last)
        line = NULL;
    for (int i = 0; i < COLUMNS; i++)
        sacct->cells[i] =
            sacct->at[i] >= 0 && (size_t)sacct->at[i] < n ? cells[sacct->at[i]] : empty;
    return n == sacct->columns && (!line || !line[0]);
}

enum wtl_sacct_doubt wtl_sacct_energy(const char *text, double *ret_j, double *ret_half_j)
{
    static const double absurd = 1e18;
    char number[32];
    double factor = 1, value;
    size_t n = strlen(text);
    *ret_j = *ret_half_j = (double)NAN;
    if (n == 0)
        return WTL_SACCT_EMPTY;
    if (n >= sizeof number)
        return WTL_SACCT_NOT_A_NUMBER;
    memcpy(number, text, n + 1);
    if (strspn(number, "0123456789") == n && n >= 20 &&
        strncmp(number, "184467440737095516", 18) == 0)
        return WTL_SACCT_NO_VALUE; /* NO_VAL64, INFINITE64, or one of them and a few joules */
    if (strcmp(number, "4294967294") == 0 || strcmp(number, "4294967295") == 0)
        return WTL_SACCT_NO_VALUE; /* NO_VAL, INFINITE: as joules of a day on one node they would pass */
    const char *units = "KMGTP", *unit = strchr(units, number[n - 1]);
    if (unit && number[n - 1]) {
        factor = pow(1000, (double)(unit - units + 1));
        number[--n] = '\0';
    }
    if (!isdigit((unsigned char)number[0]) || wtl_parse_double(number, &value) < 0)
        return WTL_SACCT_NOT_A_NUMBER;
    const char *point = strchr(number, '.');
    *ret_j = value * factor;
    *ret_half_j = 0.5 * factor * pow(10, point ? -(double)strlen(point + 1) : 0);
    if (*ret_j > absurd)
        return WTL_SACCT_OVERFLOW;
    return *ret_j > 0 ? WTL_SACCT_BELIEVED : WTL_SACCT_ZERO;
}

/* ---- one job ---- */

static const char *energy_of(const struct wtl_sacct *sacct)
{
    return sacct->cells[ENERGY][0] ? sacct->cells[ENERGY] : sacct->cells[ENERGY_UNIT];
}

static bool is_absurd(double j, double elapsed_s, double nodes)
{
    return j > WATTS_AT_ONCE * fmax(elapsed_s, 1) * fmax(nodes, 1);
}

/* Is this energy of its nodes possible over that time? */
static enum wtl_sacct_doubt judge_power(const struct wtl_sacct *sacct,
                                        double j,
                                        double half_j,
                                        double elapsed_s)
{
    const double node_s = elapsed_s * fmax(sacct->node_count, 1);
    if (elapsed_s < LONG_S)
        return WTL_SACCT_BELIEVED;
    return j - half_j > WATTS_LONG * node_s    ? WTL_SACCT_TOO_MUCH
           : j + half_j < WATTS_LEAST * node_s ? WTL_SACCT_TOO_LITTLE
                                               : WTL_SACCT_BELIEVED;
}

/* Its own row has no energy: what its steps say. */
static enum wtl_sacct_doubt judge_steps(const struct wtl_sacct *sacct, double elapsed_s)
{
    const struct step *steps = &sacct->steps;
    if (!steps->extern_known)
        return steps->known > 0 ? WTL_SACCT_LARGEST_STEP : sacct->energy_doubt;
    enum wtl_sacct_doubt power =
        judge_power(sacct, steps->extern_j, steps->extern_half_j, elapsed_s);
    return power != WTL_SACCT_BELIEVED ? power : WTL_SACCT_EXTERN;
}

/* What its own row says of its energy, compared with its steps. */
static enum wtl_sacct_doubt doubt_of_energy(const struct wtl_sacct *sacct)
{
    const struct step *steps = &sacct->steps;
    enum wtl_sacct_doubt doubt = sacct->energy_doubt;
    const double elapsed_s = 1e-9 * (double)sacct->record.elapsed_ns;
    if (doubt == WTL_SACCT_BELIEVED && is_absurd(sacct->energy_j, elapsed_s, sacct->node_count))
        return WTL_SACCT_OVERFLOW;
    if (doubt == WTL_SACCT_EMPTY || doubt == WTL_SACCT_ZERO)
        return judge_steps(sacct, elapsed_s);
    if (doubt != WTL_SACCT_BELIEVED)
        return doubt;
    const double tolerance = 1 + sacct->half_j + steps->half_j;
    if (steps->known > 0 && sacct->energy_j + tolerance < steps->energy_j)
        return WTL_SACCT_LESS_THAN_STEP;
    const double span_s = 1e-9 * (double)(steps->last_ns - steps->first_ns);
    if (steps->known > 1 && !steps->extern_known &&
        fabs(sacct->energy_j - steps->sum_j) <= tolerance + (double)steps->known &&
        steps->sum_elapsed_s > span_s + 2 * (double)steps->known)
        return WTL_SACCT_TWICE;
    enum wtl_sacct_doubt power = judge_power(sacct, sacct->energy_j, sacct->half_j, elapsed_s);
    if (power != WTL_SACCT_BELIEVED)
        return power;
    return sacct->node_fail ? WTL_SACCT_NODE_FAIL : WTL_SACCT_BELIEVED;
}

static void set_energy(struct wtl_job_record *record, double j, double half_j)
{
    record->energy_j = record->charged_j = j;
    record->resolution_j = half_j;
}

/* What the others say, unless its own row says that it has no energy. */
static enum wtl_sacct_doubt judge_with_others(struct wtl_sacct *sacct, enum wtl_sacct_doubt doubt)
{
    enum wtl_sacct_doubt other = WTL_SACCT_BELIEVED;
    if (sacct->emitted < sacct->other_count)
        other = sacct->others[sacct->emitted];
    sacct->emitted++;
    bool has_energy = !wtl_sacct_drops_job(doubt) && !wtl_sacct_drops_energy(doubt);
    if (other == WTL_SACCT_SHARED)
        return has_energy ? other : doubt;
    return doubt == WTL_SACCT_BELIEVED ? other : doubt;
}

static int emit(struct wtl_sacct *sacct)
{
    struct wtl_job_record *record = &sacct->record;
    if (!sacct->has_job)
        return 0;
    enum wtl_sacct_doubt doubt = sacct->job.doubt;
    if (doubt == WTL_SACCT_BELIEVED)
        doubt = doubt_of_energy(sacct);
    doubt = judge_with_others(sacct, doubt);
    sacct->job.doubt = doubt;
    bool drops = wtl_sacct_drops_job(doubt);
    sacct->job.record = drops ? NULL : record;
    sacct->job.row = record;
    sacct->job.node_list = sacct->node_list;
    if (doubt == WTL_SACCT_EXTERN)
        set_energy(record, sacct->steps.extern_j, sacct->steps.extern_half_j);
    else if (doubt == WTL_SACCT_LARGEST_STEP)
        set_energy(record, sacct->steps.energy_j, sacct->steps.half_j);
    else if (!drops && !wtl_sacct_drops_energy(doubt))
        set_energy(record, sacct->energy_j, sacct->half_j);
    record->lower_bound = doubt == WTL_SACCT_LARGEST_STEP || doubt == WTL_SACCT_NODE_FAIL ||
                          (doubt == WTL_SACCT_EXTERN && sacct->node_fail);
    if (doubt != WTL_SACCT_BELIEVED)
        (void)wtl_job_text_set(record->problem, sizeof record->problem,
                               wtl_sacct_doubt_text(doubt));
    int rc = sacct->take(sacct->arg, &sacct->job);
    wtl_job_record_fini(record);
    sacct->has_job = false;
    return rc;
}

/* ---- rows ---- */

/* A time; 0 for "Unknown", "None" and what is none. */
static int64_t time_of(const struct wtl_sacct *sacct, enum column column)
{
    int64_t ns;
    return wtl_job_time_parse(sacct->cells[column], &ns) == 0 ? ns : 0;
}

static int64_t whole_of(const struct wtl_sacct *sacct, enum column column, int64_t unknown)
{
    uint64_t value;
    return wtl_parse_u64(sacct->cells[column], &value) == 0 && value < UINT64_C(1) << 53
               ? (int64_t)value
               : unknown;
}

static void set(const struct wtl_sacct *sacct, enum column column, char *field, size_t size)
{
    (void)wtl_job_text_set(field, size, sacct->cells[column]);
}

/* "5_2", "8+1", "12"; not "12345+" of a narrow column, nor "5_[1-3]" of tasks that have not begun. */
static bool is_id(const char *id)
{
    size_t n = strlen(id);
    return n > 0 && n < 64 && isdigit((unsigned char)id[0]) && isdigit((unsigned char)id[n - 1]) &&
           strspn(id, "0123456789_+") == n;
}

/* "n1"; of several nodes the list, or its first part and their number. */
static void set_node(struct wtl_sacct *sacct)
{
    struct wtl_job_record *record = &sacct->record;
    const char *list = sacct->cells[NODE_LIST];
    char brief[sizeof record->node];
    const int64_t count = whole_of(sacct, NODES, 0);
    (void)snprintf(brief, sizeof brief, "%.200s...(%lld nodes)", list, (long long)count);
    bool none = !list[0] || strcmp(list, "None assigned") == 0;
    (void)snprintf(sacct->node_list, sizeof sacct->node_list, "%s", none ? "" : list);
    record->nodes = count;
    record->record_nodes = count > 1 ? count : 0;
    (void)wtl_job_text_set(record->node, sizeof record->node,
                           none                                 ? "unknown"
                           : strlen(list) < sizeof record->node ? list
                                                                : brief);
}

static void set_unit(struct wtl_sacct *sacct)
{
    struct wtl_job_record *record = &sacct->record;
    const char *raw = sacct->cells[RAW_ID][0] ? sacct->cells[RAW_ID] : sacct->cells[JOB_ID];
    if (sacct->cells[SLUID][0])
        set(sacct, SLUID, record->unit, sizeof record->unit);
    else
        (void)snprintf(record->unit, sizeof record->unit, "%.64s.%lld.%lld", raw,
                       (long long)(record->submit_ns / 1000000000),
                       (long long)whole_of(sacct, RESTARTS, 0));
}

static void set_exit(struct wtl_sacct *sacct)
{
    char *colon = strchr(sacct->cells[EXIT_CODE], ':');
    uint64_t status, number;
    if (!colon)
        return;
    *colon = '\0';
    if (wtl_parse_u64(sacct->cells[EXIT_CODE], &status) == 0 &&
        wtl_parse_u64(colon + 1, &number) == 0 && status < 65536 && number < 65536) {
        sacct->record.exit_status = (int64_t)status;
        sacct->record.exit_signal = (int64_t)number;
    }
}

static void set_identity(struct wtl_sacct *sacct)
{
    struct wtl_job_record *record = &sacct->record;
    record->kind = WTL_JOB_SLURM;
    record->raw_job_id = (uint64_t)whole_of(sacct, RAW_ID, 0);
    record->uid = whole_of(sacct, UID, -1);
    set(sacct, JOB_ID, record->job_id, sizeof record->job_id);
    set(sacct, CLUSTER, record->cluster, sizeof record->cluster);
    set(sacct, USER, record->user, sizeof record->user);
    set(sacct, ACCOUNT, record->account, sizeof record->account);
    set(sacct, PARTITION, record->partition, sizeof record->partition);
    set(sacct, NAME, record->name, sizeof record->name);
    (void)wtl_job_text_set(record->version, sizeof record->version, "sacct");
    set_node(sacct);
}

/* The row of a job: why it is left out, or nothing. */
static enum wtl_sacct_doubt read_job(struct wtl_sacct *sacct)
{
    struct wtl_job_record *record = &sacct->record;
    record->submit_ns = time_of(sacct, SUBMIT);
    record->begin_ns = time_of(sacct, START);
    record->end_ns = time_of(sacct, END);
    record->elapsed_ns = whole_of(sacct, ELAPSED, -1);
    set_identity(sacct);
    set_unit(sacct);
    set_exit(sacct);
    (void)snprintf(record->slurm_state, sizeof record->slurm_state, "%.*s",
                   (int)strcspn(sacct->cells[STATE], " +"), sacct->cells[STATE]);
    record->state = strncmp(sacct->cells[STATE], "NODE_FAIL", 9) == 0 ? WTL_JOB_CUT : WTL_JOB_ENDED;
    record->cpus = whole_of(sacct, CPUS, 0);
    record->cpu_s = wtl_sacct_cpu_time(sacct->cells[CPU_TIME]);
    record->max_rss_bytes = wtl_sacct_bytes(sacct->cells[RSS]);
    record->max_rss_task = record->max_rss_bytes < 0 ? -1 : whole_of(sacct, RSS_TASK, -1);
    if (!is_id(sacct->cells[JOB_ID]))
        return strchr(sacct->cells[JOB_ID], '[') ? WTL_SACCT_STATE : WTL_SACCT_ID;
    if (!wtl_sacct_is_final(sacct->cells[STATE]))
        return WTL_SACCT_STATE;
    if (record->begin_ns == 0)
        return WTL_SACCT_NOT_RUN;
    if (record->end_ns < record->begin_ns)
        return WTL_SACCT_TIMES;
    if (record->elapsed_ns < 0 || record->elapsed_ns > INT64_MAX / 1000000000)
        record->elapsed_ns = record->end_ns - record->begin_ns;
    else
        record->elapsed_ns *= 1000000000;
    return record->elapsed_ns == 0 && !energy_of(sacct)[0] && strcmp(record->node, "unknown") == 0
               ? WTL_SACCT_NOT_RUN
               : WTL_SACCT_BELIEVED;
}

static void start_job(struct wtl_sacct *sacct, bool whole)
{
    wtl_job_record_init(&sacct->record);
    (void)wtl_job_text_set(sacct->id, sizeof sacct->id, sacct->cells[JOB_ID]);
    (void)wtl_job_text_set(sacct->energy, sizeof sacct->energy, energy_of(sacct));
    sacct->steps = (struct step){.energy_j = (double)NAN, .half_j = 0, .extern_j = (double)NAN};
    sacct->job =
        (struct wtl_sacct_job){.line = sacct->number, .id = sacct->id, .energy = sacct->energy};
    sacct->job.doubt = whole ? read_job(sacct) : WTL_SACCT_ROW;
    sacct->energy_doubt = wtl_sacct_energy(energy_of(sacct), &sacct->energy_j, &sacct->half_j);
    sacct->node_fail = sacct->record.state == WTL_JOB_CUT;
    sacct->node_count = (double)whole_of(sacct, NODES, 1);
    sacct->has_job = true;
}

/* The energy of a step, for the comparison with its job. */
static void read_step(struct wtl_sacct *sacct, const char *step)
{
    struct step *steps = &sacct->steps;
    double j, half_j;
    const int64_t begin_ns = time_of(sacct, START), end_ns = time_of(sacct, END);
    const double elapsed_s = (double)whole_of(sacct, ELAPSED, 0);
    int64_t rss = wtl_sacct_bytes(sacct->cells[RSS]);
    if (rss > sacct->record.max_rss_bytes) { /* sacct has it for steps only */
        sacct->record.max_rss_bytes = rss;
        sacct->record.max_rss_task = whole_of(sacct, RSS_TASK, -1);
    }
    if (wtl_sacct_energy(energy_of(sacct), &j, &half_j) != WTL_SACCT_BELIEVED ||
        is_absurd(j, elapsed_s, (double)whole_of(sacct, NODES, 1)))
        return;
    if (strcmp(step, "extern") == 0) {
        steps->extern_known = true;
        steps->extern_j = j;
        steps->extern_half_j = half_j;
        return;
    }
    if (steps->known == 0 || j > steps->energy_j) {
        steps->energy_j = j;
        steps->half_j = half_j;
    }
    steps->first_ns = steps->known == 0 || begin_ns < steps->first_ns ? begin_ns : steps->first_ns;
    steps->last_ns = end_ns > steps->last_ns ? end_ns : steps->last_ns;
    steps->sum_j += j;
    steps->sum_elapsed_s += elapsed_s;
    steps->known++;
}

/* "12.batch" of job 12: its step, or NULL. */
static const char *step_of(const struct wtl_sacct *sacct, const char *id)
{
    const char *point = strchr(id, '.');
    if (!point)
        return NULL;
    size_t n = (size_t)(point - id);
    return sacct->has_job && strlen(sacct->id) == n && strncmp(sacct->id, id, n) == 0 ? point + 1
                                                                                      : NULL;
}

int wtl_sacct_line(struct wtl_sacct *sacct, const char *line, size_t n, struct wattle_error *err)
{
    sacct->number++;
    bool fits = n < sizeof sacct->line && !memchr(line, '\0', n);
    if (fits) {
        memcpy(sacct->line, line, n);
        n -= n > 0 && line[n - 1] == '\r';
        sacct->line[n] = '\0';
    } else {
        sacct->line[0] = '\0';
    }
    if (sacct->columns == 0)
        return read_header(sacct, sacct->line, err);
    if (fits && n == 0)
        return 0;
    bool whole = cut(sacct, sacct->line) && fits;
    const char *id = sacct->cells[JOB_ID], *step = whole ? step_of(sacct, id) : NULL;
    if (step) {
        read_step(sacct, step);
        return 0;
    }
    int rc = emit(sacct);
    if (rc != 0)
        return rc;
    bool orphan = whole && strchr(id, '.');
    start_job(sacct, whole);
    if (orphan)
        sacct->job.doubt = WTL_SACCT_ORPHAN;
    return 0;
}

int wtl_sacct_end(struct wtl_sacct *sacct, struct wattle_error *err)
{
    if (sacct->columns == 0)
        return wtl_fail(err, -EBADMSG,
                        "sacct's output is empty: even the line of its columns is missing");
    return emit(sacct);
}
