/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of findings, and what the checks share: see doctor.h. */
#include "cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

const char *wtl_health_name(enum wtl_health health)
{
    static const char *const names[WTL_HEALTH_COUNT] = {"ok", "could be better",
                                                        "stands in the way", "not applicable"};
    return (unsigned)health < WTL_HEALTH_COUNT ? names[health] : "?";
}

struct wtl_finding *wtl_doctor_say(struct wtl_doctor *doctor,
                                   const char *group,
                                   const char *check,
                                   enum wtl_health health,
                                   const char *format,
                                   ...)
{
    bool grown = wtl_grow(&doctor->findings, doctor->count, sizeof *doctor->findings) == 0;
    struct wtl_finding *finding = grown ? &doctor->findings[doctor->count++] : &doctor->spare;
    va_list args;
    doctor->out_of_memory |= !grown;
    *finding = (struct wtl_finding){.group = group, .health = health};
    (void)snprintf(finding->check, sizeof finding->check, "%s", check);
    va_start(args, format);
    (void)vsnprintf(finding->what, sizeof finding->what, format, args);
    va_end(args);
    return finding;
}

void wtl_doctor_cure(struct wtl_finding *finding, const char *where, const char *format, ...)
{
    va_list args;
    if (finding->cure_count == WTL_CURES)
        return;
    struct wtl_cure *cure = &finding->cures[finding->cure_count++];
    (void)snprintf(cure->where, sizeof cure->where, "%s", where);
    va_start(args, format);
    (void)vsnprintf(cure->command, sizeof cure->command, format, args);
    va_end(args);
}

void wtl_doctor_gain(struct wtl_finding *finding, const char *gain)
{
    (void)snprintf(finding->gain, sizeof finding->gain, "%s", gain);
}

enum wtl_health wtl_doctor_severity(const struct wtl_doctor *doctor)
{
    return doctor->measured ? WTL_HEALTH_BETTER : WTL_HEALTH_BLOCKED;
}

bool wtl_doctor_status(const struct wtl_world *world, const char *name, char *value, size_t n)
{
    char *text;
    bool found = false;
    if (wtl_world_slurp(world, "/proc/self/status", &text) < 0)
        return false;
    for (char *line = text; line && !found; line = strchr(line, '\n')) {
        line += line[0] == '\n';
        if (strncmp(line, name, strlen(name)) != 0)
            continue;
        line += strlen(name) + strspn(line + strlen(name), " \t");
        (void)snprintf(value, n, "%.*s", (int)strcspn(line, "\n"), line);
        found = true;
    }
    free(text);
    return found;
}

void wtl_doctor_field(const char *line, int n, char *out, size_t size)
{
    while (n-- > 0 && *line && *line != '\n') {
        line += strcspn(line, " \n");
        line += *line == ' ';
    }
    (void)snprintf(out, size, "%.*s", (int)strcspn(line, " \n"), line);
}

bool wtl_doctor_can(const struct wtl_world *world, unsigned capability)
{
    char hex[32];
    if (!wtl_doctor_status(world, "CapEff:", hex, sizeof hex))
        return world->ops->geteuid(world) == 0;
    return strtoull(hex, NULL, 16) >> capability & 1;
}
