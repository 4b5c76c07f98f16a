/* SPDX-License-Identifier: BSD-3-Clause */
/* What the energy of a change is, and the flags of its runs: see text_change.h. */
#include <stdio.h>
#include <string.h>

#include "report/compare/sides_report.h"
#include "report/compare/text_change.h"

static const char *content_of(const struct wtl_result *run)
{
    return run->total.count > 0 ? run->total.contains : "no sensor";
}

/* What the totals of a side contain: "node", "node (3 runs), package + dram (2 runs)". */
static void list_contents(const struct wtl_change_side *side, char *buf, size_t n)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < side->n && used < n; i++) {
        const char *content = content_of(&side->runs[i]);
        size_t runs = 0, before = 0;
        for (size_t k = 0; k < side->n; k++) {
            bool same = strcmp(content_of(&side->runs[k]), content) == 0;
            runs += same ? 1 : 0;
            before += same && k < i ? 1 : 0;
        }
        if (before > 0)
            continue;
        int more = runs == side->n
                       ? snprintf(buf + used, n - used, "%s", content)
                       : snprintf(buf + used, n - used, "%s%s (%zu run%s)", used ? ", " : "",
                                  content, runs, runs == 1 ? "" : "s");
        used += more > 0 ? (size_t)more : 0;
    }
}

static void print_quality(FILE *out, const struct wtl_style *style, const struct wtl_change *change)
{
    const struct wtl_change_side *s = change->sides;
    const char *words[2];
    char what[2][400];
    for (int side = 0; side < 2; side++) {
        words[side] = wtl_side_quality(s[side].runs, s[side].n);
        list_contents(&s[side], what[side], sizeof what[side]);
    }
    bool same = strcmp(words[0], words[1]) == 0;
    bool plain = same && strcmp(words[0], "measured") == 0;
    enum wtl_emphasis emphasis = plain ? WTL_PLAIN : WTL_CAUTION;
    if (strcmp(what[0], what[1]) != 0)
        wtl_text_note(out, style, emphasis, "energy of", "%s: %s, %s; %s: %s, %s", s[0].name,
                      what[0], words[0], s[1].name, what[1], words[1]);
    else if (same)
        wtl_text_note(out, style, emphasis, "energy of", "%s, %s", what[0], words[0]);
    else
        wtl_text_note(out, style, emphasis, "energy of", "%s; %s %s, %s %s", what[0], s[0].name,
                      words[0], s[1].name, words[1]);
}

static void append_runs(const struct wtl_change_side *side, size_t with, char *buf, size_t n)
{
    size_t used = strlen(buf);
    char *end = buf + used;
    const char *and = used ? " and " : "";
    if (with == side->n && side->n == 2)
        (void)snprintf(end, n - used, "%sboth runs of %s", and, side->name);
    else if (with == side->n && side->n > 1)
        (void)snprintf(end, n - used, "%sall %zu runs of %s", and, side->n, side->name);
    else if (with == side->n)
        (void)snprintf(end, n - used, "%sthe run of %s", and, side->name);
    else if (with > 0)
        (void)snprintf(end, n - used, "%s%zu of %zu runs of %s", and, with, side->n, side->name);
}

/* "all runs", "all 6 runs of A", "2 of 6 runs of A and the run of B" */
static const char *count_runs(const struct wtl_change *change,
                              const size_t with[2],
                              char *buf,
                              size_t n)
{
    const struct wtl_change_side *sides = change->sides;
    bool both = sides[0].n == 1 && sides[1].n == 1;
    bool all = with[0] == sides[0].n && with[1] == sides[1].n;
    (void)snprintf(buf, n, "%s", !all ? "" : both ? "both runs" : "all runs");
    for (int side = 0; side < 2 && !all; side++)
        append_runs(&sides[side], with[side], buf, n);
    return buf;
}

static const struct wtl_result_flag *find_flag(const struct wtl_change_side *side,
                                               const char *name,
                                               size_t *ret_runs)
{
    const struct wtl_result_flag *flag;
    for (size_t cursor = 0; wtl_side_flag_next(side->runs, side->n, &cursor, &flag, ret_runs);) {
        if (strcmp(flag->name, name) == 0)
            return flag;
    }
    *ret_runs = 0;
    return NULL;
}

static void print_failures(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_change *change)
{
    size_t failed[2] = {0, 0};
    char text[120];
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < change->sides[side].n; i++)
            failed[side] += change->sides[side].runs[i].exit_code > 0 ? 1 : 0;
    if (failed[0] + failed[1] > 0)
        wtl_text_note(out, style, WTL_CAUTION, "! FAILED", "the command failed in %s",
                      count_runs(change, failed, text, sizeof text));
}

/* One line for each flag; in detail with its first text. What the energy is has been said. */
static void print_flags(FILE *out, const struct wtl_style *style, const struct wtl_change *change)
{
    const struct wtl_change_side *sides = change->sides;
    for (int side = 0; side < 2; side++) {
        const struct wtl_result_flag *flag;
        size_t runs, others;
        for (size_t cursor = 0;
             wtl_side_flag_next(sides[side].runs, sides[side].n, &cursor, &flag, &runs);) {
            char label[40];
            bool known = find_flag(&sides[1 - side], flag->name, &others) != NULL;
            if ((side == 1 && known) || strcmp(flag->name, "ESTIMATED") == 0 ||
                strcmp(flag->name, "SIMULATED") == 0)
                continue;
            char text[120];
            const size_t with[2] = {side ? others : runs, side ? runs : others};
            (void)snprintf(label, sizeof label, "! %s", flag->name);
            bool verbose = style && style->verbose;
            wtl_text_note(out, style, WTL_CAUTION, label, "%s%s%s",
                          count_runs(change, with, text, sizeof text), verbose ? "; first: " : "",
                          verbose ? flag->text : "");
        }
    }
}

void wtl_text_change_energy(FILE *out,
                            const struct wtl_style *style,
                            const struct wtl_change *change)
{
    print_quality(out, style, change);
    print_failures(out, style, change);
    print_flags(out, style, change);
}
