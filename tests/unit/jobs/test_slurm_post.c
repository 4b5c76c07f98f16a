/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of sacctmgr, word by word, and what must never become one. */
#define _GNU_SOURCE
#include "tap.h"

#include <errno.h>
#include <math.h>

#include "jobs/slurm_post.h"

static struct wtl_slurm_argv argv;

static void is_words(const char *const *want, const char *what)
{
    size_t i = 0;
    for (; want[i] && argv.words[i]; i++)
        is_str(argv.words[i], want[i], "%s: word %zu", what, i);
    ok(!want[i] && !argv.words[i], "%s: %zu words", what, i);
}

static void test_energy(void)
{
    const char *const ids[] = {"sC8KR0QYWBW400", "sC8KR0QYWBW401"};
    const char *const want[] = {"sacctmgr",
                                "-Q",
                                "-i",
                                "modify",
                                "job",
                                "where",
                                "jobid=sC8KR0QYWBW400,sC8KR0QYWBW401",
                                "set",
                                "tres=energy=1234",
                                NULL};
    is_int(wtl_slurm_post_energy(&argv, ids, 2, 1234), 0, "two of one energy");
    is_words(want, "energy");
    const char *const bad[] = {"",
                               "12",
                               "5_2",
                               "12345678",
                               "sC8KR0QYWBW400,1",
                               "sC8KR0QYWBW400 x",
                               "sC8KR0QYWBW4;0",
                               "sC8KR0QYWBW400'",
                               "user=alice00",
                               "s",
                               "sC8KR0QYWBW400\n",
                               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const one[] = {"sC8KR0QYWBW400", bad[i]};
        is_int(wtl_slurm_post_energy(&argv, one, 2, 1234), -EINVAL, "refused: \"%s\"", bad[i]);
        ok(!argv.words[0], "no command is left");
    }
    is_int(wtl_slurm_post_energy(&argv, ids, 0, 1234), -EINVAL, "never without a condition");
    is_int(wtl_slurm_post_energy(&argv, ids, 1, 0), -EINVAL, "0 J would look like no sensor");
    is_int(wtl_slurm_post_energy(&argv, ids, 1, -1), -EINVAL, "negative");
    is_int(wtl_slurm_post_energy(&argv, ids, 1, INT64_MAX), -EINVAL, "near Slurm's no value");
}

static void test_comment(void)
{
    const char *const want[] = {
        "sacctmgr",  "-Q",  "-i",
        "modify",    "job", "where",
        "jobid=5_2", "set", "AdminComment=wattle energy_j=77 quality=measured",
        NULL};
    is_int(wtl_slurm_post_comment(&argv, "5_2", false, 77, "measured"), 0, "comment");
    is_words(want, "comment");
    is_int(wtl_slurm_post_comment(&argv, "8+1", false, 77, ""), 0, "a component");
    const char *const bad[] = {
        "", "5_", "5_[1-2]", "5,6", "5_2_3", "5 6", "x", "5_2 ", "123456789012345678901"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        is_int(wtl_slurm_post_comment(&argv, bad[i], false, 77, "measured"), -EINVAL,
               "refused: \"%s\"", bad[i]);
    is_int(wtl_slurm_post_comment(&argv, "5", false, 77, "a b"), -EINVAL, "a quality that is none");
    is_int(wtl_slurm_post_comment(&argv, "sC8KR0QYWBW400", true, 77, ""), 0, "a SLUID");
    is_str(argv.words[6], "jobid=sC8KR0QYWBW400", "which is one record");
    is_int(wtl_slurm_post_comment(&argv, "5", true, 77, ""), -EINVAL, "no id where it must be one");
    is_int(wtl_slurm_post_comment(&argv, "", true, 77, ""), -EINVAL, "nor nothing");
}

static void test_ask(void)
{
    const uint64_t ids[] = {7, 8};
    const char *const want[] = {"sacct",
                                "--noheader",
                                "--parsable2",
                                "--allocations",
                                "--duplicates",
                                "--allusers",
                                "--jobs=7,8",
                                "--format=JobID,JobIDRaw,Cluster,Submit,Start,End,State,"
                                "ConsumedEnergyRaw,SLUID,AdminComment",
                                "--clusters=c1",
                                NULL};
    is_int(wtl_slurm_ask(&argv, ids, 2, "c1", true), 0, "ask");
    is_words(want, "ask");
    is_int(wtl_slurm_ask(&argv, ids, 1, "c1,c2", true), -EINVAL, "one cluster");
    is_int(wtl_slurm_ask(&argv, ids, 0, "", true), -EINVAL, "never all");
    uint64_t many[WTL_SLURM_BATCH];
    for (size_t i = 0; i < WTL_SLURM_BATCH; i++)
        many[i] = UINT64_MAX;
    is_int(wtl_slurm_ask(&argv, many, WTL_SLURM_BATCH, "", false), 0, "the longest");
    is_int(strlen(argv.words[6]), strlen("--jobs=") + WTL_SLURM_BATCH * 21 - 1, "is not cut off");
}

static bool parse(const char *line, bool sluid, struct wtl_slurm_row *row)
{
    return wtl_slurm_row_parse(line, strlen(line), sluid, row);
}

static void test_rows(void)
{
    struct wtl_slurm_row row;
    ok(parse("5_2|7|c1|1764064800|1764064801|1764064802|COMPLETED|1234|sC8KR0QYWBW400|a|b", true,
             &row),
       "a row");
    is_str(row.job_id, "5_2", "id");
    is_str(row.sluid, "sC8KR0QYWBW400", "sluid");
    is_str(row.comment, "a|b", "a comment with separators");
    ok(row.raw_id == 7 && row.submit_s == 1764064800 && row.start_s == 1764064801 &&
           row.end_s == 1764064802 && row.is_final && row.energy_j > 1233 && row.energy_j < 1235,
       "numbers");
    ok(!wtl_slurm_comment_is_free(row.comment), "the site's comment stays");
    ok(parse("7|7|c1|Unknown|Unknown|Unknown|RUNNING|18446744073709551614|wattle energy_j=55 "
             "quality=measured",
             false, &row),
       "older");
    ok(row.submit_s == 0 && !row.is_final && isnan(row.energy_j) && row.comment_j > 54 &&
           row.comment_j < 56,
       "no value, comment");
    ok(wtl_slurm_comment_is_free(row.comment) && wtl_slurm_comment_is_free(""),
       "ours may be replaced");
    ok(parse("7|7|c1|1|2|3|COMPLETED||", false, &row) && isnan(row.energy_j) &&
           isnan(row.comment_j),
       "empty");
    ok(!parse("7|7|c1|1|2|3|COMPLETED", false, &row) && !parse("", false, &row) &&
           !parse("7|x|c1|1|2|3|COMPLETED||", false, &row),
       "no rows");
}

int main(void)
{
    test_energy();
    test_comment();
    test_ask();
    test_rows();
    return done_testing();
}
