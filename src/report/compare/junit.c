/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A check as JUnit, in the form that Jenkins, GitLab and others read: one suite, one case. Commands
 * and names of hosts are foreign text: what XML 1.0 cannot hold, even escaped, becomes "?".
 */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "report/compare/report_check.h"
#include "report/compare/sides_report.h"

/* May these n bytes, one character of UTF-8, stand in XML 1.0? */
static bool is_character(const char *p, size_t n)
{
    unsigned char first = (unsigned char)*p;
    if (n == 1)
        return first >= 0x20 || first == '\t' || first == '\n' || first == '\r';
    /* U+FFFE and U+FFFF may not; surrogates are no UTF-8. */
    return !(n == 3 && first == 0xEF && memcmp(p + 1, "\xBF", 1) == 0 &&
             ((unsigned char)p[2] == 0xBE || (unsigned char)p[2] == 0xBF));
}

static void escaped(FILE *out, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t n = wtl_utf8_length(text, left), length;
        bool printable = wtl_utf8_printable(text, left, &length) > 0;
        if (n == 0 || !is_character(text, n))
            (void)fputc('?', out);
        else if (!printable) /* kept in an attribute, too, and steering nothing */
            (void)fprintf(out, "&#%u;", wtl_utf8_code(text, n));
        else if (n > 1)
            (void)fwrite(text, 1, n, out);
        else if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            (void)fputs(*text == '<'   ? "&lt;"
                        : *text == '>' ? "&gt;"
                        : *text == '&' ? "&amp;"
                                       : "&quot;",
                        out);
        else
            (void)fputc(*text, out);
        n = n ? n : 1;
        text += n;
        left -= n;
    }
}

static void property(FILE *out, const char *name, double value)
{
    if (isfinite(value))
        (void)fprintf(out, "      <property name=\"%s\" value=\"%.9g\"/>\n", name, value);
}

static void text_property(FILE *out, const char *name, const char *value)
{
    (void)fprintf(out, "      <property name=\"%s\" value=\"%s\"/>\n", name, value);
}

static void properties(FILE *out, const struct wtl_check *check)
{
    (void)fputs("    <properties>\n", out);
    property(out, "limit", check->limit);
    property(out, "change", check->change.value);
    property(out, "change_low", check->change.low);
    property(out, "change_high", check->change.high);
    property(out, "p", check->p);
    property(out, "shown", check->shown);
    property(out, "base_mean", check->base_spread.mean);
    property(out, "now_mean", check->run_spread.mean);
    property(out, "base_runs", (double)check->base_count);
    property(out, "runs", (double)check->run_count);
    text_property(out, "base_quality", wtl_side_quality(check->base, check->base_count));
    text_property(out, "quality", wtl_side_quality(check->runs, check->run_count));
    (void)fputs("    </properties>\n", out);
}

static void element(FILE *out, const char *name, const char *type, const char *message)
{
    (void)fprintf(out, "      <%s type=\"%s\" message=\"", name, type);
    escaped(out, message);
    (void)fputs("\"/>\n", out);
}

/* The outcome with what its energies are, and failures that were to be ignored. */
static void explain(const struct wtl_check *check, char *buf, size_t n)
{
    size_t failed = 0, used;
    for (size_t i = 0; i < check->run_count; i++)
        failed += check->runs[i].exit_code > 0 ? 1 : 0;
    (void)snprintf(buf, n, "%s", check->text);
    used = strlen(buf);
    if (check->metric != WTL_METRIC_TIME)
        (void)snprintf(buf + used, n - used, " (energy of the base %s, of now %s)",
                       wtl_side_quality(check->base, check->base_count),
                       wtl_side_quality(check->runs, check->run_count));
    used = strlen(buf);
    if (failed > 0)
        (void)snprintf(buf + used, n - used, "; the command failed in %zu of %zu runs", failed,
                       check->run_count);
}

static void begin(FILE *out, const char *counts, double seconds)
{
    (void)fprintf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites>\n  <testsuite name=\"wattle check\" tests=\"1\" %s time=\"%.6f\">\n",
        counts, seconds);
}

static void begin_case(FILE *out, enum wtl_metric metric, const char *command, double seconds)
{
    (void)fprintf(out, "    <testcase classname=\"wattle.check.%s\" name=\"",
                  wtl_metric_names[metric]);
    escaped(out, command ? command : "unknown");
    (void)fprintf(out, "\" time=\"%.6f\">\n", seconds);
}

static void end(FILE *out, const char *text)
{
    (void)fputs("      <system-out>", out);
    escaped(out, text);
    (void)fputs("</system-out>\n    </testcase>\n  </testsuite>\n</testsuites>\n", out);
}

void wtl_junit_check(FILE *out, const struct wtl_check *check, const struct wtl_check_rules *rules)
{
    int status = wtl_check_status(check, rules);
    bool skipped = status == 0 && (check->outcome == WTL_CHECK_UNKNOWN ||
                                   (check->outcome == WTL_CHECK_NOT_ABOVE && rules->strict));
    double seconds = 0;
    char counts[64], text[600];
    for (size_t i = 0; i < check->run_count; i++)
        seconds += check->runs[i].wall_time_s > 0 ? check->runs[i].wall_time_s : 0;
    (void)snprintf(counts, sizeof counts, "failures=\"%d\" errors=\"%d\" skipped=\"%d\"",
                   status == 1, status == 3, skipped);
    explain(check, text, sizeof text);
    begin(out, counts, seconds);
    properties(out, check);
    begin_case(out, check->metric, check->runs[0].command, seconds);
    if (status == 1)
        element(out, "failure", "above", text);
    else if (status == 3)
        element(out, "error", "unknown", text);
    else if (skipped)
        element(out, "skipped", "unknown", text);
    end(out, text);
}

void wtl_junit_failed(FILE *out, enum wtl_metric metric, const char *command, const char *message)
{
    begin(out, "failures=\"0\" errors=\"1\" skipped=\"0\"", 0);
    begin_case(out, metric, command, 0);
    element(out, "error", "failed", message);
    end(out, message);
}
