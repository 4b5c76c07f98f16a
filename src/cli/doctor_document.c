/* SPDX-License-Identifier: BSD-3-Clause */
/* The findings of the doctor for people, and as JSON "wattle.doctor/1" (docs/format/json.md). */
#include "cli/doctor.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "model/quality.h"
#include "report/json_value.h"
#include "report/table.h"

enum { LABEL = 16 };

static bool is_simulated(const struct wtl_doctor *doctor)
{
    return wtl_channels_are_simulated(doctor->selection->channels, doctor->selection->count);
}

/* "measured", "simulated", ..., or NULL when nothing can be added up. */
static const char *quality_of(const struct wtl_doctor *doctor)
{
    const struct wtl_total *total = &doctor->selection->total;
    return total->count ? wtl_quality_word(total->quality, is_simulated(doctor)) : NULL;
}

static void print_cures(FILE *out, const struct wtl_finding *finding)
{
    for (size_t i = 0; i < finding->cure_count; i++) {
        /* A command is not wrapped: it is copied. */
        (void)fprintf(out, "%*s%s: ", WTL_TEXT_INDENT + LABEL, "", finding->cures[i].where);
        wtl_print_clean(out, finding->cures[i].command, strlen(finding->cures[i].command));
        (void)fputc('\n', out);
    }
    if (finding->gain[0]) {
        char text[sizeof finding->gain + 16];
        (void)snprintf(text, sizeof text, "gain: %s", finding->gain);
        wtl_print_paragraph(out, NULL, WTL_PLAIN, LABEL, "", text);
    }
}

static void print_group(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_doctor *doctor,
                        enum wtl_health health,
                        const char *title)
{
    bool any = false;
    for (size_t i = 0; i < doctor->count; i++) {
        const struct wtl_finding *finding = &doctor->findings[i];
        if (finding->health != health)
            continue;
        if (!any)
            (void)fprintf(out, "\n %s\n\n", title);
        any = true;
        wtl_print_paragraph(out, style, health == WTL_HEALTH_BLOCKED ? WTL_CAUTION : WTL_PLAIN,
                            LABEL, finding->check, finding->what);
        print_cures(out, finding);
    }
}

int wtl_doctor_text(FILE *out,
                    const struct wtl_style *style,
                    const struct wtl_doctor *doctor,
                    bool all)
{
    const struct wtl_total *total = &doctor->selection->total;
    char text[512] = "nothing, not even by an estimate";
    size_t in_order = 0;
    if (total->count)
        (void)snprintf(text, sizeof text, "%s (%s)%s%s", total->contains, quality_of(doctor),
                       total->excludes[0] ? "; not " : "", total->excludes);
    (void)fputc('\n', out);
    wtl_print_paragraph(out, style, WTL_STRONG, LABEL, "host",
                        doctor->host[0] ? doctor->host : "this machine");
    wtl_print_paragraph(out, style, doctor->measured ? WTL_STRONG : WTL_CAUTION, LABEL,
                        "can measure", text);
    print_group(out, style, doctor, WTL_HEALTH_BLOCKED, "Stands in the way:");
    print_group(out, style, doctor, WTL_HEALTH_BETTER, "Could be better:");
    for (size_t i = 0; i < doctor->count; i++)
        in_order += doctor->findings[i].health == WTL_HEALTH_OK;
    if (all) {
        print_group(out, style, doctor, WTL_HEALTH_OK, "In order:");
        print_group(out, style, doctor, WTL_HEALTH_NONE, "Not applicable:");
    } else {
        (void)fprintf(out, "\n %zu other check%s in order (--all shows them).\n", in_order,
                      in_order == 1 ? " is" : "s are");
    }
    (void)fputc('\n', out);
    return 0;
}

static json_t *finding_of(const struct wtl_finding *finding)
{
    struct wtl_json o = wtl_json_object(), cures = wtl_json_array();
    for (size_t i = 0; i < finding->cure_count; i++) {
        struct wtl_json cure = wtl_json_object();
        wtl_json_set(&cure, "where", wtl_json_text(finding->cures[i].where));
        wtl_json_set(&cure, "command", wtl_json_text(finding->cures[i].command));
        wtl_json_add(&cures, wtl_json_done(&cure));
    }
    wtl_json_set(&o, "group", json_string(finding->group));
    wtl_json_set(&o, "check", wtl_json_text(finding->check));
    wtl_json_set(&o, "state", json_string(wtl_health_name(finding->health)));
    wtl_json_set(&o, "what", wtl_json_text(finding->what));
    wtl_json_set(&o, "remedies", wtl_json_done(&cures));
    wtl_json_set(&o, "gain", wtl_json_text(finding->gain[0] ? finding->gain : NULL));
    return wtl_json_done(&o);
}

int wtl_doctor_json(FILE *out, const struct wtl_doctor *doctor)
{
    const struct wtl_total *total = &doctor->selection->total;
    struct wtl_json o = wtl_json_document("wattle.doctor/1"), sum = wtl_json_object(),
                    findings = wtl_json_array();
    for (size_t i = 0; i < doctor->count; i++)
        wtl_json_add(&findings, finding_of(&doctor->findings[i]));
    wtl_json_set_quality(&sum, total->count > 0, total->quality,
                         total->count > 0 && is_simulated(doctor));
    wtl_json_set(&sum, "contains", wtl_json_text(total->count ? total->contains : NULL));
    wtl_json_set(&sum, "excludes", wtl_json_text(total->count ? total->excludes : NULL));
    wtl_json_set(&o, "host", wtl_json_text(doctor->host[0] ? doctor->host : NULL));
    wtl_json_set(&o, "machine",
                 wtl_json_text(doctor->where.machine[0] ? doctor->where.machine : NULL));
    wtl_json_set(&o, "container",
                 wtl_json_text(doctor->where.container[0] ? doctor->where.container : NULL));
    wtl_json_set(&o, "total", wtl_json_done(&sum));
    wtl_json_set(&o, "checks", wtl_json_done(&findings));
    return wtl_json_print(out, wtl_json_done(&o));
}
