/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/result/mpi.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/regions/rank_devices.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/result/run_nouns.h"
#include "report/table.h"

enum { CELL = 64, ROWS = 16, FEW_GPUS = 2 };

static const char *print_percent(char *buf, size_t n, double share)
{
    if (isnan(share))
        (void)snprintf(buf, n, "unknown");
    else
        (void)snprintf(buf, n, "%.1f %%", share * 100);
    return buf;
}

static void print_shares(FILE *out, const struct wtl_style *style, const struct wtl_mpi_time *mpi)
{
    const struct wtl_mpi_rank *least = mpi->rows, *most = mpi->rows;
    char text[256], of[32] = "", range[100] = "", mean[24];
    for (size_t i = 1; i < mpi->count; i++) { /* an unknown one is neither */
        least = mpi->rows[i].share < least->share || isnan(least->share) ? &mpi->rows[i] : least;
        most = mpi->rows[i].share > most->share || isnan(most->share) ? &mpi->rows[i] : most;
    }
    if (mpi->ranks > mpi->count)
        (void)snprintf(of, sizeof of, " of %u", mpi->ranks);
    if (mpi->count > 1 && !isnan(least->share))
        (void)snprintf(range, sizeof range, ", from %.1f %% (rank %u) to %.1f %% (rank %u)",
                       least->share * 100, least->rank, most->share * 100, most->rank);
    (void)snprintf(text, sizeof text, "%zu rank%s%s: inside MPI %s of the time%s", mpi->count,
                   mpi->count == 1 ? "" : "s", of,
                   print_percent(mean, sizeof mean, mpi->mean_share), range);
    wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "MPI", text);
}

static void print_energy(FILE *out, const struct wtl_style *style, const struct wtl_mpi_time *mpi)
{
    char text[256], energy[CELL], time[CELL];
    if (isnan(mpi->energy.j) || isnan(mpi->union_s))
        return;
    (void)snprintf(text, sizeof text,
                   "%s J of the node in the %s in which any rank was in a long call (region MPI)",
                   wtl_digits_energy(energy, sizeof energy, &mpi->energy),
                   wtl_digits_time(time, sizeof time, mpi->union_s));
    wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "", text);
}

/* "gpu-0, gpu-1", or how many. */
static void print_gpus(char *buf,
                       size_t n,
                       const struct wtl_result *result,
                       const struct wtl_mpi_rank *row)
{
    const struct wtl_result_channel *gpus[WTL_RANK_GPUS];
    size_t count = wtl_rank_gpus(result, gpus), seen = 0, used = 0;
    (void)snprintf(buf, n, "%s", row->gpus_known ? "none" : "unknown");
    for (size_t i = 0; i < count; i++)
        seen += row->gpus >> i & 1;
    if (seen > FEW_GPUS)
        (void)snprintf(buf, n, seen == count ? "all %zu" : "%zu GPUs", seen);
    for (size_t i = 0; i < count && seen <= FEW_GPUS; i++) {
        if (!(row->gpus >> i & 1))
            continue;
        const char *name = gpus[i]->channel.name, *colon = strchr(name, ':');
        used += (size_t)snprintf(buf + used, n - used, "%s%.15s", used ? ", " : "",
                                 colon ? colon + 1 : name);
    }
}

static int print_rows(FILE *out,
                      const struct wtl_style *style,
                      const struct wtl_result *result,
                      const struct wtl_mpi_time *mpi)
{
    static const struct wtl_column columns[] = {
        {"rank", true},          {"MPI calls", true}, {"in MPI", true},        {"share", true},
        {"estimated [J]", true}, {"GPUs", false},     {"GPU energy [J]", true}};
    const struct wtl_result_channel *all[WTL_RANK_GPUS];
    bool has_gpus = wtl_rank_gpus(result, all) > 0;
    struct wtl_table *table = wtl_table_create(columns, has_gpus ? 7 : 5);
    (void)fputc('\n', out);
    for (size_t i = 0; i < mpi->count; i++) {
        const struct wtl_mpi_rank *row = &mpi->rows[i];
        char rank[16], calls[24], time[CELL], share[24], energy[CELL] = "unknown";
        char gpus[CELL], gpu_energy[CELL];
        print_gpus(gpus, sizeof gpus, result, row);
        (void)snprintf(rank, sizeof rank, "%u", row->rank);
        (void)snprintf(calls, sizeof calls, "%llu", (unsigned long long)row->calls);
        (void)print_percent(share, sizeof share, row->share);
        if (!isnan(row->energy_j))
            (void)wtl_digits_estimate(energy, sizeof energy, row->energy_j, NAN, NAN);
        const char *cells[] = {rank,
                               calls,
                               wtl_digits_time(time, sizeof time, row->time_s),
                               share,
                               energy,
                               gpus,
                               wtl_digits_energy(gpu_energy, sizeof gpu_energy, &row->gpu_energy)};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    (void)fputc('\n', out);
    wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "estimated",
                        "mean power of the node divided equally among its ranks, times the MPI "
                        "time of the rank; sensors cannot distinguish ranks");
    if (has_gpus)
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "GPU energy",
                            "of the GPUs that the environment shows the rank, in the whole window; "
                            "a GPU of several ranks is divided equally among them, and the range "
                            "is from none to all of it");
    return rc;
}

