/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units as users type them. */
#include "cli/pose/pose_quantity.h"

#include <errno.h>
#include <math.h>

#include "cli/pose/pose_candidates.h"
#include "tap.h"

static const struct row {
    int line;
    const char *text;
    enum wtl_pose_dimension dimension;
    double value; /* NaN = refused */
} rows[] = {
    {__LINE__, "212.91", WTL_POSE_OF_TIME, 212.91},
    {__LINE__, "3.5s", WTL_POSE_OF_TIME, 3.5},
    {__LINE__, "12 s", WTL_POSE_OF_TIME, 12},
    {__LINE__, "2min", WTL_POSE_OF_TIME, 120},
    {__LINE__, "1e-3s", WTL_POSE_OF_TIME, 1e-3},
    {__LINE__, "1.5ms", WTL_POSE_OF_TIME, 1.5e-3},
    {__LINE__, "-3", WTL_POSE_OF_TIME, -3},
    {__LINE__, "3 J", WTL_POSE_OF_TIME, NAN},
    {__LINE__, "nan", WTL_POSE_OF_TIME, NAN},
    {__LINE__, "inf", WTL_POSE_OF_TIME, NAN},
    {__LINE__, "", WTL_POSE_OF_TIME, NAN},
    {__LINE__, "s", WTL_POSE_OF_TIME, NAN},
    {__LINE__, "1 ", WTL_POSE_OF_TIME, NAN},
    {__LINE__, "0x10", WTL_POSE_OF_TIME, NAN},
    {__LINE__, "38952.89", WTL_POSE_OF_ENERGY, 38952.89},
    {__LINE__, "39kJ", WTL_POSE_OF_ENERGY, 39e3},
    {__LINE__, "10Wh", WTL_POSE_OF_ENERGY, 36e3},
    {__LINE__, "2 kWh", WTL_POSE_OF_ENERGY, 7.2e6},
    {__LINE__, "1e308MJ", WTL_POSE_OF_ENERGY, NAN},
    {__LINE__, "181.14W", WTL_POSE_OF_POWER, 181.14},
    {__LINE__, "0.5kW", WTL_POSE_OF_POWER, 500},
    {__LINE__, "5kJ", WTL_POSE_OF_POWER, NAN},
};

static const struct {
    const char *word;
    enum wtl_pose_candidate_form form;
} words[] = {
    {"1,2", WTL_POSE_CANDIDATE_GIVEN},
    {"3.5min,10kJ,a label, with a comma", WTL_POSE_CANDIDATE_GIVEN},
    {"nan,5", WTL_POSE_CANDIDATE_GIVEN},
    {"12", WTL_POSE_CANDIDATE_GIVEN},
    {"versions.csv", WTL_POSE_CANDIDATE_TABLE},
    {"versions.csv.gz", WTL_POSE_CANDIDATE_TABLE},
    {"new.wtl", WTL_POSE_CANDIDATE_TRACES},
    {"O3=new.wtl,newer.wtl", WTL_POSE_CANDIDATE_TRACES},
    {"runs/", WTL_POSE_CANDIDATE_TRACES},
};

static const char *const names[][2] = {
    {"O3.wtl", "O3"},         {"runs/O3.wtl", "O3"}, {"runs/O3/", "O3"}, {"runs", "runs"},
    {"a/1.wtl,a/2.wtl", "1"}, {".wtl", ".wtl"},      {"/", ""},
};

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = NAN;
        tap_line = rows[i].line;
        int rc = wtl_pose_quantity(rows[i].text, rows[i].dimension, &value);
        is_int(rc, isnan(rows[i].value) ? -EINVAL : 0, "\"%s\"", rows[i].text);
        if (rc == 0)
            is_double(value, rows[i].value, 1e-12 * fabs(rows[i].value), "its value");
    }
    tap_line = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_int(wtl_pose_candidate_form(words[i].word), words[i].form, "\"%s\"", words[i].word);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = wtl_pose_name_of(names[i][0], NULL, 0);
        is_str(name, names[i][1], "name of %s", names[i][0]);
        free(name);
    }
    return done_testing();
}
