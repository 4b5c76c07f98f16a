/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/mpi.h"

#include <errno.h>
#include <math.h>

#include "report/digits.h"
#include "report/json_value.h"
#include "report/regions.h"
#include "report/table.h"

enum { CELL = 64, ROWS = 16 };

static const char *print_percent(char *buf, size_t n, double share)
{
    if (isnan(share))
        (void)snprintf(buf, n, "unknown");
    else
        (void)snprintf(buf, n, "%.1f %%", share * 100);
    return buf;
}

static void print_shares(FILE *out, const struct wtl_mpi_time *mpi)
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
    wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "MPI", text);
}

static void print_energy(FILE *out, const struct wtl_mpi_time *mpi)
{
    char text[256], energy[CELL], time[CELL];
    if (isnan(mpi->energy.j) || isnan(mpi->union_s))
        return;
    (void)snprintf(text, sizeof text,
                   "%s J of the node in the %s in which any rank was in a long call (region MPI)",
                   wtl_digits_energy(energy, sizeof energy, &mpi->energy),
                   wtl_digits_time(time, sizeof time, mpi->union_s));
    wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "", text);
}

static int print_rows(FILE *out, const struct wtl_style *style, const struct wtl_mpi_time *mpi)
{
    static const struct wtl_column columns[] = {{"rank", true},
                                                {"MPI calls", true},
                                                {"in MPI", true},
                                                {"share", true},
                                                {"estimated [J]", true}};
    struct wtl_table *table = wtl_table_create(columns, 5);
    (void)fputc('\n', out);
    for (size_t i = 0; i < mpi->count; i++) {
        const struct wtl_mpi_rank *row = &mpi->rows[i];
        char rank[16], calls[24], time[CELL], share[24], energy[CELL] = "unknown";
        (void)snprintf(rank, sizeof rank, "%u", row->rank);
        (void)snprintf(calls, sizeof calls, "%llu", (unsigned long long)row->calls);
        (void)print_percent(share, sizeof share, row->share);
        if (!isnan(row->energy_j))
            (void)wtl_digits_estimate(energy, sizeof energy, row->energy_j, NAN, NAN);
        const char *cells[] = {rank, calls, wtl_digits_time(time, sizeof time, row->time_s), share,
                               energy};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    (void)fputc('\n', out);
    wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "estimated",
                        "an equal part of the node's mean power for each of its ranks, times the "
                        "rank's MPI time; no sensor tells ranks apart");
    return rc;
}

int wtl_text_mpi(FILE *out, const struct wtl_style *style, const struct wtl_mpi_time *mpi, bool all)
{
    int rc = 0;
    if (mpi->count == 0)
        return 0;
    print_shares(out, mpi);
    print_energy(out, mpi);
    if (all || mpi->count <= ROWS)
        rc = print_rows(out, style, mpi);
    (void)fputc('\n', out);
    return rc;
}

json_t *wtl_json_mpi(const struct wtl_mpi_time *mpi, bool simulated)
{
    struct wtl_json o = wtl_json_object(), list = wtl_json_array();
    for (size_t i = 0; i < mpi->count; i++) {
        const struct wtl_mpi_rank *row = &mpi->rows[i];
        struct wtl_json rank = wtl_json_object();
        wtl_json_set(&rank, "rank", json_integer(row->rank));
        wtl_json_set(&rank, "calls", wtl_json_count(row->calls));
        wtl_json_set(&rank, "time_s", wtl_json_number(row->time_s));
        wtl_json_set(&rank, "share", wtl_json_number(row->share));
        wtl_json_set(&rank, "energy_j", wtl_json_number(row->energy_j));
        wtl_json_set_quality(&rank, true, WATTLE_ESTIMATED, simulated);
        wtl_json_add(&list, wtl_json_done(&rank));
    }
    wtl_json_set(&o, "ranks", mpi->ranks ? json_integer(mpi->ranks) : json_null());
    wtl_json_set(&o, "mean_share", wtl_json_number(mpi->mean_share));
    wtl_json_set(&o, "union_s", wtl_json_number(mpi->union_s));
    wtl_json_set(&o, "inclusive", wtl_json_region_energy(&mpi->energy));
    wtl_json_set(&o, "by_rank", wtl_json_done(&list));
    return wtl_json_done(&o);
}