int wtl_text_mpi(FILE *out,
                 const struct wtl_style *style,
                 const struct wtl_result *result,
                 const struct wtl_mpi_time *mpi,
                 bool all)
{
    int rc = 0;
    if (mpi->count == 0)
        return 0;
    print_shares(out, style, mpi);
    print_energy(out, style, mpi);
    if (all || mpi->count <= ROWS)
        rc = print_rows(out, style, result, mpi);
    (void)fputc('\n', out);
    return rc;
}

/* ---- as nouns ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
struct rank_of_run {
    struct wtl_mpi_rank row;
    const struct wtl_result *result;
    bool simulated;
};

static bool next_gpu(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct rank_of_run *rank = of;
    const struct wtl_result_channel *gpus[WTL_RANK_GPUS];
    size_t count = wtl_rank_gpus(rank->result, gpus);
    for (; *cursor < count; (*cursor)++) {
        if (!(rank->row.gpus >> *cursor & 1))
            continue;
        ret->text = gpus[(*cursor)++]->channel.name;
        return true;
    }
    return false;
}

WTL_MEMBER_GET(rank_quality)
{
    wtl_value_quality(ret, true, WATTLE_ESTIMATED, ((const struct rank_of_run *)of)->simulated);
}

WTL_MEMBER_GET(gpu_quality)
{
    const struct wtl_energy *energy = &((const struct rank_of_run *)of)->row.gpu_energy;
    wtl_value_quality(ret, !isnan(energy->j), energy->quality, energy->simulated);
}

static const struct wtl_member of_rank_gpu[] = {
    {"names", WTL_MEMBER_LIST, .next = next_gpu,
     .meaning = "GPUs of the total; empty: none, or not known"},
    {"", WTL_PART_AT(struct rank_of_run, row.gpu_energy, wtl_noun_energy)},
    {"", WTL_MEMBER_PART, .get = gpu_quality, .of = &wtl_noun_quality},
    {.key = NULL}};
static const struct wtl_noun rank_gpu = {"GPUs of a rank", of_rank_gpu};

static const struct wtl_member of_rank[] = {
    {"rank", WTL_UNSIGNED_AT(struct rank_of_run, row.rank), .meaning = "rank in MPI_COMM_WORLD"},
    {"calls", WTL_COUNT_AT(struct rank_of_run, row.calls), .meaning = "MPI calls"},
    {"time_s", WTL_NUMBER_AT(struct rank_of_run, row.time_s),
     .meaning = "time in which any thread of the rank was inside an MPI call"},
    {"share", WTL_NUMBER_OR_NULL(struct rank_of_run, row.share),
     .meaning = "`time_s` / `wall_time_s`; may exceed 1 in older traces, which summed the times of "
                "threads"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct rank_of_run, row.energy_j),
     .meaning = "mean power of the node divided equally among its ranks, times `time_s`; "
                "estimated, since sensors cannot distinguish ranks"},
    {"", WTL_MEMBER_PART, .get = rank_quality, .of = &wtl_noun_quality},
    {"gpu", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &rank_gpu,
     .meaning = "the GPUs that its environment shows it (CUDA_VISIBLE_DEVICES and the like)"},
    {.key = NULL}};
static const struct wtl_noun rank = {"MPI rank", of_rank};

/* 0: not known. */
WTL_MEMBER_GET(ranks)
{
    wtl_get_unsigned(member, of, ret);
    ret->known = ret->count > 0;
}

static const struct wtl_member of_mpi_time[] = {
    {"ranks", WTL_MEMBER_INTEGER, .nullable = true, .get = ranks,
     .offset = offsetof(struct wtl_mpi_time, ranks),
     .meaning = "size of MPI_COMM_WORLD, on all nodes"},
    {"mean_share", WTL_NUMBER_OR_NULL(struct wtl_mpi_time, mean_share),
     .meaning = "mean `share` of the ranks of this node"},
    {"union_s", WTL_NUMBER_OR_NULL(struct wtl_mpi_time, union_s),
     .meaning = "time in which any rank was in a call long enough to be recorded as region "
                "\"MPI\"; null: no such region"},
    {"inclusive", WTL_OBJECT_AT(struct wtl_mpi_time, energy, wtl_noun_region_energy),
     .meaning = "energy of the node during `union_s`, as for regions"},
    {.key = NULL}};
static const struct wtl_noun mpi_time = {"mpi time", of_mpi_time};

static bool next_rank(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run_content *content = of;
    if (*cursor >= content->mpi->count)
        return false;
    const struct rank_of_run row = {content->mpi->rows[(*cursor)++], content->result,
                                    wtl_result_is_simulated(content->result)};
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

static const struct wtl_member of_mpi[] = {{"", WTL_PART_OF(struct wtl_run_content, mpi, mpi_time)},
                                           {"by_rank", WTL_MEMBER_LIST, .next = next_rank,
                                            .of = &rank,
                                            .meaning = "ranks of this node, by number"},
                                           {.key = NULL}};
const struct wtl_noun wtl_noun_mpi = {"mpi", of_mpi};
/* NOLINTEND(bugprone-macro-parentheses) */
