/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks cost as text: how far a number is known, and what is no number. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/style.h"
#include "report/tasks/tasks_report.h"

#include "tap.h"

static struct wtl_task_study study;
static struct wtl_task_channel channel = {.name = "powercap:package-0", .mean_w = 90};

/* The line of a type with this power. */
static const char *row(double value, double low, double high)
{
    static char line[512];
    const struct wtl_tasks_view view = {.workers = false};
    const struct wtl_style style = {.width = 100};
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    study.model.types[0] = (struct wtl_task_cost){.name = "lock", .time_s = 1e-3, .group = -1};
    study.model.types[0].power_w = (struct wtl_task_value){value, low, high};
    study.model.types[0].energy_j = (struct wtl_task_value){2, 1.9, 2.1};
    line[0] = '\0';
    if (!out)
        return line;
    is_int(wtl_text_tasks(out, &study, &view, &style), 0, "written");
    (void)fclose(out);
    const char *at = text ? strstr(text, "lock") : NULL;
    if (at)
        (void)snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    free(text);
    return line;
}

int main(void)
{
    study.model.channels = &channel;
    study.model.channel_count = 1;
    study.model.type_count = 1;
    study.model.measured_j = 100;
    study.result.command = (char *)"./app";
    ok(strstr(row(9, 8, 10), "9.0 +- 1.0") != NULL, "a power: %s", row(9, 8, 10));
    ok(strstr(row(2, 0, 40), "? (at most 40)") != NULL, "one of which a bound is known");
    const char *absurd = row(0, 0, 22686562);
    ok(strstr(absurd, "?") != NULL && strstr(absurd, "at most") == NULL,
       "a bound above the power of the machine is none: %s", absurd);
    return done_testing();
}
