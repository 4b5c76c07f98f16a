/* SPDX-License-Identifier: BSD-3-Clause */
/* The test report of a check: its four forms, and text that XML cannot represent. */
#define _GNU_SOURCE
#include "report/compare/report_check.h"

#include "../sample_result.h"
#include "tap.h"

static char *junit_of(enum wtl_check_outcome outcome,
                      struct wtl_check_rules rules,
                      const char *command,
                      int *ret_status)
{
    struct wtl_result run = sample_result(1);
    run.command = command;
    struct wtl_check check = {.metric = WTL_METRIC_ENERGY,
                              .limit = 0.02,
                              .base = &run,
                              .base_count = 1,
                              .runs = &run,
                              .run_count = 1,
                              .outcome = outcome,
                              .change = {0.05, 0.04, NAN},
                              .base_spread = {NAN, NAN, NAN},
                              .run_spread = {7, NAN, NAN},
                              .p = NAN,
                              .shown = 0.03,
                              .text = "a < b & \"c\""};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        exit(1);
    wtl_junit_check(out, &check, &rules);
    *ret_status = wtl_check_status(&check, &rules);
    (void)fclose(out);
    wtl_result_fini(&run);
    return text;
}

static void test_forms(void)
{
    static const struct {
        enum wtl_check_outcome outcome;
        struct wtl_check_rules rules;
        int status;
        const char *has, *has_not;
    } rows[] = {
        {WTL_CHECK_WITHIN,
         {false, false},
         0,
         "failures=\"0\" errors=\"0\" skipped=\"0\"",
         "message="},
        {WTL_CHECK_WITHIN,
         {false, true},
         0,
         "failures=\"0\" errors=\"0\" skipped=\"0\"",
         "message="},
        {WTL_CHECK_NOT_ABOVE, {false, false}, 0, "errors=\"0\"", "message="},
        {WTL_CHECK_NOT_ABOVE, {false, true}, 3, "<error type=\"unknown\"", "<skipped"},
        {WTL_CHECK_NOT_ABOVE, {true, true}, 0, "<skipped type=\"unknown\"", "<error"},
        {WTL_CHECK_ABOVE, {true, false}, 1, "<failure type=\"above\"", "<error"},
        {WTL_CHECK_UNKNOWN, {false, false}, 3, "<error type=\"unknown\"", "<failure"},
        {WTL_CHECK_UNKNOWN, {true, false}, 0, "skipped=\"1\"", "<error"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status = -1;
        char *text = junit_of(rows[i].outcome, rows[i].rules, "app", &status);
        is_int(status, rows[i].status, "status of row %zu", i);
        ok(strstr(text, rows[i].has) != NULL, "has %s", rows[i].has);
        ok(strstr(text, rows[i].has_not) == NULL, "has no %s", rows[i].has_not);
        ok(strstr(text, "a &lt; b &amp; &quot;c&quot;") && !strstr(text, "nan"), "escaped, no NaN");
        free(text);
    }
}

static void test_characters(void)
{
    int status;
    char *text = junit_of(WTL_CHECK_WITHIN, (struct wtl_check_rules){false, false},
                          "\x01\xff\xef\xbf\xbe\xef\xbf\xbd\xf0\x9f\x94\x8b\t]]>\n", &status);
    ok(strstr(text, "name=\"???\xef\xbf\xbd\xf0\x9f\x94\x8b&#9;]]&gt;&#10;\"") != NULL,
       "what XML cannot hold is ?, what it can stays");
    free(text);
}

/* The message says what the energies are, and failures that were ignored; a check that did not end is an error. */
static void test_messages(void)
{
    struct wtl_check_rules rules = {false, false};
    int status;
    char *text = junit_of(WTL_CHECK_ABOVE, rules, "app", &status);
    ok(strstr(text, "message=\"a &lt; b &amp; &quot;c&quot; (energy of the base "), "%s", text);
    free(text);
    size_t size = 0;
    text = NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        exit(1);
    wtl_junit_failed(out, WTL_METRIC_ENERGY, NULL, "it <failed>");
    (void)fclose(out);
    ok(strstr(text, "errors=\"1\"") &&
           strstr(text, "<error type=\"failed\" message=\"it &lt;failed&gt;\"/>"),
       "%s", text);
    free(text);
}

int main(void)
{
    test_forms();
    test_characters();
    test_messages();
    return done_testing();
}
